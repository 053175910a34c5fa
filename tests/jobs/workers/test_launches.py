"""Stages on another kind of worker: its environment, last words, spare and rehearsal. No Java here."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest
from process_table import become, children_of, is_gone

from jobs import errors
from jobs.workers.contract import Fault, Launch, Rehearsal, StageCall, StageProgress, StopReport, WorkerLimits
from jobs.workers.pool import open_worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    MakeCall = Callable[..., StageCall]

pytestmark = pytest.mark.anyio

ONE = WorkerLimits(workers=1)


@pytest.fixture
def launch(double: tuple[str, ...]) -> Launch:
    return Launch(name="double", kind="double", argv=double, keeps_spare=True)


def leaving(double: tuple[str, ...]) -> tuple[str, ...]:
    """The double as one that leaves in order; by itself it kills its group when its host is gone."""
    return ("/bin/sh", "-c", '"$@"; exit 0', "sh", *double)


class Rehearsed:
    """What a rehearsal was told, in order."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def on(self, argv: tuple[str, ...], *, fails: bool = False) -> Rehearsal:
        def finish() -> None:
            self.told.append("finish")
            if fails:
                raise OSError("full")

        return Rehearsal(argv=argv, finish=finish, discard=lambda: self.told.append("discard"))


async def test_a_launch_adds_to_the_environment_which_has_no_stray_options(
    launch, make_call, monkeypatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dx=y")
    added = replace(launch, environment=(("PROTEGE_JOBS_ADDED", "1"),))
    async with open_worker_pool() as pool:
        names = (await pool.execute(make_call("environment"), launch=added)).value
    assert "PROTEGE_JOBS_ADDED" in names
    assert "JAVA_TOOL_OPTIONS" not in names


async def test_last_words_that_are_known_become_their_failure(launch, make_call) -> None:
    knowing = replace(launch, faults=(Fault(sign="last words", failure_type="spoke", message="It spoke."),))
    async with open_worker_pool() as pool:
        with pytest.raises(errors.ExecutionFailed, match=r"It spoke\.") as caught:
            await pool.execute(make_call("vanishes"), launch=knowing)
        assert caught.value.details == {"exit_code": 0, "failure_type": "spoke"}
        with pytest.raises(errors.WorkerLost):
            await pool.execute(make_call("vanishes"), launch=launch)


async def test_a_worker_that_cannot_start_is_given_up_and_leaves_no_spare(launch, make_call) -> None:
    absent = replace(launch, argv=("/nonexistent/java",), kind="absent")
    async with open_worker_pool(ONE) as pool:
        pool.warm()
        with anyio.fail_after(10), pytest.raises(errors.WorkerLost):
            await pool.execute(make_call("echo"), launch=absent)
        assert await pool.wait_spare() is None


async def test_one_known_not_to_cooperate_is_not_asked(launch, make_call) -> None:
    reports: list[StopReport] = []
    async with open_worker_pool(WorkerLimits(cancel_polite_s=20)) as pool:
        with anyio.fail_after(10), anyio.CancelScope() as scope:

            async def on_progress(progress: StageProgress) -> None:
                scope.cancel()

            stubborn = replace(launch, may_cooperate=False)
            call = make_call("cooperates")
            await pool.execute(call, launch=stubborn, on_progress=on_progress, on_stopped=reports.append)
    assert not reports[0].is_cooperative


async def test_the_spare_is_used_replaced_and_gives_way_to_another_kind(launch, make_call) -> None:
    async with open_worker_pool(ONE, command=launch.argv) as pool:
        pool.warm()
        with anyio.fail_after(20):
            await pool.execute(make_call("echo"), launch=launch)
            first = await pool.wait_spare()
            assert first is not None
            await pool.execute(make_call("echo"), launch=replace(launch, argv=("/nonexistent",)))
            assert is_gone(first), "one of its kind was there, however it would be started now"
            pool.close()
    assert children_of(os.getpid()) == []


async def test_one_launched_ahead_takes_the_next_stage_and_is_not_replaced(launch, make_call) -> None:
    async with open_worker_pool(ONE) as pool:
        with anyio.fail_after(20):
            pool.launch_ahead(launch)
            pid = await pool.wait_spare()
            assert pid is not None
            await pool.execute(make_call("echo"), launch=replace(launch, argv=("/nonexistent",)))
            assert is_gone(pid)
            assert await pool.wait_spare() is None
            pool.close()
            pool.launch_ahead(launch)
    assert children_of(os.getpid()) == []


async def test_an_idle_spare_is_dropped(launch, make_call) -> None:
    limits = WorkerLimits(workers=1, spare_idle_s=0.3)
    async with open_worker_pool(limits, command=launch.argv) as pool:
        pool.warm()
        with anyio.fail_after(20):
            await pool.execute(make_call("echo"), launch=launch)
            await become(lambda: pool._spare.seat is None)
            await pool.wait_warm()
            await become(lambda: len(children_of(os.getpid())) == 2), "the guardian and the Python worker"


async def test_a_rehearsal_runs_once_after_the_first_use(launch, make_call) -> None:
    rehearsed = Rehearsed()
    with_one = replace(launch, rehearsal=rehearsed.on(leaving(launch.argv)))
    async with open_worker_pool(ONE, command=launch.argv, use_death_signal=False) as pool:
        await pool.execute(make_call("echo"), launch=with_one)
        assert rehearsed.told == [], "none where nothing is kept warm"
        pool.warm()
        with anyio.fail_after(20):
            await pool.execute(make_call("echo"), launch=with_one)
            await become(lambda: rehearsed.told == ["finish", "discard"], within_s=20)
            await pool.execute(make_call("echo"), launch=with_one)
    assert rehearsed.told == ["finish", "discard"]


@pytest.mark.parametrize("how", ["never_greets", "exits_before_hello", "garbage", "absent", "full"])
async def test_a_rehearsal_that_fails_is_cleaned_up_and_disturbs_nothing(launch, make_call, how) -> None:
    rehearsed = Rehearsed()
    argv = ("/nonexistent",) if how == "absent" else (*launch.argv, "--broken", how)
    if how == "full":
        argv = leaving(launch.argv)
    with_one = replace(launch, rehearsal=rehearsed.on(argv, fails=how == "full"))
    limits = WorkerLimits(workers=1, rehearsal_s=10 if how == "full" else 1)
    async with open_worker_pool(limits, command=launch.argv, use_death_signal=False) as pool:
        pool.warm()
        with anyio.fail_after(20):
            await pool.execute(make_call("echo"), launch=with_one)
            await become(lambda: "discard" in rehearsed.told, within_s=20)
            await pool.execute(make_call("echo"), launch=with_one)
    assert rehearsed.told == (["finish", "discard"] if how == "full" else ["discard"])


async def test_a_pool_closed_during_a_rehearsal_cleans_up(launch, make_call, tmp_path: Path) -> None:
    rehearsed = Rehearsed()
    with_one = replace(launch, rehearsal=rehearsed.on((*launch.argv, "--broken", "never_greets")))
    async with open_worker_pool(ONE, command=launch.argv) as pool:
        pool.warm()
        with anyio.fail_after(20):
            await pool.execute(make_call("echo"), launch=with_one)
            await become(lambda: len(children_of(os.getpid())) == 4)
    assert rehearsed.told == ["discard"]
    assert children_of(os.getpid()) == []
