"""Laws of the diff on random documents and random edits."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from ontology_strategies import axioms, documents
from operations_support import Answer, axioms_of, diff

from jobs.ontology.anonymous import label_anonymous
from jobs.ontology.document import OntologyDocument
from jobs.ontology.syntax import canonical_axioms, is_logical
from jobs.operations.semantic_diff import alignment, changes

Pair = tuple[OntologyDocument, OntologyDocument]
moderate = settings(max_examples=60, deadline=None)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """A document and an edited copy of it."""
    left = draw(documents())
    kept = [text for text in left.axioms if draw(st.integers(0, 3))]
    more = draw(st.lists(axioms, max_size=3))
    right = replace(left, axioms=canonical_axioms([*kept, *more]))
    if draw(st.booleans()):
        right = replace(right, version_iri="http://example.org/g/2")
    return label_anonymous(left), label_anonymous(right)


def compared(left: OntologyDocument, right: OntologyDocument, limit: int = 10_000) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        return diff(left, right, Path(folder), limit)


@moderate
@given(documents())
def test_nothing_differs_from_itself(document: OntologyDocument) -> None:
    summary, report = compared(document, document)
    assert summary["identical"] is True
    assert report["entities"]["added"]["count"] == report["entities"]["removed"]["count"] == 0


@moderate
@given(pairs())
def test_applying_the_report_to_left_gives_right(pair: Pair) -> None:
    left, right = alignment.align(*map(alignment.by_content, pair))
    _, report = compared(*pair)
    added = set(axioms_of(report["asserted_axioms"]["added"]))
    removed = set(axioms_of(report["asserted_axioms"]["removed"]))
    assert added <= set(right.axioms) - set(left.axioms)
    assert removed <= set(left.axioms) - set(right.axioms)
    result = (set(left.axioms) - removed) | added
    assert {text for text in result ^ set(right.axioms) if not text.startswith("Declaration(")} == set()
    # What is left over is implied by the signature of the other side.
    assert changes.compare(replace(left, axioms=tuple(sorted(result))), changes.prepared(right)).added == ()


@moderate
@given(pairs())
def test_the_other_way_round_is_the_mirror_image(pair: Pair) -> None:
    forth, back = compared(*pair), compared(*reversed(pair))
    assert forth[0]["added_axioms"] == back[0]["removed_axioms"]
    assert forth[0]["identical"] == back[0]["identical"]
    one, other = forth[1], back[1]
    for key in ("added", "removed"):
        mirror = {"added": "removed", "removed": "added"}[key]
        assert one["asserted_axioms"][key] == other["asserted_axioms"][mirror]
        assert one["entities"][key] == other["entities"][mirror]
    assert one["logical_added"] == other["logical_removed"]
    swapped = sorted((row["to"], row["from"], row["entity_type"]) for row in other["rename_candidates"])
    assert sorted((row["from"], row["to"], row["entity_type"]) for row in one["rename_candidates"]) == swapped


@moderate
@given(pairs(), st.integers(0, 4))
def test_limits_cut_rows_and_never_counts(pair: Pair, limit: int) -> None:
    whole, cut = compared(*pair), compared(*pair, limit)
    assert whole[0] == cut[0]
    for side in ("added", "removed"):
        rows, all_rows = (answer[1]["asserted_axioms"][side] for answer in (cut, whole))
        assert rows["count"] == all_rows["count"]
        logical_first = sorted(axioms_of(all_rows), key=lambda text: (not is_logical(text), text))
        assert sorted(axioms_of(rows)) == sorted(logical_first[:limit])
        assert rows["truncated"] is (rows["count"] > limit)
