"""The classification stage: every key of its report, the scope guard, and its bounds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from operations_support import EX, classify, document, report_of, run, stored, superclasses

from jobs import limits
from jobs.errors import ExecutionFailed, ReasonerNotCancellable
from jobs.ontology import grammar
from jobs.operations.classification import report as classification_report
from jobs.operations.classification import verdict
from jobs.reasoners import profiles
from jobs.reasoners.taxonomy import Outcome

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = [
    "kind",
    "classification_completed",
    "consistency_status",
    "unsatisfiable_status",
    "unsatisfiable_count",
    "capability_limited",
    "reasoner_digest",
]
KEYS = {
    *SUMMARY[:6],
    "unsatisfiable_classes",
    "unsatisfiable_truncated",
    "root_unsatisfiable_classes",
    "derived_unsatisfiable_classes",
    "reasoner",
    "groups",
    "equivalents",
    "equivalents_truncated",
    "counts",
    "taxonomy_truncated",
    "taxonomy_limit",
    "evidence",
    "profile_scope",
    "complete",
    "incomplete_because",
    "incomplete_sections",
    "imports",
    "labels",
    "settings_not_carried",
}
KITCHEN = document(
    "SubClassOf(:Cup :Vessel)",
    "EquivalentClasses(:Mug ObjectIntersectionOf(:Cup ObjectSomeValuesFrom(:has :Handle)))",
    "SubClassOf(:Stein :Cup)",
    "SubClassOf(:Stein ObjectSomeValuesFrom(:has :Handle))",
    "EquivalentClasses(:Cup :Teacup)",
    "DisjointClasses(:Vessel :Handle)",
    "SubClassOf(:Impossible :Cup)",
    "SubClassOf(:Impossible :Handle)",
    "SubClassOf(:Worse :Impossible)",
    'AnnotationAssertion(rdfs:label :Cup "Tasse"@de)',
    'AnnotationAssertion(rdfs:label :Cup "cup"@en)',
    'AnnotationAssertion(Annotation(rdfs:comment "x") rdfs:label :Mug "mug")',
)


def test_an_el_ontology_gets_the_whole_answer(tmp_path: Path) -> None:
    summary, report = classify(KITCHEN, "elk", tmp_path)
    assert list(summary) == SUMMARY
    assert report.keys() >= KEYS
    assert {key: report[key] for key in SUMMARY[:6]} == {key: summary[key] for key in SUMMARY[:6]}
    assert (summary["consistency_status"], summary["unsatisfiable_status"]) == ("consistent", "complete")
    assert (summary["unsatisfiable_count"], summary["capability_limited"]) == (2, False)
    assert (
        summary["reasoner_digest"] == profiles.resolve("elk").profile_key == report["reasoner"]["profile_key"]
    )
    assert report["unsatisfiable_classes"] == [f"{EX}Impossible", f"{EX}Worse"]
    assert report["root_unsatisfiable_classes"] == [f"{EX}Impossible"]
    assert report["derived_unsatisfiable_classes"] == [f"{EX}Worse"]
    assert superclasses(report, f"{EX}Stein") == [f"{EX}Mug"]
    assert [each["members"] for each in report["equivalents"]] == [[f"{EX}Cup", f"{EX}Teacup"]]
    assert report["counts"] == {
        "classes": 8,
        "nodes": 7,
        "equivalence_groups": 1,
        "direct_subsumptions": 5,
    }
    assert (report["complete"], report["incomplete_because"]) == (True, [])
    assert report["labels"] == {f"{EX}Cup": "cup", f"{EX}Mug": "mug"}
    assert report["taxonomy_truncated"] is False
    assert report["profile_scope"] == {"owl_profile": "EL", "outside_axioms": 0}
    assert set(report["evidence"]) == {
        "class_hierarchy",
        "equivalent_classes",
        "consistency",
        "satisfiability",
    }


def test_groups_are_sorted_and_hang_together(tmp_path: Path) -> None:
    _, report = classify(KITCHEN, "elk", tmp_path)
    groups = report["groups"]
    assert [group["id"] for group in groups] == list(range(len(groups)))
    assert [group["members"] for group in groups] == sorted(group["members"] for group in groups)
    depths = {group["id"]: group["depth"] for group in groups}
    for group in groups:
        assert group["members"] == sorted(group["members"])
        assert all(depths[parent] < group["depth"] for parent in group["parents"])
    (bottom,) = [group for group in groups if f"{grammar.OWL}Nothing" in group["members"]]
    assert (bottom["parents"], bottom["depth"]) == ([], max(depths.values()))


@pytest.mark.parametrize(
    ("limit", "listed", "is_cut"), [(0, 0, True), (1, 1, True), (2, 2, False), (9, 2, False)]
)
def test_limits_cut_the_list_and_not_the_count(limit: int, listed: int, is_cut: bool, tmp_path: Path) -> None:
    summary, report = classify(KITCHEN, "elk", tmp_path, limit)
    assert summary["unsatisfiable_count"] == 2
    assert len(report["unsatisfiable_classes"]) == listed
    assert report["unsatisfiable_truncated"] is is_cut


def test_settings_of_the_editor_that_were_not_set_here_are_named(tmp_path: Path) -> None:
    closure = stored(KITCHEN, tmp_path / "closure.ofn")
    result = run(
        "classification",
        tmp_path / "work",
        closure=closure["path"],
        closure_sha256=closure["sha256"],
        profile_id="structural",
        limit=1,
        settings_not_carried=["numberOfWorkers", "incrementalMode"],
    )
    assert report_of(result)["settings_not_carried"] == ["numberOfWorkers", "incrementalMode"]
    assert classify(KITCHEN, "structural", tmp_path)[1]["settings_not_carried"] == []


def test_reports_are_byte_equal_from_run_to_run(tmp_path: Path) -> None:
    for profile in ("elk", "structural"):
        for name in ("one", "two"):
            classify(KITCHEN, profile, tmp_path / profile / name)
        one, two = sorted((tmp_path / profile).glob("*/work*/report.json"))
        assert one.read_bytes() == two.read_bytes()


def test_outside_its_profile_positive_answers_are_withdrawn(tmp_path: Path) -> None:
    wider = document(*KITCHEN.axioms, "SubClassOf(:Cup ObjectAllValuesFrom(:has :Handle))")
    summary, report = classify(wider, "elk", tmp_path)
    assert (summary["consistency_status"], summary["unsatisfiable_status"]) == ("unknown", "unknown")
    assert (summary["unsatisfiable_count"], summary["capability_limited"]) == (None, True)
    assert report["unsatisfiable_classes"] == [f"{EX}Impossible", f"{EX}Worse"]
    assert report["profile_scope"] == {"owl_profile": "EL", "outside_axioms": 1}
    assert (report["complete"], report["incomplete_because"]) == (False, ["ObjectAllValuesFrom"])


def test_an_inconsistency_found_outside_the_profile_stays(tmp_path: Path) -> None:
    broken = document(
        "ClassAssertion(:A :i)", "SubClassOf(:A owl:Nothing)", "SubClassOf(:A ObjectAllValuesFrom(:r :B))"
    )
    summary, report = classify(broken, "elk", tmp_path)
    assert (summary["consistency_status"], summary["unsatisfiable_status"]) == (
        "inconsistent",
        "not_applicable",
    )
    assert (report["groups"], report["unsatisfiable_count"]) == ([], None)
    assert report["complete"] is False


@pytest.mark.req("W-15", "W-16")
@pytest.mark.parametrize(
    "texts",
    [
        ("SubClassOf(:A :B)",),
        ("SubClassOf(owl:Thing owl:Nothing)", "SubClassOf(:A :B)"),
        ("ClassAssertion(:A :i)", "SubClassOf(:A owl:Nothing)"),
        ("EquivalentClasses(:A owl:Nothing)", "SubClassOf(:C :A)"),
        ("SubClassOf(:A :B)", "SubClassOf(:A :C)", "DisjointClasses(:B :C)", "ClassAssertion(:A :i)"),
    ],
)
def test_a_structural_run_gives_no_verdict_whatever_it_reads(texts: tuple[str, ...], tmp_path: Path) -> None:
    summary, report = classify(document(*texts), "structural", tmp_path)
    for found in (summary, report):
        assert (found["consistency_status"], found["unsatisfiable_status"]) == ("unsupported", "unsupported")
        assert (found["unsatisfiable_count"], found["capability_limited"]) == (None, True)
        assert found["classification_completed"] is True
    assert report["unsatisfiable_classes"] == report["root_unsatisfiable_classes"] == []
    assert (report["unsatisfiable_truncated"], report["complete"]) == (False, False)
    assert report["incomplete_because"][0] == "ToldHierarchyOnly"
    text = json.dumps({key: value for key, value in report.items() if key not in SUMMARY})
    for word in ("inconsistent", "unsatisfiable,", "is consistent", '"consistent"', "satisfiable class"):
        assert word not in text
    (bottom,) = [group for group in report["groups"] if any("#Nothing" in iri for iri in group["members"])]
    assert len(bottom["members"]) == 1


def test_a_large_taxonomy_is_dropped_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bound by itself: seven nodes are too many for six, and 700 bytes for 200."""
    for name, bound, fits in (
        ("TAXONOMY_NODES", 6, False),
        ("TAXONOMY_NODES", 7, True),
        ("TAXONOMY_BYTES", 200, False),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(classification_report.limits, name, bound)
            _, report = classify(KITCHEN, "elk", tmp_path / f"{name}-{bound}")
        assert report["taxonomy_truncated"] is not fits
        assert bool(report["groups"]) is fits
        assert report["counts"]["nodes"] == 7
        assert report["equivalents"]
        assert report["equivalents_truncated"] is False


def test_large_equivalence_groups_are_dropped_whole_and_not_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classification_report, "_EQUIVALENTS_BYTES", 20)
    _, report = classify(KITCHEN, "elk", tmp_path)
    assert (report["equivalents"], report["equivalents_truncated"]) == ([], True)
    assert report["counts"]["equivalence_groups"] == 1


