from __future__ import annotations

from datetime import timedelta

import pytest

from jobs.kernel import lifecycle, retention
from jobs.kernel.record import Record
from jobs.values import JobError, JobId
from tests.support.jobs_doubles import START, owner, settings, submission

ERROR = JobError(code="job_worker_lost", message="m", retryable=True, details={})


def s(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def ended(
    name: str = "j",
    *,
    who: str = "ann",
    created: float = 0,
    after: float = 0,
    retention_s: int = 3600,
    key: str | None = "k",
    keep: float | None = None,
) -> Record:
    job = lifecycle.accept(submission(owner(who), key), JobId(name), START + s(created))
    done = lifecycle.fail(job, ERROR, START + s(created + after))
    assert done is not None
    return Record(
        job=done,
        revision=2,
        settings=settings(retention_s=retention_s),
        binds_key=key is not None,
        keep_until=None if keep is None else START + s(keep),
    )


@pytest.mark.req("W-24")
@pytest.mark.parametrize(
    ("record", "until_s"),
    [
        (ended(), 3600),
        (ended(after=10), 3610),
        (ended(retention_s=60), 900),
        (ended(retention_s=60, after=899), 959),
        (ended(retention_s=60, key=None), 60),
        (ended(retention_s=60, key=None, keep=500), 500),
        (ended(keep=500), 3600),
    ],
)
def test_record_stays_to_the_later_of_retention_window_and_announced_ttl(
    record: Record, until_s: float
) -> None:
    assert retention.visible_until(record) == START + s(until_s)
    assert not retention.is_expired(record, START + s(until_s) - s(0.000001))
    assert retention.is_expired(record, START + s(until_s))


def test_artifacts_expire_with_the_retention_even_where_the_record_stays() -> None:
    assert retention.artifacts_until(ended(retention_s=60)) == START + s(60)


def test_unfinished_job_never_expires_nor_makes_room() -> None:
    job = lifecycle.accept(submission(), JobId("j"), START)
    record = Record(job=job, revision=1, settings=settings())
    assert not retention.is_expired(record, START + s(1e6))
    assert not retention.is_evictable(record, START + s(1e6))


def test_oldest_outside_its_window_goes_first_and_no_more_than_needed() -> None:
    records = [
        ended("young", created=200),
        ended("old", created=0, after=60),
        ended("older", created=10, after=1),
        ended("kept", created=0, keep=5000),
    ]
    at = START + s(950)
    assert [each.job.job_id for each in retention.eviction_order(records, at)] == ["older", "old"]
    principal = owner().principal_fingerprint

    def leaving(per_principal: int, per_backend: int) -> list[str]:
        gone = retention.make_room(
            records, principal, per_principal=per_principal, per_backend=per_backend, at=at
        )
        return [each.job.job_id for each in gone]

    assert leaving(5, 5) == []
    assert leaving(4, 5) == ["older"]
    assert leaving(3, 5) == ["older", "old"]
    assert leaving(4, 4) == ["older"]
    assert leaving(5, 3) == ["older", "old"]


def test_full_backend_may_take_the_oldest_of_another_principal() -> None:
    records = [ended("theirs", who="bob"), ended("mine", created=5)]
    gone = retention.make_room(
        records, owner("ann").principal_fingerprint, per_principal=2, per_backend=2, at=START + s(2000)
    )
    assert [each.job.job_id for each in gone] == ["theirs"]
