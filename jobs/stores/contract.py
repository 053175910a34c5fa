"""What the engine asks of a store of jobs. Records cross it, never live objects.

Every method may wait (a database does), so every method is `async`; each one is atomic by itself.
A caller that decided on a snapshot hands its revision back: a lost race returns None and the
caller decides again. A store never judges who may see a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from jobs.kernel.idempotency import Binding
    from jobs.kernel.record import Record
    from jobs.values import Job, JobId, Owner


class Anchor(NamedTuple):
    """The last row of a page: the next page begins behind it."""

    created_at: datetime
    job_id: JobId


class JobStore(Protocol):
    """Keeps records; the only place a job's snapshot is replaced."""

    async def insert_if_absent(self, record: Record, at: datetime) -> Record:
        """Insert, unless another record holds the key at that time; give back the one that holds it.

        Raises:
            ValueError: the job id is taken or the revision is not 1.
        """
        ...

    async def find(self, job_id: JobId) -> Record | None:
        """The record of that id."""
        ...

    async def find_bound(self, binding: Binding, at: datetime) -> Record | None:
        """The record that holds the key at that time."""
        ...

    async def compare_and_set(self, job_id: JobId, expected_revision: int, job: Job) -> Record | None:
        """Replace the snapshot if the revision is still the expected one; None when it is not, or is gone.

        Raises:
            IllegalTransition: the snapshot may not follow; nothing is changed (W 2.5).
        """
        ...

    async def keep(self, job_id: JobId, until: datetime) -> Record | None:
        """Keep a record at least until then (an announced ttl); it is never shortened. None: no such job."""
        ...

    async def page(self, owner: Owner, limit: int, after: Anchor | None) -> tuple[Record, ...]:
        """The owner's records, newest first, ids descending in the same instant, behind the anchor."""
        ...

    async def everything(self) -> tuple[Record, ...]:
        """All records in the order of acceptance; their number is bounded by the quotas."""
        ...

    async def remove_expired(self, at: datetime) -> tuple[Record, ...]:
        """Remove and give back the records whose time is over (`retention.is_expired`)."""
        ...

    async def remove(self, job_ids: Iterable[JobId]) -> tuple[Record, ...]:
        """Remove and give back those of the named records that are there and terminal."""
        ...

    async def clear(self) -> None:
        """Forget everything."""
        ...
