"""Strict reading of a job's wire form.

Invariant: `parse_descriptor(describe(job)) == job`, but for a fence that the descriptor does not
tell (publication has begun, `succeeded` is not shown yet). A descriptor that contradicts itself
(digests, mirrored flags, state table) is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from jobs import limits
from jobs.clock import parse_rfc3339
from jobs.descriptor import describe, describe_identity
from jobs.digests import Digest, canonical_json, is_digest
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
