"""What every store of jobs must do; one suite, run on each of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from jobs.errors import ProtegeJobsError
from jobs.kernel import lifecycle
from jobs.kernel.cancellation import cancel
from jobs.kernel.idempotency import binding_of
from jobs.kernel.quotas import PRODUCT
from jobs.kernel.record import Record
from jobs.kernel.transitions import IllegalTransition
from jobs.stores.contract import Anchor, JobStore
from jobs.stores.memory import MemoryStore
from jobs.values import JobId, JobType, State
from tests.support.jobs_doubles import START, owner, submission
from tests.support.jobs_snapshots import ERROR

if TYPE_CHECKING:
    from datetime import datetime

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[MemoryStore])
def store(request: pytest.FixtureRequest) -> JobStore:
    made: JobStore = request.param()
    return made


def record(
    name: str = "j",
    key: str | None = "k",
    *,
    who: str = "ann",
    at: datetime = START,
    job_type: JobType = JobType.CLASSIFICATION,
) -> Record:
    return Record(
        job=lifecycle.accept(submission(owner(who), key, job_type=job_type), JobId(name), at),
        revision=1,
        settings=PRODUCT,
        binds_key=key is not None,
    )


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


async def test_inserted_record_is_found_as_it_was(store: JobStore) -> None:
    one = record()
    assert await store.insert_if_absent(one, START) == one
    assert await store.find(JobId("j")) == one
    assert await store.find(JobId("k")) is None
    with pytest.raises(ValueError, match="inserted once"):
        await store.insert_if_absent(one, START)


@pytest.mark.req("W-22", "W-23", "W-27")
async def test_key_names_one_record_until_its_window_ends(store: JobStore) -> None:
    first = record("1")
    await store.insert_if_absent(first, START)
    assert await store.insert_if_absent(record("2", at=after(899)), after(899.999999)) == first
    assert await store.find(JobId("2")) is None
    for other in (
        record("type", job_type=JobType.PROJECT_QC),
        record("owner", who="bob"),
        record("key", key="other"),
    ):
        assert await store.insert_if_absent(other, START) == other
    again = record("3", at=after(900))
    assert await store.insert_if_absent(again, after(900)) == again
    assert await store.find_bound(binding_of(first), after(900)) == again
    assert await store.find(JobId("1")) == first


async def test_ordinary_calls_bind_no_key(store: JobStore) -> None:
    call = record("c", key=None)
    await store.insert_if_absent(call, START)
    assert await store.find_bound(binding_of(call), START) is None
    guessed = record("g", key="call:c")
    assert await store.insert_if_absent(guessed, START) == guessed


async def test_change_needs_the_revision_it_was_decided_on(store: JobStore) -> None:
    one = await store.insert_if_absent(record(), START)
    claimed = lifecycle.claim(one.job, after(1))
    assert claimed is not None
    stored = await store.compare_and_set(one.job.job_id, 1, claimed)
    assert stored == replace(one, job=claimed, revision=2)
    assert await store.compare_and_set(one.job.job_id, 1, cancel(one.job, START).job) is None
    assert await store.compare_and_set(JobId("gone"), 1, claimed) is None
    assert await store.find(one.job.job_id) == stored


@pytest.mark.req("W-55")
async def test_illegal_successor_is_refused_and_changes_nothing(store: JobStore) -> None:
    one = await store.insert_if_absent(record(), START)
    failed = lifecycle.fail(one.job, ERROR, after(1))
    assert failed is not None
    await store.compare_and_set(one.job.job_id, 1, failed)
    for job in (one.job, cancel(one.job, START).job):
        with pytest.raises(IllegalTransition) as caught:
            await store.compare_and_set(one.job.job_id, 2, job)
        assert not isinstance(caught.value, ProtegeJobsError)
    kept = await store.find(one.job.job_id)
    assert kept is not None
    assert (kept.job, kept.revision) == (failed, 2)


@pytest.mark.req("W-71", "W-72", "W-77")
async def test_pages_are_total_newest_first_and_of_one_owner(store: JobStore) -> None:
    for number in range(7):
        await store.insert_if_absent(record(f"j{number}", f"k{number}", at=after(number // 3)), START)
    await store.insert_if_absent(record("theirs", who="bob"), START)
    expected = ["j6", "j5", "j4", "j3", "j2", "j1", "j0"]
    for size in range(1, 9):
        seen: list[str] = []
        anchor = None
        while rows := await store.page(owner(), size, anchor):
            assert len(rows) <= size
            seen += [row.job.job_id for row in rows]
            anchor = Anchor(rows[-1].job.created_at, rows[-1].job.job_id)
        assert seen == expected


async def test_only_ended_records_are_removed_and_their_keys_are_free(store: JobStore) -> None:
    one = await store.insert_if_absent(record("1", "k1"), START)
    two = await store.insert_if_absent(record("2", "k2"), START)
    failed = lifecycle.fail(one.job, ERROR, START)
    assert failed is not None
    await store.compare_and_set(one.job.job_id, 1, failed)
    gone = await store.remove([JobId("1"), JobId("2"), JobId("3")])
    assert [each.job.job_id for each in gone] == ["1"]
    assert await store.find_bound(binding_of(one), START) is None
    assert await store.everything() == (two,)


async def test_removing_an_old_holder_leaves_the_key_to_the_new_one(store: JobStore) -> None:
    old = await store.insert_if_absent(record("1"), START)
    ended = cancel(old.job, START).job
    await store.compare_and_set(old.job.job_id, 1, ended)
    new = await store.insert_if_absent(record("2", at=after(900)), after(900))
    await store.remove([JobId("1")])
    assert await store.find_bound(binding_of(new), after(901)) == new


async def test_expired_records_go_exactly_when_due(store: JobStore) -> None:
    one = await store.insert_if_absent(record("1", "k1"), START)
    two = await store.insert_if_absent(record("2", "k2"), START)
    await store.insert_if_absent(record("3", "k3"), START)
    await store.compare_and_set(one.job.job_id, 1, cancel(one.job, START).job)
    await store.compare_and_set(two.job.job_id, 1, cancel(two.job, after(10)).job)
    assert await store.remove_expired(after(3599.999999)) == ()
    assert [each.job.job_id for each in await store.remove_expired(after(3600))] == ["1"]
    assert await store.remove_expired(after(3600)) == ()
    assert [each.job.job_id for each in await store.remove_expired(after(99999))] == ["2"]
    assert [each.job.state for each in await store.everything()] == [State.QUEUED]


async def test_announced_ttl_lengthens_and_never_shortens(store: JobStore) -> None:
    one = await store.insert_if_absent(record(), START)
    kept = await store.keep(one.job.job_id, after(5000))
    assert kept is not None
    assert kept.keep_until == after(5000)
    assert await store.keep(one.job.job_id, after(10)) == kept
    assert await store.keep(JobId("gone"), START) is None
    await store.compare_and_set(one.job.job_id, kept.revision, cancel(one.job, START).job)
    assert await store.remove_expired(after(4999)) == ()
    assert len(await store.remove_expired(after(5000))) == 1


async def test_clear_forgets_everything(store: JobStore) -> None:
    await store.insert_if_absent(record(), START)
    await store.clear()
    assert await store.everything() == ()
    assert await store.find_bound(binding_of(record()), START) is None
