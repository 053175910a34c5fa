from __future__ import annotations

import pytest

from jobs.errors import BackendRetentionBelowPrincipal, PolicyInvalid, RetentionBelowActive
from jobs.kernel.quotas import PRODUCT, check_settings
from tests.support.jobs_doubles import settings

BOUNDS = {
    "workers": (1, 2),
    "queue_capacity": (1, 32),
    "active_per_principal": (1, 8),
    "retained_per_principal": (8, 32),
    "retained_per_backend": (32, 128),
    "retention_s": (60, 3600),
}


@pytest.mark.req("W-02")
@pytest.mark.parametrize("name", BOUNDS)
def test_policy_lowers_within_bounds_only(name: str) -> None:
    for value in BOUNDS[name]:
        assert getattr(check_settings(settings(**{name: value})), name) == value
    least = 60 if name == "retention_s" else 1
    for value in (least - 1, BOUNDS[name][1] + 1, -1, True, 1.5):
        with pytest.raises(PolicyInvalid):
            check_settings(settings(**{name: value}))


def test_retained_is_never_below_active_nor_the_backend_below_a_principal() -> None:
    check_settings(settings(retained_per_principal=3, active_per_principal=3))
    with pytest.raises(RetentionBelowActive):
        check_settings(settings(retained_per_principal=3, active_per_principal=4))
    check_settings(settings(retained_per_backend=32))
    with pytest.raises(BackendRetentionBelowPrincipal):
        check_settings(settings(retained_per_backend=31))
    assert check_settings(PRODUCT) is PRODUCT