def test_the_reasoner_must_be_the_admitted_one(tmp_path: Path) -> None:
    closure = stored(KITCHEN, tmp_path / "closure.ofn")
    inputs = {"closure": closure["path"], "closure_sha256": closure["sha256"], "limit": 1}
    with pytest.raises(ExecutionFailed, match="admitted"):
        run("classification", tmp_path / "a", profile_id="structural", profile_key="sha256:0", **inputs)
    with pytest.raises(ReasonerNotCancellable):
        run("classification", tmp_path / "b", profile_id="no-such", **inputs)


def test_an_answer_is_judged_by_profile_and_imports() -> None:
    elk = profiles.resolve("elk")
    found = verdict.judge(Outcome(is_consistent=True, taxonomy=None), elk, ("http://example.org/missing",))
    assert (found.consistency_status, found.is_complete) == ("unknown", False)
    assert found.incomplete_because == ("Import",)
    unreviewed = replace(
        elk, capabilities=profiles.profile_of(replace(elk.identity, version="9")).capabilities
    )
    found = verdict.judge(Outcome(is_consistent=False, taxonomy=None), unreviewed, ())
    assert (found.consistency_status, found.unsatisfiable_status) == ("unknown", "unknown")
    assert found.capability_limited


def test_many_unsatisfiable_classes_keep_the_bound_of_the_count() -> None:
    names = tuple(f"{EX}{number}" for number in range(3))
    outcome = Outcome(is_consistent=True, taxonomy=None, unsatisfiable=names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "UNSATISFIABLE_COUNT_MAX", 2)
        assert verdict.judge(outcome, profiles.resolve("elk"), ()).unsatisfiable_count == 2
