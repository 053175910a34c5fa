"""Writers for tests: a document as RDF triples, OWL/XML or prefixed functional syntax.

Written from the standards independently of the readers, so that a round trip shows something.
"""

from __future__ import annotations

import itertools
import re
import zlib
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from jobs.ontology import grammar
from jobs.ontology.syntax import Node, literal_parts, parse_axiom

if TYPE_CHECKING:
    import random

    from jobs.ontology.document import OntologyDocument

Triple = tuple[str, str, str]
OWL: Final = grammar.OWL
RDF: Final = grammar.RDF
RDFS: Final = grammar.RDFS
SWRL: Final = "http://www.w3.org/2003/11/swrl#"


def iri(namespace: str, name: str) -> str:
    return f"<{namespace}{name}>"


TYPE: Final = iri(RDF, "type")
CHARACTERISTICS: Final = {
    "FunctionalObjectProperty": "FunctionalProperty",
    "FunctionalDataProperty": "FunctionalProperty",
    "InverseFunctionalObjectProperty": "InverseFunctionalProperty",
    "ReflexiveObjectProperty": "ReflexiveProperty",
    "IrreflexiveObjectProperty": "IrreflexiveProperty",
    "SymmetricObjectProperty": "SymmetricProperty",
    "AsymmetricObjectProperty": "AsymmetricProperty",
    "TransitiveObjectProperty": "TransitiveProperty",
}
BINARY: Final = {
    "SubClassOf": iri(RDFS, "subClassOf"),
    "SubDataPropertyOf": iri(RDFS, "subPropertyOf"),
    "SubAnnotationPropertyOf": iri(RDFS, "subPropertyOf"),
    "ObjectPropertyDomain": iri(RDFS, "domain"),
    "DataPropertyDomain": iri(RDFS, "domain"),
    "AnnotationPropertyDomain": iri(RDFS, "domain"),
    "ObjectPropertyRange": iri(RDFS, "range"),
    "DataPropertyRange": iri(RDFS, "range"),
    "AnnotationPropertyRange": iri(RDFS, "range"),
    "DatatypeDefinition": iri(OWL, "equivalentClass"),
    "InverseObjectProperties": iri(OWL, "inverseOf"),
    "EquivalentClasses": iri(OWL, "equivalentClass"),
    "EquivalentObjectProperties": iri(OWL, "equivalentProperty"),
    "EquivalentDataProperties": iri(OWL, "equivalentProperty"),
    "SameIndividual": iri(OWL, "sameAs"),
    "DifferentIndividuals": iri(OWL, "differentFrom"),
    "DisjointClasses": iri(OWL, "disjointWith"),
    "DisjointObjectProperties": iri(OWL, "propertyDisjointWith"),
    "DisjointDataProperties": iri(OWL, "propertyDisjointWith"),
}
NARY: Final = {
    "DifferentIndividuals": ("AllDifferent", "distinctMembers"),
    "DisjointClasses": ("AllDisjointClasses", "members"),
    "DisjointObjectProperties": ("AllDisjointProperties", "members"),
    "DisjointDataProperties": ("AllDisjointProperties", "members"),
}
DESCRIPTIONS: Final = {
    "ObjectIntersectionOf": "intersectionOf",
    "ObjectUnionOf": "unionOf",
    "ObjectOneOf": "oneOf",
    "DataIntersectionOf": "intersectionOf",
    "DataUnionOf": "unionOf",
    "DataOneOf": "oneOf",
}


