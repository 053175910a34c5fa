"""The live probe: with doubles in virtual time, and with real workers."""

from __future__ import annotations

import errno
import math
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest
import trio.testing

from jobs import limits
from jobs.errors import (
    ExecutionFailed,
    ReasonerNotCancellable,
    ReasonerUnavailable,
    StorageFailed,
    WorkerLost,
)
from jobs.reasoners import hard_cases, probe, profiles
from jobs.workers.contract import StageProgress, StageResult, StopReport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from jobs.reasoners.identity import ReasonerProfile
    from jobs.workers.contract import Launch, OnProgress, OnStopped, StageCall

PROFILE = profiles.resolve("pyelk-0.2.1")


class Double:
    """A worker pool of which every time is chosen.

    Args:
        starts_in_s: until it says that it computes; infinite: never.
        ends_in_s: from then until it answers by itself.
        stops_in_s: from a cancellation until the process is gone.
        dies: with this error instead of an answer.
    """

    def __init__(
        self,
        *,
        starts_in_s: float = 1.0,
        ends_in_s: float = math.inf,
        stops_in_s: float = 0.1,
        phase: str = "reasoning",
        dies: Exception | None = None,
    ) -> None:
        self.starts_in_s, self.ends_in_s, self.stops_in_s = starts_in_s, ends_in_s, stops_in_s
        self.phase, self.dies = phase, dies
        self.runs = 0
        self.at_once = 0
        self.most_at_once = 0

    async def execute(
        self,
        call: StageCall,
        *,
        launch: Launch | None = None,
        on_progress: OnProgress | None = None,
        on_stopped: OnStopped | None = None,
    ) -> StageResult:
        assert launch is None
        assert call.operation == "reasoner_probe"
        assert call.work_dir.is_dir()
        assert on_progress is not None
        assert on_stopped is not None
        self.runs += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await on_progress(StageProgress(phase="loading", message="x", fraction=None))
            await anyio.sleep(self.starts_in_s)
            if self.phase:
                await on_progress(StageProgress(phase=self.phase, message="x", fraction=None))
            await anyio.sleep(self.ends_in_s)
            if self.dies is not None:
                raise self.dies
            return StageResult(value={})
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await anyio.sleep(self.stops_in_s)
            on_stopped(StopReport(is_cooperative=self.stops_in_s < 0.1, took_s=self.stops_in_s))
            raise
        finally:
            self.at_once -= 1


class _NoThread:
    """In place of threads: the jumping clock would not wait for one."""

    @staticmethod
    async def run_sync(function: Callable[..., object], *arguments: object) -> object:
        return function(*arguments)


def in_virtual_time(test: Callable[[], Awaitable[None]]) -> None:
    """Run on trio with a clock that jumps: hours pass at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probe, "to_thread", _NoThread)
        trio.run(test, clock=trio.testing.MockClock(autojump_threshold=0))


class Folders:
    """Makes the probe's folders and knows which are left."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._count = 0

    def __call__(self) -> Path:
        self._count += 1
        folder = self._root / str(self._count)
        folder.mkdir()
        return folder

    @property
    def left(self) -> list[str]:
        return [each.name for each in self._root.iterdir()]


def prober(double: Double, folders: Folders) -> probe.CancellationProbe:
    return probe.CancellationProbe(double.execute, folders)


@pytest.mark.req("W-13")
@pytest.mark.parametrize("stops_in_s", [0.0, 0.1, 4.9])
def test_a_stop_within_five_seconds_passes(stops_in_s: float, tmp_path: Path) -> None:
    folders = Folders(tmp_path)

    async def test() -> None:
        double = Double(stops_in_s=stops_in_s)
        report = await prober(double, folders).prove(PROFILE)
        assert report.passed
        assert report.started_in_s == pytest.approx(1.0)
        assert report.stopped_in_s == pytest.approx(stops_in_s)
        assert report.stopped_by == ("itself" if stops_in_s == 0 else "kill")

    in_virtual_time(test)
    assert folders.left == []


@pytest.mark.req("W-13", "W-14")
def test_a_later_stop_fails_and_is_refused(tmp_path: Path) -> None:
    folders = Folders(tmp_path)

    async def test() -> None:
        with pytest.raises(ReasonerNotCancellable, match=r"only 5\.1 s after") as caught:
            await prober(Double(stops_in_s=5.1), folders).prove(PROFILE)
        details: Any = caught.value.details["probe"]
        assert (details["passed"], details["stopped_in_s"]) == (False, 5.1)

    in_virtual_time(test)
    assert folders.left == []


