from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ontology_strategies import axioms as random_axioms
from reasoners_support import EX, axioms, hierarchy, quiet

from jobs.ontology import syntax
from jobs.reasoners import signature, structural
from jobs.reasoners.roots import split_unsatisfiable
from jobs.reasoners.taxonomy import THING, components

if TYPE_CHECKING:
    from jobs.reasoners.taxonomy import Taxonomy

graphs = st.integers(1, 9).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, size - 1), max_size=4, unique=True), min_size=size, max_size=size
    )
)


def reach(edges: list[list[int]], start: int) -> set[int]:
    found: set[int] = set()
    queue = [start]
    while queue:
        for target in edges[queue.pop()]:
            if target not in found:
                found.add(target)
                queue.append(target)
    return found


@given(graphs)
def test_components_are_those_that_reach_each_other(edges: list[list[int]]) -> None:
    component = components(edges)
    for one in range(len(edges)):
        for other in range(len(edges)):
            together = one == other or (other in reach(edges, one) and one in reach(edges, other))
            assert (component[one] == component[other]) is together
        assert all(component[target] <= component[one] for target in edges[one])


@settings(deadline=None)
@given(graphs)
def test_direct_parents_are_the_transitive_reduction(edges: list[list[int]]) -> None:
    supers = {f"c{node}": {f"c{target}" for target in targets} for node, targets in enumerate(edges)}
    taxonomy = structural.reduced({**supers, THING: set()}, quiet)
    direct = [list(parents) for parents in taxonomy.parents]
    place = {iri: node for node, members in enumerate(taxonomy.nodes) for iri in members}
    for node in range(len(edges)):
        told = {place[f"c{target}"] for target in reach(edges, node)} - {place[f"c{node}"], taxonomy.top}
        assert reach(direct, place[f"c{node}"]) - {taxonomy.top} == told
    for parents in direct:  # no parent is above another
        assert all(upper not in reach(direct, other) for upper in parents for other in parents)


def test_a_told_chain_of_100_000_classes_is_no_matter_of_stack() -> None:
    supers = {f"c{number:06}": {f"c{number + 1:06}"} for number in range(100_000)}
    supers["c100000"] = set()
    taxonomy = structural.reduced({**supers, THING: set()}, quiet)
    assert max(taxonomy.depths()) == 100_002


def hierarchy_of(*texts: str) -> dict[str, list[str]]:
    return hierarchy(structural.classify(axioms(*texts), quiet).taxonomy)


def test_conjuncts_and_equivalents_are_told_superclasses() -> None:
    found = hierarchy_of(
        "SubClassOf(:A ObjectIntersectionOf(:B ObjectSomeValuesFrom(:r :C)))",
        "EquivalentClasses(:D ObjectIntersectionOf(:A ObjectIntersectionOf(:E :F)))",
        "SubClassOf(ObjectIntersectionOf(:A :C) :G)",
        'SubClassOf(Annotation(rdfs:comment "told") :C :B)',
    )
    assert found["A"] == ["B"]
    assert found["D"] == ["A", "E", "F"]
    assert found["C"] == ["B"]
    assert found["G"] == ["Thing"]


def test_circles_become_one_node_and_implied_parents_go() -> None:
    found = hierarchy_of(
        "SubClassOf(:A :B)",
        "SubClassOf(:B :C)",
        "SubClassOf(:C :A)",
        "EquivalentClasses(:C :D)",
        "SubClassOf(:E :A)",
        "SubClassOf(:E owl:Thing)",
        "SubClassOf(:F :E)",
        "SubClassOf(:F :D)",
    )
    assert found == {"A=B=C=D": ["Thing"], "E": ["A=B=C=D"], "F": ["E"], "Thing": []}


def test_what_is_told_above_the_top_joins_it() -> None:
    assert hierarchy_of("SubClassOf(owl:Thing :A)", "SubClassOf(:B :A)")["A=Thing"] == []


