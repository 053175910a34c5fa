"""The exception tree, sorted by what the caller may conclude.

    ProtegeJobsError     code (class constant), retryable, message fit for a stranger, details (JSON)
    ├─ Refused           nothing happened
    ├─ Unfit             the work ran, the input is at fault
    ├─ Failed            a machine fault
    └─ Uncertain         the outcome is not known; look before trying again

One leaf, one snake_case code, for ever (`tests/golden/error_codes.json`). Branch on classes,
never on message text. Messages carry no absolute path, token, cause text or trace of another
owner. A leaf's docstring says when it is raised and names the clause of the contract.
The file is long because the tree stands in one place: a reader sees every code there is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import ClassVar, Final

from jobs import limits

type_of_code: dict[str, type[ProtegeJobsError]] = {}
"""Every leaf by its code; filled as the classes below are made."""


class ProtegeJobsError(Exception):
    """Root of all errors that a caller may see."""

    code: ClassVar[str] = ""
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = ""

    message: str
    details: dict[str, object]

    def __init__(self, message: str | None = None, *, details: Mapping[str, object] | None = None) -> None:
        self.message = clip_utf8(message or self.default_message or self.code, limits.ERROR_MESSAGE_BYTES)
        self.details = bounded_details(details or {})
        super().__init__(self.message)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "code" in cls.__dict__:
            if cls.code in type_of_code:
                raise TypeError(f"error code {cls.code!r} is taken")
            type_of_code[cls.code] = cls

    def body(self) -> dict[str, object]:
        """The four fields of a tool failure, and `error` repeating the message (W 2.3)."""
        return {
            "error": self.message,
            "code": self.code,
            "message": self.message,
            "details": self.details,
            "retryable": self.retryable,
        }


class Refused(ProtegeJobsError):
    """Nothing happened: `details.effects_prevented` says so, first, so that no bound cuts it off."""

    def __init__(self, message: str | None = None, *, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message, details={"effects_prevented": True, **(details or {})})


class Unfit(ProtegeJobsError):
    """The work ran and the input is at fault: the job is `failed`, a repeat fails alike."""


class Failed(ProtegeJobsError):
    """A machine fault; a retry may succeed where `retryable` says so."""


class Uncertain(ProtegeJobsError):
    """The outcome is not known yet: look at the state before trying again."""

    def __init__(self, message: str | None = None, *, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message, details={"retry_requires_state_check": True, **(details or {})})


# --- Refused: the request and its authority (W 3) -------------------------------------------------


class InvalidRequest(Refused):
    """The arguments do not have the published shape."""

    code = "invalid_request"


class UnknownJobType(Refused):
    """`type` is not one of the job types."""

    code = "unknown_job_type"


class InvalidJobLimit(Refused):
    """`limit` of `list_jobs` is outside 1..100."""

    code = "invalid_job_limit"
    default_message = "limit must be an integer from 1 to 100."


class InvalidJobCursor(Refused):
    """Foreign, altered or outlived cursor: one answer for all three (W 3.6)."""

    code = "invalid_job_cursor"
    default_message = "This cursor is not valid here. Start again from the first page, without a cursor."


class UnknownJob(Refused):
    """Absent, foreign, expired, or from another window: one constant answer (W 1.7)."""

    code = "unknown_job"
    default_message = "No such job of yours in this window."


class UnknownJobArtifact(Refused):
    """The owned job has no such retained artifact (W 9.1)."""

    code = "unknown_job_artifact"
    default_message = "This job has no such retained artifact."


class AuthorizationDenied(Refused):
    """The grant lacks a capability; `details.missing_capabilities` names it."""

    code = "authorization_denied"


class AuthorizationRevoked(Refused):
    """The grant or client was revoked, or the window is closing."""

    code = "authorization_revoked"
    default_message = "This authorization is no longer valid here."


class IdempotencyConflict(Refused):
    """The key is bound to another input identity (W 5.4)."""

    code = "idempotency_conflict"


class JobTypeDisabled(Refused):
    """The policy's `jobs.allowed_types` omits the type."""

    code = "job_type_disabled"


# --- Refused: policy (W 3.3, 4.6) -----------------------------------------------------------------


class PolicyRequired(Refused):
    """No policy can be had: no local folder, or a policy file that does not load."""

    code = "job_policy_required"


class PolicyUnavailable(Refused):
    """The policy could not be read just now."""

    code = "job_policy_unavailable"
    retryable = True


class PolicyInvalid(Refused):
    """The effective `jobs` block is outside product bounds."""

    code = "job_policy_invalid"


class RetentionBelowActive(Refused):
    """`retained_per_principal` is below `active_per_principal` (W 4.6)."""

    code = "job_retention_below_active"


class BackendRetentionBelowPrincipal(Refused):
    """`retained_per_backend` is below `retained_per_principal` (W 4.6)."""

    code = "job_backend_retention_below_principal"


# --- Refused: admission (W 7.2, 7.3) --------------------------------------------------------------


class ActiveQuotaExceeded(Refused):
    """The principal already has the allowed number of unfinished jobs."""

    code = "job_active_quota_exceeded"
    retryable = True


