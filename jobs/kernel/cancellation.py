"""What one request to stop does (W 8.2). The fence decides; signals are sent only afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jobs.kernel.lifecycle import absorbed, entered
from jobs.values import CancelOutcome, Fence, Job, State

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The snapshot after the request (the old object if nothing changed) and what the asker is told."""

    job: Job
    outcome: CancelOutcome


def cancel(job: Job, at: datetime) -> Decision:
    """Decide one cancellation request; repeating it changes nothing."""
    if job.state.is_terminal:
        return Decision(job=job, outcome=CancelOutcome.ALREADY_TERMINAL)
    if job.fence in (Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED):
        # It won the permit: to promise a stop now would be a lie.
        return Decision(job=job, outcome=CancelOutcome.COMMIT_IN_PROGRESS)
    if job.state is State.CANCEL_PENDING:
        return Decision(job=job, outcome=CancelOutcome.CANCEL_REQUESTED)
    if job.state is State.QUEUED:
        ended = replace(
            job,
            state=State.CANCELLED,
            fence=Fence.CANCELLED,
            completed_at=absorbed(job, at),
            progress=entered(job, State.CANCELLED),
        )
        return Decision(job=ended, outcome=CancelOutcome.CANCELLED)
    asked = replace(
        job, state=State.CANCEL_PENDING, fence=Fence.CANCELLED, progress=entered(job, State.CANCEL_PENDING)
    )
    return Decision(job=asked, outcome=CancelOutcome.CANCEL_REQUESTED)