@pytest.mark.req("W-16")
def test_nothing_is_shown_below_the_bottom() -> None:
    outcome = structural.classify(
        axioms("SubClassOf(:A owl:Nothing)", "SubClassOf(owl:Thing owl:Nothing)"), quiet
    )
    assert outcome.is_consistent is None
    assert outcome.unsatisfiable == ()
    assert hierarchy(outcome.taxonomy) == {"A": ["Thing"], "Thing": []}
    taxonomy = outcome.taxonomy
    assert taxonomy is not None
    assert len(taxonomy.nodes[taxonomy.bottom]) == 1


def test_constructs_that_were_not_read_are_named() -> None:
    outcome = structural.classify(
        axioms(
            "SubClassOf(:A ObjectSomeValuesFrom(:r :B))",
            "DisjointClasses(:A :B)",
            "SubClassOf(:B :C)",
            'AnnotationAssertion(rdfs:comment :A "HasKey( and such")',
        ),
        quiet,
    )
    assert outcome.incomplete_because == ("DisjointClasses", "ObjectSomeValuesFrom")
    assert outcome.outside_axioms == 2


# --- Roots of unsatisfiability --------------------------------------------------------------------


def test_roots_are_told_from_what_follows_from_them() -> None:
    told = axioms(
        "SubClassOf(:Root :A)",
        "SubClassOf(:Root :B)",
        "DisjointClasses(:A :B)",
        "SubClassOf(:Below :Root)",
        "SubClassOf(:Needs ObjectSomeValuesFrom(:r ObjectIntersectionOf(:Below :C)))",
        "SubClassOf(:Circle1 :Circle2)",
        "EquivalentClasses(:Circle2 ObjectIntersectionOf(:Circle1 :A :B))",
        "SubClassOf(:Perhaps ObjectAllValuesFrom(:r :Root))",
        "SubClassOf(:None ObjectMinCardinality(0 :r :Root))",
    )
    names = ("Below", "Circle1", "Circle2", "Needs", "None", "Perhaps", "Root")
    roots, derived = split_unsatisfiable(tuple(f"{EX}{name}" for name in names), told)
    assert derived == (f"{EX}Below", f"{EX}Needs")
    assert roots == tuple(f"{EX}{name}" for name in ("Circle1", "Circle2", "None", "Perhaps", "Root"))


# --- Signatures -----------------------------------------------------------------------------------


@given(random_axioms)
def test_the_fast_way_finds_the_same_entities(text: str) -> None:
    assert set(signature.entities(text)) == set(syntax.entities(syntax.parse_axiom(text)))


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ('AnnotationAssertion(rdfs:label :A "a")', f"{EX}A"),
        ("AnnotationAssertion(rdfs:label _:a :A)", None),
        ('AnnotationAssertion(Annotation(rdfs:comment _:c) rdfs:label :A "a")', f"{EX}A"),
        (
            'AnnotationAssertion(Annotation(Annotation(rdfs:comment "x") rdfs:comment "y") rdfs:label :A "")',
            f"{EX}A",
        ),
        ("SubClassOf(:A :B)", None),
    ],
)
def test_annotation_subjects(text: str, subject: str | None) -> None:
    (found,) = axioms(text)
    assert signature.annotation_subject(found) == subject


def depths_hold(taxonomy: Taxonomy) -> bool:
    depths = taxonomy.depths()
    return all(depths[parent] < depths[node] for node, ups in enumerate(taxonomy.parents) for parent in ups)


@given(graphs)
def test_depths_grow_downwards(edges: list[list[int]]) -> None:
    supers = {f"c{node}": {f"c{target}" for target in targets} for node, targets in enumerate(edges)}
    taxonomy = structural.reduced({**supers, THING: set()}, quiet)
    assert depths_hold(taxonomy)
    assert taxonomy.depths()[taxonomy.bottom] == max(taxonomy.depths())
