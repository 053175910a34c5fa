"""Well-formed snapshots of jobs in every state with every fence, built without the kernel's own steps."""

from __future__ import annotations

from datetime import timedelta

from jobs.kernel import lifecycle
from jobs.values import Fence, Job, JobError, JobId, Progress, Result, State
from tests.support.jobs_doubles import START, submission

RESULT = Result(structured={}, artifacts=(), audit_incomplete=False, current=True, changed_inputs=())
ERROR = JobError(code="job_worker_lost", message="m", retryable=True, details={})
LATER = START + timedelta(seconds=1)
FENCES = {
    State.QUEUED: {Fence.OPEN},
    State.RUNNING: {Fence.OPEN, Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED},
    State.CANCEL_PENDING: {Fence.CANCELLED},
    State.SUCCEEDED: {Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED},
    State.FAILED: {Fence.OPEN, Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED},
    State.CANCELLED: {Fence.CANCELLED},
}


def job_in(state: State, fence: Fence, sequence: int = 0, *, started: bool | None = None) -> Job:
    """A well-formed job in a state, built without the kernel's own steps."""
    has_started = state is not State.QUEUED if started is None else started
    return Job(
        **{
            **{
                name: getattr(lifecycle.accept(submission(), JobId("j"), START), name)
                for name in (
                    "job_id",
                    "owner",
                    "type",
                    "created_at",
                    "idempotency_key",
                    "required_capabilities",
                    "input_identity",
                )
            },
            "state": state,
            "fence": fence,
            "started_at": LATER if has_started else None,
            "completed_at": LATER if state.is_terminal else None,
            "progress": Progress(phase=state.value, message="m", sequence=sequence),
            "result": RESULT if state is State.SUCCEEDED else None,
            "error": ERROR if state is State.FAILED else None,
        }
    )


ALL = [(state, fence) for state in State for fence in FENCES[state]]
