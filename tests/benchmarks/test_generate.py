"""Generated ontologies: the same bytes for the same arguments, both syntaxes alike, inside EL."""

from __future__ import annotations

import io
import re
from collections import Counter

import pyhornedowl
import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.generate import write_ontology
from benchmarks.terms import base_term, label, second_release


def written(*, classes: int = 400, seed: int = 1, syntax: str = "functional", release: int = 1) -> str:
    out = io.StringIO()
    write_ontology(out, classes=classes, seed=seed, syntax=syntax, release=release)
    return out.getvalue()


def components(text: str, syntax: str) -> Counter[str]:
    ontology = pyhornedowl.open_ontology_from_string(text, syntax)
    return Counter(type(one.component).__name__ for one in ontology.get_components())


def statements(text: str, syntax: str) -> set[tuple[object, frozenset[object]]]:
    ontology = pyhornedowl.open_ontology_from_string(text, syntax)
    return {(one.component, frozenset(one.ann)) for one in ontology.get_components()}


@pytest.mark.parametrize("syntax", ["functional", "rdfxml"])
@pytest.mark.parametrize("release", [1, 2])
def test_same_arguments_give_the_same_bytes_and_another_seed_others(syntax: str, release: int) -> None:
    first = written(syntax=syntax, release=release)
    assert first == written(syntax=syntax, release=release)
    assert first != written(syntax=syntax, release=release, seed=2)


def test_a_larger_ontology_begins_with_the_terms_of_a_smaller_one() -> None:
    small, large = written(classes=100).splitlines(), written(classes=200).splitlines()
    assert large[: len(small) - 1] == small[:-1]


@pytest.mark.parametrize("release", [1, 2])
def test_both_syntaxes_say_the_same(release: int) -> None:
    functional = statements(written(release=release), "ofn")
    rdfxml = statements(written(release=release, syntax="rdfxml"), "owl")
    assert rdfxml == functional


def test_rdfxml_is_accepted_by_a_strict_rdf_parser() -> None:
    text = written(syntax="rdfxml")
    triples = sum(1 for _ in pyoxigraph.parse(text.encode(), format=pyoxigraph.RdfFormat.RDF_XML))
    assert triples > 400 * 8


def test_the_shape_is_that_of_a_large_biomedical_ontology() -> None:
    classes = 3_000
    counts = components(written(classes=classes), "ofn")
    terms = [base_term(1, number) for number in range(classes)]
    live = [term for term in terms if term.parents]
    assert counts["DeclareClass"] == classes
    assert 1.3 < sum(len(term.parents) for term in live) / len(live) < 1.6
    assert 0.2 < sum(term.equivalent_to is not None for term in live) / len(live) < 0.3
    assert 0.01 < sum(term.replaced_by is not None for term in terms) / classes < 0.04
    assert 8 < counts.total() / classes < 10


def test_terms_have_about_as_many_ancestors_as_real_ones() -> None:
    ancestors: list[frozenset[int]] = []
    for number in range(20_000):
        parents = base_term(1, number).parents
        ancestors.append(frozenset(parents).union(*(ancestors[parent] for parent in parents)))
    assert 10 < sum(map(len, ancestors)) / len(ancestors) < 30


def test_only_constructs_of_owl_2_el_are_written() -> None:
    text = re.sub(r'"[^"]*"', '""', written(classes=2_000, release=2))
    used = set(re.findall(r"([A-Z][A-Za-z]+)\(", text))
    allowed_in_el = {
        "Prefix Ontology Annotation Declaration Class ObjectProperty AnnotationProperty",
        "AnnotationAssertion SubClassOf EquivalentClasses DisjointClasses ObjectIntersectionOf",
        "ObjectSomeValuesFrom SubObjectPropertyOf ObjectPropertyChain TransitiveObjectProperty",
    }
    assert used == set(" ".join(allowed_in_el).split())


def test_about_one_term_in_a_hundred_differs_in_the_second_release() -> None:
    size = 10_000
    changed = sum(base_term(1, number) != second_release(1, number, size) for number in range(size))
    removed = sum(second_release(1, number, size) is None for number in range(size))
    assert 60 < changed < 140
    assert 0 < removed < changed / 5
    assert (
        len(set(written(classes=size, release=2).splitlines()) - set(written(classes=size).splitlines()))
        > 400
    )


@given(seed=st.integers(0, 2**32), number=st.integers(3, 200_000))
@settings(max_examples=200)
def test_terms_point_only_to_earlier_live_terms_of_the_right_branch(seed: int, number: int) -> None:
    term = base_term(seed, number)
    pointed = [*term.parents, *(one.filler for one in term.existentials)]
    if term.equivalent_to is not None:
        pointed += [term.equivalent_to[0], term.equivalent_to[1].filler]
    assert all(0 <= other < number for other in pointed)
    assert all(parent % 3 == number % 3 for parent in term.parents)
    assert all(base_term(seed, other).replaced_by is None for other in pointed)


def test_labels_are_unique() -> None:
    assert len({label(7, number) for number in range(120_000)}) == 120_000


def test_fewer_classes_than_branches_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        written(classes=2)
