"""How long a finished job stays, and which one goes first when room is needed (W 5.8, decision 3)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from jobs.digests import Digest
    from jobs.kernel.record import Record


def artifacts_until(record: Record) -> datetime | None:
    """When the artifacts of a finished job expire; None while it runs."""
    ended = record.job.completed_at
    return None if ended is None else ended + timedelta(seconds=record.settings.retention_s)


def visible_until(record: Record) -> datetime | None:
    """When a finished job leaves by itself, exclusive; None while it runs.

    The retention never shortens the idempotency window nor an announced task ttl.
    """
    until = artifacts_until(record)
    if until is None:
        return None
    return max(until, _protected_until(record))


def is_expired(record: Record, at: datetime) -> bool:
    """Whether the record is due to go."""
    until = visible_until(record)
    return until is not None and until <= at


def is_evictable(record: Record, at: datetime) -> bool:
    """Whether the record may go early to make room: ended, its key free, its announced ttl over."""
    return record.job.state.is_terminal and _protected_until(record) <= at


def eviction_order(records: Iterable[Record], at: datetime) -> list[Record]:
    """The records that may go early, the longest ended first."""
    able = [record for record in records if is_evictable(record, at)]
    return sorted(able, key=lambda record: (record.job.latest_at, record.job.created_at, record.job.job_id))


def make_room(
    records: Iterable[Record], principal: Digest, *, per_principal: int, per_backend: int, at: datetime
) -> list[Record]:
    """The records to remove so that one more of the principal keeps to both bounds, as far as may be."""
    everything = list(records)
    order = eviction_order(everything, at)
    own = sum(record.job.owner.principal_fingerprint == principal for record in everything)
    mine = [record for record in order if record.job.owner.principal_fingerprint == principal]
    leaving = mine[: max(0, own + 1 - per_principal)]
    named = {record.job.job_id for record in leaving}
    others = [record for record in order if record.job.job_id not in named]
    return leaving + others[: max(0, len(everything) - len(leaving) + 1 - per_backend)]


def _protected_until(record: Record) -> datetime:
    ends = [end for end in (record.keep_until, record.bound_until if record.binds_key else None) if end]
    return max(ends, default=record.job.created_at)
