"""The one-way fence: what is stopped cannot publish, what publishes cannot be stopped (W 8.1, 8.5).

Invariant: the fence leaves `OPEN` once. `cancellation.cancel` is the only other function that moves it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jobs.errors import CommitAlreadyStarted, GuardLeaseMissing, PublicationStarted
from jobs.kernel.lifecycle import MESSAGES
from jobs.values import Fence, Job, Progress, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Leases:
    """Which rights a commit holds at the moment it asks for its permit."""

    authority: bool
    destination: bool


def begin_publication(job: Job) -> Job | None:
    """The job past the publication fence, or None when a tombstone came first.

    Raises:
        PublicationStarted: the fence had been passed before (`job_publication_started`).
    """
    if job.fence is Fence.OPEN and job.state is State.RUNNING:
        return replace(job, fence=Fence.PUBLICATION_STARTED)
    if job.fence in (Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED):
        raise PublicationStarted("This job has begun to publish before.")
    return None


def begin_commit(job: Job, leases: Leases) -> Job | None:
    """The job past the commit fence, or None when a tombstone came first.

    Raises:
        GuardLeaseMissing: a lease is not held (`job_guard_lease_missing`).
        CommitAlreadyStarted: a second permit (`job_commit_already_started`).
        PublicationStarted: the job publishes without committing (`job_publication_started`).
    """
    if not (leases.authority and leases.destination):
        raise GuardLeaseMissing("A commit needs its authority and destination leases.")
    if job.fence is Fence.COMMIT_STARTED:
        raise CommitAlreadyStarted("This job has taken its commit permit before.")
    if job.fence is Fence.PUBLICATION_STARTED:
        raise PublicationStarted("This job publishes already and cannot commit.")
    if job.fence is not Fence.OPEN or job.state is not State.RUNNING:
        return None
    said = Progress(phase="commit", message=MESSAGES["commit"], sequence=job.progress.sequence + 1)
    return replace(job, fence=Fence.COMMIT_STARTED, progress=said)
