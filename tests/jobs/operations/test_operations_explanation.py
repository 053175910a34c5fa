"""Explanations: which class is meant, what is chosen without a goal, and what the report tells."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from operations_support import EX, capture, document, run, stored

from jobs import limits
from jobs.errors import EntityUnresolved, ExecutionFailed, ResultInvalid
from jobs.ontology import grammar
from jobs.ontology.document import OntologyDocument, load_capture
from jobs.ontology.syntax import canonical
from jobs.operations import reasoning
from jobs.operations.explanation import findings, markdown
from jobs.operations.explanation.names import CANDIDATES, ClassNames
from jobs.reasoners import profiles

if TYPE_CHECKING:
    from pathlib import Path

PREFIXES = {"": EX, "owl": grammar.OWL, "rdfs": grammar.RDFS}
KITCHEN = document(
    "SubClassOf(:Cup :Vessel)",
    "DisjointClasses(:Vessel :Handle)",
    "SubClassOf(:Chimera :Cup)",
    "SubClassOf(:Chimera :Handle)",
    "SubClassOf(:Young :Chimera)",
    "SubClassOf(:Mug ObjectSomeValuesFrom(:has :Handle))",
    "Declaration(Class(<http://example.org/obo/PATO_0000001>))",
    "Declaration(NamedIndividual(:mine))",
    'AnnotationAssertion(rdfs:label :Cup "cup"@en)',
    'AnnotationAssertion(rdfs:label :Cup "Tasse"@de)',
    'AnnotationAssertion(rdfs:label :Mug "tea mug")',
    'AnnotationAssertion(Annotation(rdfs:comment "x") rdfs:label :Vessel "hollow\nvessel")',
    'AnnotationAssertion(rdfs:label :Young "twin")',
    'AnnotationAssertion(rdfs:label :Chimera "twin")',
    prefixes={"k": EX},
)
CHIMERA = ["SubClassOf(:Chimera :Cup)", "SubClassOf(:Chimera :Handle)"]
WHY = [*CHIMERA, "SubClassOf(:Cup :Vessel)", "DisjointClasses(:Vessel :Handle)"]
UNSATISFIABLE = {"kind": "unsatisfiable", "class": f"{EX}Chimera"}


# --- Which class is meant -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "local"),
    [
        (f"{EX}Cup", "Cup"),
        (f"<{EX}Cup>", "Cup"),
        ("k:Cup", "Cup"),
        ("Cup", "Cup"),
        ("cup", "Cup"),
        ("CUP", "Cup"),
        ("tasse", "Cup"),
        ("tea mug", "Mug"),
        ("  tea   mug ", "Mug"),
        ("hollow vessel", "Vessel"),
        ("Vessel", "Vessel"),
    ],
)
def test_a_class_is_found_by_what_people_call_it(name: str, local: str) -> None:
    assert ClassNames(KITCHEN).find(name) == f"{EX}{local}"


def test_identifiers_of_obo_and_the_built_in_classes_are_names_too() -> None:
    names = ClassNames(KITCHEN)
    assert names.find("PATO:0000001") == "http://example.org/obo/PATO_0000001"
    assert names.find("owl:Thing") == f"{grammar.OWL}Thing"


def test_several_classes_of_one_name_are_listed_and_none_is_taken() -> None:
    with pytest.raises(EntityUnresolved, match="2 classes are named 'twin'") as caught:
        ClassNames(KITCHEN).find("twin")
    assert caught.value.details["reason"] == "ambiguous"
    assert caught.value.details["candidates"] == [f"{EX}Chimera", f"{EX}Young"]


def test_the_list_of_candidates_is_bounded() -> None:
    many = document(*(f'AnnotationAssertion(rdfs:label :C{n} "same")' for n in range(99)),
                    *(f"Declaration(Class(:C{n}))" for n in range(99)))  # fmt: skip
    with pytest.raises(EntityUnresolved, match="91 more") as caught:
        ClassNames(many).find("same")
    assert len(caught.value.details["candidates"]) == CANDIDATES  # type: ignore[arg-type]
    assert caught.value.details["candidate_count"] == 99


@pytest.mark.parametrize("name", ["vesel", f"{EX}Vesel", f"<{EX}Vesel>", "Vessell"])
def test_an_unknown_name_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(EntityUnresolved, match="Close to it") as caught:
        ClassNames(KITCHEN).find(name)
    assert caught.value.details["reason"] == "unknown"
    assert f"{EX}Vessel" in caught.value.details["candidates"]  # type: ignore[operator]


def test_a_name_like_nothing_is_refused_without_a_hint() -> None:
    with pytest.raises(EntityUnresolved, match=r"named 'zzzzqqqq'\.$"):
        ClassNames(KITCHEN).find("zzzzqqqq")


@pytest.mark.parametrize(("name", "kind"), [("has", "an object property"), ("mine", "an individual")])
def test_what_is_no_class_is_said_to_be_none(name: str, kind: str) -> None:
    with pytest.raises(EntityUnresolved, match=f"is {kind}; only classes"):
        ClassNames(KITCHEN).find(f"{EX}{name}")


def test_a_hostile_name_stays_one_bounded_line() -> None:
    with pytest.raises(EntityUnresolved) as caught:
        ClassNames(KITCHEN).find("x\n\x1b[31m" * 500)
    assert "\n" not in caught.value.message
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 500


# --- The goal -------------------------------------------------------------------------------------


def goal_of(closure: OntologyDocument, folder: Path, **given: object) -> Any:
    file = stored(closure, folder / "closure.ofn")
    inputs = {"closure": file["path"], "closure_sha256": file["sha256"], "goal": None, **given}
    return run("explanation_goal", folder / "work", **inputs).value


def classified(folder: Path, *, consistent: bool, unsatisfiable: list[str]) -> str:
    """What a worker on Java answers to `reason`, announced as the host does it."""
    folder.mkdir(parents=True, exist_ok=True)
    told: dict[str, object] = {"value": {"consistent": consistent, "incomplete_because": ["ObjectUnionOf"]}}
    if consistent:
        nothing = [f"{grammar.OWL}Nothing", *(f"{EX}{each}" for each in unsatisfiable)]
        lines = [
            {"section": "classes", "nodes": 2, "top": 0, "bottom": 1},
            [[f"{grammar.OWL}Thing"], []],
            [nothing, []],
            {"section": "end"},
        ]
        data = "".join(f"{json.dumps(each)}\n" for each in lines).encode()
        (folder / "answer.jsonl").write_bytes(data)
        told |= {
            "answer": str(folder / "answer.jsonl"),
            "answer_sha256": hashlib.sha256(data).hexdigest(),
        }
    (folder / "follows.json").write_text(json.dumps(told))
    return str(folder / "follows.json")


def test_names_of_a_goal_become_iris(tmp_path: Path) -> None:
    asked = {"kind": "subsumption", "sub": "chimera", "super": "hollow vessel"}
    assert goal_of(KITCHEN, tmp_path, goal=asked) == {
        "goal": {"kind": "subsumption", "sub": f"{EX}Chimera", "super": f"{EX}Vessel"},
        "settled": None,
    }


@pytest.mark.parametrize(
    "goal",
    [
        {"kind": "unsatisfiable", "class": "owl:Nothing"},
        {"kind": "subsumption", "sub": "Cup", "super": "Cup"},
        {"kind": "subsumption", "sub": "Cup", "super": "owl:Thing"},
        {"kind": "subsumption", "sub": "owl:Nothing", "super": "Cup"},
    ],
)
def test_what_follows_from_no_axiom_needs_no_reasoner(goal: dict[str, str], tmp_path: Path) -> None:
    found = goal_of(KITCHEN, tmp_path, goal=goal)
    assert (found["settled"]["holds"], found["settled"]["justifications"]) == (True, 0)


def test_without_a_goal_an_inconsistency_comes_first(tmp_path: Path) -> None:
    follows = classified(tmp_path / "answer", consistent=False, unsatisfiable=[])
    found = goal_of(KITCHEN, tmp_path, answer_follows=follows)
    assert found == {"goal": {"kind": "inconsistency"}, "settled": None}


def test_without_a_goal_a_root_is_chosen_and_not_what_follows_from_it(tmp_path: Path) -> None:
    apart = document("SubClassOf(:A :Z)", "SubClassOf(:Z :B)", "SubClassOf(:Z :C)", "DisjointClasses(:B :C)")
    follows = classified(tmp_path / "answer", consistent=True, unsatisfiable=["A", "Z"])
    found = goal_of(apart, tmp_path, answer_follows=follows)
    assert found["goal"] == {"kind": "unsatisfiable", "class": f"{EX}Z"}


def test_without_a_goal_and_with_nothing_wrong_nothing_is_searched(tmp_path: Path) -> None:
    follows = classified(tmp_path / "answer", consistent=True, unsatisfiable=[])
    found = goal_of(KITCHEN, tmp_path, answer_follows=follows)
    assert found["goal"] == {"kind": "inconsistency"}
    assert found["settled"]["holds"] is False
    assert found["settled"]["incomplete_because"] == ["ObjectUnionOf"]


# --- The report -----------------------------------------------------------------------------------


def explained(
    closure: OntologyDocument,
    folder: Path,
    *justifications: list[str],
    goal: dict[str, str] = UNSATISFIABLE,
    value: dict[str, object] | None = None,
    **given: object,
) -> tuple[Any, dict[str, Any], str]:
    """Summary, report and Markdown of what a worker on Java would have found."""
    file = stored(closure, folder / "closure.ofn")
    rows = [[canonical(each, PREFIXES) for each in found] for found in justifications]
    data = "".join(f"{json.dumps(each)}\n" for each in rows).encode()
    (folder / "justifications.jsonl").write_bytes(data)
    told = {
        "holds": bool(rows),
        "justifications": len(rows),
        "is_exhausted": True,
        "incomplete_because": [],
        **(value or {}),
    }
    answer = {
        "value": told,
        "answer": str(folder / "justifications.jsonl"),
        "answer_sha256": hashlib.sha256(data).hexdigest(),
    }
    (folder / "follows.json").write_text(json.dumps(answer))
    result = run(
        "reasoning_explain",
        folder / "work",
        **{
            "closure": file["path"],
            "closure_sha256": file["sha256"],
            "document_path": "kitchen.ofn",
            "goal": goal,
            "is_default_goal": False,
            "answer_follows": str(folder / "follows.json"),
            "profile_id": profiles.PYELK,
            "limit": 3,
            "imports_loaded": [],
            "imports_missing": [],
            **given,
        },
    )
    files = {each.name: each for each in result.artifacts}
    assert {name: each.media_type for name, each in files.items()} == {
        "report.json": "application/json",
        "explanation.md": "text/markdown",
    }
    report = json.loads(files["report.json"].path.read_bytes())
    return result.value, report, files["explanation.md"].path.read_text()


def test_a_report_tells_why_with_labels_beside_iris(tmp_path: Path) -> None:
    summary, report, text = explained(KITCHEN, tmp_path, WHY)
    assert summary == {
        "kind": "reasoning_explain",
        "goal": UNSATISFIABLE,
        "goal_chosen": "requested",
        "holds": True,
        "justification_count": 1,
        "all_found": True,
        "reasoner_digest": profiles.resolve(profiles.PYELK).profile_key,
    }
    reasoner = report.pop("reasoner")
    assert reasoner["profile_id"] == profiles.PYELK
    assert report == {
        **{key: value for key, value in summary.items() if key != "reasoner_digest"},
        "statement": "Nothing can be an instance of twin.",
        "evidence": "1 justification found by pyelk 0.2.1, a smallest set of axioms that it follows from; "
        "there is no other.",
        "caveat": None,
        "limit": 3,
        "complete": True,
        "incomplete_because": [],
        "imports": {"loaded": [], "missing": []},
        "common_axioms": [],
        "frequent_axioms": [],
        "justifications": [{"id": 1, "axioms": [0, 1, 2, 3]}],
        "justifications_truncated": False,
        "axioms": [
            {
                "id": place,
                "axiom": canonical(axiom, PREFIXES),
                "reading": reading,
                "documents": [0],
                "justifications": 1,
            }
            for place, (axiom, reading) in enumerate(
                [
                    (WHY[0], "twin SubClassOf cup"),
                    (WHY[1], "twin SubClassOf Handle"),
                    (WHY[2], "cup SubClassOf 'hollow vessel'"),
                    (WHY[3], "Handle DisjointWith 'hollow vessel'"),
                ]
            )
        ],
        "axioms_truncated": False,
        "documents": [
            {
                "id": 0,
                "name": "kitchen.ofn",
                "iri": "http://example.org/t",
                "version_iri": None,
                "role": "active",
            }
        ],
        "labels": {f"{EX}Chimera": "twin", f"{EX}Cup": "cup", f"{EX}Vessel": "hollow\nvessel"},
    }
    assert text == (
        "## Nothing can be an instance of [twin](<http://example.org/t#Chimera>).\n"
        "\n"
        "1 justification found by pyelk 0.2.1, a smallest set of axioms that it follows from; "
        "there is no other.\n"
        "\n"
        "### Justification 1 of 1 (4 axioms)\n"
        "\n"
        "1. [twin](<http://example.org/t#Chimera>) SubClassOf [cup](<http://example.org/t#Cup>)\n"
        "2. [twin](<http://example.org/t#Chimera>) SubClassOf [Handle](<http://example.org/t#Handle>)\n"
        "3. [cup](<http://example.org/t#Cup>) SubClassOf [hollow vessel](<http://example.org/t#Vessel>)\n"
        "4. [Handle](<http://example.org/t#Handle>) DisjointWith "
        "[hollow vessel](<http://example.org/t#Vessel>)\n"
    )


def test_axioms_that_many_justifications_share_are_named(tmp_path: Path) -> None:
    other = ["SubClassOf(:Chimera :Mug)", "SubClassOf(:Mug owl:Nothing)", "DisjointClasses(:Vessel :Handle)"]
    _, report, text = explained(KITCHEN, tmp_path, WHY, other, value={"is_exhausted": False})
    (shared,) = report["common_axioms"]
    assert report["axioms"][shared]["axiom"] == canonical("DisjointClasses(:Vessel :Handle)", PREFIXES)
    assert report["frequent_axioms"] == [{"axiom": shared, "justifications": 2}]
    assert report["all_found"] is False
    assert report["evidence"].endswith("there may be more.")
    assert "In every one of them" in text
    assert [row["id"] for row in report["justifications"]] == [1, 2]


def test_what_does_not_follow_is_an_answer(tmp_path: Path) -> None:
    goal = {"kind": "subsumption", "sub": f"{EX}Cup", "super": f"{EX}Mug"}
    summary, report, text = explained(KITCHEN, tmp_path, goal=goal)
    assert (summary["holds"], summary["justification_count"]) == (False, 0)
    assert report["statement"] == "It does not follow that every cup is a 'tea mug'."
    assert report["evidence"] == "Answered by pyelk 0.2.1."
    assert "It does not follow that every [cup]" in text


@pytest.mark.parametrize(
    ("value", "given", "reason"),
    [
        ({"incomplete_because": ["ObjectUnionOf"]}, {}, "passes over ObjectUnionOf"),
        ({"incomplete_because": None}, {}, "more than this reasoner interprets"),
        ({}, {"imports_missing": ["http://example.org/gone"]}, "imports are missing"),
    ],
)
def test_beyond_what_was_interpreted_nothing_is_denied(
    value: dict[str, object], given: dict[str, object], reason: str, tmp_path: Path
) -> None:
    summary, report, text = explained(KITCHEN, tmp_path, value=value, **given)
    assert summary["holds"] is None
    assert summary["all_found"] is report["complete"] is False
    assert report["statement"] == "It is not known whether it follows that twin is unsatisfiable."
    assert reason in report["caveat"]
    assert report["caveat"] in text


def test_what_follows_stays_so_whatever_was_passed_over(tmp_path: Path) -> None:
    summary, report, _ = explained(KITCHEN, tmp_path, WHY, value={"incomplete_because": ["ObjectUnionOf"]})
    assert (summary["holds"], summary["all_found"]) == (True, False)
    assert report["caveat"] == "Not complete: the reasoner passes over ObjectUnionOf."


def test_a_reasoner_for_all_of_dl_need_not_say_that_it_saw_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replace(profiles.resolve(profiles.PYELK), owl_profile="DL")
    monkeypatch.setattr(reasoning, "admitted_profile", lambda given: whole)
    assert explained(KITCHEN, tmp_path, value={"incomplete_because": None})[0]["holds"] is False


def test_nothing_wrong_is_told_as_such(tmp_path: Path) -> None:
    _, report, _ = explained(KITCHEN, tmp_path, goal={"kind": "inconsistency"}, is_default_goal=True)
    assert report["goal_chosen"] == "default"
    assert report["statement"].endswith("there is nothing to explain.")


def test_a_justification_of_ten_thousand_axioms_is_reported(tmp_path: Path) -> None:
    chain = [f"SubClassOf(:C{n} :C{n + 1})" for n in range(10_000)]
    goal = {"kind": "subsumption", "sub": f"{EX}C0", "super": f"{EX}C10000"}
    summary, report, text = explained(document(*chain), tmp_path, chain, goal=goal)
    assert summary["justification_count"] == 1
    assert (len(report["axioms"]), len(report["justifications"][0]["axioms"])) == (10_000, 10_000)
    assert len(text) <= markdown.CHARACTERS + 200
    assert "the report of the job has all of it" in text


def test_justifications_beyond_the_bound_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "AXIOM_BYTES", 200)
    summary, report, text = explained(KITCHEN, tmp_path, WHY[:2], WHY)
    assert summary["justification_count"] == 2
    assert (len(report["justifications"]), report["justifications_truncated"]) == (1, True)
    assert report["common_axioms"] == []
    assert "1 more are too large" in text


def test_fifty_large_justifications_stay_below_the_bound_of_an_artifact(tmp_path: Path) -> None:
    def one(number: int) -> list[str]:
        return [f"SubClassOf(:C{number}x{n} :C{number}x{n + 1})" for n in range(1000)]

    _, report, _ = explained(KITCHEN, tmp_path, *(one(number) for number in range(50)))
    assert len(report["justifications"]) == 50
    assert (tmp_path / "work" / "report.json").stat().st_size < limits.ARTIFACT_BYTES


@pytest.mark.parametrize(
    "value",
    [{"holds": None}, {"is_exhausted": 1}, {"justifications": 7}, {"incomplete_because": "all"}],
)
def test_an_answer_of_another_shape_is_refused(value: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(ResultInvalid):
        explained(KITCHEN, tmp_path, WHY, value=value)


def test_axioms_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultInvalid):
        findings.read(
            UNSATISFIABLE,
            {"holds": True, "is_exhausted": True, "justifications": 1},
            b'["SubClassOf("]\n',
            profiles.resolve(profiles.PYELK),
            (),
            is_default_goal=False,
        )


def test_another_reasoner_than_the_admitted_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExecutionFailed):
        explained(KITCHEN, tmp_path, WHY, profile_key="sha256:" + "0" * 64)


# --- Where axioms come from -----------------------------------------------------------------------


def test_each_axiom_is_told_with_the_documents_that_say_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    head = "Prefix(:=<http://example.org/t#>)\nOntology(<http://example.org/{}>\n"
    shared = "SubClassOf(:Cup :Vessel)\n"
    (project / "main.ofn").write_text(
        head.format("main") + "Import(<http://example.org/base>)\n" + "\n".join(CHIMERA) + f"\n{shared})"
    )
    (project / "base.ofn").write_text(
        head.format("base") + f"{shared}DisjointClasses(:Vessel :Handle)\nClassAssertion(:Cup _:x)\n)"
    )
    (project / "catalog-v001.xml").write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<uri name="http://example.org/base" uri="base.ofn"/></catalog>'
    )
    files = {each.name: each for each in capture(project / "main.ofn", tmp_path).artifacts}
    closure = load_capture(files["closure.ofn"].path)
    said = ["ClassAssertion(:Cup _:anonymous7)"]  # as another reader names it
    _, report, text = explained(
        closure,
        tmp_path,
        [*WHY, *said],
        origins=str(files["origins.json"].path),
        origins_sha256=files["origins.json"].sha256,
    )
    names = {row["id"]: row["name"] for row in report["documents"]}
    assert names == {0: "main.ofn", 1: "base.ofn"}
    assert [row["role"] for row in report["documents"]] == ["active", "import"]
    where = {row["axiom"]: [names[each] for each in row["documents"]] for row in report["axioms"]}
    assert where == {
        canonical(WHY[0], PREFIXES): ["main.ofn"],
        canonical(WHY[1], PREFIXES): ["main.ofn"],
        canonical(WHY[2], PREFIXES): ["main.ofn", "base.ofn"],
        canonical(WHY[3], PREFIXES): ["base.ofn"],
        canonical(said[0], PREFIXES): ["base.ofn"],
    }
    assert "(<http://example.org/t#Vessel>) — `main.ofn`, `base.ofn`" in text
