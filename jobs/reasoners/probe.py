"""The live probe: a reasoner seen at work must be gone within 5 s of being cancelled (W 8.8, 8.9).

A worker of the pool runs the profile's hard case (`hard_cases`); as soon as it is seen computing,
and still is a moment later, it is cancelled like any job and the time until its process is gone is
measured. It touches nothing of the window. One probe at a time for each profile key; concurrent
callers wait for it. A pass holds for the probe's lifetime, a failure for a minute. Trouble before
the computation began is no verdict on the profile: it is retryable and not kept (decision 19).
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import anyio
from anyio import to_thread

from jobs import limits
from jobs.errors import ProtegeJobsError, ReasonerNotCancellable, ReasonerUnavailable, StorageFailed
from jobs.reasoners.client import plan_probe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json
    from jobs.workers.contract import (
        Launch,
        OnProgress,
        OnStopped,
        StageCall,
        StageProgress,
        StageResult,
        StopReport,
    )

logger = logging.getLogger(__name__)

COMPUTING: Final = frozenset({"reasoning", "classifying"})
"""Phases that a reasoner reports once it computes."""
OBSERVE_S: Final = 0.25
"""How long it must go on computing before it is cancelled (ours): what ends sooner proves nothing."""


class Execute(Protocol):
    """Runs a stage in a process of its own, which is gone when this returns or raises."""

    async def __call__(
        self,
        call: StageCall,
        *,
        launch: Launch | None = None,
        on_progress: OnProgress | None = None,
        on_stopped: OnStopped | None = None,
    ) -> StageResult:
        """As `WorkerPool.execute`."""


class PlanProbe(Protocol):
    """Prepares a profile's hard case; may block."""

    def __call__(self, profile: ReasonerProfile, folder: Path) -> tuple[StageCall, Launch | None]:
        """The stage to run in a private empty folder, and the worker to run it on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """How one probe ended, for the output about reasoners."""

    profile_id: str
    passed: bool
    started_in_s: float
    """From the order to the first sign of computing."""
    stopped_in_s: float
    """From the cancellation to the worker being gone."""
    stopped_by: str
    """`itself`, on being asked; `kill`: its process was killed; empty when it never was cancelled."""
    problem: str = ""
    """Why it did not pass."""

    def as_json(self) -> Json:
        """Times in seconds, rounded to milliseconds."""
        return {
            "profile_id": self.profile_id,
            "passed": self.passed,
            "started_in_s": round(self.started_in_s, 3),
            "stopped_in_s": round(self.stopped_in_s, 3),
            "stopped_by": self.stopped_by,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A verdict and until when it holds; None for the probe's lifetime."""

    report: ProbeReport
    until: float | None


class CancellationProbe:
    """Probes profiles and remembers the verdicts; one for each window.

    Args:
        execute: the pool's way of running a stage.
        new_folder: makes a private empty folder for one probe; it is deleted here. May block.
        plan: what a probe runs; another plan only in tests.
    """

    def __init__(
        self, execute: Execute, new_folder: Callable[[], Path], plan: PlanProbe = plan_probe
    ) -> None:
        self._execute = execute
        self._new_folder = new_folder
        self._plan = plan
        self._kept: dict[Digest, _Kept] = {}
        self._locks: dict[Digest, anyio.Lock] = {}

    async def prove(self, profile: ReasonerProfile) -> ProbeReport:
        """The passing report of the profile; probed now unless a verdict is kept.

        Raises:
            ReasonerNotCancellable: it did not stop in time, or ended before it could be cancelled.
            ReasonerUnavailable: it could not be brought to compute; try again.
            StorageFailed: its hard case cannot be written.
        """
        async with self._locks.setdefault(profile.profile_key, anyio.Lock()):
            report = self.report(profile)
            if report is None:
                report = await self._probe(profile)
                keep_s = None if report.passed else limits.PROBE_FAILURE_CACHE_S
                until = None if keep_s is None else anyio.current_time() + keep_s
                self._kept[profile.profile_key] = _Kept(report=report, until=until)
        if not report.passed:
            raise ReasonerNotCancellable(
                f"The reasoner {profile.profile_id} failed its cancellation probe: {report.problem}.",
                details={"profile_id": profile.profile_id, "probe": report.as_json()},
            )
        return report

    def report(self, profile: ReasonerProfile) -> ProbeReport | None:
        """The verdict that holds now; None when there is none."""
        kept = self._kept.get(profile.profile_key)
        if kept is None or (kept.until is not None and anyio.current_time() >= kept.until):
            return None
        return kept.report

    async def _probe(self, profile: ReasonerProfile) -> ProbeReport:
        folder = await to_thread.run_sync(self._new_folder)
        try:
            try:
                call, launch = await to_thread.run_sync(self._plan, profile, folder)
            except OSError:
                raise StorageFailed("The reasoner's probe cannot be written. Is the disk full?") from None
            execute = self._execute if launch is None else partial(self._execute, launch=launch)
            report = await _run_once(execute, call, profile)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))
        logger.info("probe.finished", extra=report.as_json())
        return report


