"""The shared cases whose operation is a diff or a classification, run through the stages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from operations_support import (
    CASES,
    DATA,
    axioms_of,
    capture,
    classify_file,
    diff_files,
    needs_cases,
    needs_data,
    superclasses,
)

from jobs.ontology import grammar, read_document
from jobs.ontology.syntax import Terms, canonical

if TYPE_CHECKING:
    from pathlib import Path

STANDARD = {"rdfs": grammar.RDFS, "xsd": grammar.XSD, "owl": grammar.OWL}


def case(number: str, step: int | None = None) -> tuple[Path, dict[str, Any]]:
    folder = next(CASES.glob(f"{number}-*"))
    found = json.loads((folder / "case.json").read_text("utf-8"))
    return folder, (found["expect"] if step is None else found["steps"][step]["expect"])


def check_classification(summary: Any, report: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert wanted["status"] == "succeeded"
    if "consistent" in wanted:
        assert summary["consistency_status"] == ("consistent" if wanted["consistent"] else "inconsistent")
    if "unsatisfiable" in wanted:
        assert report["unsatisfiable_classes"] == sorted(wanted["unsatisfiable"])
    if "complete" in wanted:
        assert report["complete"] is wanted["complete"]
    assert set(wanted.get("incomplete_because", ())) <= set(report["incomplete_because"])
    for iri, uppers in wanted.get("superclasses", {}).items():
        assert superclasses(report, iri) == sorted(uppers)
    if "imports_loaded" in wanted:
        assert len(report["imports"]["loaded"]) == wanted["imports_loaded"]
    if "imports_missing" in wanted:
        assert report["imports"]["missing"] == wanted["imports_missing"]


@needs_cases
@pytest.mark.parametrize(("number", "step"), [("01", 0), ("02", None), ("03", None)])
def test_diff_cases(number: str, step: int | None, tmp_path: Path) -> None:
    folder, wanted = case(number, step)
    left, right = sorted(folder.glob("left.*"))[0], sorted(folder.glob("right.*"))[0]
    summary, report = diff_files(left, right, tmp_path)
    assert summary["added_axioms"] == wanted["added_axioms"]
    assert summary["removed_axioms"] == wanted["removed_axioms"]
    if "equal" in wanted:
        assert summary["identical"] is wanted["equal"] is report["identical"]
    for key in ("logical_added", "logical_removed"):
        assert report[key] == wanted.get(key, 0)
    if "annotation_only_changes" in wanted:
        assert report["annotation_only_changes"]["count"] == wanted["annotation_only_changes"]
    prefixes = {**STANDARD, **read_document(left.read_bytes(), name=left.name).prefixes}
    for side in ("added", "removed"):
        if side in wanted:
            expected = sorted(canonical(text, prefixes) for text in wanted[side])
            assert axioms_of(report["asserted_axioms"][side]) == expected
    for hidden in wanted.get("not_in_diff", ()):
        shown = json.dumps([report["asserted_axioms"], report["annotation_changes"]])
        assert Terms(prefixes).expand(hidden) not in shown


@needs_cases
@pytest.mark.parametrize(
    ("number", "step", "document", "profile"),
    [
        ("05", None, "main.ttl", "elk"),
        ("06", 1, "input.ofn", "elk"),
        ("07", 1, "input.ofn", "elk"),
        ("07", 2, "input.ofn", "structural"),
        ("18", 0, "input.ttl", "elk"),
    ],
)
def test_classification_cases(
    number: str, step: int | None, document: str, profile: str, tmp_path: Path
) -> None:
    folder, wanted = case(number, step)
    summary, report = classify_file(folder / document, profile, tmp_path)
    check_classification(summary, report, wanted)


@needs_cases
def test_case_18_shows_no_hierarchy(tmp_path: Path) -> None:
    folder, _ = case("18", 0)
    summary, report = classify_file(folder / "input.ttl", "elk", tmp_path)
    assert summary["unsatisfiable_status"] == "not_applicable"
    assert summary["unsatisfiable_count"] is None
    assert (report["groups"], report["equivalents"], report["unsatisfiable_classes"]) == ([], [], [])


@needs_cases
def test_case_19_cyclic_imports_count_once(tmp_path: Path) -> None:
    folder, wanted = case("19")
    captured: Any = capture(folder / "one.ttl", tmp_path / "first").value
    assert captured["closure_size"] == wanted["imports_closure_size"]
    assert captured["imports_loaded"] == ["http://example.org/cyc/two"]
    assert captured["sources"][0]["path"] == "two.ttl"
    summary, report = classify_file(folder / "one.ttl", "elk", tmp_path / "second")
    check_classification(
        summary, report, {key: wanted[key] for key in ("status", "unsatisfiable", "superclasses")}
    )
    # A data property assertion lies outside what this reasoner interprets: no positive verdict.
    assert summary["consistency_status"] == "unknown"
    assert "DataPropertyAssertion" in report["incomplete_because"]


@needs_cases
def test_case_23_finishes_with_the_told_superclass(tmp_path: Path) -> None:
    folder = next(CASES.glob("23-*"))
    summary, report = classify_file(folder / "input.ofn", "elk", tmp_path)
    assert summary["consistency_status"] == "consistent"
    assert superclasses(report, "http://example.org/quick#Minute") == ["http://example.org/quick#Duration"]


@needs_cases
def test_case_24_a_missing_import_is_named_and_guards_the_verdict(tmp_path: Path) -> None:
    folder, wanted = case("24")
    summary, report = classify_file(folder / "input.ttl", "elk", tmp_path)
    check_classification(summary, report, wanted["any_of"][1])
    assert summary["consistency_status"] == summary["unsatisfiable_status"] == "unknown"
    assert summary["unsatisfiable_count"] is None
    assert "Import" in report["incomplete_because"]


@needs_data
@pytest.mark.req("W-40")
def test_pato_releases_differ_as_robot_counts_them(tmp_path: Path) -> None:
    """ROBOT's 221 and 97 lines: axioms, one header annotation, the version; and three declarations that
    the other side's signature implies, which only ROBOT counts."""
    summary, report = diff_files(
        DATA / "pato-2024-03.owl.gz", DATA / "pato-2025-05.owl.gz", tmp_path, limit=0
    )
    assert (summary["added_axioms"], summary["removed_axioms"]) == (219, 92)
    assert report["implied_declarations"] == {"added": 0, "removed": 3}
    header = report["ontology_annotations"]
    assert (
        len(set(header["right"]) - set(header["left"]))
        == len(set(header["left"]) - set(header["right"]))
        == 1
    )
    assert report["ontology_id"]["changed"]
    assert 219 + 1 + 1 == 221
    assert 92 + 3 + 1 + 1 == 97
    assert report["right_document_unresolved_imports"] == []
