from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from jobs.errors import CommitAlreadyStarted, GuardLeaseMissing, PublicationStarted
from jobs.kernel import lifecycle
from jobs.kernel.cancellation import cancel
from jobs.kernel.fence import Leases, begin_commit, begin_publication
from jobs.kernel.transitions import check_successor
from jobs.values import CancelOutcome, Fence, JobId, State
from tests.support.jobs_doubles import START, submission
from tests.support.jobs_snapshots import ALL, ERROR, RESULT, job_in

LATER = START + timedelta(seconds=2)
BOTH = Leases(authority=True, destination=True)


@pytest.mark.req("W-66", "W-68", "W-69")
@pytest.mark.parametrize(("state", "fence"), ALL)
def test_outcome_agrees_with_the_state_observed_after_it(state: State, fence: Fence) -> None:
    decision = cancel(job_in(state, fence), LATER)
    expected = {
        State.QUEUED: (CancelOutcome.CANCELLED, State.CANCELLED),
        State.RUNNING: (CancelOutcome.CANCEL_REQUESTED, State.CANCEL_PENDING),
        State.CANCEL_PENDING: (CancelOutcome.CANCEL_REQUESTED, State.CANCEL_PENDING),
    }.get(state, (CancelOutcome.ALREADY_TERMINAL, state))
    if state is State.RUNNING and fence is not Fence.OPEN:
        expected = (CancelOutcome.COMMIT_IN_PROGRESS, State.RUNNING)
    assert (decision.outcome, decision.job.state) == expected


@pytest.mark.req("W-69")
@pytest.mark.parametrize(("state", "fence"), ALL)
def test_repeating_a_cancellation_changes_nothing(state: State, fence: Fence) -> None:
    once = cancel(job_in(state, fence), LATER).job
    assert cancel(once, LATER).job is once


@pytest.mark.parametrize(("state", "fence"), ALL)
def test_every_step_gives_a_legal_successor_or_none(state: State, fence: Fence) -> None:
    job = job_in(state, fence)
    steps = [cancel(job, LATER).job]
    steps.append(lifecycle.claim(job, LATER))
    steps.append(lifecycle.report(job, ("loading", "Loading.")))
    steps.append(lifecycle.fail(job, ERROR, LATER))
    steps.append(lifecycle.stopped(job, LATER))
    if fence is Fence.OPEN or fence is Fence.CANCELLED:
        steps.append(begin_publication(job))
        steps.append(begin_commit(job, BOTH))
    if state is State.RUNNING and fence in (Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED):
        steps.append(lifecycle.succeed(job, RESULT, LATER))
    for after in steps:
        if after is not None and after is not job:
            check_successor(job, after)


@pytest.mark.req("W-61", "W-66")
def test_exactly_one_of_stop_publish_and_commit_wins() -> None:
    job = job_in(State.RUNNING, Fence.OPEN)
    stopped = cancel(job, LATER).job
    assert begin_publication(stopped) is None
    assert begin_commit(stopped, BOTH) is None
    published = begin_publication(job)
    assert published is not None
    assert cancel(published, LATER).outcome is CancelOutcome.COMMIT_IN_PROGRESS
    committed = begin_commit(job, BOTH)
    assert committed is not None
    assert committed.progress.phase == "commit"
    assert cancel(committed, LATER).outcome is CancelOutcome.COMMIT_IN_PROGRESS


def test_a_permit_is_given_once() -> None:
    job = job_in(State.RUNNING, Fence.OPEN)
    published, committed = begin_publication(job), begin_commit(job, BOTH)
    assert published is not None
    assert committed is not None
    with pytest.raises(PublicationStarted):
        begin_publication(published)
    with pytest.raises(PublicationStarted):
        begin_publication(committed)
    with pytest.raises(PublicationStarted):
        begin_commit(published, BOTH)
    with pytest.raises(CommitAlreadyStarted):
        begin_commit(committed, BOTH)


@pytest.mark.parametrize(("authority", "destination"), [(True, False), (False, True), (False, False)])
def test_commit_without_its_leases_is_refused(authority: bool, destination: bool) -> None:
    with pytest.raises(GuardLeaseMissing):
        begin_commit(job_in(State.RUNNING, Fence.OPEN), Leases(authority=authority, destination=destination))


@pytest.mark.req("W-65")
def test_error_after_a_tombstone_is_dropped() -> None:
    assert lifecycle.fail(job_in(State.CANCEL_PENDING, Fence.CANCELLED), ERROR, LATER) is None


def test_progress_is_refused_past_the_fence_and_repeats_change_nothing() -> None:
    running = job_in(State.RUNNING, Fence.OPEN)
    said = lifecycle.report(running, ("loading", "Loading."))
    assert said is not None
    assert lifecycle.report(said, ("loading", "Loading.")) is None
    for state, fence in ALL:
        if (state, fence) != (State.RUNNING, Fence.OPEN):
            assert lifecycle.report(job_in(state, fence), ("loading", "Loading.")) is None


@pytest.mark.req("W-46")
def test_accepted_job_waits_with_sorted_capabilities_and_an_ordinary_call_names_itself() -> None:
    job = lifecycle.accept(submission(key=None), JobId("id"), START)
    assert (job.state, job.progress.sequence, job.idempotency_key) == (State.QUEUED, 0, "call:id")
    assert job.required_capabilities == ("filesystem:project:read", "ontology:read")
    assert replace(job) == job
