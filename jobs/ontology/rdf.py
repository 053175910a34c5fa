"""RDF graphs as OWL 2 ontologies, with the proof that every triple was understood.

`read_rdf` takes each triple out of the graph as it becomes part of an axiom, header entry or
declaration. A triple that remains is an error naming the construct and, where it can be found,
its line; so no statement is ever lost without a word. A few things may be left out, each with a
warning: expressions that no axiom uses, variables that no rule uses, annotation nodes without
annotation, names of rules and axioms, and `rdfs:Resource` as a type. Without a warning go types
that repeat what a stronger one says (`rdfs:Class` beside `owl:Class`), as the standard has it.

Source: OWL 2 mapping to RDF graphs, second edition, section 3; lenient where the OWL API is
lenient without loss (missing declarations, OWL 1 vocabulary, no ontology header).
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology import vocabulary as v
from jobs.ontology.document import OntologyDocument
from jobs.ontology.rdf_annotations import Annotations
from jobs.ontology.rdf_axioms import Axioms
from jobs.ontology.rdf_kinds import Kinds
from jobs.ontology.rdf_nodes import is_data_range, is_expression, one
from jobs.ontology.rdf_rules import NODE_AXIOMS, NodeAxioms
from jobs.ontology.rdf_terms import Expressions
from jobs.ontology.triples import Misfit, find_line, read_graph
from jobs.ontology.vocabulary import owl, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobs.ontology.grammar import EntityType
    from jobs.ontology.rdf_axioms import Part
    from jobs.ontology.triples import Description, Graph, RdfFormat, Triple

_IMPORTS: Final = owl("imports")
_VERSION: Final = owl("versionIRI")
_VARIABLE: Final = v.swrl("Variable")
_CALLS_MAX: Final = 4000


def read_rdf(
    data: bytes,
    rdf_format: RdfFormat,
    external_types: Mapping[str, frozenset[EntityType]] | None = None,
    prefixes: Mapping[str, str] | None = None,
) -> tuple[OntologyDocument, frozenset[str]]:
    """The document in an RDF file, and the IRIs whose kind was guessed.

    Args:
        data: UTF-8 without byte order mark, document type declaration or entities.
        external_types: what imported documents declare.
    Raises:
        InvalidOntology: with `construct`, and `line` where the source shows it.
    """
    try:
        reader = _Reader(read_graph(data, rdf_format), external_types)
        with _room_for_nesting():
            document = reader.document(rdf_format, prefixes or {})
    except Misfit as misfit:
        line = find_line(data.decode("utf-8", "replace"), misfit.terms)
        details: dict[str, object] = {"construct": misfit.construct, "format": rdf_format}
        where = ""
        if line is not None:
            details["line"] = line
            where = f"Line {line}: "
        raise InvalidOntology(f"{where}{misfit.message.rstrip('.')}.", details=details) from None
    return document, frozenset(term[1:-1] for term in reader.kinds.guessed)


@contextmanager
def _room_for_nesting() -> Iterator[None]:
    """Let expressions descend to `NESTING_MAX`, some seven calls a level; calls of Python need no C stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS_MAX))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Reader:
    """One reading; holds what is still to be understood."""

    def __init__(self, graph: Graph, external_types: Mapping[str, frozenset[EntityType]] | None) -> None:
        self.kinds = Kinds(external_types)
        self.warnings: list[str] = []
        self._graph = graph
        self._terms = Expressions(graph, self.kinds)
        self._axioms = Axioms(self._terms, self.kinds)
        self._texts: list[str] = []
        self._annotations = Annotations(graph, self.kinds)
        for subject, value in graph.types:
            declared = v.DECLARED.get(value)
            if declared is not None:
                self.kinds.add(subject, declared[1])
        for subject, value in graph.types:
            if value in v.OBJECT_CHARACTERISTICS and not {"O", "D"} & set(self.kinds.of(subject)):
                self.kinds.add(subject, "O")
        self._terms.imply_kinds()
        for node in graph.nodes.values():
            if _VARIABLE in node.get(v.TYPE, ()):
                raise Misfit("A rule variable at a blank node; name it by an IRI", construct="swrl:Variable")
        variables = {subject for subject, value in graph.types if value == _VARIABLE}
        self._variables = variables
        self._node_axioms = NodeAxioms(graph, self._terms, self.kinds, variables)

    def document(self, rdf_format: str, prefixes: Mapping[str, str]) -> OntologyDocument:
        """Read everything, then make sure that nothing is left."""
        header = self._header()
        self._annotations.collect()
        iri, version, imports, annotations = self._read_header(header)
        self._read_node_axioms()
        self._read_types()
        self._read_facts()
        self._read_nodes()
        self._read_remarks()
        self._read_annotated_only()
        self._check_nothing_left()
        self.warnings += [*self._annotations.warnings(), *self._axioms.warnings, *self.kinds.warnings()]
        return OntologyDocument(
            iri=iri,
            version_iri=version,
            imports=imports,
            annotations=annotations,
            axioms=tuple(sorted(dict.fromkeys(self._texts))),  # a set would undo the order there is
            prefixes=prefixes,
            format=rdf_format,
            reader="rdf-mapping",
            warnings=tuple(self.warnings),
        )

    # --- Header ---

    def _header(self) -> str | None:
        """The node of the ontology; None where the document has no header."""
        headers = [subject for subject, value in self._graph.types if value == v.ONTOLOGY]
        headers += [term for term, node in self._graph.nodes.items() if v.ONTOLOGY in node.get(v.TYPE, ())]
        if len(headers) > 1:
            # A header of something imported, with nothing else said of it, is a habit of old editors.
            imported = {value for _, predicate, value in self._graph.facts if predicate == _IMPORTS}
            told = {subject for subject, _, _ in self._graph.facts}
            headers = [term for term in headers if term not in imported or term in told]
        if len(headers) > 1:
            raise Misfit(
                f"{len(headers)} ontology headers in one document: {', '.join(sorted(headers)[:3])}",
                construct="owl:Ontology",
                terms=(headers[1],),
            )
        if not headers:
            self.warnings.append("The document has no ontology header.")
        return headers[0] if headers else None

    def _read_header(
        self, header: str | None
    ) -> tuple[str | None, str | None, tuple[str, ...], tuple[str, ...]]:
        if header is None:
            return None, None, (), ()
        node = self._graph.nodes.pop(header, {}) if header[0] == "_" else self._named_header(header)
        node[v.TYPE] = [term for term in node.get(v.TYPE, []) if term != v.ONTOLOGY]
        if not node[v.TYPE]:
            del node[v.TYPE]
        imports = [self._iri(term, "owl:imports") for term in node.pop(_IMPORTS, [])]
        version = None
        if _VERSION in node:
            version = self._iri(one(node, _VERSION, "owl:Ontology"), "owl:versionIRI")
        texts = []
        for predicate, values in node.items():
            for value in values:
                if not self._is_annotation(predicate):
                    raise Misfit(
                        f"{short(predicate)} is not expected on the ontology",
                        construct=short(predicate),
                        terms=(predicate,),
                    )
                texts.extend(self._annotations.on(header, predicate, value))
        iri = header[1:-1] if header[0] == "<" else None
        return iri, version, tuple(sorted(set(imports))), tuple(sorted(set(texts)))

    def _named_header(self, header: str) -> Description:
        node: Description = {}
        rest = []
        for triple in self._graph.facts:
            if triple[0] == header and (self._is_annotation(triple[1]) or triple[1] in (_IMPORTS, _VERSION)):
                node.setdefault(triple[1], []).append(triple[2])
            else:
                rest.append(triple)
        self._graph.facts = rest
        return node

    def _is_annotation(self, predicate: str) -> bool:
        """Whether a predicate on an ontology or annotated thing is, or may be, an annotation property."""
        kinds = self.kinds.of(predicate)
        if "A" in kinds or self._axioms.is_axiom_predicate(predicate):
            return "A" in kinds
        return "O" not in kinds and "D" not in kinds and not predicate.startswith((v.OWL, v.RDF), 1)

    @staticmethod
    def _iri(term: str, what: str) -> str:
        if term[0] != "<":
            raise Misfit(f"{what} must be an IRI, not {term[:80]}", construct=what, terms=(term,))
        return term[1:-1]

    def _emit(self, triple: Triple, parts: list[Part]) -> None:
        """Add axioms, annotated as the owl:Axiom nodes of their triple say."""
        sets = self._annotations.sets_on(triple)
        if sets is None:
            self._texts.extend(f"{name}({operands})" for name, operands in parts)
            return
        for found in sets:
            for name, operands in parts:
                self._texts.append(f"{name}({' '.join([*found, operands])})")

    # --- Axioms ---

    def _read_node_axioms(self) -> None:
        for term, node in self._graph.nodes.items():
            types = node.get(v.TYPE)
            if types is None or NODE_AXIOMS.isdisjoint(types):
                continue
            (node_type,) = [found for found in types if found in NODE_AXIOMS][:1]
            name, operands = self._node_axioms.of(node, node_type)
            if term[0] == "<" and node_type != v.swrl("Imp"):
                raise Misfit(
                    f"{short(node_type)} must not have a name", construct=short(node_type), terms=(term,)
                )
            annotations = self._annotations.at(term)
            self._texts.append(f"{name}({' '.join([*annotations, operands])})")
            if term[0] == "<":
                self.warnings.append(f"A rule named {term}: OWL 2 does not keep names of rules.")

    def _read_types(self) -> None:
        several: dict[str, set[str]] = {}
        for subject, value in self._graph.types:
            several.setdefault(subject, set()).add(value)
        declared, texts, waiting = v.DECLARED, self._texts, self._annotations.waiting
        for subject, value in self._graph.types:
            found = declared.get(value)
            if found is not None and not waiting:
                texts.append(f"Declaration({found[0]}({subject}))")
            else:
                parts = self._axioms.of_type(subject, value, frozenset(several[subject]))
                self._emit((subject, v.TYPE, value), parts)

    def _read_facts(self) -> None:
        """The bulk of a document; annotation assertions, nine in ten, take the short way.

        Those of one property stay together: a document tells of its terms in order, so that they are
        nearly sorted and the sorting at the end is quick.
        """
        waiting, annotating = self._annotations.waiting, self.kinds.annotating()
        of = self._axioms.of
        found: dict[str, list[str]] = {}
        rest = []
        for triple in self._graph.facts:
            subject, predicate, value = triple
            if predicate not in annotating or triple in waiting:
                rest.append(triple)
            elif predicate in found:
                found[predicate].append(f"AnnotationAssertion({predicate} {subject} {value})")
            else:
                found[predicate] = [f"AnnotationAssertion({predicate} {subject} {value})"]
        for texts in found.values():
            self._texts += texts
        for triple in rest:
            subject, predicate, value = triple
            if predicate in annotating:
                part = ("AnnotationAssertion", f"{predicate} {subject} {value}")
            else:
                part = of(subject, predicate, value)
            self._emit(triple, [part])

    def _read_nodes(self) -> None:
        """What blank nodes still say: axioms about expressions, then facts about anonymous individuals.

        In this order, because lists and facets that an expression uses look like individuals.
        """
        dangling = 0
        annotating = {node for nodes in self._annotations.waiting.values() for node in nodes}
        for term, node in self._graph.nodes.items():
            if term in annotating:
                continue
            if is_expression(node):
                dangling += not self._says_of_expression(node)
                if is_data_range(node):
                    self._terms.data_range(term)
                else:
                    self._terms.class_expression(term)
            elif v.INVERSE_OF in node:
                self._terms.object_property(term)
                dangling += not (_ON_INVERSE | {v.TYPE}).intersection(node)
            if node and self._terms.is_done(term):
                self._read_statements(term, node)
        if dangling:
            self.warnings.append(f"{dangling} expressions are part of no axiom and were left out.")
        for term, node in self._graph.nodes.items():
            if node and term not in annotating and not self._terms.is_done(term):
                self._read_individual(term, node)

    def _says_of_expression(self, node: Description) -> bool:
        return any(self._axioms.is_axiom_predicate(p) for p in node if p in self._axioms.class_predicates)

    def _read_statements(self, term: str, node: Description) -> None:
        for value in node.pop(v.TYPE, []):
            self._emit((term, v.TYPE, value), self._axioms.of_type(term, value, frozenset({value})))
        for predicate in list(node):
            if predicate in self._axioms.class_predicates or predicate in _ON_INVERSE:
                for value in node.pop(predicate):
                    self._emit((term, predicate, value), [self._axioms.of(term, predicate, value)])

    def _read_individual(self, term: str, node: Description) -> None:
        if v.FIRST in node or v.REST in node:
            raise Misfit("An RDF list that nothing uses", construct="rdf:List", terms=_named(node))
        self._terms.individuals.add(term)
        types = frozenset(node.get(v.TYPE, ()))
        for predicate in list(node):
            for value in node.pop(predicate):
                if predicate == v.TYPE:
                    if value in v.DECLARED or value in v.OBJECT_CHARACTERISTICS:
                        raise Misfit(
                            f"A blank node of type {short(value)} that is described no further",
                            construct=short(value),
                            terms=_named(node) or (value,),
                        )
                    parts = self._axioms.of_type(term, value, types)
                else:
                    parts = [self._axioms.of(term, predicate, value)]
                self._emit((term, predicate, value), parts)

    def _read_annotated_only(self) -> None:
        """Annotated axioms whose triple is not stated on its own; the OWL API takes them as stated."""
        waiting = self._annotations.waiting
        count = 0
        for triple in list(waiting):
            if triple not in waiting:
                continue  # taken meanwhile, as an annotation on another annotation
            subject, predicate, value = triple
            if (
                subject in self._graph.nodes
                and not self._terms.is_done(subject)
                and subject not in self._terms.individuals
            ):
                continue
            count += 1
            if predicate == v.TYPE:
                self._emit(triple, self._axioms.of_type(subject, value, frozenset({value})))
            else:
                self._emit(triple, [self._axioms.of(subject, predicate, value)])
        if count:
            self.warnings.append(f"{count} annotated axioms are not stated by a triple of their own.")

    def _read_remarks(self) -> None:
        """Annotations on a class expression; as the OWL API does, they go to an individual of its label."""
        count = 0
        for term, node in self._graph.nodes.items():
            if node and term[0] == "_" and self._terms.is_done(term):
                for predicate in [found for found in node if self.kinds.of(found) == "A"]:
                    for value in node.pop(predicate):
                        count += 1
                        part = ("AnnotationAssertion", f"{predicate} {term} {value}")
                        self._emit((term, predicate, value), [part])
        if count:
            self.warnings.append(
                f"{count} annotations on class expressions were read as annotations of anonymous individuals."
            )

    def _check_nothing_left(self) -> None:
        for source, predicate, value in self._annotations.waiting:
            raise Misfit(
                f"owl:Axiom or owl:Annotation about {self._graph.describe(source)} {short(predicate)} "
                f"{self._graph.describe(value)}, which is not part of this document",
                construct="owl:Axiom",
                terms=tuple(term for term in (value, source, predicate) if term[0] != "_"),
            )
        for term, node in self._graph.nodes.items():
            for predicate, values in node.items():
                raise Misfit(
                    f"{short(predicate)} {self._graph.describe(values[0])} is not expected on "
                    f"{self._graph.describe(term)}",
                    construct=short(predicate),
                    terms=tuple(value for value in (*values, predicate) if value[0] != "_"),
                )
        unused = sorted(self._variables - self._node_axioms.used_variables)
        if unused:
            self.warnings.append(f"Variables of no rule: {', '.join(unused[:5])}.")


_ON_INVERSE: Final = frozenset(
    {
        v.rdfs("subPropertyOf"),
        v.rdfs("domain"),
        v.rdfs("range"),
        owl("equivalentProperty"),
        owl("propertyDisjointWith"),
        owl("propertyChainAxiom"),
    }
)
"""What may be said of an inverse property at a blank node."""


def _named(node: Description) -> tuple[str, ...]:
    return tuple(value for values in node.values() for value in values if value[0] != "_")[:3]
