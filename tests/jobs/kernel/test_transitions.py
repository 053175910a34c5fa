from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from jobs.kernel import lifecycle
from jobs.kernel.transitions import LEGAL, IllegalTransition, check_successor, is_legal
from jobs.values import Fence, JobError, JobId, Progress, Result, State
from tests.support.jobs_doubles import START, submission
from tests.support.jobs_snapshots import ALL, ERROR, FENCES, LATER, RESULT, job_in

if TYPE_CHECKING:
    from datetime import datetime


@pytest.mark.req("W-55", "W-61")
@pytest.mark.parametrize(("before", "after"), list(itertools.product(ALL, ALL)))
def test_exactly_the_table_is_legal_and_the_fence_moves_once(
    before: tuple[State, Fence], after: tuple[State, Fence]
) -> None:
    """Every pair of states with every pair of fences."""
    old, new = job_in(*before), job_in(*after, sequence=1)
    fence_holds = before[1] is Fence.OPEN or before[1] is after[1]
    in_table = (before[0], after[0]) in {
        (State.QUEUED, State.RUNNING),
        (State.QUEUED, State.CANCELLED),
        (State.QUEUED, State.FAILED),
        (State.RUNNING, State.SUCCEEDED),
        (State.RUNNING, State.FAILED),
        (State.RUNNING, State.CANCEL_PENDING),
        (State.RUNNING, State.CANCELLED),
        (State.CANCEL_PENDING, State.CANCELLED),
    }
    stays = before[0] is after[0] and not before[0].is_terminal
    assert is_legal(before[0], after[0]) is (in_table or stays)
    if fence_holds and (in_table or stays):
        check_successor(old, new)
    else:
        with pytest.raises(IllegalTransition):
            check_successor(old, new)


def test_table_has_the_eight_rows_of_the_contract() -> None:
    assert len(LEGAL) == 8


@pytest.mark.req("W-49")
@pytest.mark.parametrize("state", [state for state in State if state.is_terminal])
def test_terminal_snapshot_never_changes(state: State) -> None:
    for fence in FENCES[state]:
        old = job_in(state, fence)
        with pytest.raises(IllegalTransition):
            check_successor(old, replace(old, progress=replace(old.progress, sequence=1)))


@pytest.mark.req("W-56")
@pytest.mark.parametrize("sequence", [0, 2, 5])
def test_sequence_grows_by_one_with_every_change(sequence: int) -> None:
    old = job_in(State.RUNNING, Fence.OPEN)
    with pytest.raises(IllegalTransition):
        check_successor(old, replace(old, progress=Progress(phase="loading", message="x", sequence=sequence)))


@pytest.mark.parametrize(
    "change",
    [
        {"job_id": JobId("k")},
        {"created_at": START - timedelta(seconds=1)},
        {"idempotency_key": "other"},
        {"required_capabilities": ("a:b",)},
        {"started_at": LATER + timedelta(seconds=1)},
    ],
)
def test_fixed_fields_stay(change: dict[str, object]) -> None:
    old = job_in(State.RUNNING, Fence.OPEN)
    with pytest.raises(IllegalTransition):
        check_successor(old, replace(old, **change))  # type: ignore[arg-type]


@pytest.mark.req("W-54", "W-57", "W-58", "W-59")
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("fence", Fence)
@pytest.mark.parametrize("started", [None, LATER])
@pytest.mark.parametrize("completed", [None, LATER])
@pytest.mark.parametrize("result", [None, RESULT])
@pytest.mark.parametrize("error", [None, ERROR])
def test_a_job_is_made_only_within_the_field_table(
    state: State,
    fence: Fence,
    started: datetime | None,
    completed: datetime | None,
    result: Result | None,
    error: JobError | None,
) -> None:
    """The table of W 2.6, written again as data: any, set or null for each field."""
    rows = {
        State.QUEUED: (False, False, False, False),
        State.RUNNING: (True, False, False, False),
        State.CANCEL_PENDING: (True, False, False, False),
        State.SUCCEEDED: (True, True, True, False),
        State.FAILED: (None, True, False, True),
        State.CANCELLED: (None, True, False, False),
    }
    given = [value is not None for value in (started, completed, result, error)]
    allowed = all(rule is None or rule is has for rule, has in zip(rows[state], given, strict=True))
    fields = {"started_at": started, "completed_at": completed, "result": result, "error": error}
    template = job_in(State.QUEUED, Fence.OPEN)
    if allowed and fence in FENCES[state]:
        made = replace(template, state=state, fence=fence, **fields)  # type: ignore[arg-type]
        assert made.cancellation_effective is (state is State.CANCELLED)
        assert not (made.commit_started and made.cancellation_requested)
    else:
        with pytest.raises(ValueError, match="cannot have these fields"):
            replace(template, state=state, fence=fence, **fields)  # type: ignore[arg-type]


@pytest.mark.req("W-54")
def test_clock_steps_are_absorbed() -> None:
    back = START - timedelta(hours=1)
    job = lifecycle.claim(lifecycle.accept(submission(), JobId("j"), START), back)
    assert job is not None
    assert job.started_at == START
    failed = lifecycle.fail(job, ERROR, back)
    assert failed is not None
    assert failed.completed_at == START
    with pytest.raises(ValueError, match="backwards"):
        replace(failed, completed_at=back)