class TripleWriter:
    """The OWL 2 mapping to RDF, forward."""

    def __init__(self, *, pairs: bool = False) -> None:
        """With `pairs`, two disjoint terms are always one triple, never a node of their own."""
        self._pairs = pairs
        self.triples: list[Triple] = []
        self._numbers = itertools.count()

    def document(self, document: OntologyDocument) -> list[Triple]:
        header = f"<{document.iri}>" if document.iri else self._blank()
        self._say(header, TYPE, iri(OWL, "Ontology"))
        if document.version_iri:
            self._say(header, iri(OWL, "versionIRI"), f"<{document.version_iri}>")
        for imported in document.imports:
            self._say(header, iri(OWL, "imports"), f"<{imported}>")
        for text in document.annotations:
            self._annotate(header, [parse_axiom(text)], "Annotation")
        for text in document.axioms:
            self.axiom(parse_axiom(text))
        return self.triples

    def axiom(self, node: Node) -> None:
        name = str(node[0])
        annotations = [part for part in node[1:] if part[0] == "Annotation"]
        args = [part for part in node[1:] if part[0] != "Annotation"]
        several = len(args) > 2 or (name != "DifferentIndividuals" and not self._pairs and _by_chance(args))
        if name in NARY and several:
            return self._nary(name, args, annotations)
        if name.startswith("Negative"):
            return self._negative(name, args, annotations)
        if name == "DLSafeRule":
            return self._rule(args, annotations)
        if len(args) > 2 and name in BINARY:
            # An equivalence of several is written pair by pair and read as pairs: callers split it first.
            raise ValueError(name)
        main = self._main(name, args)
        self._say(*main)
        if annotations:
            self._annotate_triple(main, annotations, "Axiom")
        return None

    def _main(self, name: str, args: list[Node]) -> Triple:
        if name in BINARY:
            return self.term(args[0]), BINARY[name], self.term(args[1])
        if name in CHARACTERISTICS:
            return self.term(args[0]), TYPE, iri(OWL, CHARACTERISTICS[name])
        match name:
            case "Declaration":
                kind, entity = args[0]
                types = {"DataProperty": iri(OWL, "DatatypeProperty"), "Datatype": iri(RDFS, "Datatype")}
                return str(entity), TYPE, types.get(str(kind), iri(OWL, str(kind)))
            case "ClassAssertion":
                return self.term(args[1]), TYPE, self.term(args[0])
            case "AnnotationAssertion" | "DataPropertyAssertion":
                return str(args[1]), str(args[0]), str(args[2])
            case "ObjectPropertyAssertion":
                if args[0][0] == "ObjectInverseOf":  # written by its inverse
                    return str(args[2]), str(args[0][1]), str(args[1])
                return str(args[1]), str(args[0]), str(args[2])
            case "SubObjectPropertyOf":
                if args[0][0] == "ObjectPropertyChain":
                    return self.term(args[1]), iri(OWL, "propertyChainAxiom"), self._list(args[0][1:])
                return self.term(args[0]), iri(RDFS, "subPropertyOf"), self.term(args[1])
            case "DisjointUnion":
                return str(args[0]), iri(OWL, "disjointUnionOf"), self._list(args[1:])
            case "HasKey":
                return self.term(args[0]), iri(OWL, "hasKey"), self._list([*args[1][1:], *args[2][1:]])
            case _:
                raise AssertionError(name)

    def _nary(self, name: str, args: list[Node], annotations: list[Node]) -> None:
        kind, members = NARY[name]
        node = self._blank()
        self._say(node, TYPE, iri(OWL, kind))
        self._say(node, iri(OWL, members), self._list(args))
        self._annotate(node, annotations, "Annotation")

    def _negative(self, name: str, args: list[Node], annotations: list[Node]) -> None:
        node = self._blank()
        self._say(node, TYPE, iri(OWL, "NegativePropertyAssertion"))
        self._say(node, iri(OWL, "sourceIndividual"), self.term(args[1]))
        self._say(node, iri(OWL, "assertionProperty"), self.term(args[0]))
        target = "targetValue" if "Data" in name else "targetIndividual"
        self._say(node, iri(OWL, target), self.term(args[2]))
        self._annotate(node, annotations, "Annotation")

    def _rule(self, args: list[Node], annotations: list[Node]) -> None:
        node = self._blank()
        self._say(node, TYPE, iri(SWRL, "Imp"))
        for predicate, part in zip(("body", "head"), args, strict=True):
            self._say(node, iri(SWRL, predicate), self._list([*part[1:]], atoms=True))
        self._annotate(node, annotations, "Annotation")

    def _atom(self, atom: Node) -> str:
        name, *args = atom
        node = self._blank()
        kinds = {
            "ObjectPropertyAtom": "IndividualPropertyAtom",
            "DataPropertyAtom": "DatavaluedPropertyAtom",
            "BuiltInAtom": "BuiltinAtom",
        }
        self._say(node, TYPE, iri(SWRL, kinds.get(str(name), str(name))))
        predicates = {
            "ClassAtom": "classPredicate",
            "DataRangeAtom": "dataRange",
            "ObjectPropertyAtom": "propertyPredicate",
            "DataPropertyAtom": "propertyPredicate",
            "BuiltInAtom": "builtin",
        }
        if name in predicates:
            self._say(node, iri(SWRL, predicates[str(name)]), self.term(args.pop(0)))
        if name == "BuiltInAtom":
            self._say(node, iri(SWRL, "arguments"), self._list(args))
            return node
        for place, argument in enumerate(args, start=1):
            self._say(node, iri(SWRL, f"argument{place}"), self.term(argument))
        return node

    # --- Annotations ---

    def _annotate(self, node: str, annotations: list[Node], kind: str) -> None:
        for annotation in annotations:
            *inner, annotation_property, value = annotation[1:]
            triple = (node, str(annotation_property), str(value))
            self._say(*triple)
            if inner:
                self._annotate_triple(triple, inner, kind)

    def _annotate_triple(self, triple: Triple, annotations: list[Node], kind: str) -> None:
        node = self._blank()
        self._say(node, TYPE, iri(OWL, kind))
        for name, term in zip(("Source", "Property", "Target"), triple, strict=True):
            self._say(node, iri(OWL, f"annotated{name}"), term)
        self._annotate(node, annotations, "Annotation")

    # --- Terms ---

    def term(self, node: Node) -> str:
        if isinstance(node, str):
            return node
        name, *args = node
        if name == "Variable":
            self._say(str(args[0]), TYPE, iri(SWRL, "Variable"))
            return str(args[0])
        blank = self._blank()
        if name == "ObjectInverseOf":
            self._say(blank, iri(OWL, "inverseOf"), str(args[0]))
            return blank
        data_range = grammar.SORTS[str(name)] == "R"
        restriction = not data_range and ("From" in str(name) or "Has" in str(name) or "Card" in str(name))
        kind = iri(RDFS, "Datatype") if data_range else iri(OWL, "Restriction" if restriction else "Class")
        self._say(blank, TYPE, kind)
        if name in DESCRIPTIONS:
            self._say(blank, iri(OWL, DESCRIPTIONS[str(name)]), self._list(args))
        elif restriction:
            self._restriction(blank, str(name), args)
        elif name == "ObjectComplementOf":
            self._say(blank, iri(OWL, "complementOf"), self.term(args[0]))
        elif name == "DataComplementOf":
            self._say(blank, iri(OWL, "datatypeComplementOf"), self.term(args[0]))
        else:
            self._facets(blank, args)
        return blank

    def _facets(self, blank: str, args: list[Node]) -> None:
        self._say(blank, iri(OWL, "onDatatype"), str(args[0]))
        cells = []
        for facet, value in zip(args[1::2], args[2::2], strict=True):
            cell = self._blank()
            self._say(cell, str(facet), str(value))
            cells.append(cell)
        self._say(blank, iri(OWL, "withRestrictions"), self._list(cells))

    def _restriction(self, blank: str, name: str, args: list[Node]) -> None:
        data = name.startswith("Data")
        if "Card" in name:
            number, target, *filler = args
            how = {"Min": "min", "Max": "max", "Exa": ""}[
                name.removeprefix("Object").removeprefix("Data")[:3]
            ]
            qualified = "QualifiedCardinality" if filler else "Cardinality"
            predicate = f"{how}{qualified}" if how else qualified[0].lower() + qualified[1:]
            self._say(blank, iri(OWL, predicate), f'"{number}"^^{iri(grammar.XSD, "nonNegativeInteger")}')
            if filler:
                self._say(blank, iri(OWL, "onDataRange" if data else "onClass"), self.term(filler[0]))
            self._say(blank, iri(OWL, "onProperty"), self.term(target))
            return
        if name == "ObjectHasSelf":
            self._say(blank, iri(OWL, "hasSelf"), f'"true"^^{iri(grammar.XSD, "boolean")}')
            self._say(blank, iri(OWL, "onProperty"), self.term(args[0]))
            return
        *targets, value = args
        predicate = {"Some": "someValuesFrom", "AllV": "allValuesFrom", "HasV": "hasValue"}
        short = name.removeprefix("Object").removeprefix("Data")[:4]
        self._say(blank, iri(OWL, predicate[short]), self.term(value))
        if len(targets) > 1:
            self._say(blank, iri(OWL, "onProperties"), self._list(targets))
        else:
            self._say(blank, iri(OWL, "onProperty"), self.term(targets[0]))

    def _list(self, members: object, *, atoms: bool = False) -> str:
        head = iri(RDF, "nil")
        for member in reversed(list(members)):  # type: ignore[call-overload]
            cell = self._blank()
            if atoms:
                self._say(cell, TYPE, iri(SWRL, "AtomList"))
            self._say(cell, iri(RDF, "first"), self._atom(member) if atoms else self.term(member))
            self._say(cell, iri(RDF, "rest"), head)
            head = cell
        return head

    def _blank(self) -> str:
        return f"_:n{next(self._numbers)}"

    def _say(self, subject: str, predicate: str, value: str) -> None:
        self.triples.append((subject, predicate, value))