class RetentionQuotaExceeded(Refused):
    """The principal's retained jobs are full and none may go yet."""

    code = "job_retention_quota_exceeded"
    retryable = True


class BackendQuotaExceeded(Refused):
    """The window's retained jobs are full and none may go yet."""

    code = "job_backend_quota_exceeded"
    retryable = True


class CaptureCapacityExceeded(Refused):
    """Too many captures are in flight."""

    code = "job_capture_capacity_exceeded"
    retryable = True


class QueueFull(Refused):
    """No queue slot is left."""

    code = "job_queue_full"
    retryable = True


class AdmissionExpired(Refused):
    """The job that made this retry idempotent vanished during capture."""

    code = "job_admission_expired"
    retryable = True


class AdmissionInvalid(Refused):
    """A reservation was misused; a defect of ours."""

    code = "job_admission_invalid"


# --- Refused: capture (W 3.3, 6) ------------------------------------------------------------------


class InputChanged(Refused):
    """An input moved while it was being captured."""

    code = "job_input_changed"
    retryable = True


class SnapshotTooLarge(Refused):
    """The import closure has more axioms than a job may hold."""

    code = "job_snapshot_too_large"


class SecondaryInputInvalid(Refused):
    """The right document is missing, no stable regular file, or too large."""

    code = "job_secondary_input_invalid"
    retryable = True


class DiffScopeUnsupported(Refused):
    """`include_imports` other than false."""

    code = "job_semantic_diff_scope_unsupported"


class DiffNetworkUnsupported(Refused):
    """`network` other than `deny`, or a right document that is not local."""

    code = "job_semantic_diff_network_unsupported"


class ReasonerRequired(Refused):
    """No reasoner is selected."""

    code = "job_reasoner_required"


class ReasonerNotCancellable(Refused):
    """The profile is not reviewed, not cancellable, or failed its live probe (W 8.8)."""

    code = "job_reasoner_not_cancellable"


class ReasonerUnavailable(Refused):
    """The reasoner could not be started just now (decision 19)."""

    code = "job_reasoner_unavailable"
    retryable = True


class JavaUnavailable(Refused):
    """The work needs a Java runtime, or jars, that are not installed here (overview, "Dependencies")."""

    code = "java_unavailable"


class ClassificationNotSupported(Refused):
    """The profile lacks a supported `class_hierarchy`."""

    code = "job_classification_not_supported"


class JobTypeUnavailable(Refused):
    """The type is known but this version has no operation for it."""

    code = "job_type_unavailable"


class MaterializationLiveLimitExceeded(Refused):
    """A count limit is above what one commit of this window may hold (W 4.4)."""

    code = "materialization_live_limit_exceeded"


class MaterializationDestinationUnavailable(Refused):
    """A destination kind that other hosts have and a window has not (W 4.4)."""

    code = "materialization_destination_unavailable"


class HostUnavailable(Refused):
    """The window's host does not answer (decision 36)."""

    code = "host_unavailable"
    retryable = True


# --- Refused: export (W 9.6) ----------------------------------------------------------------------


class ConfirmationRequired(Refused):
    """`confirm` must be true."""

    code = "confirmation_required"
    default_message = "Set confirm to true to allow writing this file."


class ExpectedTargetDigestRequired(Refused):
    """`overwrite` and `expected_target_digest` go together."""

    code = "expected_target_digest_required"


class ArtifactTargetExists(Refused):
    """The target exists and `overwrite` is false."""

    code = "job_artifact_target_exists"


class ExpectedTargetMissing(Refused):
    """`overwrite` is true and there is no target."""

    code = "expected_target_missing"
    retryable = True


class TargetDigestMismatch(Refused):
    """The target is not the file that was reviewed."""

    code = "target_digest_mismatch"
    retryable = True


class ArtifactTargetTooLarge(Refused):
    """The existing target is larger than an export may replace."""

    code = "job_artifact_target_too_large"


class ArtifactWriteVerificationFailed(Refused):
    """The staged bytes do not verify."""

    code = "job_artifact_write_verification_failed"
    retryable = True


class ArtifactExportFailed(Refused):
    """The export failed before publication."""

    code = "job_artifact_export_failed"
    retryable = True


class ReadOnly(Refused):
    """The window is read-only."""

    code = "read_only"


class WriteDeclined(Refused):
    """The person declined, or nobody answered."""

    code = "write_declined"


class ConfirmationStateChanged(Refused):
    """The read-only or confirmation setting moved meanwhile."""

    code = "confirmation_state_changed"
    retryable = True


class ArtifactRecoveryAmbiguous(Refused):
    """Leftovers of an interrupted export need a person."""

    code = "job_artifact_recovery_ambiguous"


# --- Unfit ----------------------------------------------------------------------------------------


class InvalidOntology(Unfit):
    """The document cannot be read whole; details may give `line`, `construct`, `format`."""

    code = "invalid_ontology"


class ReasonerRefusedInput(Unfit):
    """The reasoner does not take this ontology; the message names the construct."""

    code = "reasoner_refused_input"


class EntityUnresolved(Unfit):
    """A name of the request stands for no entity of the ontology, or for several; details list which."""

    code = "entity_unresolved"


