"""The EL reasoner against the completion rules of EL, written out: a page that can be checked by eye."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from reasoners_support import EX, ancestors, axioms, quiet

from jobs.reasoners import elk
from jobs.reasoners.taxonomy import NOTHING, THING

CLASSES = [f":C{number}" for number in range(5)]
ROLES = [":r", ":s"]
named = st.sampled_from(CLASSES)
role = st.sampled_from(ROLES)
rules = st.one_of(
    st.tuples(st.just("sub"), named, named),
    st.tuples(st.just("and"), named, named, named),  # the first two together are below the third
    st.tuples(st.just("some"), named, role, named),  # the first is below a link to the last
    st.tuples(st.just("dom"), role, named, named),  # a link to the second is below the last
    st.tuples(st.just("chain"), role, role, role),
    st.tuples(st.just("role"), role, role),
    st.tuples(st.just("disjoint"), named, named),
)
TEXT = {
    "sub": "SubClassOf({} {})",
    "and": "SubClassOf(ObjectIntersectionOf({} {}) {})",
    "some": "SubClassOf({} ObjectSomeValuesFrom({} {}))",
    "dom": "SubClassOf(ObjectSomeValuesFrom({} {}) {})",
    "chain": "SubObjectPropertyOf(ObjectPropertyChain({} {}) {})",
    "role": "SubObjectPropertyOf({} {})",
    "disjoint": "DisjointClasses({} {})",
}


def completed(given_rules: list[tuple[str, ...]]) -> dict[str, set[str]]:
    """What each class lies below, by the completion rules; `bottom` for no instance at all."""
    above = {name: {name} for name in CLASSES}
    links: set[tuple[str, str, str]] = set()
    size = -1
    while size != sum(map(len, above.values())) + len(links):
        size = sum(map(len, above.values())) + len(links)
        for kind, *parts in given_rules:
            match kind:
                case "sub":
                    for found in above.values():
                        found |= {parts[1]} if parts[0] in found else set()
                case "and":
                    for found in above.values():
                        found |= {parts[2]} if {parts[0], parts[1]} <= found else set()
                case "disjoint":
                    for found in above.values():
                        found |= {"bottom"} if {parts[0], parts[1]} <= found else set()
                case "some":
                    links |= {
                        (name, parts[1], parts[2]) for name, found in above.items() if parts[0] in found
                    }
                case "dom":
                    for start, prop, end in links:
                        above[start] |= {parts[2]} if prop == parts[0] and parts[1] in above[end] else set()
                case "role":
                    links |= {(start, parts[1], end) for start, prop, end in links if prop == parts[0]}
                case "chain":
                    links |= {
                        (start, parts[2], end)
                        for start, first, middle in links
                        for again, second, end in links
                        if (first, again, second) == (parts[0], middle, parts[1])
                    }
        for start, _, end in links:
            above[start] |= {"bottom"} if "bottom" in above[end] else set()
    return above


@settings(max_examples=150, deadline=None)
@given(st.lists(rules, max_size=12))
def test_superclasses_are_those_of_the_completion_rules(drawn: list[tuple[str, ...]]) -> None:
    texts = [TEXT[kind].format(*parts) for kind, *parts in drawn]
    outcome = elk.classify(axioms(*texts, *(f"Declaration(Class({name}))" for name in CLASSES)), quiet)
    assert outcome.is_consistent is True  # no individual, and owl:Thing is never on a left side
    assert outcome.incomplete_because == ()
    expected = completed(drawn)
    for name, found in expected.items():
        iri = EX + name[1:]
        if "bottom" in found:
            assert iri in outcome.unsatisfiable
        else:
            uppers = ancestors(outcome.taxonomy, iri) - {THING, NOTHING}
            assert uppers == {EX + upper[1:] for upper in found}
