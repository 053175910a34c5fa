"""Review fixtures of the profile pyelk-0.2.1: what it entails, what it doubts, what it survives."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ontology_strategies import axioms as random_axioms
from reasoners_support import EX, ancestors, axioms, hierarchy, quiet

from jobs.errors import ReasonerRefusedInput
from jobs.ontology.syntax import canonical_axioms
from jobs.reasoners import elk, elk_text, told
from jobs.reasoners.taxonomy import NOTHING, THING


def test_existentials_chains_and_role_inclusions_entail() -> None:
    outcome = elk.classify(
        axioms(
            "EquivalentClasses(:Uncle ObjectSomeValuesFrom(:uncleOf :Person))",
            "SubObjectPropertyOf(ObjectPropertyChain(:brotherOf :parentOf) :uncleOf)",
            "SubObjectPropertyOf(:twinBrotherOf :brotherOf)",
            "SubClassOf(:Mother ObjectSomeValuesFrom(:parentOf :Person))",
            "SubClassOf(:Twin ObjectSomeValuesFrom(:twinBrotherOf :Mother))",
        ),
        quiet,
    )
    assert hierarchy(outcome.taxonomy)["Twin"] == ["Uncle"]
    assert (outcome.is_consistent, outcome.incomplete_because, outcome.unsatisfiable) == (True, (), ())


def test_transitivity_and_equivalence_circles() -> None:
    outcome = elk.classify(
        axioms(
            "TransitiveObjectProperty(:partOf)",
            "SubClassOf(:Nail ObjectSomeValuesFrom(:partOf :Finger))",
            "SubClassOf(:Finger ObjectSomeValuesFrom(:partOf :Hand))",
            "EquivalentClasses(:HandPart ObjectSomeValuesFrom(:partOf :Hand))",
            "SubClassOf(:A :B)",
            "SubClassOf(:B :C)",
            "SubClassOf(:C :A)",
        ),
        quiet,
    )
    found = hierarchy(outcome.taxonomy)
    assert found["Nail"] == found["Finger"] == ["HandPart"]
    assert found["A=B=C"] == ["Thing"]


def test_unsatisfiable_classes_are_found_through_existentials() -> None:
    outcome = elk.classify(
        axioms(
            "DisjointClasses(:A :B)",
            "SubClassOf(:Both ObjectIntersectionOf(:A :B))",
            "SubClassOf(:Holder ObjectSomeValuesFrom(:has :Both))",
        ),
        quiet,
    )
    assert outcome.unsatisfiable == (f"{EX}Both", f"{EX}Holder")
    assert outcome.is_consistent is True
    taxonomy = outcome.taxonomy
    assert taxonomy is not None
    assert taxonomy.nodes[taxonomy.bottom] == (f"{EX}Both", f"{EX}Holder", NOTHING)


@pytest.mark.parametrize(
    "texts",
    [
        ("SubClassOf(owl:Thing owl:Nothing)",),
        ("ClassAssertion(:A :i)", "ClassAssertion(:B :i)", "DisjointClasses(:A :B)"),
        ("SameIndividual(:i :j)", "DifferentIndividuals(:i :j)"),
    ],
)
def test_an_inconsistent_ontology_is_an_answer_without_a_hierarchy(texts: tuple[str, ...]) -> None:
    outcome = elk.classify(axioms(*texts), quiet)
    assert outcome.is_consistent is False
    assert outcome.taxonomy is None
    assert outcome.unsatisfiable == ()


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("SubClassOf(:A ObjectAllValuesFrom(:r :B))", "ObjectAllValuesFrom"),
        ("SubClassOf(:A ObjectUnionOf(:B :C))", "ObjectUnionOf"),
        ("SubClassOf(:A ObjectMinCardinality(2 :r :B))", "ObjectMinCardinality"),
        ("SubClassOf(:A ObjectMaxCardinality(1 :r))", "ObjectMaxCardinality"),
        ("SubClassOf(:A ObjectSomeValuesFrom(ObjectInverseOf(:r) :B))", "ObjectInverseOf"),
        ('SubClassOf(:A DataHasValue(:d "7"))', "DataHasValue"),
        ("FunctionalObjectProperty(:r)", "FunctionalObjectProperty"),
        ("InverseObjectProperties(:r :s)", "InverseObjectProperties"),
        ("HasKey(:A (:r) ())", "HasKey"),
        ("DLSafeRule(Body(ClassAtom(:A Variable(:x))) Head(ClassAtom(:B Variable(:x))))", "DLSafeRule"),
        ("ClassAssertion(:A _:i)", "AnonymousIndividual"),
        ("SubClassOf(ObjectSomeValuesFrom(owl:topObjectProperty :A) :B)", "owl:topObjectProperty"),
    ],
)
def test_what_lies_outside_is_named_and_counted(text: str, construct: str) -> None:
    outcome = elk.classify(axioms(text, "SubClassOf(:B :C)"), quiet)
    assert construct in outcome.incomplete_because
    assert outcome.outside_axioms == 1


def test_declared_properties_alone_are_no_reason_to_doubt() -> None:
    outcome = elk.classify(
        axioms("Declaration(DataProperty(:d))", "Declaration(Datatype(:t))", "SubClassOf(:A :B)"), quiet
    )
    assert outcome.incomplete_because == ()


def test_a_class_of_ignored_axioms_keeps_its_place() -> None:
    outcome = elk.classify(axioms("SubClassOf(:A ObjectAllValuesFrom(:r :B))"), quiet)
    assert hierarchy(outcome.taxonomy) == {"A": ["Thing"], "B": ["Thing"], "Thing": []}


def test_odd_names_and_literals_are_no_obstacle() -> None:
    odd = ("<a b>", "<>", "<http://[broken>", "<relative>", "<urn:ünï>")
    texts = [f"SubClassOf({one} {other})" for one, other in itertools.pairwise(odd)]
    texts.append(
        'DataPropertyAssertion(<http://x/d> <http://x/i> "no number"^^<http://www.w3.org/2001/XMLSchema#integer>)'
    )
    outcome = elk.classify(canonical_axioms(texts), quiet)
    assert ancestors(outcome.taxonomy, "a b") == {"a b", "", "http://[broken", "relative", "urn:ünï", THING}


def test_sets_with_one_member_are_set_aside_by_name() -> None:
    outcome = elk.classify(axioms("EquivalentClasses(:A :A)", "HasKey(:A () ())", "SubClassOf(:A :B)"), quiet)
    assert hierarchy(outcome.taxonomy)["A"] == ["B"]
    assert {"EquivalentClasses", "HasKey"} <= set(outcome.incomplete_because)


def test_too_many_refused_axioms_end_the_job_with_a_construct() -> None:
    many = axioms(*(f"EquivalentClasses(:A{number} :A{number})" for number in range(elk.REFUSED_MAX + 2)))
    with pytest.raises(ReasonerRefusedInput) as caught:
        elk.classify(many, quiet)
    assert caught.value.details["construct"] == "EquivalentClasses"


def test_an_empty_ontology_has_top_and_bottom() -> None:
    assert hierarchy(elk.classify((), quiet).taxonomy) == {"Thing": []}


def test_annotations_never_reach_the_reasoner() -> None:
    encoded = elk_text.encode(
        axioms(
            'SubClassOf(Annotation(rdfs:comment "why") :A :B)',
            'AnnotationAssertion(rdfs:label :A "a")',
            "SubAnnotationPropertyOf(:p :q)",
            "AnnotationPropertyDomain(:p :A)",
        )
    )
    assert b"Annotation" not in encoded.document()
    assert len(encoded.sources) == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(random_axioms, max_size=8))
def test_any_ontology_gets_an_answer_with_every_class_in_one_place(texts: list[str]) -> None:
    found = canonical_axioms(texts)
    outcome = elk.classify(found, quiet)
    if outcome.taxonomy is None:
        assert outcome.is_consistent is False
        return
    members = [iri for node in outcome.taxonomy.nodes for iri in node]
    assert sorted(members) == sorted(told.classes(found) | {THING, NOTHING})


plain = st.sampled_from([f":C{number}" for number in range(6)])
expressions = plain | st.builds("ObjectSomeValuesFrom(:r {})".format, plain)
subclass = st.builds("SubClassOf({} {})".format, plain, plain | expressions)
disjoint = st.builds("DisjointClasses({} {})".format, plain, plain)


@settings(max_examples=40, deadline=None)
@given(st.lists(subclass | disjoint, max_size=10))
def test_native_and_plain_ways_agree_and_told_superclasses_are_entailed(texts: list[str]) -> None:
    found = axioms(*texts)
    outcome = elk.classify(found, quiet, is_native=True)
    assert outcome == elk.classify(found, quiet, is_native=False)
    for name, expression in told.class_axioms(found):
        if name not in outcome.unsatisfiable:
            assert set(told.named_conjuncts(expression)) <= ancestors(outcome.taxonomy, name)
