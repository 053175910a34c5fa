"""The stages of an explanation over a scripted reasoner: what is asked, in which order, and what fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from jobs.ontology import grammar
from jobs.reasoners import client, explaining
from plugin_bridge.mcp_server.arguments import read_explanation
from tests.support import reasoner_double
from tests.support.live_window import make_places, small, window_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.live_window import Driver, Json, Places

pytestmark = pytest.mark.anyio
IRI = "https://example.org/small#"
AXIOMS = ("SubClassOf(:A :B)", "SubClassOf(:A :C)", "DisjointClasses(:B :C)", "SubClassOf(:D :A)")
ROW = [
    f"SubClassOf(<{IRI}A> <{IRI}B>)",
    f"SubClassOf(<{IRI}A> <{IRI}C>)",
    f"DisjointClasses(<{IRI}B> <{IRI}C>)",
]
FOUND = {
    "value": {"holds": True, "justifications": 1, "is_exhausted": True, "incomplete_because": []},
    "lines": [ROW],
}
UNSATISFIABLE = {"kind": "unsatisfiable", "class": f"{IRI}A"}


def classified(*unsatisfiable: str) -> Json:
    """The answer to `reason` of a consistent ontology."""
    nothing = [f"{grammar.OWL}Nothing", *(IRI + each for each in unsatisfiable)]
    return {
        "value": {"consistent": True, "incomplete_because": []},
        "lines": [
            {"section": "classes", "nodes": 2, "top": 0, "bottom": 1},
            [[f"{grammar.OWL}Thing"], []],
            [nothing, []],
            {"section": "end"},
        ],
    }


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)


@pytest.fixture
def document(places: Places) -> Path:
    path = places.project / "small.ofn"
    path.write_text(small(*AXIOMS))
    return path


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Has the profile `pyelk` explain, on a worker that keeps to a script."""

    def follow(**operations: Json) -> None:
        launch = reasoner_double.launch(tmp_path, **operations)
        monkeypatch.setattr(client, "launch_of", lambda profile: launch)

    monkeypatch.setattr(client, "reasoner_input", lambda profile: {"reasoner": {}})
    monkeypatch.setattr(explaining, "explainer_of", lambda profile: profile)
    return follow


async def explained(driver: Driver, request: Json) -> tuple[Any, Any]:
    """Descriptor and report."""
    session = driver.window.access.local_session()
    job = (await driver.window.start_job(session, read_explanation(request))).job
    ended: Any = await driver.ended(job.job_id)
    if ended["result"] is None:
        return ended, None
    wanted = ended["result"]["structured"]["report_artifact_id"]
    part = await driver.call("read_job_artifact", {"job_id": job.job_id, "artifact_id": wanted})
    return ended, json.loads(str(part["text"]))


async def test_a_requested_goal_is_asked_by_iri_and_nothing_else(
    document: Path, tmp_path: Path, script: Callable[..., None]
) -> None:
    script(explain=FOUND)
    async with window_on(document, profile="pyelk-0.2.1") as driver:
        _, report = await explained(driver, {"goal": {"kind": "unsatisfiable", "class": "a"}, "limit": 7})
    assert reasoner_double.asked(tmp_path, "reason") is None
    asked = reasoner_double.asked(tmp_path, "explain")
    assert (asked["goal"], asked["limit"]) == (UNSATISFIABLE, 7)
    assert [row["axiom"] for row in report["axioms"]] == ROW
    assert (report["goal_chosen"], report["documents"][0]["name"]) == ("requested", "small.ofn")


async def test_without_a_goal_only_the_classes_are_classified_first(
    document: Path, tmp_path: Path, script: Callable[..., None]
) -> None:
    script(reason=classified("A", "D"), explain=FOUND)
    async with window_on(document, profile="pyelk-0.2.1") as driver:
        _, report = await explained(driver, {})
    assert reasoner_double.asked(tmp_path, "reason")["wants"] == ["classes"]
    assert reasoner_double.asked(tmp_path, "explain")["goal"] == UNSATISFIABLE
    assert report["goal_chosen"] == "default"


async def test_with_nothing_wrong_nothing_is_searched(
    document: Path, tmp_path: Path, script: Callable[..., None]
) -> None:
    script(reason=classified())
    async with window_on(document, profile="pyelk-0.2.1") as driver:
        job, report = await explained(driver, {})
    assert reasoner_double.asked(tmp_path, "explain") is None
    assert job["result"]["structured"]["holds"] is False
    assert report["statement"].endswith("there is nothing to explain.")


async def test_an_inconsistency_names_nothing_and_is_asked_at_once(
    document: Path, tmp_path: Path, script: Callable[..., None]
) -> None:
    script(explain=FOUND)
    async with window_on(document, profile="pyelk-0.2.1") as driver:
        job, _ = await explained(driver, {"goal": {"kind": "inconsistency"}})
    assert reasoner_double.asked(tmp_path, "explain")["goal"] == {"kind": "inconsistency"}
    assert job["result"]["structured"]["goal"] == {"kind": "inconsistency"}


@pytest.mark.parametrize("operation", ["reason", "explain"])
async def test_what_the_reasoner_refuses_ends_the_job_and_the_waiting_stage(
    document: Path, places: Places, script: Callable[..., None], operation: str
) -> None:
    script(**{"reason": classified("A"), "explain": FOUND, operation: {"refuses": "No dates."}})
    async with window_on(document, profile="pyelk-0.2.1") as driver:
        job, _ = await explained(driver, {})
        assert (job["error"]["code"], job["error"]["message"]) == ("reasoner_refused_input", "No dates.")
        (root,) = places.left()
        assert {each.name.split("-")[0] for each in root.iterdir()} <= {"lock", "artifacts", "capture"}


@pytest.mark.parametrize("operation", ["reason", "explain"])
async def test_a_cancel_ends_both_workers_in_either_stage(
    document: Path, places: Places, script: Callable[..., None], operation: str
) -> None:
    script(**{"reason": classified("A"), "explain": FOUND, operation: {"hangs": True}})
    phase = "reasoning" if operation == "reason" else "explaining"
    async with window_on(document, profile="pyelk-0.2.1") as driver:
        session = driver.window.access.local_session()
        job = (await driver.window.start_job(session, read_explanation({}))).job
        with anyio.fail_after(60):
            while job.progress.phase != phase:
                assert not job.state.is_terminal, job.error
                job = await driver.window.wait_job(session, job.job_id, job.progress.sequence)
        await driver.window.cancel_job(session, job.job_id)
        assert (await driver.ended(job.job_id, within_s=5))["state"] == "cancelled"
        assert driver.window._service._admission.ledger.open_count == 0
    assert places.left() == []
    assert places.processes() == []
