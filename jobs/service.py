"""The job service of one backend: it owns the task group and turns decisions into effects.

Here: reading, cancelling, retention, closing. What happens to one job between its claim
and its end is in `running.py`; how it comes in, in `admitting.py`; what is decided is in `kernel`.

Invariants
- A snapshot changes only by compare-and-set in the store; effects follow the store, never lead it.
- A computation that came in is released exactly once, whatever became of its job.
- Nothing a cancellation waits for depends on a computation, a reasoner, a disk or an audit sink.
- Missing, foreign and expired jobs, and all jobs of a closed service, give one answer.
"""

from __future__ import annotations

import hmac
import logging
import uuid
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs import limits
from jobs.admitting import Accepted, Admission
from jobs.artifact_files import prepare_folder
from jobs.audit import AuditLog, DiscardingSink
from jobs.clock import SystemClock
from jobs.errors import (
    AuthorizationRevoked,
    InvalidJobCursor,
    InvalidJobLimit,
    UnknownJob,
    UnknownJobArtifact,
)
from jobs.kernel import idempotency
from jobs.kernel.cancellation import cancel as decide_cancel
from jobs.running import Runner
from jobs.scheduling import Scheduler
from jobs.steps import Steps
from jobs.stores.contract import Anchor
from jobs.values import ArtifactId, CancelOutcome, Job, JobId, Owner, State

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime
    from types import TracebackType

    from jobs.artifacts import ArtifactHandle, ArtifactVault
    from jobs.audit import AuditSink
    from jobs.clock import Clock
    from jobs.computation import Computation
    from jobs.cursors import CursorSeal
    from jobs.kernel.admission import Reservation
    from jobs.kernel.record import Record
    from jobs.stores.contract import JobStore
    from jobs.values import JobType, QuotaSettings, Submission, WorkspaceId

__all__ = ["Accepted", "JobService", "Page", "random_id"]

logger = logging.getLogger(__name__)

_NOBODY: Final = "sha256:" + "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of an owner's jobs, newest first; `next_cursor` is None on the last one."""

    jobs: tuple[Job, ...]
    next_cursor: str | None


def random_id() -> str:
    """A random UUID, version 4: nothing can be read from it (W 1.7)."""
    return str(uuid.uuid4())


