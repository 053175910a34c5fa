"""Which snapshot of a job may follow which (W 2.5): the one rule that every store enforces.

Invariant: a store replaces a snapshot only through `check_successor`; nothing else changes a job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.values import Fence, State

if TYPE_CHECKING:
    from jobs.values import Job

LEGAL: Final = frozenset(
    {
        (State.QUEUED, State.RUNNING),
        (State.QUEUED, State.CANCELLED),
        (State.QUEUED, State.FAILED),
        (State.RUNNING, State.SUCCEEDED),
        (State.RUNNING, State.FAILED),
        (State.RUNNING, State.CANCEL_PENDING),
        (State.RUNNING, State.CANCELLED),
        (State.CANCEL_PENDING, State.CANCELLED),
    }
)
"""Changes of state; staying in a state is legal while it is not terminal."""

_FIXED: Final = (
    "job_id",
    "owner",
    "type",
    "created_at",
    "idempotency_key",
    "required_capabilities",
    "input_identity",
)


class IllegalTransition(Exception):
    """A snapshot that may not follow the stored one: a defect of ours, hence outside the tree of errors."""


def is_legal(before: State, after: State) -> bool:
    """Whether a job may go from one state to the other, staying included."""
    return (before, after) in LEGAL or (before is after and not before.is_terminal)


def check_successor(before: Job, after: Job) -> None:
    """Refuse a snapshot that may not follow.

    Raises:
        IllegalTransition: the state change is not in the table, a terminal snapshot would change, a
            fixed field differs, the fence would move twice, or a time or sequence would run back.
    """
    for rule, holds in (
        ("state", is_legal(before.state, after.state)),
        ("fixed field", all(getattr(before, name) == getattr(after, name) for name in _FIXED)),
        ("fence", before.fence in (after.fence, Fence.OPEN)),
        ("started_at", before.started_at in (None, after.started_at)),
        ("time", before.latest_at <= after.latest_at),
        ("progress", _follows(before, after)),
    ):
        if not holds:
            raise IllegalTransition(f"{rule}: {before.state} -> {after.state}")


def _follows(before: Job, after: Job) -> bool:
    """The sequence grows by exactly one with every change of phase or message (W 2.1)."""
    if before.progress == after.progress:
        return before.state is after.state
    return after.progress.sequence == before.progress.sequence + 1
