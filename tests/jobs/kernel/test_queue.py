from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.digests import text_digest
from jobs.errors import QueueFull
from jobs.kernel.queue import FairQueue, Waiting
from jobs.values import JobId


def waiting(name: str, principal: str, workers: int = 2) -> Waiting:
    return Waiting(job_id=JobId(name), principal=text_digest(principal), workers=workers)


def drained(queue: FairQueue) -> list[str]:
    taken = []
    while entry := queue.take(running=0, slots=2):
        taken.append(str(entry.job_id))
    return taken


def test_principals_take_turns_and_each_is_served_in_order() -> None:
    queue = FairQueue(32)
    for name in ("a1", "a2", "a3", "b1", "c1", "b2"):
        queue.push(waiting(name, name[0]))
    assert drained(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"]


@pytest.mark.req("W-02")
def test_thirty_two_wait_and_the_next_is_refused() -> None:
    queue = FairQueue(32)
    for number in range(32):
        queue.push(waiting(str(number), "a"))
    with pytest.raises(QueueFull):
        queue.push(waiting("one more", "b"))
    assert len(queue) == 32


def test_head_waits_for_the_machine_its_policy_asks_for_and_is_not_overtaken() -> None:
    queue = FairQueue(32)
    queue.push(waiting("alone", "a", workers=1))
    queue.push(waiting("other", "b"))
    assert queue.take(running=1, slots=2) is None
    taken = queue.take(running=0, slots=2)
    assert taken is not None
    assert taken.job_id == "alone"
    assert queue.take(running=2, slots=2) is None


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=30),
    st.sets(st.integers(0, 29), max_size=10),
)
def test_every_entry_comes_out_once_in_order_unless_removed(
    steps: list[tuple[str, bool]], removed: set[int]
) -> None:
    queue, pushed, taken = FairQueue(32), [], []
    for number, (principal, takes) in enumerate(steps):
        queue.push(waiting(f"{principal}{number}", principal))
        pushed.append(f"{principal}{number}")
        if takes and (entry := queue.take(running=0, slots=2)):
            taken.append(str(entry.job_id))
    gone = [name for name in pushed if int(name[1:]) in removed and queue.remove(JobId(name))]
    assert not any(queue.remove(JobId(name)) for name in gone + taken)
    out = taken + drained(queue)
    assert len(queue) == 0
    assert sorted(out) == sorted(set(pushed) - set(gone))
    for principal in "abc":
        line = [name for name in out if name[0] == principal]
        assert line == sorted(line, key=lambda name: int(name[1:]))
