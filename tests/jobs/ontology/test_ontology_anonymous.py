"""Labels of anonymous individuals depend on content alone."""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import TYPE_CHECKING

import ontology_strategies as strategies
from hypothesis import given
from hypothesis import strategies as st
from ontology_strategies import examples

from jobs.ontology.anonymous import label_anonymous
from jobs.ontology.document import OntologyDocument, semantic_fingerprint
from jobs.ontology.syntax import anonymous_individuals, canonical_axioms, rename_anonymous

if TYPE_CHECKING:
    import random


def document(*axioms: str) -> OntologyDocument:
    return OntologyDocument(
        iri=None,
        version_iri=None,
        imports=(),
        annotations=(),
        axioms=canonical_axioms(axioms),
        format="functional",
        reader="made",
    )


def renamed(found: OntologyDocument, names: dict[str, str]) -> OntologyDocument:
    return dataclasses.replace(
        found,
        annotations=canonical_axioms(rename_anonymous(text, names) for text in found.annotations),
        axioms=canonical_axioms(rename_anonymous(text, names) for text in found.axioms),
    )


def knows(*pairs: tuple[str, str]) -> OntologyDocument:
    return document(*(f"ObjectPropertyAssertion(<r> _:{a} _:{b})" for a, b in pairs))


@given(strategies.documents(), st.permutations(["_:p", "_:q", "_:x1"]))
@examples(100)
def test_other_labels_give_the_same_document(found: OntologyDocument, names: list[str]) -> None:
    other = renamed(found, dict(zip(["_:x1", "_:x2", "_:x3"], names, strict=True)))
    assert label_anonymous(other) == label_anonymous(found)
    assert label_anonymous(label_anonymous(found)) == label_anonymous(found)


@given(st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=9), st.randoms())
@examples(75)
def test_graphs_of_individuals_alone(pairs: set[tuple[str, str]], chance: random.Random) -> None:
    """The hard case: nothing but links between anonymous individuals, symmetric ones included."""
    one = knows(*pairs)
    letters = list("abcdef")
    chance.shuffle(letters)
    other = renamed(one, {f"_:{a}": f"_:{b}" for a, b in zip("abcdef", letters, strict=True)})
    assert label_anonymous(other) == label_anonymous(one)


def test_different_shapes_stay_different() -> None:
    circle = knows(*((f"n{i}", f"n{(i + 1) % 6}") for i in range(6)))
    triangles = knows(*((f"n{i}", f"n{(i + 1) % 3 + i // 3 * 3}") for i in range(6)))
    assert semantic_fingerprint(label_anonymous(circle)) != semantic_fingerprint(label_anonymous(triangles))


def test_many_alike_are_quick() -> None:
    started = time.process_time()
    alike = document(*(f'AnnotationAssertion(<p> _:x{i} "same")' for i in range(3000)))
    found = label_anonymous(alike)
    assert found.anonymous_exact
    assert len({label for text in found.axioms for label in anonymous_individuals(text)}) == 3000
    different = "DifferentIndividuals(" + " ".join(f"_:x{i}" for i in range(12)) + ")"
    assert label_anonymous(document(different)).anonymous_exact
    assert time.process_time() - started < 10


def test_a_large_symmetric_group_ends_within_its_budget() -> None:
    started = time.process_time()
    found = label_anonymous(
        document("DifferentIndividuals(" + " ".join(f"_:x{i}" for i in range(3000)) + ")")
    )
    assert not found.anonymous_exact
    assert time.process_time() - started < 6


def test_out_of_time_is_said() -> None:
    ticks = itertools.count()
    found = label_anonymous(knows(("a", "b"), ("b", "a")), budget_s=0, clock=lambda: float(next(ticks)))
    assert not found.anonymous_exact
    assert len(found.axioms) == 2
