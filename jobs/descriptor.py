"""The wire form of a job: exactly the 25 keys of W 2.1. `descriptor_reading.py` reads it back."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.clock import rfc3339
from jobs.errors import ResultInvalid, ResultTooLarge

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.values import (
        ArtifactReference,
        InputIdentity,
        Job,
        JobError,
        JobType,
        Json,
        ModelRevision,
        Result,
    )

_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}"
_MEDIA_TYPE: Final = re.compile(f"{_NAME}/{_NAME}")


def describe(job: Job) -> Json:
    """The descriptor of a job, ready for JSON."""
    owner = job.owner
    return {
        "job_id": job.job_id,
        "workspace_id": owner.workspace_id,
        "owner_fingerprint": owner.owner_fingerprint,
        "principal_fingerprint": owner.principal_fingerprint,
        "client_fingerprint": owner.client_fingerprint,
        "grant_fingerprint": owner.grant_fingerprint,
        "type": job.type.value,
        "state": job.state.value,
        "created_at": rfc3339(job.created_at),
        "started_at": _time(job.started_at),
        "completed_at": _time(job.completed_at),
        "base_revision": _describe_revision(job.input_identity.model_revision),
        "policy_digest": job.input_identity.policy_digest,
        "phase": job.progress.phase,
        "progress_message": job.progress.message,
        "progress_sequence": job.progress.sequence,
        "cancellation_requested": job.cancellation_requested,
        "cancellation_effective": job.cancellation_effective,
        "commit_started": job.commit_started,
        "idempotency_key": job.idempotency_key,
        "required_capabilities": list(job.required_capabilities),
        "input_identity": describe_identity(job.input_identity),
        "result_discriminator": job.type.value,
        "result": None if job.result is None else describe_result(job.type, job.result),
        "error": None if job.error is None else describe_error(job.error),
    }


def describe_identity(identity: InputIdentity) -> Json:
    """An input identity with its digest (W 5.1)."""
    return {
        "model_revision": _describe_revision(identity.model_revision),
        "closure_fingerprint": identity.closure_fingerprint,
        "import_lock_digest": identity.import_lock_digest,
        "mapping_revision": identity.mapping_revision,
        "preflight_asset_digest": identity.preflight_asset_digest,
        "reasoner_digest": identity.reasoner_digest,
        "policy_digest": identity.policy_digest,
        "normalized_request_digest": identity.normalized_request_digest,
        "secondary_inputs": [
            {"name": each.name, "byte_digest": each.byte_digest, "provenance_digest": each.provenance_digest}
            for each in identity.secondary_inputs
        ],
        "identity_digest": identity.identity_digest,
    }


def describe_result(job_type: JobType, result: Result) -> Json:
    """A Result object (W 2.2): also the `structuredContent` of an ordinary tool (decision 26)."""
    return {
        "discriminator": job_type.value,
        "structured": result.structured,
        "artifacts": [_describe_artifact(each) for each in result.artifacts],
        "audit_incomplete": result.audit_incomplete,
        "current": result.current,
        "changed_inputs": list(result.changed_inputs),
    }


def describe_error(error: JobError) -> Json:
    """The four fields of a failed job (W 2.3)."""
    return {
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
        "details": error.details,
    }


def check_result(job_type: JobType, result: Result) -> None:
    """Refuse a result that no descriptor may show. The larger of its two final forms counts (W 10.4).

    Raises:
        ResultInvalid: not JSON, too many artifacts or names, a malformed media type
            (`job_result_invalid`).
        ResultTooLarge: above 1 MiB as compact UTF-8 JSON (`job_result_too_large`).
    """
    if len(result.artifacts) > limits.ARTIFACTS_PER_JOB or len(result.changed_inputs) > limits.CHANGED_INPUTS:
        raise ResultInvalid("The operation returned more artifacts or changed inputs than a result may hold.")
    if not all(_MEDIA_TYPE.fullmatch(each.media_type) for each in result.artifacts):
        raise ResultInvalid("The operation returned an artifact whose media type is malformed.")
    shape = describe_result(job_type, result)
    try:
        # `false` is the longer word, so this is the larger of the two forms it may still take.
        size = len(_compact({**shape, "audit_incomplete": False}))
    except (TypeError, ValueError, RecursionError):
        raise ResultInvalid("The operation returned a result that is not JSON.") from None
    if size > limits.RESULT_BYTES:
        raise ResultTooLarge(
            "The result is above 1 MiB. Ask again with a smaller limit.",
            details={"maximum": limits.RESULT_BYTES, "observed": size},
        )


def _describe_revision(revision: ModelRevision) -> Json:
    return {
        "workspace_id": revision.workspace_id,
        "session_revision": revision.session_revision,
        "semantic_fingerprint": revision.semantic_fingerprint,
        "document_fingerprint": revision.document_fingerprint,
    }


def _describe_artifact(artifact: ArtifactReference) -> Json:
    return {
        "artifact_id": artifact.artifact_id,
        "media_type": artifact.media_type,
        "sha256": artifact.sha256,
        "bytes": artifact.size_bytes,
        "created_at": rfc3339(artifact.created_at),
        "expires_at": rfc3339(artifact.expires_at),
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else rfc3339(at)


def _compact(value: Json) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")
