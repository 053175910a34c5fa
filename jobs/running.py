"""One job from its claim to its end: compute, publish, settle.

The final state comes from the fence in the store, never from which exception surfaced. Everything
up to the permit runs under the job's own cancel scope. This is the one door of the engine that
catches any exception of a computation.
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel

from jobs import limits
from jobs.audit import EventKind
from jobs.errors import ProtegeJobsError
from jobs.kernel import lifecycle
from jobs.kernel.cancellation import cancel
from jobs.kernel.failures import error_of, unforeseen
from jobs.publishing import Publisher
from jobs.values import Fence, Job, JobId, State

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.artifacts import ArtifactVault
    from jobs.steps import LiveJob, Steps
    from jobs.values import JobError

logger = logging.getLogger(__name__)


class Runner:
    """Performs jobs. It keeps nothing between two of them."""

    def __init__(self, steps: Steps, artifacts: ArtifactVault) -> None:
        self._steps = steps
        self._artifacts = artifacts
        self._publisher = Publisher(steps, artifacts)

    async def run(self, live: LiveJob) -> None:
        """Take a job through to its end; return at once if it was cancelled while it waited."""
        error = None
        try:
            error = await self._attempt(live)
        finally:
            try:
                with anyio.CancelScope(shield=True):  # bounded: a store write, no sink, no disk
                    await self._settle(live, error)
            finally:
                live.release()

    def tombstoned(self, live: LiveJob, job: Job) -> None:
        """Follow a tombstone that the store has taken: tell the audit, then signal the computation."""
        live.fence = Fence.CANCELLED
        self._steps.emit(live, EventKind.CANCEL_REQUESTED, job)
        if job.state is State.CANCELLED:
            self._steps.emit_cancelled(live, job)
        live.scope.cancel()

    async def fail(self, live: LiveJob, error: JobError) -> Job:
        """End a job that could not be run; its newest snapshot."""
        with anyio.CancelScope(shield=True):
            await self._settle(live, error)
        live.release()
        record = await self._steps.store.find(live.job_id)
        assert record is not None
        return record.job

    # --- the attempt ------------------------------------------------------------------------------

    async def _attempt(self, live: LiveJob) -> JobError | None:
        """Claim, compute and publish; the error, if that is how it ended."""
        try:
            with anyio.CancelScope(shield=True):
                claimed = await self._steps.advance(live, lambda job: lifecycle.claim(job, self._steps.now()))
            if claimed is None:
                return None
            self._steps.emit(live, EventKind.STARTED, claimed)
            with live.scope:
                async with anyio.create_task_group() as helpers:
                    helpers.start_soon(self._tell, live)
                    await self._work(live)
                    helpers.cancel_scope.cancel()
        except Exception as problem:  # noqa: BLE001 - the operation runner's door
            return _error_from(problem, live.job_id)
        return None

    async def _work(self, live: LiveJob) -> None:
        await anyio.lowlevel.checkpoint_if_cancelled()  # stopped before it began: it does not begin
        try:
            computed = await live.computation.run(live.report)
        except anyio.get_cancelled_exc_class():
            if anyio.current_effective_deadline() == -math.inf:
                raise
            # Nobody asked for this interruption, so it is a failure (W 8.7).
            raise _Interrupted from None
        await self._publisher.publish(live, computed)

    async def _tell(self, live: LiveJob) -> None:
        """Bring progress into the descriptor, not more often than allowed."""
        while True:
            await live.news.wait()
            live.news = anyio.Event()
            await anyio.sleep(live.throttle.wait_s(anyio.current_time()) or 0)
            words = live.throttle.take(anyio.current_time())
            if words is None:
                continue
            job = await self._steps.advance(live, partial(lifecycle.report, words=words))
            if job is not None and live.trail.emitted < limits.PROGRESS_AUDIT_EVENTS:
                self._steps.emit(live, EventKind.PROGRESS, job)

    # --- the end ----------------------------------------------------------------------------------

    async def _settle(self, live: LiveJob, error: JobError | None) -> None:
        """Bring a job that has not published to its end, as its fence says."""
        record = await self._steps.store.find(live.job_id)
        if record is None:
            self._artifacts.condemn(live.job_id)
            return
        if record.job.state.is_terminal:
            if record.job.state is State.CANCELLED:
                # Whoever cancelled it may not have come to say so yet; said twice it is told once.
                self._steps.emit_cancelled(live, record.job)
            return
        self._artifacts.condemn(live.job_id)
        at = self._steps.now()
        if error is not None:
            failed = await self._steps.advance(live, lambda job: lifecycle.fail(job, error, at))
            if failed is not None:
                self._steps.emit(live, EventKind.TERMINAL, failed)
                return
        if live.fence is Fence.OPEN:
            # The service itself was cancelled: that is a shutdown, hence a tombstone (W 8.2).
            asked = await self._steps.advance(live, lambda job: _if_moved(job, at))
            if asked is not None:
                self.tombstoned(live, asked)
        ended = await self._steps.advance(live, lambda job: lifecycle.stopped(job, at))
        if ended is not None:
            self._steps.emit_cancelled(live, ended)


class _Interrupted(Exception):
    """A computation was interrupted and nobody had asked for it."""


def _if_moved(job: Job, at: datetime) -> Job | None:
    decision = cancel(job, at)
    return None if decision.job is job else decision.job


def _error_from(problem: BaseException, job_id: JobId) -> JobError:
    """The error a job shows for what its computation raised; groups of one are opened."""
    while isinstance(problem, BaseExceptionGroup) and len(problem.exceptions) == 1:
        problem = problem.exceptions[0]
    if isinstance(problem, ProtegeJobsError):
        return error_of(problem)
    failure_type = type(problem).__name__.lstrip("_")
    logger.error("job.failed_unforeseen", exc_info=problem, extra={"job_id": job_id})
    return unforeseen(failure_type)