async def _run_once(execute: Execute, call: StageCall, profile: ReasonerProfile) -> ProbeReport:
    """Start, see it compute, cancel, and measure."""
    run = _Run(execute, call)
    begun_at = anyio.current_time()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run.until_gone, name="probe")
        with anyio.move_on_after(limits.PROBE_START_S):
            await run.computing.wait()
        started_at = anyio.current_time()
        is_computing = run.is_computing
        if is_computing:
            with anyio.move_on_after(OBSERVE_S):
                await run.gone.wait()
        is_running = not run.gone.is_set()
        cancelled_at = anyio.current_time()
        run.scope.cancel()
        await run.gone.wait()
        stopped_in_s = anyio.current_time() - cancelled_at
    if not is_computing:
        raise _not_started(profile, run.problem)
    return ProbeReport(
        profile_id=profile.profile_id,
        passed=is_running and stopped_in_s <= limits.PROBE_STOP_S,
        started_in_s=started_at - begun_at,
        stopped_in_s=stopped_in_s,
        stopped_by=run.stopped_by,
        problem=_problem(is_running, stopped_in_s, run.problem.code if run.problem else ""),
    )


def _not_started(profile: ReasonerProfile, problem: ProtegeJobsError | None) -> ReasonerUnavailable:
    """With what is known of the cause: too little memory or damaged jars are not mended by a retry alone."""
    told = f"It did not compute within {limits.PROBE_START_S:.0f} s." if problem is None else problem.message
    details = {} if problem is None else problem.details
    return ReasonerUnavailable(
        f"The reasoner {profile.profile_id} could not be started for its cancellation probe. {told}",
        details={
            "profile_id": profile.profile_id,
            "cause": "start_timeout" if problem is None else problem.code,
            **{key: details[key] for key in ("failure_type", "exit_code") if key in details},
        },
    )


def _problem(is_running: bool, stopped_in_s: float, failure: str) -> str:
    if not is_running:
        return f"it ended before it could be cancelled ({failure or 'with a result'})"
    if stopped_in_s > limits.PROBE_STOP_S:
        return f"it was gone only {stopped_in_s:.1f} s after the cancellation"
    return ""


class _Run:
    """One run of the hard case, and what is seen of it."""

    def __init__(self, execute: Execute, call: StageCall) -> None:
        self._execute = execute
        self._call = call
        self.scope = anyio.CancelScope()
        self.computing = anyio.Event()
        """Computing was seen, or the run is over without it."""
        self.gone = anyio.Event()
        self.is_computing = False
        self.problem: ProtegeJobsError | None = None
        self.stopped_by = ""

    async def until_gone(self) -> None:
        """Run until the process is gone, however that comes about."""
        try:
            with self.scope:
                await self._execute(self._call, on_progress=self._saw, on_stopped=self._stopped)
        except ProtegeJobsError as error:
            self.problem = error
        finally:
            self.gone.set()
            self.computing.set()

    def _stopped(self, report: StopReport) -> None:
        self.stopped_by = "itself" if report.is_cooperative else "kill"

    async def _saw(self, progress: StageProgress) -> None:
        if progress.phase in COMPUTING:
            self.is_computing = True
            self.computing.set()