class JobService:
    """All jobs of one backend. Enter it (`async with`) before use; leaving it closes it.

    Args:
        workspace_id: the id of this window; every owner must carry it.
        store: where the records lie.
        artifacts: where the artifacts lie; the service uses it alone.
        audit_sink: where the job events go; None keeps none.
        clock, new_id: time and identity, as arguments for the tests.
        workers: how many jobs compute at once.
    """

    def __init__(
        self,
        *,
        workspace_id: WorkspaceId,
        store: JobStore,
        artifacts: ArtifactVault,
        audit_sink: AuditSink | None = None,
        clock: Clock | None = None,
        new_id: Callable[[], str] = random_id,
        workers: int = limits.WORKERS,
    ) -> None:
        self.workspace_id = workspace_id
        self._store = store
        self._artifacts = artifacts
        self._clock = clock or SystemClock()
        self._audit = AuditLog(audit_sink or DiscardingSink())
        self._changed: dict[JobId, anyio.Event] = {}
        self._housework = anyio.Event()
        self._closed = anyio.Event()
        self._is_open = False
        self._life: AbstractAsyncContextManager[JobService] | None = None
        steps = Steps(store, self._audit, self._clock, self._note_change)
        self._scheduler = Scheduler(
            Runner(steps, artifacts), workers=workers, ended=lambda: self._housework.set()
        )
        self._admission = Admission(
            steps, self._scheduler, new_id=new_id, check=self._check_open, forget=self._forget
        )

    # --- life -------------------------------------------------------------------------------------

    async def __aenter__(self) -> JobService:
        self._life = self._running()
        return await self._life.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        assert self._life is not None
        return await self._life.__aexit__(kind, error, trace)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[JobService]:
        await to_thread.run_sync(prepare_folder, self._artifacts.folder)
        raised: Exception | None = None
        async with anyio.create_task_group() as group:
            self._scheduler.open(group)
            self._is_open = True
            group.start_soon(self._audit.drain, name="job audit")
            group.start_soon(self._keep_house, name="job housekeeping")
            try:
                yield self
            except Exception as problem:  # noqa: BLE001 - raised again below, outside the task group,
                raised = problem  # so that callers catch what they threw and no group around it
            finally:
                try:
                    with anyio.CancelScope(shield=True):
                        await self.close()
                finally:
                    self._audit.stop()
                    group.cancel_scope.cancel()
        with anyio.move_on_after(limits.CLOSE_WAIT_S, shield=True):
            await self._forget_everything()
        if raised is not None:
            raise raised

    async def close(self) -> None:
        """End all jobs: refuse new work, stop what can be stopped, let what has its permit finish (W 7.6).

        Waits at most `limits.CLOSE_WAIT_S`; afterwards every id is unknown and every private byte gone.
        """
        if not self._is_open:
            return await self._closed.wait()
        self._is_open = False
        with anyio.CancelScope(shield=True):  # bounded below
            await self._admission.settled()
            await self.cancel_where(lambda _owner: True)
            with anyio.move_on_after(limits.CLOSE_WAIT_S):
                await self._scheduler.idle()
            if self._scheduler.running_count:
                logger.error("service.close_forced", extra={"jobs": self._scheduler.running_count})
            with anyio.move_on_after(limits.AUDIT_DELIVERY_S):
                await self._audit.flush()
            await self._forget_everything()
        self._closed.set()

    async def _forget_everything(self) -> None:
        self._artifacts.condemn_all()
        await self._store.clear()
        for job_id in list(self._changed):
            self._note_change(job_id)
        await self._artifacts.erase()

    async def _keep_house(self) -> None:
        """Purge and erase when something was condemned, and every 30 s (W 7.5)."""
        while True:
            with anyio.move_on_after(limits.PURGE_INTERVAL_S):
                await self._housework.wait()
            self._housework = anyio.Event()
            await self._purge()
            await self._artifacts.erase()

    # --- admission --------------------------------------------------------------------------------

    async def reserve(
        self, owner: Owner, job_type: JobType, key: str | None, settings: QuotaSettings
    ) -> Reservation:
        """Take the right to capture and then submit; hold it with `with`.

        `key` is None for an ordinary call. A key that is bound now gives a retry, which pays no quota.

        Raises:
            AuthorizationRevoked: the service is closed (`authorization_revoked`).
            InvalidRequest: a key that is none (`invalid_request`).
            PolicyInvalid, RetentionBelowActive, BackendRetentionBelowPrincipal: impossible settings.
            JobTypeDisabled, CaptureCapacityExceeded, ActiveQuotaExceeded, RetentionQuotaExceeded,
            BackendQuotaExceeded, QueueFull: the first bound of W 7.2 that is full.
        """
        await self._purge()
        return await self._admission.reserve(owner, job_type, key, settings)

    async def submit(
        self, reservation: Reservation, submission: Submission, computation: Computation
    ) -> Accepted:
        """Spend a reservation: make the job and queue it, or find the one that is there (W 3.3).

        The computation belongs to the service from here on, also when this raises.

        Raises:
            AuthorizationRevoked: the service is closed (`authorization_revoked`).
            AdmissionInvalid: the reservation is spent or was for something else.
            IdempotencyConflict: the key stands for other inputs (`idempotency_conflict`).
            AdmissionExpired: the job of a retry vanished meanwhile (`job_admission_expired`).
        """
        return await self._admission.submit(reservation, submission, computation)

    # --- reading ----------------------------------------------------------------------------------

    async def get(self, owner: Owner, job_id: str) -> Job:
        """The newest snapshot of an owned job.

        Raises:
            UnknownJob: anything else, in one answer (`unknown_job`).
        """
        return (await self._owned(owner, job_id)).job

    async def find_idempotent(self, owner: Owner, job_type: JobType, key: str) -> Job | None:
        """The job that a key stands for now."""
        await self._purge()
        record = await self._find_bound(owner, job_type, key, self._clock.now())
        return None if record is None else record.job

    async def list(
        self, owner: Owner, limit: int = limits.LIST_LIMIT_DEFAULT, cursor: str | None = None
    ) -> Page:
        """One page of the owner's jobs, newest first (W 3.6).

        Raises:
            InvalidJobLimit: outside 1..100 (`invalid_job_limit`).
            InvalidJobCursor: foreign, altered, or its anchor is gone (`invalid_job_cursor`).
        """
        if type(limit) is not int or not 1 <= limit <= limits.LIST_LIMIT:
            raise InvalidJobLimit
        await self._purge()
        after = None if cursor is None else await self._anchor(owner, cursor)
        rows = await self._store.page(owner, limit + 1, after)
        jobs = tuple(record.job for record in rows[:limit])
        if len(rows) <= limit:
            return Page(jobs=jobs, next_cursor=None)
        last = jobs[-1]
        return Page(jobs=jobs, next_cursor=self._seal.seal(owner, Anchor(last.created_at, last.job_id)))

    async def wait(self, owner: Owner, job_id: str, after_sequence: int) -> Job:
        """The job as soon as its progress is past a sequence or it has ended; the caller bounds the wait.

        Raises:
            UnknownJob: it is not the owner's, or goes while waited for (`unknown_job`).
        """
        job = await self.get(owner, job_id)
        while True:
            # The event comes before the reading, so that no change can fall between them.
            change = self._changed.setdefault(job.job_id, anyio.Event())
            job = await self.get(owner, job_id)
            if job.state.is_terminal or job.progress.sequence > after_sequence:
                return job
            await change.wait()

    async def artifact(self, owner: Owner, job_id: str, artifact_id: str) -> ArtifactHandle:
        """A handle on an artifact of an owned, succeeded job.

        Raises:
            UnknownJob: the job is not the owner's (`unknown_job`).
            UnknownJobArtifact: it has no such retained artifact (`unknown_job_artifact`).
        """
        job = (await self._owned(owner, job_id)).job
        if job.state is not State.SUCCEEDED:
            raise UnknownJobArtifact
        return self._artifacts.open(job.job_id, ArtifactId(artifact_id), self._clock.now())

    # --- stopping and forgetting ------------------------------------------------------------------

    async def cancel(self, owner: Owner, job_id: str) -> tuple[Job, CancelOutcome]:
        """Request the end of an owned job, and say what the request met (W 3.5). Never waits for the work.

        Raises:
            UnknownJob: the job is not the owner's (`unknown_job`).
        """
        record = await self._owned(owner, job_id)
        return await self._cancel(record)

    async def cancel_where(self, concerns: Callable[[Owner], bool]) -> int:
        """Request the end of every unfinished job whose owner is concerned; how many were (W 1.5)."""
        open_records = [
            record
            for record in await self._store.everything()
            if not record.job.state.is_terminal and concerns(record.job.owner)
        ]
        for record in open_records:
            with suppress(UnknownJob):  # it ended and was forgotten while the others were cancelled
                await self._cancel(record)
        return len(open_records)

    async def keep_until(self, owner: Owner, job_id: str, until: datetime) -> Job:
        """Keep a job at least until then: the ttl that was announced for its task (decision 3).

        Raises:
            UnknownJob: the job is not the owner's (`unknown_job`).
        """
        record = await self._owned(owner, job_id)
        return (await self._store.keep(record.job.job_id, until) or record).job

    async def discard_record(self, owner: Owner, job_id: str) -> None:
        """Forget an ended job and its artifacts now: an ordinary call's result is delivered (decision 3).

        A job that has not ended stays.

        Raises:
            UnknownJob: the job is not the owner's (`unknown_job`).
        """
        record = await self._owned(owner, job_id)
        self._forget(await self._store.remove([record.job.job_id]))

    async def _cancel(self, record: Record) -> tuple[Job, CancelOutcome]:
        """Decide on the newest snapshot, store, then send the signals. A lost race decides again."""
        while True:
            decision = decide_cancel(record.job, self._clock.now())
            if decision.job is record.job:
                return decision.job, decision.outcome
            stored = await self._store.compare_and_set(record.job.job_id, record.revision, decision.job)
            if stored is not None:
                break
            found = await self._store.find(record.job.job_id)
            if found is None:
                raise UnknownJob
            record = found
        job = decision.job
        self._scheduler.stop(job)
        self._note_change(job.job_id)
        return job, decision.outcome

    # --- common steps -----------------------------------------------------------------------------

    async def _owned(self, owner: Owner, job_id: str) -> Record:
        """The record, if it is the owner's. An absent one costs the same comparison (W 1.7)."""
        await self._purge()
        record = await self._store.find(JobId(job_id))
        theirs = _NOBODY if record is None else record.job.owner.owner_fingerprint
        same = hmac.compare_digest(theirs, owner.owner_fingerprint)
        if record is None or not same:
            raise UnknownJob
        return record

    @cached_property
    def _seal(self) -> CursorSeal:
        """Made when first needed: a command that never lists does not load the ciphers (9 ms)."""
        from jobs.cursors import CursorSeal

        return CursorSeal()

    async def _anchor(self, owner: Owner, cursor: str) -> Anchor:
        anchor = self._seal.open(owner, cursor)
        record = await self._store.find(anchor.job_id)
        if record is None or record.job.created_at != anchor.created_at or record.job.owner != owner:
            raise InvalidJobCursor
        return anchor

    async def _find_bound(self, owner: Owner, job_type: JobType, key: str, at: datetime) -> Record | None:
        return await self._store.find_bound(idempotency.Binding(owner, job_type, key), at)

    async def _purge(self) -> None:
        """Remove what has expired (W 7.5); its files go a little later."""
        at = self._clock.now()
        self._forget(await self._store.remove_expired(at))
        self._artifacts.condemn_expired(at)

    def _forget(self, gone: tuple[Record, ...]) -> None:
        for record in gone:
            self._artifacts.condemn(record.job.job_id)
            self._note_change(record.job.job_id)
        if gone:
            self._housework.set()

    def _note_change(self, job_id: JobId) -> None:
        """Wake whoever waits for this job."""
        event = self._changed.pop(job_id, None)
        if event is not None:
            event.set()

    def _check_open(self, owner: Owner) -> None:
        if not self._is_open or owner.workspace_id != self.workspace_id:
            raise AuthorizationRevoked
