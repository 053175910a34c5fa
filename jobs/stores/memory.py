"""The store of a window: records in memory, gone with the process (W 7.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jobs.kernel.idempotency import Binding, binding_of, is_bound
from jobs.kernel.retention import is_expired, visible_until
from jobs.kernel.transitions import check_successor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from jobs.kernel.record import Record
    from jobs.stores.contract import Anchor
    from jobs.values import Job, JobId, Owner


class MemoryStore:
    """A `JobStore` in two dictionaries.

    No method waits, so each is atomic on the loop. Invariant: `_bound` names the newest record of a
    key; it may name one whose window is over, never one that is gone.
    """

    def __init__(self) -> None:
        self._records: dict[JobId, Record] = {}
        self._bound: dict[Binding, JobId] = {}
        self._next_expiry: datetime | None = None

    async def insert_if_absent(self, record: Record, at: datetime) -> Record:
        """See `JobStore`."""
        job_id = record.job.job_id
        if job_id in self._records or record.revision != 1:
            raise ValueError("a record is inserted once, with revision 1")
        if record.binds_key:
            held = await self.find_bound(binding_of(record), at)
            if held is not None:
                return held
            self._bound[binding_of(record)] = job_id
        self._records[job_id] = record
        self._expect(record)
        return record

    async def find(self, job_id: JobId) -> Record | None:
        """See `JobStore`."""
        return self._records.get(job_id)

    async def find_bound(self, binding: Binding, at: datetime) -> Record | None:
        """See `JobStore`."""
        job_id = self._bound.get(binding)
        record = None if job_id is None else self._records[job_id]
        return record if record is not None and is_bound(record, at) else None

    async def compare_and_set(self, job_id: JobId, expected_revision: int, job: Job) -> Record | None:
        """See `JobStore`."""
        record = self._records.get(job_id)
        if record is None or record.revision != expected_revision:
            return None
        check_successor(record.job, job)
        return self._put(replace(record, job=job, revision=record.revision + 1))

    async def keep(self, job_id: JobId, until: datetime) -> Record | None:
        """See `JobStore`."""
        record = self._records.get(job_id)
        if record is None or (record.keep_until is not None and record.keep_until >= until):
            return record
        return self._put(replace(record, keep_until=until, revision=record.revision + 1))

    async def page(self, owner: Owner, limit: int, after: Anchor | None) -> tuple[Record, ...]:
        """See `JobStore`."""
        own = [record for record in self._records.values() if record.job.owner == owner]
        own.sort(key=_place, reverse=True)
        return tuple([record for record in own if after is None or _place(record) < tuple(after)][:limit])

    async def everything(self) -> tuple[Record, ...]:
        """See `JobStore`."""
        return tuple(self._records.values())

    async def remove_expired(self, at: datetime) -> tuple[Record, ...]:
        """See `JobStore`. Costs nothing until the next record is due."""
        if self._next_expiry is None or at < self._next_expiry:
            return ()
        gone = await self.remove([key for key, record in self._records.items() if is_expired(record, at)])
        self._next_expiry = None
        for record in self._records.values():
            self._expect(record)
        return gone

    async def remove(self, job_ids: Iterable[JobId]) -> tuple[Record, ...]:
        """See `JobStore`."""
        gone = []
        for job_id in list(job_ids):
            record = self._records.get(job_id)
            if record is None or not record.job.state.is_terminal:
                continue
            del self._records[job_id]
            if self._bound.get(binding_of(record)) == job_id:
                del self._bound[binding_of(record)]
            gone.append(record)
        return tuple(gone)

    async def clear(self) -> None:
        """See `JobStore`."""
        self._records.clear()
        self._bound.clear()
        self._next_expiry = None

    def _put(self, record: Record) -> Record:
        self._records[record.job.job_id] = record
        self._expect(record)
        return record

    def _expect(self, record: Record) -> None:
        until = visible_until(record)
        if until is not None and (self._next_expiry is None or until < self._next_expiry):
            self._next_expiry = until


def _place(record: Record) -> tuple[datetime, JobId]:
    return record.job.created_at, record.job.job_id
