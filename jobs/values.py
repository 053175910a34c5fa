"""Frozen values that every room of the engine shares. No behaviour beyond what a value knows of itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NewType

from jobs.digests import Digest, text_digest
from jobs.job_types import ALLOWED_WITH as ALLOWED_WITH
from jobs.job_types import START_TYPES as START_TYPES
from jobs.job_types import JobType as JobType  # noqa: TC001 - others import it from here

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

JobId = NewType("JobId", str)
ArtifactId = NewType("ArtifactId", str)
WorkspaceId = NewType("WorkspaceId", str)
Json = dict[str, object]
"""A JSON object whose shape the naming docstring gives."""


class State(StrEnum):
    """Lifecycle states (W 2.5)."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCEL_PENDING = "cancel_pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether the state never changes again."""
        return self in _TERMINAL


_TERMINAL = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED})


class Fence(StrEnum):
    """The one-way fence of a job: it leaves `OPEN` once (W 8.1)."""

    OPEN = "open"
    CANCELLED = "cancelled"
    PUBLICATION_STARTED = "publication_started"
    COMMIT_STARTED = "commit_started"


class CancelOutcome(StrEnum):
    """What a cancellation request met (W 3.5)."""

    CANCELLED = "cancelled"
    CANCEL_REQUESTED = "cancel_requested"
    ALREADY_TERMINAL = "already_terminal"
    COMMIT_IN_PROGRESS = "commit_in_progress"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who owns a job: digests only, never raw identities (W 1.2, 1.3)."""

    workspace_id: WorkspaceId
    principal_fingerprint: Digest
    client_fingerprint: Digest
    grant_fingerprint: Digest

    @property
    def owner_fingerprint(self) -> Digest:
        """The text digest of the quadruple."""
        return text_digest(
            self.workspace_id, self.principal_fingerprint, self.client_fingerprint, self.grant_fingerprint
        )

    @classmethod
    def of(
        cls, workspace_id: WorkspaceId, *, principal_type: str, client_id: str, grant_id: str | None
    ) -> Owner:
        """The owner of an authenticated caller; `grant_id` is None for the static local token."""
        return cls(
            workspace_id=workspace_id,
            principal_fingerprint=text_digest(principal_type, client_id),
            client_fingerprint=text_digest(client_id),
            grant_fingerprint=text_digest(grant_id),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRevision:
    """One revision of the window's active ontology (W 2.1)."""

    workspace_id: WorkspaceId
    session_revision: int
    semantic_fingerprint: Digest
    document_fingerprint: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondaryInput:
    """One captured secondary file: its bytes and where they came from, as digests (W 4.3)."""

    name: str
    byte_digest: Digest
    provenance_digest: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class InputIdentity:
    """Everything a result depends on, as digests (W 5.1). Secondary inputs are sorted by name."""

    model_revision: ModelRevision
    closure_fingerprint: Digest
    import_lock_digest: Digest | None
    mapping_revision: Digest | None
    policy_digest: Digest
    preflight_asset_digest: Digest | None
    reasoner_digest: Digest | None
    normalized_request_digest: Digest
    secondary_inputs: tuple[SecondaryInput, ...] = ()

    @property
    def identity_digest(self) -> Digest:
        """Text digest of all parts in the order of W 5.1."""
        model = self.model_revision
        parts: list[str | None] = [
            model.workspace_id,
            str(model.session_revision),
            model.semantic_fingerprint,
            model.document_fingerprint,
            self.closure_fingerprint,
            self.import_lock_digest,
            self.mapping_revision,
            self.policy_digest,
            self.preflight_asset_digest,
            self.reasoner_digest,
            self.normalized_request_digest,
        ]
        for each in self.secondary_inputs:
            parts += [each.name, each.byte_digest, each.provenance_digest]
        return text_digest(*parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a job says of itself; `sequence` grows by one per change (W 2.1)."""

    phase: str
    message: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactReference:
    """What a result says of an artifact: no path, no owner (W 2.2)."""

    artifact_id: ArtifactId
    media_type: str
    sha256: Digest
    size_bytes: int
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobError:
    """Why a job failed, in the four fields of W 2.3."""

    code: str
    message: str
    retryable: bool
    details: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a succeeded job (W 2.2).

    `current` is None when it could not be told in time (decision 11).
    """

    structured: Json
    artifacts: tuple[ArtifactReference, ...]
    audit_incomplete: bool
    current: bool | None
    changed_inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One immutable snapshot of a job; the store holds the newest (W 2).

    `fence` is kept beside the descriptor's flags, which mirror it.

    Raises:
        ValueError: the fields contradict the state (W 2.6); a defect of ours, whoever made it.
    """

    job_id: JobId
    owner: Owner
    type: JobType
    state: State
    fence: Fence
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    progress: Progress
    idempotency_key: str
    required_capabilities: tuple[str, ...]
    input_identity: InputIdentity
    result: Result | None
    error: JobError | None

    def __post_init__(self) -> None:
        rule = _RULES[self.state]
        # Invariant: the table of W 2.6; every `replace` passes here again.
        if (
            self.fence not in rule.fences
            or (rule.started is not None and (self.started_at is not None) is not rule.started)
            or (self.completed_at is not None) is not self.state.is_terminal
            or (self.result is not None) is not (self.state is State.SUCCEEDED)
            or (self.error is not None) is not (self.state is State.FAILED)
        ):
            raise ValueError(f"a job in state {self.state} cannot have these fields")
        times = [at for at in (self.created_at, self.started_at, self.completed_at) if at is not None]
        if times != sorted(times):
            raise ValueError("the times of a job never run backwards")

    @property
    def latest_at(self) -> datetime:
        """The newest stored time; no later one may be earlier (W 2.7)."""
        return self.completed_at or self.started_at or self.created_at

    @property
    def cancellation_requested(self) -> bool:
        """Whether the tombstone is set."""
        return self.fence is Fence.CANCELLED

    @property
    def cancellation_effective(self) -> bool:
        """True exactly in `cancelled`."""
        return self.state is State.CANCELLED

    @property
    def commit_started(self) -> bool:
        """Whether an irreversible commit won the permit."""
        return self.fence is Fence.COMMIT_STARTED


@dataclass(frozen=True, slots=True, kw_only=True)
class _StateRule:
    """One row of W 2.6: allowed fences, and whether `started_at` is set (None: either)."""

    fences: frozenset[Fence]
    started: bool | None


_UNSTOPPED = frozenset({Fence.OPEN, Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED})
_RULES = {
    State.QUEUED: _StateRule(fences=frozenset({Fence.OPEN}), started=False),
    State.RUNNING: _StateRule(fences=_UNSTOPPED, started=True),
    State.CANCEL_PENDING: _StateRule(fences=frozenset({Fence.CANCELLED}), started=True),
    State.SUCCEEDED: _StateRule(fences=_UNSTOPPED - {Fence.OPEN}, started=True),
    State.FAILED: _StateRule(fences=_UNSTOPPED, started=None),
    State.CANCELLED: _StateRule(fences=frozenset({Fence.CANCELLED}), started=None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedFile:
    """A file that an operation produced inside its private work folder, not yet an artifact."""

    name: str
    media_type: str
    path: Path
    sha256: Digest
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What a computation hands to publication.

    `structured` lacks `report_artifact_id`: the service sets it from the file named `report.json`.
    """

    structured: Json
    files: tuple[StagedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSettings:
    """The configuration a job is admitted under: product limits, lowered by policy (W 4.6)."""

    allowed_types: frozenset[JobType]
    workers: int
    queue_capacity: int
    active_per_principal: int
    retained_per_principal: int
    retained_per_backend: int
    retention_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A captured, authorised request on its way into the engine.

    `idempotency_key` is None for an ordinary tool call: its job shows `call:<job_id>` and binds no
    key (decision 26).
    """

    owner: Owner
    type: JobType
    idempotency_key: str | None
    required_capabilities: tuple[str, ...]
    input_identity: InputIdentity
    request: Mapping[str, object]
