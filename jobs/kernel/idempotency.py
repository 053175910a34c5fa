"""The 15-minute table: one key, one job, as long as the input is the same (W 5.4)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from jobs import limits
from jobs.errors import AdmissionExpired, IdempotencyConflict, InvalidRequest

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.kernel.record import Record
    from jobs.values import InputIdentity, JobType, Owner


class Binding(NamedTuple):
    """What a key is looked up by: the same key of another owner or type is another key."""

    owner: Owner
    type: JobType
    key: str


def check_key(key: str) -> None:
    """Refuse a key that no client may use: 1 to 128 characters, compared exactly (decision 9).

    Raises:
        InvalidRequest: empty, too long, or with control characters or lone surrogates.
    """
    if not 1 <= len(key) <= limits.IDEMPOTENCY_KEY_CHARACTERS or any(
        unicodedata.category(character) in ("Cc", "Cs") for character in key
    ):
        raise InvalidRequest(
            "idempotency_key must have 1 to 128 characters, without control characters or lone surrogates."
        )


def binding_of(record: Record) -> Binding:
    """The key that the record binds (if `binds_key`)."""
    job = record.job
    return Binding(job.owner, job.type, job.idempotency_key)


def is_bound(record: Record, at: datetime) -> bool:
    """Whether the record still answers for its key: 15 minutes from acceptance, exclusive at the end."""
    return record.binds_key and at < record.bound_until


def check_same(existing: Record, asked: InputIdentity) -> None:
    """Let a retry pass whose input is the one the key stands for.

    Raises:
        IdempotencyConflict: another input; `changed_inputs` names the fields, never the values, and
            `job_id` the job that holds the key (`idempotency_conflict`).
    """
    held = existing.job.input_identity
    if held.identity_digest != asked.identity_digest:
        raise IdempotencyConflict(
            "This idempotency key already stands for a job on other inputs. "
            "Read that job, or start this one under a new key.",
            details={"changed_inputs": list(changed_inputs(held, asked)), "job_id": existing.job.job_id},
        )


def check_first(*, was_retry: bool) -> None:
    """Refuse a retry that finds its job gone: its reservation has paid for nothing.

    Raises:
        AdmissionExpired: the job vanished during capture (`job_admission_expired`).
    """
    if was_retry:
        raise AdmissionExpired("The earlier job of this key expired meanwhile. Ask again.")


def changed_inputs(before: InputIdentity, after: InputIdentity) -> tuple[str, ...]:
    """Names of the identity fields that differ, in the order of W 5.1, at most 16."""
    names = [
        f"model_revision.{name}"
        for name in ("workspace_id", "session_revision", "semantic_fingerprint", "document_fingerprint")
        if getattr(before.model_revision, name) != getattr(after.model_revision, name)
    ]
    names += [
        name
        for name in (
            "closure_fingerprint",
            "import_lock_digest",
            "mapping_revision",
            "policy_digest",
            "preflight_asset_digest",
            "reasoner_digest",
            "normalized_request_digest",
        )
        if getattr(before, name) != getattr(after, name)
    ]
    here = {each.name: each for each in before.secondary_inputs}
    there = {each.name: each for each in after.secondary_inputs}
    names += [
        f"secondary_inputs.{name}"
        for name in sorted(here.keys() | there.keys())
        if here.get(name) != there.get(name)
    ]
    return tuple(names[: limits.CHANGED_INPUTS])
