"""The job engine of an ontology window. These names are all that other packages use of it.

It has never heard of Protégé, MCP, Py4J or HTTP. Names are loaded when first used (PEP 562): a
worker process imports rooms of this package and must not pay for the whole engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from jobs.artifacts import ArtifactHandle, ArtifactVault
    from jobs.audit import AuditSink, EventKind, JobEvent
    from jobs.clock import Clock, SystemClock, parse_rfc3339, rfc3339
    from jobs.computation import Committing, Computation
    from jobs.descriptor import describe, describe_error, describe_identity, describe_result
    from jobs.descriptor_reading import parse_descriptor, parse_identity
    from jobs.digests import Digest, byte_digest, canonical_json, is_digest, json_digest, text_digest
    from jobs.kernel.admission import Reservation
    from jobs.kernel.idempotency import changed_inputs
    from jobs.kernel.quotas import PRODUCT as PRODUCT_QUOTAS
    from jobs.kernel.quotas import check_settings
    from jobs.service import Accepted, JobService, Page, random_id
    from jobs.stores.contract import JobStore
    from jobs.stores.memory import MemoryStore
    from jobs.values import (
        ArtifactId,
        ArtifactReference,
        CancelOutcome,
        Computed,
        InputIdentity,
        Job,
        JobError,
        JobId,
        JobType,
        Json,
        ModelRevision,
        Owner,
        Progress,
        QuotaSettings,
        Result,
        SecondaryInput,
        StagedFile,
        State,
        Submission,
        WorkspaceId,
    )

_ROOMS: Final[dict[str, tuple[str, ...]]] = {
    "jobs.artifacts": ("ArtifactHandle", "ArtifactVault"),
    "jobs.audit": ("AuditSink", "EventKind", "JobEvent"),
    "jobs.clock": ("Clock", "SystemClock", "parse_rfc3339", "rfc3339"),
    "jobs.computation": ("Committing", "Computation"),
    "jobs.descriptor": ("describe", "describe_error", "describe_identity", "describe_result"),
    "jobs.descriptor_reading": ("parse_descriptor", "parse_identity"),
    "jobs.digests": ("Digest", "byte_digest", "canonical_json", "is_digest", "json_digest", "text_digest"),
    "jobs.kernel.admission": ("Reservation",),
    "jobs.kernel.idempotency": ("changed_inputs",),
    "jobs.kernel.quotas": ("check_settings",),
    "jobs.service": ("Accepted", "JobService", "Page", "random_id"),
    "jobs.stores.contract": ("JobStore",),
    "jobs.stores.memory": ("MemoryStore",),
    "jobs.values": (
        "ArtifactId",
        "ArtifactReference",
        "CancelOutcome",
        "Computed",
        "InputIdentity",
        "Job",
        "JobError",
        "JobId",
        "JobType",
        "Json",
        "ModelRevision",
        "Owner",
        "Progress",
        "QuotaSettings",
        "Result",
        "SecondaryInput",
        "StagedFile",
        "State",
        "Submission",
        "WorkspaceId",
    ),
}
_HOMES: Final = {name: (room, name) for room, names in _ROOMS.items() for name in names} | {
    "PRODUCT_QUOTAS": ("jobs.kernel.quotas", "PRODUCT"),
}

__all__ = [
    "PRODUCT_QUOTAS",
    "Accepted",
    "ArtifactHandle",
    "ArtifactId",
    "ArtifactReference",
    "ArtifactVault",
    "AuditSink",
    "CancelOutcome",
    "Clock",
    "Committing",
    "Computation",
    "Computed",
    "Digest",
    "EventKind",
    "InputIdentity",
    "Job",
    "JobError",
    "JobEvent",
    "JobId",
    "JobService",
    "JobStore",
    "JobType",
    "Json",
    "MemoryStore",
    "ModelRevision",
    "Owner",
    "Page",
    "Progress",
    "QuotaSettings",
    "Reservation",
    "Result",
    "SecondaryInput",
    "StagedFile",
    "State",
    "Submission",
    "SystemClock",
    "WorkspaceId",
    "byte_digest",
    "canonical_json",
    "changed_inputs",
    "check_settings",
    "describe",
    "describe_error",
    "describe_identity",
    "describe_result",
    "is_digest",
    "json_digest",
    "parse_descriptor",
    "parse_identity",
    "parse_rfc3339",
    "random_id",
    "rfc3339",
    "text_digest",
]


def __getattr__(name: str) -> object:
    """Load a name of the façade from its room."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room, inside = _HOMES[name]
    value: object = getattr(import_module(room), inside)
    globals()[name] = value
    return value