def test_a_pass_is_kept_and_a_failure_for_a_minute(tmp_path: Path) -> None:
    async def test() -> None:
        good, bad = Double(), Double(stops_in_s=6)
        passing, failing = prober(good, Folders(tmp_path)), prober(bad, Folders(tmp_path))
        assert passing.report(PROFILE) is None
        await passing.prove(PROFILE)
        await anyio.sleep(20 * 3600)
        await passing.prove(PROFILE)
        assert good.runs == 1
        for wait_s, runs in ((0, 1), (limits.PROBE_FAILURE_CACHE_S - 1, 1), (1, 2)):
            await anyio.sleep(wait_s)
            with pytest.raises(ReasonerNotCancellable):
                await failing.prove(PROFILE)
            assert bad.runs == runs

    in_virtual_time(test)


def test_concurrent_callers_share_one_probe(tmp_path: Path) -> None:
    async def test() -> None:
        double = Double()
        found = prober(double, Folders(tmp_path))
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(found.prove, PROFILE)
        assert (double.runs, double.most_at_once) == (1, 1)

    in_virtual_time(test)


def test_a_caller_that_leaves_takes_nobody_with_it(tmp_path: Path) -> None:
    folders = Folders(tmp_path)

    async def test() -> None:
        double = Double(starts_in_s=5)
        found = prober(double, folders)
        async with anyio.create_task_group() as tasks:

            async def impatient() -> None:
                with anyio.move_on_after(2):
                    await found.prove(PROFILE)

            tasks.start_soon(impatient)
            await anyio.sleep(1)
            assert (await found.prove(PROFILE)).passed
        assert double.most_at_once == 1

    in_virtual_time(test)
    assert folders.left == []


@pytest.mark.parametrize(
    ("double", "cause", "told"),
    [
        (Double(starts_in_s=math.inf), "start_timeout", "within 30 s"),
        (Double(phase="", ends_in_s=1, dies=WorkerLost("It is gone.")), "job_worker_lost", "It is gone."),
        (
            Double(phase="", ends_in_s=1, dies=ExecutionFailed("No memory.", details={"failure_type": "m"})),
            "job_execution_failed",
            "No memory.",
        ),
    ],
)
def test_trouble_before_computing_is_retryable_and_not_kept(
    double: Double, cause: str, told: str, tmp_path: Path
) -> None:
    async def test() -> None:
        found = prober(double, Folders(tmp_path))
        for runs in (1, 2):
            with pytest.raises(ReasonerUnavailable, match=told) as caught:
                await found.prove(PROFILE)
            assert caught.value.retryable
            assert caught.value.details["cause"] == cause
            assert double.runs == runs

    in_virtual_time(test)


def test_a_full_disk_is_no_verdict_on_a_reasoner(tmp_path: Path) -> None:
    folders = Folders(tmp_path)

    def plan(profile: ReasonerProfile, folder: Path) -> tuple[StageCall, Launch | None]:
        raise OSError(errno.ENOSPC, "No space left on device")

    async def test() -> None:
        found = probe.CancellationProbe(Double().execute, folders, plan)
        with pytest.raises(StorageFailed):
            await found.prove(PROFILE)
        assert found.report(PROFILE) is None

    in_virtual_time(test)
    assert folders.left == []


@pytest.mark.parametrize("dies", [None, WorkerLost("gone")])
def test_ending_before_it_can_be_cancelled_proves_nothing(dies: Exception | None, tmp_path: Path) -> None:
    async def test() -> None:
        with pytest.raises(ReasonerNotCancellable, match="ended before it could be cancelled"):
            await prober(Double(ends_in_s=0.2, dies=dies), Folders(tmp_path)).prove(PROFILE)

    in_virtual_time(test)


def test_profiles_are_probed_by_their_key(tmp_path: Path) -> None:
    async def test() -> None:
        double = Double(phase="classifying")
        found = prober(double, Folders(tmp_path))
        await found.prove(PROFILE)
        await found.prove(profiles.resolve("structural"))
        assert double.runs == 2

    in_virtual_time(test)


@pytest.mark.req("W-13")
@pytest.mark.skipif(sys.platform == "win32", reason="written for Windows, not tried there")
@pytest.mark.parametrize("name", ["structural", "pyelk-0.2.1"])
def test_real_reasoners_are_killed_at_work(name: str, tmp_path: Path) -> None:
    from jobs.workers.pool import open_worker_pool

    folders = Folders(tmp_path)

    async def test() -> None:
        async with open_worker_pool() as pool:
            report = await probe.CancellationProbe(pool.execute, folders).prove(profiles.resolve(name))
        assert report.passed
        assert report.stopped_in_s < limits.PROBE_STOP_S
        assert report.stopped_by == "kill"

    anyio.run(test)
    assert folders.left == []


def test_hard_cases_are_quick_to_make_and_always_the_same() -> None:
    assert hard_cases.existential_circle() == hard_cases.existential_circle()
    assert len(hard_cases.existential_circle()) < 2_000
    assert len(hard_cases.told_layers()) < 300_000
