"""One job from its claim to its end: compute, stage, publish or commit, settle.

The final state comes from the fence in the store, never from which exception surfaced. Everything
up to the permit runs under the job's own cancel scope; everything behind it is shielded and bounded.
This is the one door of the engine that catches any exception of a computation.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import anyio.lowlevel

from jobs import limits
from jobs.audit import EventKind, Trail
from jobs.computation import Committing
from jobs.descriptor import check_result
from jobs.errors import (
    ArtifactBackendQuotaExceeded,
    AuditIntentFailed,
    CommitOutcomeUnknown,
    ProtegeJobsError,
    PublicationFailedAfterCommit,
    PublicationStarted,
)
from jobs.kernel import fence, lifecycle
from jobs.kernel.cancellation import cancel
from jobs.kernel.failures import error_of, unforeseen
from jobs.kernel.progress import Throttle, check_progress
from jobs.kernel.retention import eviction_order
from jobs.values import ArtifactReference, Computed, Fence, Job, JobId, Result, State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from jobs.artifacts import ArtifactVault
    from jobs.audit import AuditLog, Delivery
    from jobs.clock import Clock
    from jobs.computation import Computation
    from jobs.stores.contract import JobStore
    from jobs.values import JobError, Json, StagedFile

logger = logging.getLogger(__name__)

REPORT_NAME: Final = "report.json"
"""The file whose artifact a summary names as `report_artifact_id`."""


class LiveJob:
    """What a job is while it can still move: its computation, scope, audit trail and progress."""

    def __init__(self, computation: Computation) -> None:
        self.computation = computation
        self.job_id = JobId("")
        self.scope = anyio.CancelScope()
        self.trail = Trail()
        self.throttle = Throttle(limits.PROGRESS_UPDATES_PER_S)
        self.news = anyio.Event()
        self.fence = Fence.OPEN
        self._is_released = False

    def report(self, phase: str, message: str) -> None:
        """Take progress from the computation. Newest wins; at most 20 a second reach the descriptor.

        Raises:
            ValueError: words that no descriptor could show.
            PublicationStarted: progress after the permit (`job_publication_started`).
        """
        check_progress(phase, message)
        if self.fence in (Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED):
            raise PublicationStarted("Progress was reported after publication began.")
        if self.fence is Fence.OPEN:
            self.trail.updates += 1
            self.throttle.offer(phase, message)
            self.news.set()

    def release(self) -> None:
        """Give the capture up, once (W 6.7)."""
        if self._is_released:
            return
        self._is_released = True
        try:
            self.computation.release()
        except Exception as problem:  # noqa: BLE001 - a capture that resists must not take the service down
            logger.error(
                "job.release_failed", extra={"job_id": self.job_id, "failure_type": type(problem).__name__}
            )


class Runner:
    """Performs jobs. It keeps nothing between two of them.

    Args:
        changed: told after every change of a snapshot.
    """

    def __init__(
        self,
        *,
        store: JobStore,
        artifacts: ArtifactVault,
        audit: AuditLog,
        clock: Clock,
        changed: Callable[[JobId], None],
    ) -> None:
        self._store = store
        self._artifacts = artifacts
        self._audit = audit
        self._clock = clock
        self._changed = changed

    async def run(self, live: LiveJob) -> None:
        """Take a job through to its end; return at once if it was cancelled while it waited."""
        error = None
        try:
            with anyio.CancelScope(shield=True):
                claimed = await self._advance(live, lambda job: lifecycle.claim(job, self._clock.now()))
            if claimed is not None:
                self._emit(live, EventKind.STARTED, claimed)
                error = await self._attempt(live)
        finally:
            with anyio.CancelScope(shield=True):  # bounded: a store write, no sink, no disk
                await self._settle(live, error)
            live.release()

    def tombstoned(self, live: LiveJob, job: Job, at: datetime) -> None:
        """Follow a tombstone that the store has taken: tell the audit, then signal the computation."""
        live.fence = Fence.CANCELLED
        self._audit.emit(live.trail, EventKind.CANCEL_REQUESTED, job, at)
        if job.state is State.CANCELLED:
            self._emit_cancelled(live, job)
        live.scope.cancel()

    async def fail(self, live: LiveJob, error: JobError) -> Job:
        """End a job that could not be run; its newest snapshot."""
        with anyio.CancelScope(shield=True):
            await self._settle(live, error)
        live.release()
        record = await self._store.find(live.job_id)
        assert record is not None
        return record.job

    # --- the attempt ------------------------------------------------------------------------------

    async def _attempt(self, live: LiveJob) -> JobError | None:
        """Compute and publish under the job's scope; the error, if that is how it ended."""
        try:
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
        staged = await self._stage(live, computed)
        if isinstance(live.computation, Committing):
            await self._commit(live, live.computation, computed, staged)
        else:
            await self._publish(live, computed, staged)

    async def _tell(self, live: LiveJob) -> None:
        """Bring progress into the descriptor, not more often than allowed."""
        while True:
            await live.news.wait()
            live.news = anyio.Event()
            await anyio.sleep(live.throttle.wait_s(anyio.current_time()) or 0)
            words = live.throttle.take(anyio.current_time())
            if words is None:
                continue
            job = await self._advance(live, partial(lifecycle.report, words=words))
            if job is not None and live.trail.emitted < limits.PROGRESS_AUDIT_EVENTS:
                self._emit(live, EventKind.PROGRESS, job)

    # --- staging ----------------------------------------------------------------------------------

    async def _stage(self, live: LiveJob, computed: Computed) -> tuple[ArtifactReference, ...]:
        await self._reserve(live.job_id, computed.files)
        now = self._clock.now()
        until = now + timedelta(seconds=limits.RETENTION_S)  # renewed at completion
        return await self._artifacts.stage(live.job_id, computed.files, now, until)

    async def _reserve(self, job_id: JobId, files: Sequence[StagedFile]) -> None:
        """Reserve room for a job's files; old jobs that may go make place first (decision 3)."""
        try:
            self._artifacts.reserve(job_id, files)
        except ArtifactBackendQuotaExceeded:
            for record in eviction_order(await self._store.everything(), self._clock.now()):
                if self._artifacts.condemn(record.job.job_id):
                    await self._store.remove([record.job.job_id])
                    self._changed(record.job.job_id)
                    await self._artifacts.erase()
                    try:
                        return self._artifacts.reserve(job_id, files)
                    except ArtifactBackendQuotaExceeded:
                        continue
            raise

    # --- publication ------------------------------------------------------------------------------

    async def _publish(
        self, live: LiveJob, computed: Computed, staged: tuple[ArtifactReference, ...]
    ) -> None:
        """Publish a read-only result (W 8.5): lease, drift, permit, audit, `succeeded`."""
        async with live.computation.authority():
            result = await self._result(live, computed.structured, computed.files, staged)
            with anyio.CancelScope(shield=True):
                job = await self._advance(live, fence.begin_publication)
                if job is None:
                    return
                live.fence = job.fence
                self._emit(live, EventKind.PUBLICATION_STARTED, job)
                await self._succeed(live, job, result)

    async def _commit(
        self,
        live: LiveJob,
        computation: Committing,
        computed: Computed,
        staged: tuple[ArtifactReference, ...],
    ) -> None:
        """Commit and publish (W 8.5, 8.7): leases, intent, permit, the irreversible step, `succeeded`."""
        async with computation.authority(), computation.destination():
            result = await self._result(live, computed.structured, computed.files, staged)
            await self._record_intent(live)
            await computation.revalidate(computed)
            with anyio.CancelScope(shield=True):
                leases = fence.Leases(authority=True, destination=True)
                job = await self._advance(live, lambda job: fence.begin_commit(job, leases))
                if job is None:
                    return
                live.fence = job.fence
                structured = await _irreversibly(computation, computed)
                try:
                    changed = replace(result, structured=_summary(structured, computed.files, staged))
                    check_result(job.type, changed)
                    await self._succeed(live, job, changed)
                except Exception as problem:
                    logger.error(
                        "job.unpublished",
                        extra={"job_id": live.job_id, "failure_type": type(problem).__name__},
                    )
                    raise PublicationFailedAfterCommit(
                        "The change was committed, but its result could not be published.",
                        details={"commit_started": True},
                    ) from problem

    async def _record_intent(self, live: LiveJob) -> None:
        record = await self._store.find(live.job_id)
        assert record is not None
        delivery = self._emit(live, EventKind.PUBLICATION_STARTED, record.job)
        if not await delivery.wait():
            raise AuditIntentFailed("The intent to commit could not be recorded, so nothing was committed.")

    async def _result(
        self,
        live: LiveJob,
        structured: Json,
        files: Sequence[StagedFile],
        staged: tuple[ArtifactReference, ...],
    ) -> Result:
        """The result as it will be shown, checked; only its times and `audit_incomplete` are open."""
        current, changed = await self._drift(live)
        result = Result(
            structured=_summary(structured, files, staged),
            artifacts=staged,
            audit_incomplete=False,
            current=current,
            changed_inputs=changed,
        )
        record = await self._store.find(live.job_id)
        assert record is not None
        check_result(record.job.type, result)
        return result

    async def _drift(self, live: LiveJob) -> tuple[bool | None, tuple[str, ...]]:
        """What has moved since the capture; unknown when that cannot be told in time (decision 11)."""
        try:
            with anyio.move_on_after(limits.CURRENT_RECAPTURE_S):
                return await live.computation.drift()
        except Exception as problem:  # noqa: BLE001 - W 8.6: drift refuses nothing, nor does its failure
            extra = {"job_id": live.job_id, "failure_type": type(problem).__name__}
            logger.error("job.drift_unknown", extra=extra)
        return None, ()

    async def _succeed(self, live: LiveJob, job: Job, result: Result) -> None:
        """Deliver the prospective terminal event, then show `succeeded` (W 10.4)."""
        record = await self._store.find(live.job_id)
        assert record is not None
        at = lifecycle.absorbed(job, self._clock.now())
        expires_at = at + timedelta(seconds=record.settings.retention_s)
        dated = tuple(replace(each, expires_at=expires_at) for each in result.artifacts)
        result = replace(result, artifacts=dated)
        delivery = self._emit(live, EventKind.TERMINAL, lifecycle.succeed(job, result, at))
        delivered = await delivery.wait()
        final = replace(result, audit_incomplete=live.trail.failed or not delivered)
        self._artifacts.publish(live.job_id, expires_at)
        await self._advance(live, lambda job: lifecycle.succeed(job, final, at))

    # --- the end ----------------------------------------------------------------------------------

    async def _settle(self, live: LiveJob, error: JobError | None) -> None:
        """Bring a job that has not published to its end, as its fence says."""
        record = await self._store.find(live.job_id)
        if record is None:
            self._artifacts.condemn(live.job_id)
            return
        if record.job.state.is_terminal:
            return
        self._artifacts.condemn(live.job_id)
        at = self._clock.now()
        if error is not None:
            failed = await self._advance(live, lambda job: lifecycle.fail(job, error, at))
            if failed is not None:
                if not live.trail.has_ended:  # a success that could not be stored was announced before
                    self._emit(live, EventKind.TERMINAL, failed)
                return
        if live.fence is Fence.OPEN:
            # The service itself was cancelled: that is a shutdown, hence a tombstone (W 8.2).
            asked = await self._advance(live, lambda job: _if_moved(job, at))
            if asked is not None:
                self.tombstoned(live, asked, at)
        ended = await self._advance(live, lambda job: lifecycle.stopped(job, at))
        if ended is not None:
            self._emit_cancelled(live, ended)

    # --- common steps -----------------------------------------------------------------------------

    async def _advance(self, live: LiveJob, decide: Callable[[Job], Job | None]) -> Job | None:
        """Decide on the newest snapshot and store it; a lost race decides again. None: nothing to do."""
        while True:
            record = await self._store.find(live.job_id)
            job = None if record is None else decide(record.job)
            if record is None or job is None:
                return None
            if await self._store.compare_and_set(live.job_id, record.revision, job) is not None:
                self._changed(live.job_id)
                return job

    def _emit(self, live: LiveJob, kind: EventKind, job: Job) -> Delivery:
        return self._audit.emit(live.trail, kind, job, self._clock.now())

    def _emit_cancelled(self, live: LiveJob, job: Job) -> None:
        self._emit(live, EventKind.CANCELLATION_EFFECTIVE, job)
        self._emit(live, EventKind.TERMINAL, job)


