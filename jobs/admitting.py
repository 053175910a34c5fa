"""The door of the engine: reservations, keys, and the making of a job (W 3.3, 5, 7.3).

Admission is serialized: of two equal callers the first makes the job and the second finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from jobs.audit import EventKind
from jobs.kernel import admission, idempotency, lifecycle, quotas, retention
from jobs.kernel.record import Record
from jobs.steps import LiveJob
from jobs.values import Job, JobId

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from jobs.computation import Computation
    from jobs.scheduling import Scheduler
    from jobs.steps import Steps
    from jobs.values import JobType, Owner, QuotaSettings, Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What `submit` gives back; `reused` says that the job was there before (W 5.4)."""

    job: Job
    reused: bool


class Admission:
    """Lets jobs in.

    Args:
        check: raises what forbids the owner to start anything now.
        forget: told which records were removed to make room.
    """

    def __init__(
        self,
        steps: Steps,
        scheduler: Scheduler,
        *,
        new_id: Callable[[], str],
        check: Callable[[Owner], None],
        forget: Callable[[tuple[Record, ...]], None],
    ) -> None:
        self.ledger = admission.Ledger()
        self._steps = steps
        self._scheduler = scheduler
        self._new_id = new_id
        self._check = check
        self._forget = forget
        self._one_at_a_time = anyio.Lock()
        self._newest_at: datetime | None = None

    async def reserve(
        self, owner: Owner, job_type: JobType, key: str | None, settings: QuotaSettings
    ) -> admission.Reservation:
        """See `JobService.reserve`."""
        quotas.check_settings(settings)
        if key is not None:
            idempotency.check_key(key)
        async with self._one_at_a_time:
            self._check(owner)
            at = self._steps.now()
            bound = await self._find_bound(owner, job_type, key, at)
            records = await self._steps.store.everything()
            load = admission.load_of(records, owner.principal_fingerprint, at)
            return self.ledger.admit(owner, job_type, key, settings, load, is_retry=bound is not None)

    async def submit(
        self, reservation: admission.Reservation, submission: Submission, computation: Computation
    ) -> Accepted:
        """See `JobService.submit`. Whatever is raised, the computation is released."""
        live = LiveJob(computation)
        try:
            async with self._one_at_a_time:
                self._check(submission.owner)
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
        now = self._steps.now()
        at = max(now, self._newest_at or now)  # a clock that stepped back does not reorder the list
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
            accepted = await self._insert(record, reservation, live)
        return accepted

    async def _insert(self, record: Record, reservation: admission.Reservation, live: LiveJob) -> Accepted:
        job = record.job
        live.job_id = job.job_id
        self._scheduler.expect(live)
        try:
            kept = await self._steps.store.insert_if_absent(record, job.created_at)
        except BaseException:
            self._scheduler.forget(live)
            raise
        if kept.job.job_id != job.job_id:  # only a store shared with another process gets here
            self._scheduler.forget(live)
            idempotency.check_same(kept, job.input_identity)
            return Accepted(job=kept.job, reused=True)
        self._newest_at = job.created_at
        reservation.free()
        self._steps.emit(live, EventKind.ACCEPTED, job)
        return Accepted(job=await self._scheduler.enqueue(record, live), reused=False)

    async def settled(self) -> None:
        """Wait until whoever is half inside is through; later ones meet `check` first."""
        async with self._one_at_a_time:
            pass

    async def _find_bound(
        self, owner: Owner, job_type: JobType, key: str | None, at: datetime
    ) -> Record | None:
        if key is None:
            return None
        return await self._steps.store.find_bound(idempotency.Binding(owner, job_type, key), at)

    async def _make_room(self, owner: Owner, settings: QuotaSettings, at: datetime) -> None:
        leaving = retention.make_room(
            await self._steps.store.everything(),
            owner.principal_fingerprint,
            per_principal=settings.retained_per_principal,
            per_backend=settings.retained_per_backend,
            at=at,
        )
        if leaving:
            self._forget(await self._steps.store.remove([record.job.job_id for record in leaving]))