def _by_chance(args: list[Node]) -> bool:
    """One of two ways of writing, the same for the same terms whatever the labels of blank nodes."""
    return zlib.crc32(re.sub(r"_:\w+", "", str(args)).encode()) % 2 == 1


def n_triples(triples: list[Triple]) -> str:
    return "".join(f"{s} {p} {_n_literal(o)} .\n" for s, p, o in triples)


def _n_literal(term: str) -> str:
    if term[0] != '"':
        return term
    return term.replace("\n", "\\n").replace("\r", "\\r")


def shuffled(triples: list[Triple], chance: random.Random) -> list[Triple]:
    """The same graph: other order, other labels of blank nodes."""
    labels = sorted({term for triple in triples for term in triple if term[0] == "_"})
    fresh = [f"_:z{number}" for number in range(len(labels))]
    chance.shuffle(fresh)
    names = dict(zip(labels, fresh, strict=True))
    renamed = [(names.get(s, s), p, names.get(o, o)) for s, p, o in triples]
    chance.shuffle(renamed)
    return renamed


def as_rdf(triples: list[Triple], syntax: str) -> bytes:
    """The triples as RDF/XML or Turtle, by a library that knows nothing of OWL."""
    import pyoxigraph as ox

    formats = {"turtle": ox.RdfFormat.TURTLE, "rdfxml": ox.RdfFormat.RDF_XML}
    quads = ox.parse(n_triples(triples).encode(), format=ox.RdfFormat.N_TRIPLES)
    plain = [ox.Triple(quad.subject, quad.predicate, quad.object) for quad in quads]
    prefixes = {"owl": OWL, "rdfs": RDFS, "g": "http://example.org/g#"}
    written = ox.serialize(plain, format=formats[syntax], prefixes=prefixes)
    assert written is not None
    return written


