"""The reasoner gate of a window: exact identity, live probe, and what the told hierarchy may say."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest
from jsonschema import Draft202012Validator

from jobs.errors import ProtegeJobsError, ReasonerUnavailable, WorkerLost
from jobs.java import runtime
from jobs.reasoners import profiles, python_profiles
from jobs.reasoners.probe import CancellationProbe
from plugin_bridge.mcp_server import outputs
from tests.support.live_window import (
    Driver,
    call,
    ended,
    make_places,
    read_artifact,
    served,
    small,
    start,
    window_on,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.live_window import Json, Places

pytestmark = pytest.mark.anyio
CONSISTENT = ("Declaration(Class(:A))", "SubClassOf(:A :B)")
INCONSISTENT = ("SubClassOf(owl:Thing owl:Nothing)", "SubClassOf(:A :B)")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)


@pytest.fixture
def document(places: Places) -> Path:
    return write(places, *CONSISTENT)


def write(places: Places, *axioms: str) -> Path:
    path = places.project / "small.ofn"
    path.write_text(small(*axioms))
    return path


async def nothing_is_left(driver: Driver, places: Places) -> None:
    """No job, no reserved quota, and of private folders at most the shared capture."""
    assert await driver.jobs() == []
    (root,) = places.left()
    kinds = {each.name.split("-")[0] for each in root.iterdir()}
    assert kinds <= {"lock", "artifacts", "capture"}
    assert driver.window._service._admission.ledger.open_count == 0


# --- Identity -------------------------------------------------------------------------------------


async def test_the_loop_never_looks_for_a_runtime(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding Java may start a process and wait for it; the heartbeats and cancellations go on."""
    asked_in: list[int] = []
    real = runtime.find_runtime

    def noted() -> runtime.JavaRuntime | None:
        asked_in.append(threading.get_ident())
        return real()

    for module in (runtime, profiles):
        monkeypatch.setattr(module, "find_runtime", noted)
    async with window_on(document, profile="elk-0.6.0") as driver:
        with pytest.raises(ProtegeJobsError):
            await driver.start("classification", {}, "k")
    assert asked_in
    assert threading.get_ident() not in asked_in


@pytest.mark.req("W-12", "W-14")
@pytest.mark.parametrize(
    "change",
    [
        {"reasoner_name": "pyelk "},
        {"version": "0.2.2"},
        {"factory_class": "pyelk.Other"},
        {"code_digest": "sha256:" + "0" * 64},
        {"code_digest": None},
        {"settings": {"encoding": 1, "unsupported": "raise"}},
        {"settings": {"encoding": 1}},
        {"buffering_mode": "buffering"},
        {"isolation": "in_process"},
    ],
    ids=lambda change: "-".join(change),
)
async def test_a_reasoner_that_differs_in_one_point_is_refused(
    document: Path, places: Places, monkeypatch: pytest.MonkeyPatch, change: Json
) -> None:
    other = replace(python_profiles.pyelk_identity(), **change)
    monkeypatch.setitem(profiles._MAKERS, profiles.PYELK, lambda: other)
    async with window_on(document, profile="elk") as driver:
        assert await driver.code_of("classification", {}) == "job_reasoner_not_cancellable"
        await nothing_is_left(driver, places)
        window = await driver.call("describe_window", {})
        assert window["reasoner"]["reviewed"] is False
        assert set(window["reasoner"]["capabilities"].values()) == {"unknown"}


async def test_an_unknown_profile_is_refused_by_name_and_does_not_close_the_window(
    document: Path, places: Places
) -> None:
    policy = places.project / ".protege-jobs" / "project.yaml"
    policy.parent.mkdir()
    policy.write_text("version: 1\nreasoning: {profile: hermit-9}\n")
    async with window_on(document) as driver:
        with pytest.raises(ProtegeJobsError, match="hermit-9") as caught:
            await driver.start("classification", {})
        assert caught.value.code == "job_reasoner_not_cancellable"
        assert "structural" in caught.value.details["known_profiles"]
        window = await driver.call("describe_window", {})
        assert window["reasoner"]["profile_id"] == "hermit-9"
        Draft202012Validator(outputs.describe_window()).validate(window)
        await nothing_is_left(driver, places)


# --- The probe ------------------------------------------------------------------------------------


