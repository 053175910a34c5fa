"""Small ontologies with known answers, each showing some capabilities.

The answers were worked out by hand and confirmed by an independent run (`tests/review` compares
them with ROBOT where it is installed). Names are those of the namespace `urn:review:`, written `:Name`.
Only what a fixture asks is compared: direct superclasses, groups of equivalents, unsatisfiable
classes, types, superproperties, sameness, consistency.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMESPACE: Final = "urn:review:"
PREFIXES: Final = (
    f"Prefix(:=<{NAMESPACE}>)",
    "Prefix(owl:=<http://www.w3.org/2002/07/owl#>)",
    "Prefix(rdf:=<http://www.w3.org/1999/02/22-rdf-syntax-ns#>)",
    "Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)",
    "Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)",
    "Prefix(swrlb:=<http://www.w3.org/2003/11/swrlb#>)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One ontology and what is true of it; maps and sets that are None are not asked for."""

    name: str
    shows: tuple[str, ...]
    """Capability ids."""
    axioms: tuple[str, ...]
    is_told: bool = False
    """Whether the answer stands in the axioms, so that a reading of them finds it."""
    consistent: bool = True
    unsatisfiable: frozenset[str] | None = None
    superclasses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Direct named superclasses; `owl:Thing` is the empty set."""
    equivalents: frozenset[frozenset[str]] | None = None
    types: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Direct named types of an individual."""
    superproperties: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Direct named superproperties, object and data alike."""
    same: frozenset[frozenset[str]] | None = None

    @property
    def document(self) -> str:
        """The fixture in functional syntax, every named entity declared by the axioms themselves."""
        return "\n".join([*PREFIXES, "Ontology(", *self.axioms, ")\n"])


def declare(**kinds: str) -> tuple[str, ...]:
    """Declarations: `declare(Class="A B", ObjectProperty="p")`."""
    return tuple(f"Declaration({kind}(:{name}))" for kind, names in kinds.items() for name in names.split())


def _sets(*groups: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(group.split()) for group in groups)


def _map(**supers: str) -> dict[str, frozenset[str]]:
    return {name: frozenset(uppers.split()) for name, uppers in supers.items()}


FIXTURES: Final = (
    Fixture(
        name="told-hierarchy",
        shows=("class_hierarchy",),
        is_told=True,
        axioms=(
            *declare(Class="A B C D"),
            "SubClassOf(:B :A)",
            "SubClassOf(:C :B)",
            "SubClassOf(:C :A)",
            "SubClassOf(:D :A)",
        ),
        superclasses=_map(A="", B="A", C="B", D="A"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="told-circle",
        shows=("equivalent_classes",),
        is_told=True,
        axioms=(
            *declare(Class="A B C D"),
            "SubClassOf(:A :B)",
            "SubClassOf(:B :C)",
            "SubClassOf(:C :A)",
            "EquivalentClasses(:D :A)",
        ),
        equivalents=_sets("A B C D"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="defined-class",
        shows=("class_hierarchy", "satisfiability", "owl2_el"),
        axioms=(
            *declare(Class="Parent Person Child Mother Woman", ObjectProperty="has"),
            "EquivalentClasses(:Parent ObjectIntersectionOf(:Person ObjectSomeValuesFrom(:has :Child)))",
            "SubClassOf(:Woman :Person)",
            "SubClassOf(:Mother ObjectIntersectionOf(:Woman ObjectSomeValuesFrom(:has :Child)))",
        ),
        superclasses=_map(Parent="Person", Mother="Parent Woman", Woman="Person"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="inferred-equivalence",
        shows=("equivalent_classes", "owl2_el"),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p"),
            "EquivalentClasses(:A ObjectSomeValuesFrom(:p :C))",
            "EquivalentClasses(:B ObjectSomeValuesFrom(:p :C))",
        ),
        equivalents=_sets("A B"),
        superclasses=_map(C=""),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="unsatisfiable-by-disjointness",
        shows=("satisfiability", "owl2_el"),
        axioms=(
            *declare(Class="A B C D", ObjectProperty="p"),
            "DisjointClasses(:A :B)",
            "SubClassOf(:C :A)",
            "SubClassOf(:C :B)",
            "SubClassOf(:D ObjectSomeValuesFrom(:p :C))",
        ),
        unsatisfiable=frozenset({"C", "D"}),
        superclasses=_map(A="", B=""),
    ),
    Fixture(
        name="inconsistent-individual",
        shows=("consistency", "owl2_el"),
        axioms=(
            *declare(Class="A B", NamedIndividual="i"),
            "DisjointClasses(:A :B)",
            "ClassAssertion(:A :i)",
            "ClassAssertion(:B :i)",
        ),
        consistent=False,
    ),
    Fixture(
        name="inconsistent-without-individuals",
        shows=("consistency",),
        axioms=(*declare(Class="A"), "SubClassOf(owl:Thing :A)", "SubClassOf(:A owl:Nothing)"),
        consistent=False,
    ),
    Fixture(
        name="consistent-individuals",
        shows=("consistency", "class_assertions", "owl2_el"),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p", NamedIndividual="i j"),
            "SubClassOf(:B :A)",
            "SubClassOf(ObjectSomeValuesFrom(:p :B) :C)",
            "ClassAssertion(:B :j)",
            "ObjectPropertyAssertion(:p :i :j)",
        ),
        types=_map(i="C", j="B"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="property-hierarchy",
        shows=("object_property_hierarchy",),
        axioms=(
            *declare(ObjectProperty="p q r s"),
            "SubObjectPropertyOf(:q :p)",
            "SubObjectPropertyOf(:r :q)",
            "SubObjectPropertyOf(:r :p)",
        ),
        superproperties=_map(p="", q="p", r="q", s=""),
    ),
    Fixture(
        name="property-hierarchy-by-inverses",
        shows=("inverse_object_properties",),
        axioms=(
            *declare(ObjectProperty="p q pi qi"),
            "InverseObjectProperties(:p :pi)",
            "InverseObjectProperties(:q :qi)",
            "SubObjectPropertyOf(:q :p)",
        ),
        superproperties=_map(qi="pi", q="p"),
    ),
    Fixture(
        name="data-property-hierarchy",
        shows=("data_property_hierarchy",),
        axioms=(
            *declare(DataProperty="d e f"),
            "SubDataPropertyOf(:e :d)",
            "SubDataPropertyOf(:f :e)",
            "SubDataPropertyOf(:f :d)",
        ),
        superproperties=_map(d="", e="d", f="e"),
    ),
    Fixture(
        name="property-chain",
        shows=("property_chains", "owl2_el"),
        axioms=(
            *declare(Class="Part Whole Place Broken", ObjectProperty="partOf in"),
            "SubObjectPropertyOf(ObjectPropertyChain(:partOf :in) :in)",
            "SubClassOf(:Part ObjectSomeValuesFrom(:partOf :Whole))",
            "SubClassOf(:Whole ObjectSomeValuesFrom(:in :Place))",
            "EquivalentClasses(:Broken ObjectSomeValuesFrom(:in :Place))",
        ),
        superclasses=_map(Part="Broken", Whole="Broken"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="transitive-property",
        shows=("property_chains", "owl2_el"),
        axioms=(
            *declare(Class="A B C D", ObjectProperty="p"),
            "TransitiveObjectProperty(:p)",
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "SubClassOf(:B ObjectSomeValuesFrom(:p :C))",
            "EquivalentClasses(:D ObjectSomeValuesFrom(:p :C))",
        ),
        superclasses=_map(A="D", B="D"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="range-on-a-chain",  # against 2.2.6 of the profiles: an EL reasoner must say so
        shows=("owl2_dl",),
        axioms=(
            *declare(Class="A B C D E", ObjectProperty="p q r"),
            "SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r)",
            "ObjectPropertyRange(:r :C)",
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "SubClassOf(:B ObjectSomeValuesFrom(:q :D))",
            "EquivalentClasses(:E ObjectSomeValuesFrom(:p ObjectSomeValuesFrom(:q :C)))",
        ),
        superclasses=_map(A="E"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="inverse-properties",
        shows=("inverse_object_properties", "owl2_dl"),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p q"),
            "InverseObjectProperties(:p :q)",
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "SubClassOf(:B ObjectAllValuesFrom(:q :C))",
        ),
        superclasses=_map(A="C"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="union",
        shows=("owl2_dl",),
        axioms=(
            *declare(Class="A B C D"),
            "SubClassOf(:A ObjectUnionOf(:B :C))",
            "SubClassOf(:B :D)",
            "SubClassOf(:C :D)",
        ),
        superclasses=_map(A="D"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="universal-unsatisfiable",
        shows=("owl2_dl",),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p"),
            "SubClassOf(:A ObjectSomeValuesFrom(:p :B))",
            "SubClassOf(:A ObjectAllValuesFrom(:p :C))",
            "DisjointClasses(:B :C)",
        ),
        unsatisfiable=frozenset({"A"}),
    ),
    Fixture(
        name="complement",
        shows=("owl2_dl",),
        axioms=(
            *declare(Class="A B C"),
            "EquivalentClasses(:B ObjectComplementOf(:A))",
            "SubClassOf(:C ObjectComplementOf(:A))",
        ),
        superclasses=_map(C="B"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="nominals",
        shows=("nominals", "owl2_dl"),
        axioms=(
            *declare(Class="A B", NamedIndividual="i j"),
            "EquivalentClasses(:A ObjectOneOf(:i :j))",
            "EquivalentClasses(:B ObjectOneOf(:i))",
        ),
        superclasses=_map(B="A"),
        types=_map(i="B", j="A"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="cardinality",
        shows=("cardinality_restrictions", "owl2_dl"),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p"),
            "SubClassOf(:A ObjectMinCardinality(3 :p))",
            "EquivalentClasses(:B ObjectMinCardinality(2 :p))",
            "SubClassOf(:C ObjectIntersectionOf(ObjectMinCardinality(2 :p) ObjectMaxCardinality(1 :p)))",
        ),
        superclasses=_map(A="B"),
        unsatisfiable=frozenset({"C"}),
    ),
    Fixture(
        name="qualified-cardinality",
        shows=("qualified_cardinality_restrictions", "owl2_dl"),
        axioms=(
            *declare(Class="A B C D", ObjectProperty="p"),
            "SubClassOf(:D :C)",
            "SubClassOf(:A ObjectExactCardinality(2 :p :D))",
            "EquivalentClasses(:B ObjectMinCardinality(2 :p :C))",
        ),
        superclasses=_map(A="B"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="functional-sameness",
        shows=("owl2_rl", "owl2_dl"),
        axioms=(
            *declare(Class="A B", ObjectProperty="p", NamedIndividual="i j k"),
            "FunctionalObjectProperty(:p)",
            "ObjectPropertyAssertion(:p :i :j)",
            "ObjectPropertyAssertion(:p :i :k)",
            "ClassAssertion(:A :j)",
            "ClassAssertion(:B :k)",
        ),
        same=_sets("j k"),
        types=_map(j="A B"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="datatypes",
        shows=("datatypes", "owl2_dl"),
        axioms=(
            *declare(Class="Child Young Odd", DataProperty="age"),
            "FunctionalDataProperty(:age)",
            "SubClassOf(:Child DataSomeValuesFrom(:age DatatypeRestriction(xsd:integer "
            'xsd:maxInclusive "9"^^xsd:integer)))',
            "EquivalentClasses(:Young DataSomeValuesFrom(:age DatatypeRestriction(xsd:integer "
            'xsd:maxExclusive "18"^^xsd:integer)))',
            'SubClassOf(:Odd DataHasValue(:age "3"^^xsd:integer))',
            'SubClassOf(:Odd DataHasValue(:age "4"^^xsd:integer))',
        ),
        superclasses=_map(Child="Young"),
        unsatisfiable=frozenset({"Odd"}),
    ),
    Fixture(
        name="ql-existentials",
        shows=("owl2_ql",),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p q"),
            "SubObjectPropertyOf(:p ObjectInverseOf(:q))",
            "SubClassOf(:A ObjectSomeValuesFrom(:p owl:Thing))",
            "SubClassOf(ObjectSomeValuesFrom(ObjectInverseOf(:q) owl:Thing) :B)",
            "DisjointClasses(:B :C)",
        ),
        superclasses=_map(A="B"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="rl-rules-of-classes",
        shows=("owl2_rl",),
        axioms=(
            *declare(Class="A B C", ObjectProperty="p", NamedIndividual="i j"),
            "SubClassOf(ObjectUnionOf(:A :B) :C)",
            "SubClassOf(:A ObjectAllValuesFrom(:p :B))",
            "ClassAssertion(:A :i)",
            "ObjectPropertyAssertion(:p :i :j)",
        ),
        superclasses=_map(A="C", B="C"),
        types=_map(i="A", j="B"),
        unsatisfiable=frozenset(),
    ),
    Fixture(
        name="rule",
        shows=("swrl_rules", "dl_safe_rules"),
        axioms=(
            *declare(Class="A B", ObjectProperty="p", NamedIndividual="i j"),
            "ClassAssertion(:A :i)",
            "ObjectPropertyAssertion(:p :i :j)",
            "DLSafeRule(Body(ClassAtom(:A Variable(<urn:x>)) "
            "ObjectPropertyAtom(:p Variable(<urn:x>) Variable(<urn:y>))) "
            "Head(ClassAtom(:B Variable(<urn:y>))))",
        ),
        types=_map(i="A", j="B"),
    ),
    Fixture(
        name="rule-with-built-in",
        shows=("swrl_builtins",),
        axioms=(
            *declare(Class="Adult", DataProperty="age", NamedIndividual="i"),
            'DataPropertyAssertion(:age :i "20"^^xsd:integer)',
            "DLSafeRule(Body(DataPropertyAtom(:age Variable(<urn:x>) Variable(<urn:y>)) "
            'BuiltInAtom(swrlb:greaterThan Variable(<urn:y>) "18"^^xsd:integer)) '
            "Head(ClassAtom(:Adult Variable(<urn:x>))))",
        ),
        types=_map(i="Adult"),
    ),
)
