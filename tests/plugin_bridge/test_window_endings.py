"""Cancel, revoke, close and sudden death of a window, at each step of a job, with real processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import pytest

from jobs.errors import AuthorizationRevoked, UnknownJobArtifact
from plugin_bridge.files import sweep
from plugin_bridge.settings import WindowSettings
from plugin_bridge.window import open_window
from tests.support.live_window import (
    Gate,
    call,
    command,
    ended,
    get,
    hard_for_el,
    make_places,
    refused,
    run_command,
    served,
    small,
    start,
    window_on,
    workers_at,
)
from tests.support.process_table import become, children_of, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.live_window import Driver, Places

pytestmark = pytest.mark.anyio
DIFF = {"right_document": "right.ofn"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)


@pytest.fixture
def document(places: Places) -> Path:
    (places.project / "right.ofn").write_text(small("SubClassOf(:A :C)"))
    path = places.project / "small.ofn"
    path.write_text(small("SubClassOf(:A :B)"))
    return path


def write(document: Path, name: str) -> None:
    document.write_text(small(f"SubClassOf(:A :{name})"))


@pytest.fixture
def hard(places: Places) -> Path:
    (places.project / "right.ofn").write_text(small("SubClassOf(:A :C)"))
    path = places.project / "hard.ofn"
    path.write_text(hard_for_el())
    return path


def kinds(places: Places) -> set[str]:
    """What kinds of private things a single live window holds."""
    (root,) = places.left()
    return {each.name.split("-")[0] for each in root.iterdir()} | {
        "artifact" for _ in (root / "artifacts").iterdir()
    }


# --- Cancel ---------------------------------------------------------------------------------------


@pytest.mark.req("W-64", "W-65", "W-68", "W-69")
async def test_a_running_reasoner_is_cancelled_and_gone_within_five_seconds(
    hard: Path, places: Places
) -> None:
    async with served(hard, "--profile", "elk") as client:
        job = await start(client, "classification", {})
        with anyio.fail_after(20):
            while (job["state"], job["phase"]) != ("running", "reasoning"):
                await anyio.sleep(0.02)
                job = await get(client, job["job_id"])
        begun = anyio.current_time()
        asked = await call(client, "cancel_job", {"job_id": job["job_id"]})
        assert asked["outcome"] == "cancel_requested"
        assert asked["job"]["state"] == "cancel_pending"
        assert asked["job"]["cancellation_requested"] is True
        assert asked["job"]["cancellation_effective"] is False
        job = await ended(client, asked["job"], within_s=6)
        assert anyio.current_time() - begun < 5
        assert job["state"] == "cancelled"
        assert (job["result"], job["error"], job["cancellation_effective"]) == (None, None, True)
        # Gone with it: every process that is left is the backend, its guardian, or an idle worker.
        assert "job" not in kinds(places)
        assert "artifact" not in kinds(places)
        again = await call(client, "cancel_job", {"job_id": job["job_id"]})
        assert (again["outcome"], again["job"]) == ("already_terminal", job)


@pytest.mark.req("W-62", "W-63", "W-21")
async def test_everything_answers_while_both_workers_are_held_and_the_queue_is_full(
    document: Path, places: Places
) -> None:
    policy = places.project / ".protege-jobs" / "project.yaml"
    policy.parent.mkdir()
    policy.write_text("version: 1\njobs: {queue_capacity: 5}\n")
    async with window_on(document) as driver:
        gate = Gate(driver.window)
        ids = [(await driver.start("semantic_diff", DIFF, f"k{n}"))["job"]["job_id"] for n in range(7)]
        await become(lambda: gate.waiting == 2)
        assert await driver.code_of("semantic_diff", DIFF, "one more") == "job_queue_full"
        assert (await driver.start("semantic_diff", DIFF, "k0"))["reused"] is True
        states = [each["state"] for each in await driver.jobs()]
        assert sorted(states) == ["queued"] * 5 + ["running"] * 2
        cancelled = await driver.call("cancel_job", {"job_id": ids[-1]})
        assert (cancelled["outcome"], cancelled["job"]["state"]) == ("cancelled", "cancelled")
        assert cancelled["job"]["started_at"] is None
        assert (await driver.call("get_job", {"job_id": ids[2]}))["job"]["state"] == "queued"
        assert (await driver.start("semantic_diff", DIFF, "room again"))["reused"] is False
        gate.opened.set()
        for job_id in ids[:-1]:
            assert (await driver.ended(job_id))["state"] == "succeeded"
        assert gate.waiting == 7  # the cancelled one never began
    assert places.left() == []


@pytest.mark.req("W-65")
async def test_cancelled_at_the_gate_a_job_leaves_no_folder(document: Path, places: Places) -> None:
    async with window_on(document) as driver:
        gate = Gate(driver.window)
        job_id = (await driver.start("semantic_diff", DIFF))["job"]["job_id"]
        await gate.arrived.wait()
        await driver.call("cancel_job", {"job_id": job_id})
        assert (await driver.ended(job_id))["state"] == "cancelled"
        await become(lambda: kinds(places) == {"lock", "artifacts", "capture"})


async def test_a_revoked_grant_cancels_its_jobs_and_no_others(document: Path) -> None:
    async with window_on(document) as driver:
        gate = Gate(driver.window)
        window = driver.window
        session = window.access.add_grant(
            principal_type="client",
            client_id="assistant",
            grant_id="g1",
            capabilities=driver.window.access.local_session().capabilities,
            token="a-token-for-the-test",
            expires_at=None,
        )
        arguments = {"type": "semantic_diff", "idempotency_key": "k", "request": DIFF}
        theirs = (await driver.calls.call(session, "start_job", arguments)).structured["job"]["job_id"]
        ours = (await driver.start("semantic_diff", DIFF))["job"]["job_id"]
        assert theirs != ours
        await become(lambda: gate.waiting == 2)
        await window.access.revoke_grant(session.grant)
        with pytest.raises(AuthorizationRevoked):
            await driver.calls.call(session, "get_job", {"job_id": theirs})
        with anyio.fail_after(5):
            job = await window._service.wait(session.owner, theirs, 10**6)
        assert job.state == "cancelled"
        gate.opened.set()
        assert (await driver.ended(ours))["state"] == "succeeded"


@pytest.mark.req("W-86")
async def test_only_a_succeeded_job_has_anything_to_read_or_export(document: Path, places: Places) -> None:
    (places.project / "bad.ofn").write_text("nonsense")
    async with window_on(document) as driver:
        failed = (await driver.start("semantic_diff", {"right_document": "bad.ofn"}, "failed"))["job"][
            "job_id"
        ]
        assert (await driver.ended(failed))["state"] == "failed"
        gate = Gate(driver.window)
        ids = [failed]
        ids += [(await driver.start("semantic_diff", DIFF, f"k{n}"))["job"]["job_id"] for n in range(4)]
        await become(lambda: gate.waiting == 2)
        await driver.call("cancel_job", {"job_id": ids[-1]})
        states = {each["job_id"]: each["state"] for each in await driver.jobs()}
        assert set(states.values()) == {"failed", "running", "queued", "cancelled"}
        for job_id in ids:
            asked = {"job_id": job_id, "artifact_id": "00000000-0000-4000-8000-000000000001"}
            for tool, more in (
                ("read_job_artifact", {}),
                ("export_job_artifact", {"destination": "x.json", "confirm": True}),
            ):
                with pytest.raises(UnknownJobArtifact):
                    await driver.call(tool, {**asked, **more})
    assert not (places.project / "x.json").exists()


async def test_a_publication_waits_two_seconds_for_the_drift_and_then_says_null(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(into: Path) -> None:
        await anyio.sleep_forever()

    async with window_on(document) as driver:
        gate = Gate(driver.window)
        job_id = (await driver.start("semantic_diff", DIFF))["job"]["job_id"]
        await gate.arrived.wait()
        write(document, "Moved")
        monkeypatch.setattr(driver.window._host, "capture", hangs)
        gate.opened.set()
        result = (await driver.ended(job_id, within_s=10))["result"]
        assert (result["current"], result["changed_inputs"]) == (None, [])


# --- Close ----------------------------------------------------------------------------------------


@pytest.mark.req("W-08", "W-09")
@pytest.mark.parametrize("step", ["capture", "probe", "compute", "staging", "publishing"])
async def test_a_window_closed_at_any_step_leaves_nothing(
    document: Path, places: Places, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    reached, left = anyio.Event(), []

    async def hangs(*_: object, **__: object) -> None:
        reached.set()
        try:
            await anyio.sleep_forever()
        finally:
            left.append(step)

    async def starts(driver: Driver) -> None:
        kind, request = ("classification", {}) if step == "probe" else ("semantic_diff", DIFF)
        with suppress(AuthorizationRevoked):
            await driver.start(kind, request)

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            async with window_on(document, profile="structural") as driver:
                window = driver.window
                match step:
                    case "capture":
                        monkeypatch.setattr(window._host, "capture", hangs)
                    case "probe":
                        monkeypatch.setattr(window._starter._probe, "prove", hangs)
                    case "compute":
                        monkeypatch.setattr("plugin_bridge.computation.StageComputation.run", hangs)
                    case "staging":
                        monkeypatch.setattr("jobs.artifacts.ArtifactVault.stage", hangs)
                    case "publishing":
                        monkeypatch.setattr("plugin_bridge.computation.StageComputation.drift", hangs)
                tasks.start_soon(starts, driver)
                await reached.wait()
                # The polite grace of a revocation is not what this test is about.
                monkeypatch.setattr("plugin_bridge.access.gate.Gate.drained.__defaults__", (0.1, 5.0))
    assert left == [step]
    assert places.left() == []
    assert children_of(os.getpid()) == []


async def test_an_error_in_the_window_s_block_comes_out_as_itself(document: Path, places: Places) -> None:
    async def use() -> None:
        async with window_on(document) as driver:
            await driver.start("semantic_diff", DIFF)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await use()
    assert places.left() == []


# --- Sudden death ---------------------------------------------------------------------------------


@pytest.mark.req("W-09", "W-10")
async def test_a_killed_backend_takes_everything_with_it(hard: Path, places: Places) -> None:
    async with anyio.create_task_group() as tasks:
        reading, died = anyio.Event(), anyio.Event()

        async def use() -> None:
            try:
                async with served(hard, "--profile", "elk") as client:
                    done = await ended(client, await start(client, "semantic_diff", DIFF))
                    assert done["state"] == "succeeded"  # it has an artifact
                    for number in range(2):
                        await start(client, "classification", {"limit": number}, f"k{number}")
                    await become(lambda: "job" in kinds(places))
                    reading.set()
                    await died.wait()
                    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the SDK says of a dead pipe
                        await get(client, done["job_id"])
            except BaseExceptionGroup:
                pass

        tasks.start_soon(use)
        with anyio.fail_after(60):
            await reading.wait()
        backend = next(pid for pid in children_of(os.getpid()) if b"serve" in _line(pid))
        assert len(places.processes()) >= 3
        os.kill(backend, signal.SIGKILL)
        took_s = wait_until(lambda: places.processes() == [] and places.left() == [], 2.5)
        assert took_s < 2
        died.set()
        tasks.cancel_scope.cancel()


def _line(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


@pytest.mark.req("W-09")
def test_the_next_start_sweeps_what_even_the_guardian_could_not(document: Path, places: Places) -> None:
    """Backend and guardian killed at once: the private folder stays until another window opens."""
    process = subprocess.Popen(
        command("serve", document), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: len(places.left()) == 1 and any(workers_at(process, seen="guardian")), 20)
        (guardian,) = workers_at(process, seen="guardian")
        os.kill(guardian, signal.SIGSTOP)
        process.kill()
        process.wait(timeout=10)
        os.kill(guardian, signal.SIGKILL)
        wait_until(lambda: places.processes() == [], 5)
        assert len(places.left()) == 1
        ran = run_command("run", "semantic_diff", document, places.project / "right.ofn", "--format", "json")
        assert json.loads(ran.out)["state"] == "succeeded"
        assert places.left() == []
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            stream.close()


async def test_a_client_that_leaves_ends_the_window_and_its_jobs(hard: Path, places: Places) -> None:
    async with served(hard, "--profile", "elk") as client:
        await start(client, "classification", {})
        assert (await refused(client, "get_job", {"job_id": "x"}))["code"] == "invalid_request"
    assert places.left() == []
    assert places.processes() == []


# --- Calls that are given up ----------------------------------------------------------------------


@pytest.mark.req("W-21")
@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["semantic_diff", "classification"])
async def test_a_start_given_up_at_any_step_leaves_nothing(
    document: Path, places: Places, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Cancelled in front of, and right after, each blocking call and worker stage of a start."""
    in_thread = anyio.to_thread.run_sync
    async with window_on(document, profile="structural") as driver:
        window = driver.window
        window._pool.warm()
        execute = window._pool.execute
        scope, steps, at = anyio.CancelScope(), 0, 0

        def step() -> None:
            nonlocal steps
            if steps == at:
                scope.cancel()
            steps += 1

        async def threaded(func, *args, **options):  # type: ignore[no-untyped-def]
            step()
            result = await in_thread(func, *args, **options)
            step()
            return result

        async def executed(call, **options):  # type: ignore[no-untyped-def]
            step()
            result = await execute(call, **options)
            step()
            return result

        monkeypatch.setattr(window._pool, "execute", executed)
        for at in range(0, 200, 1 if kind == "semantic_diff" else 3):
            write(document, f"B{at}")  # so that each start captures
            scope, steps = anyio.CancelScope(), 0
            window._starter._probe._kept.clear()
            with monkeypatch.context() as patched:
                patched.setattr(anyio.to_thread, "run_sync", threaded)
                with scope:
                    started = await driver.start(kind, DIFF if kind == "semantic_diff" else {}, f"k{at}")
                    break
            assert window._service._admission.ledger.open_count == 0, at
            for job in await driver.jobs():  # accepted in the moment of giving up: it goes its way
                await driver.ended(job["job_id"])
            await become(lambda: window._shelf._under_way is None)  # it goes on for who comes next
            await become(lambda: kinds(places) <= {"lock", "artifacts", "artifact", "capture"})
            (root,) = places.left()
            assert len(list(root.glob("capture-*"))) <= 1, at
        assert at > 10
        assert (await driver.ended(started["job"]["job_id"]))["state"] == "succeeded"
    assert places.left() == []


async def test_a_window_whose_opening_is_interrupted_in_a_thread_leaves_no_folder(
    document: Path, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C cancels the main task as asyncio does, which no shield of anyio holds off."""
    begun, may_end = threading.Event(), threading.Event()

    def slow_sweep() -> int:
        begun.set()
        assert may_end.wait(10)
        return sweep()

    async def opened() -> None:
        async with open_window(WindowSettings(document=document)):
            pytest.fail("the window opened")

    monkeypatch.setattr("plugin_bridge.window.sweep", slow_sweep)
    opening = asyncio.get_running_loop().create_task(opened())
    await anyio.to_thread.run_sync(begun.wait, 10)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    may_end.set()
    await anyio.to_thread.run_sync(lambda: wait_until(lambda: (places.private / "run").is_dir(), 10))
    assert places.left() == []