class _Interrupted(Exception):
    """A computation was interrupted and nobody had asked for it."""


async def _irreversibly(computation: Committing, computed: Computed) -> Json:
    """Take the irreversible step; whatever is raised leaves its outcome unknown (W 8.7)."""
    try:
        return await computation.commit(computed)
    except (Exception, anyio.get_cancelled_exc_class()) as problem:
        raise CommitOutcomeUnknown(
            "The change was begun and its end was not seen. Look at the target before trying again.",
            details={"commit_started": True, "failure_type": type(problem).__name__},
        ) from problem


def _if_moved(job: Job, at: datetime) -> Job | None:
    decision = cancel(job, at)
    return None if decision.job is job else decision.job


def _summary(structured: Json, files: Sequence[StagedFile], staged: tuple[ArtifactReference, ...]) -> Json:
    """The summary with the id of its report (W 4)."""
    for file, reference in zip(files, staged, strict=True):
        if file.name == REPORT_NAME:
            return {**structured, "report_artifact_id": reference.artifact_id}
    return dict(structured)


def _error_from(problem: BaseException, job_id: JobId) -> JobError:
    """The error a job shows for what its computation raised; groups of one are opened."""
    while isinstance(problem, BaseExceptionGroup) and len(problem.exceptions) == 1:
        problem = problem.exceptions[0]
    if isinstance(problem, ProtegeJobsError):
        return error_of(problem)
    failure_type = type(problem).__name__.lstrip("_")
    logger.error("job.failed_unforeseen", exc_info=problem, extra={"job_id": job_id})
    return unforeseen(failure_type)