# --- OWL/XML --------------------------------------------------------------------------------------


def owl_xml(document: OntologyDocument) -> bytes:
    """OWL/XML by the standard's schema."""
    names = "".join(
        f" {name}={quoteattr(value)}"
        for name, value in (("ontologyIRI", document.iri), ("versionIRI", document.version_iri))
        if value
    )
    imports = [f"<Import>{escape(imported)}</Import>" for imported in document.imports]
    items = [_element(parse_axiom(text), "") for text in (*document.annotations, *document.axioms)]
    body = "\n".join([*imports, *items])
    return f'<?xml version="1.0"?>\n<Ontology xmlns="{OWL}"{names}>\n{body}\n</Ontology>\n'.encode()


def _element(node: Node, slot: str) -> str:
    if isinstance(node, str):
        return _leaf(node, slot)
    name, *args = node
    name = str(name)
    if grammar.SORTS[name] == "E":
        return f"<{name} IRI={quoteattr(str(args[0])[1:-1])}/>"
    if name == "Variable":
        return f"<Variable IRI={quoteattr(str(args[0])[1:-1])}/>"
    shape = grammar.shape(name, "".join(_sort(arg) for arg in args))
    assert shape is not None
    attributes = ""
    slots = "n" * shape.annotations + shape.slots
    if slots[:1] == "#":
        attributes = f' cardinality="{args[0]}"'
        args, slots = args[1:], slots[1:]
    if name == "BuiltInAtom":
        attributes = f" IRI={quoteattr(str(args[0])[1:-1])}"
        args, slots = args[1:], slots[1:]
    if name == "DatatypeRestriction":
        facets = "".join(
            f"<FacetRestriction facet={quoteattr(str(facet)[1:-1])}>"
            f"{_leaf(str(value), 'L')}</FacetRestriction>"
            for facet, value in zip(args[1::2], args[2::2], strict=True)
        )
        return f"<{name}>{_leaf(str(args[0]), 'T')}{facets}</{name}>"
    inner = "".join(_element(arg, slot_of) for arg, slot_of in zip(args, slots, strict=True))
    return inner if name[0] == "(" else f"<{name}{attributes}>{inner}</{name}>"