@pytest.mark.req("W-13")
async def test_a_classification_is_admitted_behind_a_probe_that_saw_it_die(document: Path) -> None:
    async with window_on(document, profile="elk") as driver:
        starter = driver.window._starter
        profile = profiles.resolve("elk")
        assert starter._probe.report(profile) is None
        job = (await driver.start("classification", {}))["job"]
        report = starter._probe.report(profile)
        assert report is not None
        assert report.passed
        assert 0 < report.stopped_in_s < 5
        window = await driver.call("describe_window", {})
        assert window["reasoner"]["probe"] == report.as_json()
        Draft202012Validator(outputs.describe_window()).validate(window)
        assert (await driver.ended(job["job_id"]))["state"] == "succeeded"


@pytest.mark.req("W-13", "W-14")
@pytest.mark.parametrize(
    ("fault", "code"),
    [("ends at once", "job_reasoner_not_cancellable"), ("does not start", "job_reasoner_unavailable")],
)
async def test_a_failed_probe_makes_no_job_and_leaves_nothing(
    document: Path, places: Places, fault: str, code: str
) -> None:
    """The first fault is real work that says it computes and is over before it can be cancelled."""
    async with window_on(document, profile="elk") as driver:
        window, runs = driver.window, 0
        private = window._starter._private

        async def execute(stage, *, on_progress=None, on_stopped=None):  # type: ignore[no-untyped-def]
            nonlocal runs
            runs += 1
            if fault == "does not start":
                raise WorkerLost("The worker process ended without a result.")
            hold = await window._shelf.hold()
            closure = hold.ontology.closure
            inputs = {
                "closure": str(closure.path),
                "closure_sha256": closure.sha256,
                "profile_id": stage.inputs["profile_id"],
                "limit": 0,
            }
            try:
                return await window._pool.execute(
                    replace(stage, operation="classification", inputs=inputs),
                    on_progress=on_progress,
                    on_stopped=on_stopped,
                )
            finally:
                hold.release()

        window._starter._probe = CancellationProbe(execute, lambda: private.new_dir("probe"))
        for _ in range(2):
            assert await driver.code_of("classification", {}) == code
        assert runs == (1 if fault == "ends at once" else 2)  # a verdict is kept, a mishap is not
        await nothing_is_left(driver, places)
        assert (await driver.start("semantic_diff", {"right_document": "small.ofn"}))["reused"] is False


async def test_a_start_cancelled_in_the_probe_leaves_nothing(document: Path, places: Places) -> None:
    async with window_on(document, profile="elk") as driver:
        reached = anyio.Event()

        async def hangs(stage, **options):  # type: ignore[no-untyped-def]
            reached.set()
            await anyio.sleep_forever()

        window = driver.window
        window._starter._probe = CancellationProbe(hangs, lambda: window._starter._private.new_dir("probe"))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(driver.start, "classification", {})
            await reached.wait()
            tasks.cancel_scope.cancel()
        await nothing_is_left(driver, places)


def test_a_probe_that_could_not_start_is_worth_a_retry() -> None:
    assert ReasonerUnavailable("x").retryable


# --- The told hierarchy ---------------------------------------------------------------------------


@pytest.mark.req("W-15", "W-16")
@pytest.mark.parametrize("axioms", [CONSISTENT, INCONSISTENT], ids=["consistent", "inconsistent"])
async def test_the_structural_profile_gives_no_verdict(places: Places, axioms: tuple[str, ...]) -> None:
    document = write(places, *axioms)
    async with served(document, "--profile", "structural") as client:
        job = await ended(client, await start(client, "classification", {}))
        assert job["state"] == "succeeded"
        summary = job["result"]["structured"]
        assert (summary["consistency_status"], summary["unsatisfiable_status"]) == (
            "unsupported",
            "unsupported",
        )
        assert summary["unsatisfiable_count"] is None
        assert summary["capability_limited"] is True
        report = json.loads(await read_artifact(client, job))
        words = (await client.call_tool("get_job", {"job_id": job["job_id"]})).content[0].text
        window = await call(client, "describe_window", {})
        assert window["reasoner"]["capabilities"]["consistency"] == "unsupported"
    assert report["unsatisfiable_classes"] == []
    assert report["unsatisfiable_truncated"] is False
    assert report["complete"] is False
    assert report["evidence"]["consistency"]["status"] == "unsupported"
    assert report["groups"], "the told hierarchy is there"
    lowered = words.lower()
    for claim in ("is consistent", "is inconsistent", "inconsistent", "no unsatisfiable", "0 unsatisfiable"):
        assert claim not in lowered, words
