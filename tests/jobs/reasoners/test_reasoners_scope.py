from __future__ import annotations

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
