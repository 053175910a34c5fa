"""The restriction of OWL 2 EL on ranges and chains, which EL reasoners break without a word."""

from __future__ import annotations

import pytest

from jobs.reasoners import elk
from jobs.reasoners.java_profiles import ELK_4, ELK_6
from jobs.reasoners.outcomes import outcome_of
from jobs.reasoners.ranges import breaks_restriction, needless

CHAIN = "SubObjectPropertyOf(ObjectPropertyChain(<u:p> <u:q>) <u:r>)"
RANGE = "ObjectPropertyRange(<u:r> <u:C>)"


@pytest.mark.parametrize(
    ("axioms", "expected"),
    [
        ((CHAIN, RANGE), True),
        ((CHAIN, RANGE, "ObjectPropertyRange(<u:q> <u:C>)"), False),
        ((CHAIN, RANGE, "ObjectPropertyRange(<u:q> <u:D>)"), True),
        ((CHAIN, RANGE, "SubObjectPropertyOf(<u:q> <u:r>)"), False),
        ((CHAIN, "ObjectPropertyRange(<u:s> <u:C>)", "SubObjectPropertyOf(<u:r> <u:s>)"), True),
        ((CHAIN, "ObjectPropertyRange(<u:s> <u:C>)", "EquivalentObjectProperties(<u:r> <u:s>)"), True),
        ((CHAIN, "ObjectPropertyRange(<u:s> <u:C>)"), False),
        (('SubObjectPropertyOf(Annotation(<u:n> "x") ObjectPropertyChain(<u:p> <u:q>) <u:r>)', RANGE), True),
        (("TransitiveObjectProperty(<u:r>)", RANGE), False),
        ((CHAIN,), False),
        ((RANGE,), False),
    ],
)
def test_a_chain_must_impose_the_ranges_of_what_it_leads_to(axioms: tuple[str, ...], expected: bool) -> None:
    assert breaks_restriction(axioms) is expected


THING = "<http://www.w3.org/2002/07/owl#Thing>"
UNSOUND = (
    "EquivalentClasses(<u:C8> ObjectSomeValuesFrom(<u:p0> <u:C3>))",
    "ObjectPropertyRange(<u:p0> <u:C1>)",
    f"SubClassOf({THING} <u:C4>)",
    "SubClassOf(<u:C3> ObjectSomeValuesFrom(<u:p1> ObjectSomeValuesFrom(<u:p2> <u:C6>)))",
    "SubClassOf(<u:C4> <u:C8>)",
    "SubClassOf(<u:C6> ObjectSomeValuesFrom(<u:p0> <u:C0>))",
    "SubClassOf(<u:C8> <u:C0>)",
)


@pytest.mark.parametrize(
    ("axioms", "wrong"),
    [
        (UNSOUND, ("http://www.w3.org/2002/07/owl#Thing", "u:C1")),
        ((RANGE, "SubClassOf(<u:A> ObjectSomeValuesFrom(<u:r> <u:A>))"), ("u:A", "u:C")),
    ],
)
def test_the_java_free_reasoner_is_not_given_what_it_misreads(
    axioms: tuple[str, ...], wrong: tuple[str, str]
) -> None:
    """Given the range it puts the first below the second, which HermiT and ELK 0.6.0 do not."""
    found = elk.classify(axioms, lambda *_: None)
    assert "ObjectPropertyRange" in found.incomplete_because
    assert found.outside_axioms >= 1
    assert found.taxonomy is not None
    below, above = (
        next(node for node, members in enumerate(found.taxonomy.nodes) if each in members) for each in wrong
    )
    assert below != above
    assert above not in found.taxonomy.parents[below]


def test_the_older_elk_is_guarded_and_the_newer_says_it_itself() -> None:
    lines = (
        b'{"section":"classes","nodes":2,"top":0,"bottom":1}\n[["http://www.w3.org/2002/07/owl#Thing"],[]]\n'
        b'[["http://www.w3.org/2002/07/owl#Nothing"],[]]\n{"section":"end"}\n'
    )
    value = {"consistent": True, "incomplete_because": []}
    older = outcome_of(ELK_4, value, lines, (CHAIN, RANGE))
    assert older.incomplete_because == ("ObjectPropertyChain", "ObjectPropertyRange")
    assert older.outside_axioms == 2
    assert outcome_of(ELK_6, value, lines, (CHAIN, RANGE)).incomplete_because == ()


SOME = "SubClassOf(<u:A> ObjectSomeValuesFrom(<u:r> <u:B>))"


@pytest.mark.parametrize(
    ("axioms", "is_needless"),
    [
        ((), True),
        ((SOME, "SubClassOf(<u:B> <u:X>)", "SubClassOf(<u:X> <u:C>)"), True),
        ((SOME, "EquivalentClasses(<u:B> ObjectIntersectionOf(<u:C> <u:X>))"), True),
        (("SubClassOf(<u:A> ObjectSomeValuesFrom(<u:r> ObjectIntersectionOf(<u:B> <u:C>)))",), True),
        ((SOME,), False),
        ((SOME, "SubClassOf(<u:C> <u:B>)"), False),
        (("SubClassOf(ObjectSomeValuesFrom(<u:r> <u:B>) <u:A>)",), False),
        (("SubClassOf(<u:A> ObjectSomeValuesFrom(<u:s> <u:B>))", "SubObjectPropertyOf(<u:s> <u:r>)"), False),
        (("SubClassOf(<u:A> ObjectSomeValuesFrom(<u:s> <u:B>))",), True),
        ((CHAIN, "SubClassOf(<u:A> ObjectSomeValuesFrom(<u:q> <u:B>))"), False),
        (("ReflexiveObjectProperty(<u:r>)",), False),
        (("ObjectPropertyAssertion(<u:r> <u:i> <u:j>)",), False),
        (("InverseObjectProperties(<u:r> <u:s>)",), False),
    ],
)
def test_a_range_is_needless_only_when_it_says_nothing_new_of_any_filler(
    axioms: tuple[str, ...], is_needless: bool
) -> None:
    assert needless((*axioms, RANGE)) == (frozenset({RANGE}) if is_needless else frozenset())


def test_a_needless_range_leaves_the_answer_whole() -> None:
    found = elk.classify((SOME, "SubClassOf(<u:B> <u:C>)", RANGE), lambda *_: None)
    assert found.incomplete_because == ()
