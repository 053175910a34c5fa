"""The steps of a job's life, but for cancellation (`cancellation.py`) and the permit (`fence.py`).

Each function takes the present snapshot and the time, and gives the next snapshot. Times are
absorbed here: a stored time is never earlier than the one before it (W 2.7).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from jobs.values import Fence, Job, JobId, Progress, State

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.values import JobError, Result, Submission

MESSAGES: Final = {
    "queued": "Job is waiting for a worker.",
    "running": "Job is running.",
    "cancel_pending": "Cancellation was requested; the work is being stopped.",
    "commit": "Job is committing its result.",
    "succeeded": "Job completed.",
    "failed": "Job failed.",
    "cancelled": "Job was cancelled.",
}
"""The lifecycle phases and their messages (W 2.4)."""


def accept(submission: Submission, job_id: JobId, at: datetime) -> Job:
    """A new job, waiting."""
    return Job(
        job_id=job_id,
        owner=submission.owner,
        type=submission.type,
        state=State.QUEUED,
        fence=Fence.OPEN,
        created_at=at,
        started_at=None,
        completed_at=None,
        progress=Progress(phase="queued", message=MESSAGES["queued"], sequence=0),
        idempotency_key=submission.idempotency_key or f"call:{job_id}",
        required_capabilities=tuple(sorted(set(submission.required_capabilities))),
        input_identity=submission.input_identity,
        result=None,
        error=None,
    )


def claim(job: Job, at: datetime) -> Job | None:
    """The job as a worker takes it, or None when it no longer waits."""
    if job.state is not State.QUEUED:
        return None
    return replace(
        job, state=State.RUNNING, started_at=absorbed(job, at), progress=entered(job, State.RUNNING)
    )


def report(job: Job, words: tuple[str, str]) -> Job | None:
    """The job with a new phase and message; None past its fence (W 10.3) or if nothing would change."""
    if job.state is not State.RUNNING or job.fence is not Fence.OPEN:
        return None
    if words == (job.progress.phase, job.progress.message):
        return None
    return replace(job, progress=_said(job, *words))


def succeed(job: Job, result: Result, at: datetime) -> Job:
    """The job with its result; it must hold the publication or commit permit."""
    return _ended(job=job, state=State.SUCCEEDED, at=at, error=None, result=result)


def fail(job: Job, error: JobError, at: datetime) -> Job | None:
    """The job with its error; None when it has ended or a tombstone makes the error a mere diagnosis."""
    if job.state.is_terminal or job.fence is Fence.CANCELLED:
        return None
    return _ended(job=job, state=State.FAILED, at=at, error=error, result=None)


def stopped(job: Job, at: datetime) -> Job | None:
    """The tombstoned job once its computation is gone; None unless it was `cancel_pending`."""
    if job.state is not State.CANCEL_PENDING:
        return None
    return _ended(job=job, state=State.CANCELLED, at=at, error=None, result=None)


def entered(job: Job, state: State) -> Progress:
    """The progress of entering a state."""
    return _said(job, state.value, MESSAGES[state.value])


def absorbed(job: Job, at: datetime) -> datetime:
    """The time to store: a clock that stepped back does not take the job with it."""
    return max(at, job.latest_at)


def _said(job: Job, phase: str, message: str) -> Progress:
    return Progress(phase=phase, message=message, sequence=job.progress.sequence + 1)


def _ended(*, job: Job, state: State, at: datetime, error: JobError | None, result: Result | None) -> Job:
    return replace(
        job,
        state=state,
        completed_at=absorbed(job, at),
        progress=entered(job, state),
        result=result,
        error=error,
    )