class BoundExceeded(Unfit):
    """A bound of the request or product stopped the work."""

    code = "job_bound_exceeded"


class ResultTooLarge(Unfit):
    """The result object is above 1 MiB."""

    code = "job_result_too_large"


class ArtifactTooLarge(Unfit):
    """One artifact is above its bound."""

    code = "job_artifact_too_large"


class ArtifactQuotaExceeded(Unfit):
    """The job's artifacts together are above their bound."""

    code = "job_artifact_quota_exceeded"


# --- Failed ---------------------------------------------------------------------------------------


class ExecutionFailed(Failed):
    """The operation ended in an unforeseen way; `details.failure_type` names its kind."""

    code = "job_execution_failed"


class WorkerLost(Failed):
    """The worker process ended without a result."""

    code = "job_worker_lost"
    retryable = True


class ResultInvalid(Failed):
    """The operation's result does not have its declared shape."""

    code = "job_result_invalid"


class RunTimedOut(Failed):
    """The command line's `--timeout` passed before the job had a result."""

    code = "run_timed_out"
    retryable = True


class SchedulerFailed(Failed):
    """The job could not be handed to a worker."""

    code = "job_scheduler_failed"
    retryable = True


class ArtifactBackendQuotaExceeded(Failed):
    """All staged artifacts of the window together are above their bound."""

    code = "job_artifact_backend_quota_exceeded"
    retryable = True


class StorageFailed(Failed):
    """Private storage could not be written or read."""

    code = "job_storage_failed"
    retryable = True


class PublicationStarted(Failed):
    """Staging or progress after the fence left `OPEN`; a defect of ours."""

    code = "job_publication_started"


class CommitAlreadyStarted(Failed):
    """A second commit permit was asked for; a defect of ours."""

    code = "job_commit_already_started"


class GuardLeaseMissing(Failed):
    """A commit without its leases; a defect of ours."""

    code = "job_guard_lease_missing"


class AuditIntentFailed(Failed):
    """The commit's intent could not be recorded, so nothing was committed."""

    code = "job_audit_intent_failed"
    retryable = True


# --- Uncertain ------------------------------------------------------------------------------------


class CommitOutcomeUnknown(Uncertain):
    """The irreversible step began and its end was not seen."""

    code = "job_commit_outcome_unknown"


class PublicationFailedAfterCommit(Uncertain):
    """Committed, but the result could not be published."""

    code = "job_publication_failed_after_commit"


class ArtifactExportOutcomeUnknown(Uncertain):
    """The export's replacement may have happened."""

    code = "job_artifact_export_outcome_unknown"


# --- Bounds and the wire --------------------------------------------------------------------------


def from_wire(code: str, message: str, details: Mapping[str, object]) -> ProtegeJobsError:
    """The error a worker process reported, as the class its code names.

    An unknown code becomes `ExecutionFailed` whose details name it: a worker of another version
    must not be able to invent codes.
    """
    known = type_of_code.get(code)
    if known is None:
        return ExecutionFailed(message, details={**details, "failure_type": code})
    return known(message, details=details)


_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
"""Line breaks, control characters, and what turns the direction of all that follows."""


def in_one_line(text: str) -> str:
    """The text as a reader may be shown it: a label cannot add lines to it, nor steer a terminal."""
    return _UNSEEN.sub(" ", text)


def clip_utf8(text: str, limit_bytes: int) -> str:
    """The text cut at a character so that its UTF-8 form keeps to the bound; lone surrogates become `?`."""
    raw = text.encode("utf-8", "replace")
    return raw[:limit_bytes].decode("utf-8", "ignore")


def bounded_details(details: Mapping[str, object]) -> dict[str, object]:
    """Details within the bounds of W 2.3; what does not fit is cut, and `truncated` says so."""
    bounded = {clip_utf8(str(key), 128): _bounded(value, 1) for key, value in _first(details)}
    text = json.dumps(bounded, separators=(",", ":"), ensure_ascii=False)
    if len(text.encode("utf-8")) > limits.ERROR_DETAILS_BYTES:
        kept = {key: value for key, value in bounded.items() if isinstance(value, bool | int | float | None)}
        return {**kept, "truncated": True}
    return bounded


def _first(mapping: Mapping[str, object]) -> list[tuple[str, object]]:
    return list(mapping.items())[: limits.ERROR_DETAILS_KEYS]


def _bounded(value: object, depth: int) -> object:
    match value:
        case bool() | int() | None:
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else None
        case str():
            return clip_utf8(value, limits.ERROR_DETAILS_STRING_BYTES)
        case _ if depth >= limits.ERROR_DETAILS_DEPTH:
            return clip_utf8(type(value).__name__, 128)
        case Mapping():
            return {clip_utf8(str(key), 128): _bounded(item, depth + 1) for key, item in _first(value)}
        case list() | tuple() | set() | frozenset():
            return [_bounded(item, depth + 1) for item in list(value)[: limits.ERROR_DETAILS_ITEMS]]
        case _:
            return clip_utf8(str(value), limits.ERROR_DETAILS_STRING_BYTES)