def _sort(node: Node) -> str:
    from jobs.ontology.syntax import sort_of

    return sort_of(node)


def _leaf(text: str, slot: str) -> str:
    if text[0] == '"':
        value, language, datatype = literal_parts(text)
        attributes = f' xml:lang="{language}"' if language else ""
        attributes += f" datatypeIRI={quoteattr(datatype)}" if datatype else ""
        return f"<Literal{attributes}>{escape(value, {chr(13): '&#13;'})}</Literal>"
    if text[0] == "_":
        return f'<AnonymousIndividual nodeID="{text}"/>'
    names = {
        "class": "Class",
        "objectproperty": "ObjectProperty",
        "dataproperty": "DataProperty",
        "annotationproperty": "AnnotationProperty",
        "namedindividual": "NamedIndividual",
        "datatype": "Datatype",
    }
    entity = grammar.entity_type_of_slot(slot)
    if entity is None:
        return f"<IRI>{escape(text[1:-1])}</IRI>"
    return f"<{names[entity]} IRI={quoteattr(text[1:-1])}/>"


def prefixed_functional(document: OntologyDocument, chance: random.Random) -> bytes:
    """Functional syntax with prefixes, comments, shuffled axioms and uneven blanks."""
    axioms = [*document.axioms]
    chance.shuffle(axioms)
    body = [f"Import(<{imported}>)" for imported in document.imports] + [*document.annotations] + axioms
    identity = " ".join(f"<{found}>" for found in (document.iri, document.version_iri) if found)
    lines = ["Prefix(g:=<http://example.org/g#>)", "# made for a test", f"Ontology({identity}"]
    return "\n".join([*lines, *map(_abbreviated, body), ")"]).encode()


def _abbreviated(text: str) -> str:
    found = re.split(r'("[^"\\]*(?:\\.[^"\\]*)*")', text)
    for place in range(0, len(found), 2):
        found[place] = re.sub(r"<http://example\.org/g#(\w+)>", r"g:\1", found[place]).replace("(", "(  ")
    return "".join(found)
