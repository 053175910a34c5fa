from __future__ import annotations

import pytest

from jobs import errors
from jobs.kernel.admission import Ledger, Load, Reservation
from jobs.kernel.quotas import PRODUCT
from jobs.values import JobType, QuotaSettings
from tests.support.jobs_doubles import owner, settings

EMPTY = Load(active=0, held_of_principal=0, held_in_backend=0, queued=0)
QC = JobType.PROJECT_QC


def load(**counts: int) -> Load:
    return Load(**{"active": 0, "held_of_principal": 0, "held_in_backend": 0, "queued": 0, **counts})


def admit(
    ledger: Ledger,
    there: Load = EMPTY,
    who: str = "ann",
    quotas: QuotaSettings = PRODUCT,
    *,
    is_retry: bool = False,
) -> Reservation:
    return ledger.admit(owner(who), QC, "k", quotas, there, is_retry=is_retry)


@pytest.mark.req("W-02")
@pytest.mark.parametrize(
    ("counts", "error"),
    [
        ({"active": 8}, errors.ActiveQuotaExceeded),
        ({"held_of_principal": 32}, errors.RetentionQuotaExceeded),
        ({"held_in_backend": 128}, errors.BackendQuotaExceeded),
        ({"queued": 32}, errors.QueueFull),
    ],
)
def test_each_quota_admits_at_its_bound_and_refuses_beyond(
    counts: dict[str, int], error: type[errors.ProtegeJobsError]
) -> None:
    (name, bound), *_ = counts.items()
    assert admit(Ledger(), load(**{name: bound - 1})).is_open
    with pytest.raises(error) as caught:
        admit(Ledger(), load(**{name: bound}))
    assert caught.value.retryable
    assert caught.value.details["effects_prevented"] is True


def test_checks_come_in_the_order_of_the_contract() -> None:
    everything = load(active=8, held_of_principal=32, held_in_backend=128, queued=32)
    full = Ledger()
    held = [admit(full) for _ in range(8)]
    assert len(held) == full.open_count == 8
    none_allowed = settings(allowed_types=frozenset({JobType.CLASSIFICATION}))
    with pytest.raises(errors.JobTypeDisabled):
        admit(full, everything, quotas=none_allowed)
    with pytest.raises(errors.CaptureCapacityExceeded):
        admit(full, everything)
    with pytest.raises(errors.ActiveQuotaExceeded):
        admit(Ledger(), everything)
    with pytest.raises(errors.RetentionQuotaExceeded):
        admit(Ledger(), load(held_of_principal=32, held_in_backend=128, queued=32))
    with pytest.raises(errors.BackendQuotaExceeded):
        admit(Ledger(), load(held_in_backend=128, queued=32))


@pytest.mark.req("W-21")
def test_reservations_count_against_every_quota_until_freed() -> None:
    ledger = Ledger()
    first = admit(ledger, load(active=7))
    with pytest.raises(errors.ActiveQuotaExceeded):
        admit(ledger, load(active=7))
    first.free()
    first.free()
    assert ledger.open_count == 0
    with admit(ledger, load(active=7)):
        assert ledger.open_count == 1
    assert ledger.open_count == 0


def test_captures_in_flight_are_bounded_per_principal_and_in_all() -> None:
    ledger = Ledger()
    for number in range(32):
        for _ in range(4):
            admit(ledger, who=f"p{number}", quotas=settings(queue_capacity=32)) if number < 8 else None
    assert ledger.open_count == 32
    with pytest.raises(errors.QueueFull):
        admit(ledger, who="late")
    small = settings(active_per_principal=1, retained_per_principal=2, retained_per_backend=2)
    ledger = Ledger()
    admit(ledger, who="a", quotas=small)
    with pytest.raises(errors.CaptureCapacityExceeded):
        admit(ledger, who="a", quotas=small)
    admit(ledger, who="b", quotas=small)
    with pytest.raises(errors.CaptureCapacityExceeded):
        admit(ledger, who="c", quotas=small)


@pytest.mark.req("W-24")
def test_retry_pays_no_quota_and_takes_none_from_new_work() -> None:
    everything = load(active=8, held_of_principal=32, held_in_backend=128, queued=32)
    ledger = Ledger()
    new = [admit(ledger) for _ in range(8)]
    retries = [admit(ledger, everything, is_retry=True) for _ in range(8)]
    with pytest.raises(errors.CaptureCapacityExceeded):
        admit(ledger, everything, is_retry=True)
    for reservation in new:
        reservation.free()
    assert all(retry.is_retry for retry in retries)
    assert [admit(ledger) for _ in range(8)]


@pytest.mark.parametrize("wrong", ["spent", "owner", "type", "key"])
def test_misused_reservation_is_refused(wrong: str) -> None:
    reservation = admit(Ledger())
    reservation.check(owner(), QC, "k")
    if wrong == "spent":
        reservation.free()
    with pytest.raises(errors.AdmissionInvalid):
        reservation.check(
            owner("bob" if wrong == "owner" else "ann"),
            JobType.CLASSIFICATION if wrong == "type" else QC,
            "other" if wrong == "key" else "k",
        )
