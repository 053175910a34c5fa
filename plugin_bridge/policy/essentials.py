"""What every start reads of a policy, as plain values.

The built-in values stand here as well as in the model's defaults, so that a window without a policy
file never imports the YAML reader and the model: they take a third of a cold command's start. A test
holds the two against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import PRODUCT_QUOTAS, limits
from jobs.digests import Digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobs.values import JobType, QuotaSettings
    from plugin_bridge.policy.document import PolicyDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """How long audit files are kept and how large they grow."""

    retention_days: int
    max_file_bytes: int
    max_files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Essentials:
    """Bounds, files and the reasoner of a policy; paths are relative to the project root."""

    digest: Digest
    project_id: str | None
    quotas: QuotaSettings
    audit: AuditSettings
    lockfile: str
    mappings: str | None
    reasoner_profile: str


BUILT_IN: Final = Essentials(
    digest=Digest("sha256:04597a719db0e0f7b01c7ab32c6b2ff61447ff0cd4749c79a8323be600d4b459"),
    project_id=None,
    quotas=PRODUCT_QUOTAS,
    audit=AuditSettings(
        retention_days=limits.AUDIT_RETENTION_DAYS,
        max_file_bytes=limits.AUDIT_FILE_BYTES,
        max_files=limits.AUDIT_FILES,
    ),
    lockfile="imports.lock.json",
    mappings=None,
    reasoner_profile="elk",
)


def essentials_of(document: PolicyDocument) -> Essentials:
    """The same values of a policy that was read."""
    from jobs.values import QuotaSettings
    from plugin_bridge.policy.loading import policy_digest

    jobs, audit = document.jobs, document.audit
    return Essentials(
        digest=policy_digest(document),
        project_id=document.project_id,
        quotas=QuotaSettings(
            allowed_types=_with_their_followers(jobs.allowed_types),
            workers=jobs.workers,
            queue_capacity=jobs.queue_capacity,
            active_per_principal=jobs.active_per_principal,
            retained_per_principal=jobs.retained_per_principal,
            retained_per_backend=jobs.retained_per_backend,
            retention_s=jobs.retention_seconds,
        ),
        audit=AuditSettings(
            retention_days=audit.retention_days,
            max_file_bytes=audit.max_file_bytes,
            max_files=audit.max_files,
        ),
        lockfile=document.imports.lockfile,
        mappings=document.mappings.path,
        reasoner_profile=document.reasoning.profile,
    )


def _with_their_followers(named: Iterable[JobType]) -> frozenset[JobType]:
    """The types that a policy names and those that are allowed with one of them."""
    from jobs.values import ALLOWED_WITH

    allowed = frozenset(named)
    return allowed | {each for each, other in ALLOWED_WITH.items() if other in allowed}
