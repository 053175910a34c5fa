"""The wire form of a job: exactly the 25 keys of W 2.1, written and strictly read.

Invariant: `parse_descriptor(describe(job)) == job` for every job; a descriptor that contradicts
itself (digests, mirrored flags, state table) is refused.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, cast

from jobs import limits
from jobs.clock import parse_rfc3339, rfc3339
from jobs.digests import Digest, canonical_json, is_digest
from jobs.errors import ResultInvalid, ResultTooLarge
from jobs.values import (
    ArtifactId,
    ArtifactReference,
    Fence,
    InputIdentity,
    Job,
    JobError,
    JobId,
    JobType,
    Json,
    ModelRevision,
    Owner,
    Progress,
    Result,
    SecondaryInput,
    State,
    WorkspaceId,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

_CAPABILITY: Final = re.compile(r"[a-z][a-z0-9_.-]{0,63}:[a-z][a-z0-9_.:-]{0,127}")
_SECONDARY_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}"
_MEDIA_TYPE: Final = re.compile(f"{_NAME}/{_NAME}")


# --- writing --------------------------------------------------------------------------------------


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
        size = max(len(_compact({**shape, "audit_incomplete": flag})) for flag in (True, False))
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


# --- reading --------------------------------------------------------------------------------------


def parse_descriptor(shape: Mapping[str, object]) -> Job:
    """Read a descriptor back, refusing any key, type or contradiction that `describe` cannot write.

    A terminal fence is told by its flags; a succeeded job without `commit_started` has published.

    Raises:
        ValueError: what is wrong, by field name.
    """
    job = _read(shape)
    written = describe(job)
    # Whatever is derived or mirrored (digests, flags, base revision, discriminator) must agree,
    # whatever is unknown or missing must show: comparing with our own writing checks all at once.
    names = sorted(str(key) for key in written.keys() | shape.keys() if not _agrees(written, shape, key))
    if names:
        raise ValueError(f"the descriptor contradicts itself in {', '.join(names)}")
    return job


def parse_identity(shape: Mapping[str, object]) -> InputIdentity:
    """Read an input identity and recompute its digest (W 5.1).

    Raises:
        ValueError: a malformed field, an unknown key, or a digest that is not the recomputed one.
    """
    identity = _read_identity(shape)
    written = describe_identity(identity)
    if not all(_agrees(written, shape, key) for key in written.keys() | shape.keys()):
        raise ValueError("the identity digest or a field of the input identity does not hold")
    return identity


def _read(shape: Mapping[str, object]) -> Job:
    owner = Owner(
        workspace_id=WorkspaceId(_text(shape, "workspace_id")),
        principal_fingerprint=_digest(shape, "principal_fingerprint"),
        client_fingerprint=_digest(shape, "client_fingerprint"),
        grant_fingerprint=_digest(shape, "grant_fingerprint"),
    )
    state = State(_text(shape, "state"))
    capabilities = tuple(str(each) for each in _list(shape, "required_capabilities"))
    if not 0 < len(capabilities) <= limits.REQUIRED_CAPABILITIES or not all(
        _CAPABILITY.fullmatch(each) for each in capabilities
    ):
        raise ValueError("required_capabilities")
    result, error = shape.get("result"), shape.get("error")
    return Job(
        job_id=JobId(_text(shape, "job_id")),
        owner=owner,
        type=JobType(_text(shape, "type")),
        state=state,
        fence=_fence(shape, state),
        created_at=parse_rfc3339(_text(shape, "created_at")),
        started_at=_read_time(shape, "started_at"),
        completed_at=_read_time(shape, "completed_at"),
        progress=Progress(
            phase=_text(shape, "phase"),
            message=_text(shape, "progress_message"),
            sequence=_integer(shape, "progress_sequence"),
        ),
        idempotency_key=_text(shape, "idempotency_key"),
        required_capabilities=tuple(sorted(set(capabilities))),
        input_identity=parse_identity(_object(shape, "input_identity")),
        result=None if result is None else _read_result(_object(shape, "result")),
        error=None if error is None else _read_error(_object(shape, "error")),
    )


def _fence(shape: Mapping[str, object], state: State) -> Fence:
    if shape.get("cancellation_requested") is True:
        return Fence.CANCELLED
    if shape.get("commit_started") is True:
        return Fence.COMMIT_STARTED
    return Fence.PUBLICATION_STARTED if state is State.SUCCEEDED else Fence.OPEN


def _read_identity(shape: Mapping[str, object]) -> InputIdentity:
    secondary = []
    for each in _list(shape, "secondary_inputs"):
        item = _mapping(each, "secondary_inputs")
        secondary.append(
            SecondaryInput(
                name=_text(item, "name"),
                byte_digest=_digest(item, "byte_digest"),
                provenance_digest=_digest(item, "provenance_digest"),
            )
        )
    names = [each.name for each in secondary]
    if (
        len(names) > limits.SECONDARY_INPUTS
        or names != sorted(set(names))
        or not all(_SECONDARY_NAME.fullmatch(name) for name in names)
    ):
        raise ValueError("secondary_inputs")
    revision = _object(shape, "model_revision")
    return InputIdentity(
        model_revision=ModelRevision(
            workspace_id=WorkspaceId(_text(revision, "workspace_id")),
            session_revision=_integer(revision, "session_revision"),
            semantic_fingerprint=_digest(revision, "semantic_fingerprint"),
            document_fingerprint=_digest(revision, "document_fingerprint"),
        ),
        closure_fingerprint=_digest(shape, "closure_fingerprint"),
        import_lock_digest=_digest_or_none(shape, "import_lock_digest"),
        mapping_revision=_digest_or_none(shape, "mapping_revision"),
        policy_digest=_digest(shape, "policy_digest"),
        preflight_asset_digest=_digest_or_none(shape, "preflight_asset_digest"),
        reasoner_digest=_digest_or_none(shape, "reasoner_digest"),
        normalized_request_digest=_digest(shape, "normalized_request_digest"),
        secondary_inputs=tuple(secondary),
    )


def _read_result(shape: Mapping[str, object]) -> Result:
    artifacts = []
    for each in _list(shape, "artifacts"):
        item = _mapping(each, "artifacts")
        artifacts.append(
            ArtifactReference(
                artifact_id=ArtifactId(_text(item, "artifact_id")),
                media_type=_text(item, "media_type"),
                sha256=_digest(item, "sha256"),
                size_bytes=_integer(item, "bytes"),
                created_at=parse_rfc3339(_text(item, "created_at")),
                expires_at=parse_rfc3339(_text(item, "expires_at")),
            )
        )
    current = shape.get("current")
    return Result(
        structured=dict(_object(shape, "structured")),
        artifacts=tuple(artifacts),
        audit_incomplete=shape.get("audit_incomplete") is True,
        current=current if isinstance(current, bool) else None,
        changed_inputs=tuple(str(each) for each in _list(shape, "changed_inputs")),
    )


def _read_error(shape: Mapping[str, object]) -> JobError:
    return JobError(
        code=_text(shape, "code"),
        message=_text(shape, "message"),
        retryable=shape.get("retryable") is True,
        details=dict(_object(shape, "details")),
    )


def _agrees(written: Json, shape: Mapping[str, object], key: str) -> bool:
    """Whether both have the key with the same JSON: 0 is not false, and 1 is not 1.0."""
    if key not in written or key not in shape:
        return False
    try:
        return canonical_json([written[key]]) == canonical_json([shape[key]])
    except (TypeError, ValueError) as problem:
        raise ValueError(key) from problem


def _text(shape: Mapping[str, object], name: str) -> str:
    value = shape.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(name)
    return value


def _integer(shape: Mapping[str, object], name: str) -> int:
    value = shape.get(name)
    if type(value) is not int or value < 0:
        raise ValueError(name)
    return value


def _digest(shape: Mapping[str, object], name: str) -> Digest:
    value = _text(shape, name)
    if not is_digest(value):
        raise ValueError(name)
    return Digest(value)


def _digest_or_none(shape: Mapping[str, object], name: str) -> Digest | None:
    return None if shape.get(name) is None else _digest(shape, name)


def _read_time(shape: Mapping[str, object], name: str) -> datetime | None:
    return None if shape.get(name) is None else parse_rfc3339(_text(shape, name))


def _list(shape: Mapping[str, object], name: str) -> list[object]:
    value = shape.get(name)
    if not isinstance(value, list):
        raise ValueError(name)
    return value


def _object(shape: Mapping[str, object], name: str) -> Mapping[str, object]:
    return _mapping(shape.get(name), name)


def _mapping(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(name)
    return cast("dict[str, object]", value)
