from __future__ import annotations

from jobs.reasoners import elk
from jobs.reasoners.scope import axioms_outside

OUTSIDE = "SubClassOf(<urn:a> ObjectUnionOf(<urn:b> <urn:c>))"


def test_the_axioms_that_use_a_construct_are_named() -> None:
    axioms = [
        OUTSIDE,
        "SubClassOf(<urn:a> <urn:b>)",
        'SubClassOf(Annotation(<urn:p> "ObjectUnionOf(") <urn:a> <urn:b>)',
        "SubClassOf(<urn:ObjectUnionOf(x> <urn:b>)",
        'AnnotationAssertion(<urn:p> <urn:a> "says ObjectUnionOf( and \\" ObjectUnionOf("@en)',
    ]
    assert list(axioms_outside(axioms, ["ObjectUnionOf"])) == [OUTSIDE]
    assert list(axioms_outside(axioms, [])) == []


def test_names_that_are_no_constructs_find_what_they_mean() -> None:
    top = "SubObjectPropertyOf(<http://www.w3.org/2002/07/owl#topObjectProperty> <urn:p>)"
    anonymous = "ClassAssertion(<urn:a> _:x)"
    assert list(axioms_outside([top, anonymous], ["owl:topObjectProperty"])) == [top]
    assert list(axioms_outside([top, anonymous], ["AnonymousIndividual"])) == [anonymous]


THING = "<http://www.w3.org/2002/07/owl#Thing>"


def test_what_is_said_of_everything_is_told_from_what_mentions_it() -> None:
    said = [
        f"SubClassOf({THING} <urn:a>)",
        f'SubClassOf(Annotation(<urn:n> "(x)") {THING} <urn:a>)',
        f"EquivalentClasses({THING} <urn:a>)",
        f"EquivalentClasses(<urn:(b)> {THING} ObjectSomeValuesFrom(<urn:p> <urn:a>))",
    ]
    mentioned = [
        f"SubClassOf(<urn:a> {THING})",
        f"EquivalentClasses(<urn:a> ObjectSomeValuesFrom(<urn:p> {THING}))",
        f"ObjectPropertyRange(<urn:p> {THING})",
        f"AnnotationAssertion(<urn:n> <urn:a> {THING})",
    ]
    assert list(axioms_outside([*said, *mentioned], ["owl:Thing"])) == said


def test_the_java_free_reasoner_does_not_claim_a_whole_answer_where_it_misses_a_subclass() -> None:
    """It misses that C0 lies below C5, which HermiT and ELK 0.6.0 find."""
    axioms = (
        f"EquivalentClasses({THING} <urn:C4>)",
        "EquivalentClasses(<urn:C4> ObjectIntersectionOf(<urn:C2> <urn:C3>))",
        "EquivalentClasses(<urn:C5> ObjectSomeValuesFrom(<urn:r2> <urn:C2>))",
        "EquivalentObjectProperties(<urn:r0> <urn:r2>)",
        "ObjectPropertyDomain(<urn:r3> "
        "ObjectSomeValuesFrom(<urn:r0> ObjectSomeValuesFrom(<urn:r3> <urn:C1>)))",
        "SubClassOf(<urn:C0> ObjectSomeValuesFrom(<urn:r3> ObjectSomeValuesFrom(<urn:r2> <urn:C3>)))",
    )
    assert elk.classify(axioms, lambda *_: None).incomplete_because == ("owl:Thing",)
