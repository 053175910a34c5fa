"""The configuration a job is admitted under: the product's numbers, which a policy may only lower (W 4.6)."""

from __future__ import annotations

from typing import Final

from jobs import limits
from jobs.errors import BackendRetentionBelowPrincipal, PolicyInvalid, RetentionBelowActive
from jobs.values import JobType, QuotaSettings

PRODUCT: Final = QuotaSettings(
    allowed_types=frozenset(JobType),
    workers=limits.WORKERS,
    queue_capacity=limits.QUEUE_CAPACITY,
    active_per_principal=limits.ACTIVE_PER_PRINCIPAL,
    retained_per_principal=limits.RETAINED_PER_PRINCIPAL,
    retained_per_backend=limits.RETAINED_PER_BACKEND,
    retention_s=limits.RETENTION_S,
)
"""What holds without a policy."""

_LEAST: Final = {"retention_s": limits.RETENTION_MIN_S}


def check_settings(settings: QuotaSettings) -> QuotaSettings:
    """Give the settings back if they keep to the product's bounds and to each other.

    Raises:
        PolicyInvalid: a number is above the product's or below its least (`job_policy_invalid`).
        RetentionBelowActive: retained below active per principal (`job_retention_below_active`).
        BackendRetentionBelowPrincipal: retained per backend below per principal
            (`job_backend_retention_below_principal`).
    """
    for name in (
        "workers",
        "queue_capacity",
        "active_per_principal",
        "retained_per_principal",
        "retained_per_backend",
        "retention_s",
    ):
        least, most, value = _LEAST.get(name, 1), getattr(PRODUCT, name), getattr(settings, name)
        if type(value) is not int or not least <= value <= most:
            key = "retention_seconds" if name == "retention_s" else name
            raise PolicyInvalid(
                f"jobs.{key} of the policy must be an integer from {least} to {most}.",
                details={"setting": key, "minimum": least, "maximum": most},
            )
    if settings.retained_per_principal < settings.active_per_principal:
        raise RetentionBelowActive(
            "jobs.retained_per_principal of the policy must not be below jobs.active_per_principal."
        )
    if settings.retained_per_backend < settings.retained_per_principal:
        raise BackendRetentionBelowPrincipal(
            "jobs.retained_per_backend of the policy must not be below jobs.retained_per_principal."
        )
    return settings
