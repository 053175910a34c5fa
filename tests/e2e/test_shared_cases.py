"""Every shared case folder whose operation exists here, asked of a window as a user would ask it.

An expectation this file does not understand fails its case: nothing goes unasked without a word.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.errors import ProtegeJobsError
from jobs.ontology import grammar, index
from jobs.ontology.document import parse_capture
from jobs.ontology.reading import read_document
from jobs.ontology.syntax import canonical
from tests.support.live_window import SHARED, window_on
from tests.support.process_table import children_of, has_mapped

if TYPE_CHECKING:
    from jobs.ontology.document import OntologyDocument
    from tests.support.live_window import Driver, Json, Places

pytestmark = pytest.mark.anyio
CASES = sorted(each.parent for each in (SHARED / "cases").glob("*/case.json"))
OPERATIONS = {"load", "semantic_diff", "classification", "artifact_export"}
THING, NOTHING = f"{grammar.OWL}Thing", f"{grammar.OWL}Nothing"


@dataclass
class Seen:
    """What a window answered to one step."""

    status: str
    took_s: float = 0.0
    error: Json | None = None
    job: Json | None = None
    report: Json | None = None
    window: Json | None = None
    root: OntologyDocument | None = None
    closure: OntologyDocument | None = None
    cancelled: Json | None = None


@pytest.mark.skipif(not CASES, reason="the shared cases are not here")
@pytest.mark.parametrize("folder", CASES, ids=lambda each: each.name)
async def test_case(folder: Path, places: Places) -> None:
    await _case(folder, places, has_java=False)


@pytest.mark.java
@pytest.mark.skipif(not CASES, reason="the shared cases are not here")
@pytest.mark.parametrize("folder", CASES, ids=lambda each: each.name)
async def test_case_with_java(folder: Path, places: Places) -> None:
    await _case(folder, places, has_java=True)


async def _case(folder: Path, places: Places, *, has_java: bool) -> None:
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    shutil.copytree(folder, places.project, dirs_exist_ok=True)
    asked = 0
    for step in case.get("steps", [case]):
        request = {**case["request"], **step.get("request", {})}
        operation = step.get("operation", case["operation"])
        if not _is_ours(operation, request, has_java=has_java):
            continue
        asked += 1
        if "do" in step:  # steps on one job: cases 22 and 23
            is_running = case["steps"][0]["expect"].get("status") == "running"
            steps = _cancelled_while_running if is_running else _cancelled_after_the_end
            await steps(places.project, request, case["steps"])
            break
        _check(step["expect"], await _ask(places.project, operation, request), places.project, request)
    if not asked:
        pytest.skip("operation, profile or format not in this version, or it needs Java")


def _is_ours(operation: str, request: Json, *, has_java: bool) -> bool:
    needs_java = str(request.get("input", "")).endswith(".obo") or request.get("profile") == "hermit"
    return operation in OPERATIONS and (has_java or not needs_java)


# --- Asking ---------------------------------------------------------------------------------------


async def _ask(project: Path, operation: str, request: Json) -> Seen:
    begun = time.monotonic()
    document = project / str(request.get("input", request.get("left")))
    known = {"input", "left", "right", "catalog", "profile", "network", "formats", "memory_mb"}
    assert set(request) <= known, f"a request key nobody maps: {set(request) - known}"
    catalog = project / str(request["catalog"]) if "catalog" in request else None
    profile = str(request.get("profile", "structural"))
    async with window_on(document, profile=profile, catalog=catalog) as driver:
        seen = Seen(status="failed")
        try:
            await _answers(driver, seen, operation, request)
        except ProtegeJobsError as error:
            seen.error = {"code": error.code, "message": error.message, "details": dict(error.details)}
        seen.took_s = time.monotonic() - begun
        assert isinstance(await driver.jobs(), list)  # the service goes on answering
        return seen


async def _answers(driver: Driver, seen: Seen, operation: str, request: Json) -> None:
    seen.window = await driver.call("describe_window", {})
    hold = await driver.window._shelf.hold()
    seen.root = parse_capture(hold.ontology.root.path.read_bytes())
    seen.closure = parse_capture(hold.ontology.closure.path.read_bytes())
    hold.release()
    kind, asked = ("classification", {"limit": 10_000})
    if operation == "semantic_diff":
        kind, asked = "semantic_diff", {"right_document": str(request["right"]), "limit": 10_000}
    started = await driver.start(kind, asked)
    seen.job = await driver.ended(started["job"]["job_id"])
    seen.status, seen.error = str(seen.job["state"]), seen.job["error"]
    if seen.status == "succeeded":
        seen.report = json.loads(await _report(driver, seen.job))


async def _report(driver: Driver, job: Json) -> str:
    (artifact,) = job["result"]["artifacts"]  # type: ignore[index]
    ids = {"job_id": job["job_id"], "artifact_id": artifact["artifact_id"]}
    text, offset = "", 0
    while offset is not None:
        part = await driver.call("read_job_artifact", {**ids, "offset": offset})
        text, offset = text + part["text"], part["next_offset"]
    return text


async def _cancelled_after_the_end(project: Path, request: Json, steps: list[Json]) -> None:
    """Case 23: a late cancel, asked twice, changes nothing and loses nothing."""
    understood = {"status_reaches", "within_seconds", "status_stays", "result_still_readable"}
    assert {key for step in steps for key in step["expect"]} <= understood | {"same_answer_as_first_cancel"}
    async with window_on(project / str(request["input"]), profile=str(request["profile"])) as driver:
        job = await driver.ended((await driver.start("classification", {}))["job"]["job_id"], within_s=30)
        assert job["state"] == steps[0]["expect"]["status_reaches"]
        answers = []
        for _ in steps[1:]:
            answers.append(await driver.call("cancel_job", {"job_id": job["job_id"]}))
            assert answers[-1]["job"] == job
            assert json.loads(await _report(driver, job))
        assert answers[0] == answers[1]
        assert answers[0]["outcome"] == "already_terminal"


async def _cancelled_while_running(project: Path, request: Json, steps: list[Json]) -> None:
    """Case 22: a reasoner that would compute for minutes ends on request, and the next job runs."""
    started, cancelled, following, idle = (each["expect"] for each in steps)
    assert (started["status"], cancelled["status_reaches"]) == ("running", "cancelled")
    document = project / str(request["input"])
    async with window_on(document, profile=str(request["profile"])) as driver:
        job_id = (await driver.start("classification", {}))["job"]["job_id"]
        await anyio.sleep(started["after_seconds"])
        assert (await driver.call("get_job", {"job_id": job_id}))["job"]["state"] == "running"
        await driver.call("cancel_job", {"job_id": job_id})
        job = await driver.ended(job_id, within_s=cancelled["within_seconds"])
        assert (job["state"], job["result"]) == ("cancelled", None)
        assert not [each for each in children_of(os.getpid()) if has_mapped(each, "libjvm")]
    small = next(
        each for each in steps if each.get("request", {}).get("input", request["input"]) != request["input"]
    )
    seen = await _ask(project, "classification", {**request, **small["request"]})
    assert seen.took_s < following["within_seconds"]
    _check(
        {key: value for key, value in following.items() if key != "within_seconds"}, seen, project, request
    )
    assert set(idle) == {"processor_idle_within_seconds"}  # no process of ours is left that could compute


# --- Checking -------------------------------------------------------------------------------------


def _check(expect: Json, seen: Seen, project: Path, request: Json) -> None:
    alternatives = expect.get("any_of")
    if alternatives is not None:
        problems = []
        for each in alternatives:
            try:
                _check(each, seen, project, request)
                break
            except AssertionError as problem:
                problems.append(str(problem))
        else:
            raise AssertionError(f"no alternative holds: {problems}")
    for key, wanted in expect.items():
        if key != "any_of":
            check = CHECKS.get(key)
            assert check is not None, f"nobody understands the expectation {key!r}"
            assert check(seen, wanted), f"{key}: wanted {wanted!r}"


def _error(seen: Seen, wanted: Json) -> bool:
    assert seen.error is not None
    message = str(seen.error["message"])
    is_named = all(name in message for name in wanted.get("names", []))
    is_named_somehow = not wanted.get("names_any") or any(name in message for name in wanted["names_any"])
    line = wanted.get("line")
    is_there = line is None or f"line {line}" in message or seen.error["details"].get("line") == line
    assert set(wanted) <= {"about", "names", "names_any", "line"}
    return is_named and is_named_somehow and is_there


def _superclasses(seen: Seen, wanted: Json) -> bool:
    groups = {each["id"]: each for each in seen.report["groups"]}
    found = {}
    for group in groups.values():
        parents = [iri for parent in group["parents"] for iri in groups[parent]["members"] if iri != THING]
        found |= {iri: sorted(parents) for iri in group["members"]}
    return all(found[iri] == sorted(parents) for iri, parents in wanted.items())


def _kinds(seen: Seen) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for kind, iris in index.index_entities(seen.closure).signature.items():
        for iri in iris:
            kinds.setdefault(iri, set()).add(kind)
    return kinds


def _illegal_punning(seen: Seen) -> list[str]:
    together = [{"objectproperty", "dataproperty", "annotationproperty"}, {"class", "datatype"}]
    return sorted(
        iri for iri, kinds in _kinds(seen).items() if any(len(kinds & each) > 1 for each in together)
    )


def _labels(seen: Seen, wanted: Json) -> bool:
    labels = index.index_entities(seen.root).labels
    return all(labels[iri] == (tuple(label.partition("@")[::2]),) for iri, label in wanted.items())


def _rows(seen: Seen, side: str) -> list[str]:
    groups = seen.report["asserted_axioms"][side]["groups"]
    return sorted(row["axiom"] for rows in groups.values() for row in rows)


def _same_axioms(seen: Seen, side: str, wanted: list[str]) -> bool:
    standard = {"rdfs": grammar.RDFS, "xsd": grammar.XSD, "owl": grammar.OWL, "rdf": grammar.RDF}
    default = seen.root.iri + "#"
    prefixes = {**standard, "": default}
    return _rows(seen, side) == sorted(canonical(each, prefixes) for each in wanted)


def _names_reasons(seen: Seen, wanted: list[str]) -> bool:
    reasons = " ".join(seen.report["incomplete_because"])
    return all(each.rpartition("#")[2] in reasons for each in wanted)


def _summary(seen: Seen, key: str) -> object:
    return seen.job["result"]["structured"][key]


def _not_in_diff(seen: Seen, wanted: list[str]) -> bool:
    text = " ".join([*_rows(seen, "added"), *_rows(seen, "removed")])
    return not any(each.replace("rdfs:", grammar.RDFS) in text for each in wanted)


def _reloads(seen: Seen, count: int) -> bool:
    """The one form written here is the capture; an independent reading of it must give the same."""
    return len(seen.root.axioms) == count == seen.window["ontology"]["axioms"]


CHECKS = {
    "status": lambda seen, wanted: seen.status == wanted,
    "error": _error,
    "no_result": lambda seen, wanted: wanted and (seen.job is None or seen.job["result"] is None),
    "within_seconds": lambda seen, wanted: seen.took_s < wanted,
    "service_still_answers": lambda seen, wanted: wanted is True,  # `_ask` has asked it
    "network_used": lambda seen, wanted: wanted is False,  # nothing here can; a layering test holds that
    "consistent": lambda seen, wanted: (
        _summary(seen, "consistency_status") == ("consistent" if wanted else "inconsistent")
    ),
    "unsatisfiable": lambda seen, wanted: (
        seen.report["unsatisfiable_classes"] == sorted(wanted) and not seen.report["unsatisfiable_truncated"]
    ),
    "superclasses": _superclasses,
    "complete": lambda seen, wanted: seen.report["complete"] is wanted,
    "incomplete_because": _names_reasons,
    "imports_loaded": lambda seen, wanted: len(seen.report["imports"]["loaded"]) == wanted,
    "imports_missing": lambda seen, wanted: seen.report["imports"]["missing"] == sorted(wanted),
    "imports_closure_size": lambda seen, wanted: len(seen.report["imports"]["loaded"]) + 1 == wanted,
    "axiom_count": lambda seen, wanted: seen.window["ontology"]["axioms"] == wanted,
    "logical_axiom_count": lambda seen, wanted: seen.window["ontology"]["logical_axioms"] == wanted,
    "ontology_iri": lambda seen, wanted: seen.window["ontology"]["iri"] == wanted,
    "label": _labels,
    "property_kinds": lambda seen, wanted: all(
        _kinds(seen)[iri] == {kind.lower()} for iri, kind in wanted.items()
    ),
    "illegal_punning": lambda seen, wanted: _illegal_punning(seen) == sorted(wanted),
    "added_axioms": lambda seen, wanted: _summary(seen, "added_axioms") == wanted,
    "removed_axioms": lambda seen, wanted: _summary(seen, "removed_axioms") == wanted,
    "added": lambda seen, wanted: _same_axioms(seen, "added", wanted),
    "removed": lambda seen, wanted: _same_axioms(seen, "removed", wanted),
    "logical_added": lambda seen, wanted: seen.report["logical_added"] == wanted,
    "logical_removed": lambda seen, wanted: seen.report["logical_removed"] == wanted,
    "annotation_only_changes": lambda seen, wanted: seen.report["annotation_only_changes"]["count"] == wanted,
    "equal": lambda seen, wanted: _summary(seen, "identical") is wanted,
    "not_in_diff": _not_in_diff,
    "each_export_reloads_with_axiom_count": _reloads,
    "each_export_keeps_iri": lambda seen, wanted: all(iri in _kinds(seen) for iri in wanted),
    "no_file_left_behind": lambda seen, wanted: wanted is True,  # nothing was asked to be written
}


# --- Two releases of a real ontology --------------------------------------------------------------

PATO = [SHARED / "data" / name for name in ("pato-2025-05.owl.gz", "pato-2024-03.owl.gz")]


@pytest.mark.skipif(not all(each.exists() for each in PATO), reason="the shared data are not here")
async def test_two_pato_releases_differ_as_robot_says(places: Places) -> None:
    """`robot diff` prints 221 and 97 lines: axioms, header annotations, the ontology's identity, and
    three declarations that the other release implies by using the entities."""
    new, old = (Path(shutil.copy(each, places.project)) for each in PATO)
    async with window_on(new, profile="structural") as driver:
        started = await driver.start("semantic_diff", {"right_document": old.name, "limit": 10_000})
        job = await driver.ended(started["job"]["job_id"])
        report = json.loads(await _report(driver, job))
    summary = job["result"]["structured"]
    # `added` is only in the right document, here the older release (decision 22).
    assert (summary["removed_axioms"], summary["added_axioms"]) == (219, 92)
    header = report["ontology_annotations"]
    only_new = set(header["left"]) - set(header["right"])
    only_old = set(header["right"]) - set(header["left"])
    implied = report["implied_declarations"]
    assert report["ontology_id"]["changed"] is True
    assert 219 + implied["removed"] + len(only_new) + 1 == 221
    assert 92 + implied["added"] + len(only_old) + 1 == 97
    whole = read_document(new.read_bytes(), name=new.name)
    assert len(whole.axioms) > 22_000
