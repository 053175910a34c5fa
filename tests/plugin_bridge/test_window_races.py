"""Many callers at once, and workers that die under a capture or a job."""

from __future__ import annotations

import os
import random
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import pytest

from benchmarks.generate import write_ontology
from jobs.errors import IdempotencyConflict, InputChanged, ProtegeJobsError, QueueFull
from tests.support.live_window import Gate, hard_for_el, make_places, small, window_on
from tests.support.process_table import become, children_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.live_window import Driver, Json, Places

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
    return edited(places, 0)


def edited(places: Places, number: int) -> Path:
    path = places.project / "document.ofn"
    path.write_text(small(f"SubClassOf(:A :B{number})"))
    return path


def make_hard(document: Path) -> None:
    document.write_text(hard_for_el())


async def together(driver: Driver, *requests: Json) -> list[Json | ProtegeJobsError]:
    answers: list[Json | ProtegeJobsError] = []

    async def one(request: Json) -> None:
        try:
            answers.append(await driver.start("semantic_diff", request, "one key"))
        except ProtegeJobsError as error:
            answers.append(error)

    async with anyio.create_task_group() as tasks:
        for request in requests:
            tasks.start_soon(one, request)
    return answers


@pytest.mark.req("W-28")
async def test_equal_calls_at_once_make_one_job_on_one_capture(document: Path) -> None:
    async with window_on(document) as driver:
        gate = Gate(driver.window)
        captures = 0
        capture = driver.window._host.capture

        async def counted(into: Path):  # type: ignore[no-untyped-def]
            nonlocal captures
            captures += 1
            return await capture(into)

        driver.window._host.capture = counted  # type: ignore[method-assign]
        answers = await together(driver, *([DIFF] * 6))
        assert all(isinstance(each, dict) for each in answers), answers
        assert [each["reused"] for each in answers].count(False) == 1
        assert len({each["job"]["job_id"] for each in answers}) == 1
        assert captures == 1
        gate.opened.set()
        await driver.ended(answers[0]["job"]["job_id"])
        assert gate.waiting == 1


@pytest.mark.req("W-28")
async def test_different_calls_with_one_key_make_one_job_and_conflicts(document: Path) -> None:
    async with window_on(document) as driver:
        answers = await together(driver, *({**DIFF, "limit": n} for n in range(4)))
        jobs = [each for each in answers if isinstance(each, dict)]
        conflicts = [each for each in answers if isinstance(each, IdempotencyConflict)]
        assert (len(jobs), len(conflicts)) == (1, 3), answers
        assert {each.details["job_id"] for each in conflicts} == {jobs[0]["job"]["job_id"]}
        assert all(each.details["changed_inputs"] == ["normalized_request_digest"] for each in conflicts)
        assert len(await driver.jobs()) == 1


async def test_a_worker_killed_in_a_capture_fails_that_call_only(places: Places) -> None:
    document = places.project / "large.ofn"
    with document.open("w", encoding="utf-8") as out:
        write_ontology(out, classes=4_000, seed=5, syntax="functional")
    async with window_on(document) as driver:
        pool, reading = driver.window._pool, anyio.Event()
        execute = pool.execute

        async def seen(call, *, on_progress=None, **options):  # type: ignore[no-untyped-def]
            async def note(progress):  # type: ignore[no-untyped-def]
                reading.set()

            return await execute(call, on_progress=on_progress or note, **options)

        pool.execute = seen  # type: ignore[method-assign]
        codes: list[str] = []

        async def describe() -> None:
            try:
                await driver.call("describe_window", {})
            except ProtegeJobsError as error:
                codes.append(error.code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(describe)
            await reading.wait()
            for pid in _workers():
                os.kill(pid, signal.SIGKILL)
        assert codes == ["job_worker_lost"]
        (root,) = places.left()
        assert not list(root.glob("capture-*"))
        assert (await driver.call("describe_window", {}))["ontology"]["axioms"] > 4_000


async def test_a_worker_killed_in_a_job_fails_that_job_only(document: Path, places: Places) -> None:
    make_hard(document)
    async with window_on(document, profile="elk") as driver:
        job_id = (await driver.start("classification", {}))["job"]["job_id"]
        session, window = driver.window.access.local_session(), driver.window
        job = await window.get_job(session, job_id)
        with anyio.fail_after(30):
            while job.progress.phase != "reasoning":
                job = await window.wait_job(session, job_id, job.progress.sequence)
        for pid in _workers():
            os.kill(pid, signal.SIGKILL)
        ended = await driver.ended(job_id)
        assert (ended["state"], ended["error"]["code"]) == ("failed", "job_worker_lost")
        assert ended["error"]["retryable"] is True
        await become(lambda: not list(places.left()[0].glob("job-*")))
        other = await driver.start("semantic_diff", DIFF)
        assert (await driver.ended(other["job"]["job_id"]))["state"] == "succeeded"


def _workers() -> list[int]:
    found = []
    for pid in children_of(os.getpid()):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if b"jobs.workers.main" in file.read():
                found.append(pid)
    return found


@pytest.mark.parametrize("seed", range(3))
async def test_a_busy_hour_of_edits_starts_and_cancels_leaves_nothing(
    document: Path, places: Places, seed: int
) -> None:
    chance = random.Random(seed)
    async with window_on(document, profile="structural") as driver:
        driver.window._pool.warm()

        async def user(name: str) -> None:
            for number in range(6):
                answer = None
                with suppress(IdempotencyConflict, InputChanged, QueueFull):
                    answer = await driver.start("semantic_diff", DIFF, f"{name}-{chance.randrange(4)}")
                if chance.random() < 0.4:
                    edited(places, chance.randrange(100))
                if answer is None:
                    continue
                job_id = answer["job"]["job_id"]
                if chance.random() < 0.5:
                    await driver.call("cancel_job", {"job_id": job_id})
                if number % 2:
                    ended = await driver.ended(job_id)
                    assert ended["state"] in ("succeeded", "cancelled"), ended

        async with anyio.create_task_group() as tasks:
            for name in ("a", "b", "c"):
                tasks.start_soon(user, name)
        for job in await driver.jobs():
            await driver.ended(job["job_id"])
        assert driver.window._service._admission.ledger.open_count == 0
        (root,) = places.left()
        await become(
            lambda: {each.name.split("-")[0] for each in root.iterdir()} <= {"lock", "artifacts", "capture"}
        )
        assert len(list(root.glob("capture-*"))) <= 1
    assert places.left() == []
