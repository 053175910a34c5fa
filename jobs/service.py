"""The job service of one backend: it owns the task group and turns decisions into effects.

Here: admission, reading, cancelling, retention, closing. What happens to one job between its claim
and its end is in `running.py`; what is decided is in `kernel`.

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
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs import limits
from jobs.artifacts import prepare_folder
from jobs.audit import AuditLog, DiscardingSink, EventKind
from jobs.clock import SystemClock
from jobs.cursors import CursorSeal
from jobs.errors import (
    AuthorizationRevoked,
    InvalidJobCursor,
    InvalidJobLimit,
    QueueFull,
    SchedulerFailed,
    UnknownJob,
    UnknownJobArtifact,
)
from jobs.kernel import admission, idempotency, lifecycle, quotas, retention
from jobs.kernel.cancellation import cancel as decide_cancel
from jobs.kernel.failures import error_of
from jobs.kernel.queue import FairQueue, Waiting
from jobs.kernel.record import Record
from jobs.running import LiveJob, Runner
from jobs.stores.contract import Anchor
from jobs.values import ArtifactId, CancelOutcome, Job, JobId, Owner, State

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime
    from types import TracebackType

    from anyio.abc import TaskGroup

    from jobs.artifacts import ArtifactHandle, ArtifactVault
    from jobs.audit import AuditSink
    from jobs.clock import Clock
    from jobs.computation import Computation
    from jobs.stores.contract import JobStore
    from jobs.values import JobType, QuotaSettings, Submission, WorkspaceId

logger = logging.getLogger(__name__)

_NOBODY: Final = "sha256:" + "0" * 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What `submit` gives back; `reused` says that the job was there before (W 5.4)."""

    job: Job
    reused: bool


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
        self._audit = AuditLog(audit_sink or DiscardingSink())
        self._clock = clock or SystemClock()
        self._new_id = new_id
        self._workers = workers
        self._ledger = admission.Ledger()
        self._queue = FairQueue(limits.QUEUE_CAPACITY)
        self._cursors = CursorSeal()
        self._live: dict[JobId, LiveJob] = {}
        self._busy: set[JobId] = set()
        self._changed: dict[JobId, anyio.Event] = {}
        self._admitting = anyio.Lock()
        self._housework = anyio.Event()
        self._quiet = anyio.Event()
        self._closed = anyio.Event()
        self._is_open = False
        self._newest_at: datetime | None = None
        self._group: TaskGroup | None = None
        self._life: AbstractAsyncContextManager[JobService] | None = None
        self._runner = Runner(
            store=store, artifacts=artifacts, audit=self._audit, clock=self._clock, changed=self._note_change
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
            self._group, self._is_open = group, True
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
            await self.cancel_where(lambda _owner: True)
            with anyio.move_on_after(limits.CLOSE_WAIT_S):
                while self._busy:
                    self._quiet = anyio.Event()
                    await self._quiet.wait()
            if self._busy:
                logger.error("service.close_forced", extra={"jobs": len(self._busy)})
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
    ) -> admission.Reservation:
        """Take the right to capture and then submit; hold it with `with`.

        `key` is None for an ordinary call. A key that is bound now gives a retry, which pays no quota.

        Raises:
            AuthorizationRevoked: the service is closed (`authorization_revoked`).
            InvalidRequest: a key that is none (`invalid_request`).
            PolicyInvalid, RetentionBelowActive, BackendRetentionBelowPrincipal: impossible settings.
            JobTypeDisabled, CaptureCapacityExceeded, ActiveQuotaExceeded, RetentionQuotaExceeded,
            BackendQuotaExceeded, QueueFull: the first bound of W 7.2 that is full.
        """
        quotas.check_settings(settings)
        if key is not None:
            idempotency.check_key(key)
        await self._purge()
        async with self._admitting:
            self._check_open(owner)
            at = self._clock.now()
            bound = None if key is None else await self._find_bound(owner, job_type, key, at)
            records = await self._store.everything()
            load = admission.load_of(records, owner.principal_fingerprint, at)
            return self._ledger.admit(owner, job_type, key, settings, load, is_retry=bound is not None)

    async def submit(
        self, reservation: admission.Reservation, submission: Submission, computation: Computation
    ) -> Accepted:
        """Spend a reservation: make the job and queue it, or find the one that is there (W 3.3).

        The computation belongs to the service from here on, also when this raises.

        Raises:
            AuthorizationRevoked: the service is closed (`authorization_revoked`).
            AdmissionInvalid: the reservation is spent or was for something else.
            IdempotencyConflict: the key stands for other inputs (`idempotency_conflict`).
            AdmissionExpired: the job of a retry vanished meanwhile (`job_admission_expired`).
        """
        live = LiveJob(computation)
        try:
            async with self._admitting:
                self._check_open(submission.owner)
                reservation.check(submission.owner, submission.type, submission.idempotency_key)
                accepted = await self._admit(reservation, submission, live)
        except BaseException:
            live.release()
            raise
        if accepted.reused:
            live.release()
        return accepted

    async def _admit(
        self, reservation: admission.Reservation, submission: Submission, live: LiveJob
    ) -> Accepted:
        at = max(self._clock.now(), self._newest_at or self._clock.now())
        if submission.idempotency_key is not None:
            held = await self._find_bound(submission.owner, submission.type, submission.idempotency_key, at)
            if held is not None:
                idempotency.check_same(held, submission.input_identity)
                return Accepted(job=held.job, reused=True)
            idempotency.check_first(was_retry=reservation.is_retry)
        await self._make_room(submission.owner, reservation.settings, at)
        record = Record(
            job=lifecycle.accept(submission, JobId(self._new_id()), at),
            revision=1,
            settings=reservation.settings,
            binds_key=submission.idempotency_key is not None,
        )
        # From here on the job exists: nothing may interrupt until it is queued.
        with anyio.CancelScope(shield=True):
            accepted = await self._insert(record, reservation, live, at)
        return accepted

    async def _insert(
        self, record: Record, reservation: admission.Reservation, live: LiveJob, at: datetime
    ) -> Accepted:
        kept = await self._store.insert_if_absent(record, at)
        job = record.job
        if kept.job.job_id != job.job_id:  # only a store shared with another process gets here
            idempotency.check_same(kept, job.input_identity)
            return Accepted(job=kept.job, reused=True)
        self._newest_at = at
        reservation.free()
        live.job_id = job.job_id
        self._live[job.job_id] = live
        self._audit.emit(live.trail, EventKind.ACCEPTED, job, at)
        return Accepted(job=await self._enqueue(record), reused=False)

    async def _enqueue(self, record: Record) -> Job:
        """Queue a new record. A job is never left waiting outside the queue (W 3.3)."""
        job = record.job
        try:
            self._queue.push(
                Waiting(
                    job_id=job.job_id,
                    principal=job.owner.principal_fingerprint,
                    workers=record.settings.workers,
                )
            )
            self._start_waiting()
        except (QueueFull, SchedulerFailed) as problem:
            self._queue.remove(job.job_id)
            live = self._live.pop(job.job_id)
            return await self._runner.fail(live, error_of(problem))
        return job

    async def _make_room(self, owner: Owner, settings: QuotaSettings, at: datetime) -> None:
        leaving = retention.make_room(
            await self._store.everything(),
            owner.principal_fingerprint,
            per_principal=settings.retained_per_principal,
            per_backend=settings.retained_per_backend,
            at=at,
        )
        if leaving:
            self._forget(await self._store.remove([record.job.job_id for record in leaving]))

    # --- the queue --------------------------------------------------------------------------------

    def _start_waiting(self) -> None:
        """Give free workers their next jobs.

        Raises:
            SchedulerFailed: the task group does not take the job (`job_scheduler_failed`).
        """
        if self._group is None:
            raise SchedulerFailed("The job could not be handed to a worker.")
        while entry := self._queue.take(running=len(self._busy), slots=self._workers):
            self._busy.add(entry.job_id)
            self._group.start_soon(self._run, entry.job_id, name=f"job {entry.job_id}")

    async def _run(self, job_id: JobId) -> None:
        """Run one job to its end and hand its place to the next."""
        try:
            await self._runner.run(self._live[job_id])
        finally:
            self._live.pop(job_id, None)
            self._busy.discard(job_id)
            self._housework.set()
            self._quiet.set()
            if self._is_open:
                self._start_waiting()

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
        return Page(jobs=jobs, next_cursor=self._cursors.seal(owner, Anchor(last.created_at, last.job_id)))

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

        Raises:
            UnknownJob: the job is not the owner's (`unknown_job`).
        """
        record = await self._owned(owner, job_id)
        self._forget(await self._store.remove([record.job.job_id]))

    async def _cancel(self, record: Record) -> tuple[Job, CancelOutcome]:
        """Decide on the newest snapshot, store, then send the signals. A lost race decides again."""
        while True:
            at = self._clock.now()
            decision = decide_cancel(record.job, at)
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
        live = self._live.get(job.job_id)
        if live is not None:
            self._runner.tombstoned(live, job, at)
            if self._queue.remove(job.job_id):
                del self._live[job.job_id]
                live.release()
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

    async def _anchor(self, owner: Owner, cursor: str) -> Anchor:
        anchor = self._cursors.open(owner, cursor)
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
