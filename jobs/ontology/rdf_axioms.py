"""Axioms out of single triples: what a predicate between two terms says.

Every function here takes subject and object and gives `(axiom type, operands)` parts; annotations
are added by `rdf`. Source: OWL 2 mapping to RDF graphs, second edition, section 3.2.5 (tables 16
and 18), and the OWL API where the standard leaves a document without meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.ontology import vocabulary as v
from jobs.ontology.triples import Misfit
from jobs.ontology.vocabulary import owl, rdfs, short

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobs.ontology.rdf_kinds import Kinds
    from jobs.ontology.rdf_terms import Expressions

Part = tuple[str, str]
"""An axiom's type and its operands without annotations."""

_TRUE: Final = f'"true"^^<{v.XSD}boolean>'
_IGNORED_TYPES: Final = frozenset({rdfs("Resource"), owl("Ontology"), v.swrl("Variable"), v.swrl("Builtin")})
_WEAK_TYPES: Final = {rdfs("Class"): ("Class", "C"), f"<{v.RDF}Property>": ("AnnotationProperty", "A")}
"""RDF Schema types that mean something here only when no OWL type says more."""


class Axioms:
    """Turns triples into axiom parts."""

    def __init__(self, expressions: Expressions, kinds: Kinds) -> None:
        self._terms = expressions
        self._kinds = kinds
        self.warnings: list[str] = []
        self._handlers: dict[str, Callable[[str, str], Part]] = {
            v.SUB_CLASS_OF: self._sub_class,
            v.EQUIVALENT_CLASS: self._equivalent_class,
            owl("disjointWith"): self._disjoint_classes,
            owl("disjointUnionOf"): self._disjoint_union,
            owl("complementOf"): self._complement,
            owl("intersectionOf"): self._described(owl("intersectionOf")),
            owl("unionOf"): self._described(owl("unionOf")),
            owl("oneOf"): self._described(owl("oneOf")),
            rdfs("subPropertyOf"): self._sub_property,
            owl("equivalentProperty"): self._properties("Equivalent{}Properties"),
            owl("propertyDisjointWith"): self._properties("Disjoint{}Properties"),
            owl("propertyChainAxiom"): self._chain,
            owl("inverseOf"): self._inverse,
            rdfs("domain"): self._domain,
            rdfs("range"): self._range,
            owl("hasKey"): self._key,
            owl("sameAs"): self._individuals("SameIndividual"),
            owl("differentFrom"): self._individuals("DifferentIndividuals"),
        }
        self.class_predicates = frozenset(list(self._handlers)[:4]) | {owl("hasKey")}
        """What may be said of a class expression at a blank node."""

    def of(self, subject: str, predicate: str, value: str) -> Part:
        """The axiom that one triple other than a type states."""
        handler = self._handlers.get(predicate)
        if handler is not None:
            return handler(subject, value)
        if predicate.startswith(v.OWL, 1) and not self._kinds.of(predicate):
            raise Misfit(
                f"{short(predicate)} is not expected between {short(subject)} and {short(value)}",
                construct=short(predicate),
                terms=(subject, value),
            )
        return self._assertion(subject, predicate, value)

    def is_axiom_predicate(self, predicate: str) -> bool:
        """Whether the predicate belongs to the language rather than to a document."""
        return predicate in self._handlers

    # --- Types ---

    def of_type(self, subject: str, value: str, all_types: frozenset[str]) -> list[Part]:
        """The axioms that `subject rdf:type value` states; none where it says nothing more."""
        declared = v.DECLARED.get(value)
        if declared is not None:
            return [("Declaration", f"{declared[0]}({subject})")]
        if value in v.OBJECT_CHARACTERISTICS:
            return [(v.OBJECT_CHARACTERISTICS[value], self._terms.object_property(subject))]
        if value == owl("FunctionalProperty"):
            return [
                (f"Functional{name}Property", self._terms.object_property(subject))
                for name in self._functional(subject)
            ]
        if value == owl("DeprecatedClass"):
            return [("Declaration", f"Class({subject})"), _deprecated(subject)]
        if value == owl("DeprecatedProperty"):
            return [_deprecated(subject)]
        if value in _IGNORED_TYPES:
            if value == rdfs("Resource"):
                self.warnings.append(
                    f"{short(subject)} is of type rdfs:Resource, which says nothing in OWL 2."
                )
            return []
        if value in _WEAK_TYPES:
            strong = [term for term in all_types if term not in _WEAK_TYPES]
            return [] if strong else [("Declaration", f"{_WEAK_TYPES[value][0]}({subject})")]
        if (
            value[0] == "<"
            and value.startswith((v.OWL, v.RDF, v.RDFS, v.SWRL), 1)
            and not self._kinds.of(value)
        ):
            if value not in (v.rdfs("Container"), f"<{v.RDF}Bag>", f"<{v.RDF}Seq>", f"<{v.RDF}Alt>"):
                raise Misfit(
                    f"{short(subject)} has the type {short(value)}, which has no meaning here",
                    construct=short(value),
                    terms=(subject, value),
                )
        return [
            ("ClassAssertion", f"{self._terms.class_expression(value)} {self._terms.individual(subject)}")
        ]

    def _functional(self, subject: str) -> list[str]:
        if subject[0] == "_":
            return ["Object"]
        kinds = self._kinds.of(subject)
        found = [name for letter, name in (("O", "Object"), ("D", "Data")) if letter in kinds]
        if not found:
            self._kinds.guess(subject, "O")
        return found or ["Object"]

    # --- Classes ---

    def _sub_class(self, subject: str, value: str) -> Part:
        return "SubClassOf", f"{self._terms.class_expression(subject)} {self._terms.class_expression(value)}"

    def _equivalent_class(self, subject: str, value: str) -> Part:
        if self._terms.is_data(subject) or self._terms.is_data(value):
            if subject[0] != "<":
                subject, value = value, subject
            if subject[0] != "<":
                raise Misfit("owl:equivalentClass between two data ranges", construct="DatatypeDefinition")
            return "DatatypeDefinition", f"{subject} {self._terms.data_range(value)}"
        for term in (subject, value):
            if term[0] == "<" and not {"C", "T"} & set(self._kinds.of(term)):
                self._kinds.guess(term, "C")  # an import may declare it as a datatype
        return "EquivalentClasses", self._pair(subject, value)

    def _disjoint_classes(self, subject: str, value: str) -> Part:
        return "DisjointClasses", self._pair(subject, value)

    def _pair(self, subject: str, value: str) -> str:
        texts = [self._terms.class_expression(subject), self._terms.class_expression(value)]
        return " ".join(sorted(texts))

    def _disjoint_union(self, subject: str, value: str) -> Part:
        members = {self._terms.class_expression(member) for member in self._terms.items(value)}
        if not members or subject[0] != "<":
            raise Misfit("owl:disjointUnionOf needs a named class and a list", construct="DisjointUnion")
        return "DisjointUnion", f"{subject} {_spread(members)}"

    def _complement(self, subject: str, value: str) -> Part:
        text = f"ObjectComplementOf({self._terms.class_expression(value)})"
        return "EquivalentClasses", f"{subject} {text}"

    def _described(self, predicate: str) -> Callable[[str, str], Part]:
        """A description straight on a name, as OWL 1 wrote an equivalence."""

        def handle(subject: str, value: str) -> Part:
            if self._kinds.is_only_datatype(subject):
                return "DatatypeDefinition", f"{subject} {self._terms.described_range(predicate, value)}"
            text = self._terms.described_class(predicate, value)
            return "EquivalentClasses", " ".join(sorted([subject, text]))

        return handle

    def _key(self, subject: str, value: str) -> Part:
        members = self._terms.items(value)
        data = {term for term in members if self._is_data_property(term)}
        objects = sorted({self._terms.object_property(term) for term in members if term not in data})
        expression = self._terms.class_expression(subject)
        return "HasKey", f"{expression} ({' '.join(objects)}) ({' '.join(sorted(data))})"

    def _is_data_property(self, term: str) -> bool:
        kinds = self._kinds.of(term)
        if term[0] == "<" and "O" not in kinds and "D" not in kinds:
            self._kinds.guess(term, "O")
        return "D" in kinds and "O" not in kinds

    # --- Properties ---

    def _kind_of_two(self, subject: str, value: str) -> str:
        """One kind for two related properties; what is declared for either decides for both.

        Empty when both are declared and share no kind.
        """
        if subject[0] != "<" or value[0] != "<":
            return "O"
        for letter in "ODA":
            if letter in self._kinds.of(subject) and letter in self._kinds.of(value):
                return letter
        if self._kinds.of(subject) or self._kinds.of(value):
            known, other = (subject, value) if self._kinds.of(subject) else (value, subject)
            if not self._kinds.of(other):
                letter = self._kinds.property_kind(known)
                self._kinds.guess(other, letter)
                return letter
            return ""
        return self._kinds.property_kind(subject) if self._kinds.property_kind(value) else "A"

    def _sub_property(self, subject: str, value: str) -> Part:
        kind = self._kind_of_two(subject, value)
        if not kind:
            # FOAF says so of its data properties and rdfs:label; the OWL API reads it like this.
            self.warnings.append(
                f"{short(subject)} and {short(value)} are properties of different kinds; "
                "rdfs:subPropertyOf was read as SubAnnotationPropertyOf."
            )
        if kind in ("A", ""):
            return "SubAnnotationPropertyOf", f"{subject} {value}"
        if kind == "D":
            return "SubDataPropertyOf", f"{subject} {value}"
        return (
            "SubObjectPropertyOf",
            f"{self._terms.object_property(subject)} {self._terms.object_property(value)}",
        )

    def _properties(self, pattern: str) -> Callable[[str, str], Part]:
        def handle(subject: str, value: str) -> Part:
            kind = self._kind_of_two(subject, value)
            if not kind:
                raise Misfit(
                    f"{pattern.format('Object')} of {short(subject)} and {short(value)}, properties of "
                    "different kinds",
                    construct=pattern.format("Object"),
                    terms=(subject, value),
                )
            if kind == "A":
                # There is no such axiom for annotation properties; guessed ones are object properties then.
                for term in (subject, value):
                    if "A" in self._kinds.declared(term):
                        raise Misfit(
                            f"{pattern.format('Object')} of the annotation property {short(term)}",
                            construct=pattern.format("Object"),
                            terms=(subject, value),
                        )
                kind = "O"
            if kind == "D":
                return pattern.format("Data"), " ".join(sorted([subject, value]))
            texts = [self._terms.object_property(subject), self._terms.object_property(value)]
            return pattern.format("Object"), " ".join(sorted(texts))

        return handle

    def _chain(self, subject: str, value: str) -> Part:
        links = [self._terms.object_property(member) for member in self._terms.items(value)]
        if not links:
            raise Misfit("owl:propertyChainAxiom with an empty list", construct="ObjectPropertyChain")
        chain = links[0] if len(links) == 1 else f"ObjectPropertyChain({' '.join(links)})"
        return "SubObjectPropertyOf", f"{chain} {self._terms.object_property(subject)}"

    def _inverse(self, subject: str, value: str) -> Part:
        texts = [self._terms.object_property(subject), self._terms.object_property(value)]
        return "InverseObjectProperties", " ".join(sorted(texts))

    def _domain(self, subject: str, value: str) -> Part:
        kind = self._kinds.property_kind(subject)
        if kind == "A":
            return "AnnotationPropertyDomain", f"{subject} {self._named(value)}"
        text = self._terms.class_expression(value)
        if kind == "D":
            return "DataPropertyDomain", f"{subject} {text}"
        return "ObjectPropertyDomain", f"{self._terms.object_property(subject)} {text}"

    def _range(self, subject: str, value: str) -> Part:
        literal = self._terms.is_data(value)
        kind = self._kinds.property_kind(subject, literal=literal)
        if kind == "A":
            return "AnnotationPropertyRange", f"{subject} {self._named(value)}"
        if kind == "D":
            return "DataPropertyRange", f"{subject} {self._terms.data_range(value)}"
        text = self._terms.class_expression(value)
        return "ObjectPropertyRange", f"{self._terms.object_property(subject)} {text}"

    def _named(self, value: str) -> str:
        if value[0] != "<":
            raise Misfit(
                "The domain or range of an annotation property must be an IRI; is the property declared?",
                construct="AnnotationPropertyDomain",
            )
        return value

    # --- Individuals ---

    def _individuals(self, name: str) -> Callable[[str, str], Part]:
        def handle(subject: str, value: str) -> Part:
            texts = [self._terms.individual(subject), self._terms.individual(value)]
            return name, " ".join(sorted(texts))

        return handle

    def _assertion(self, subject: str, predicate: str, value: str) -> Part:
        literal = value[0] == '"'
        kind = self._kinds.property_kind(predicate, literal=literal)
        if kind == "A":
            return "AnnotationAssertion", f"{predicate} {subject} {value}"
        if kind == "D":
            return "DataPropertyAssertion", f"{predicate} {subject} {self._terms.value(value)}"
        return "ObjectPropertyAssertion", f"{predicate} {subject} {self._terms.individual(value)}"


def _deprecated(subject: str) -> Part:
    return "AnnotationAssertion", f"{owl('deprecated')} {subject} {_TRUE}"


def _spread(members: set[str]) -> str:
    texts = sorted(members)
    return " ".join(texts * 2 if len(texts) == 1 else texts)
