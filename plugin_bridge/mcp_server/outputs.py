"""JSON Schemas (2020-12) of what the tools answer: closed, every nullable key present (W 2, 3).

Each answer is `success` or `failure`: a failing tool puts the five keys of W 2.3 where the answer
would be, and clients that check failures against the published schema must find them there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.values import START_TYPES, CancelOutcome, JobType, State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobs.values import Json

UUID: Final[Json] = {
    "type": "string",
    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
}
DIGEST: Final[Json] = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
TIMESTAMP: Final[Json] = {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "Z$"}
_CODE: Final[Json] = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"}
_BOOLEAN: Final[Json] = {"type": "boolean"}
_AXIOMS_MAX: Final = 100_000


def closed(properties: Mapping[str, object], optional: Sequence[str] = ()) -> Json:
    """An object with exactly these keys; all but `optional` are always there."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [key for key in properties if key not in optional],
        "additionalProperties": False,
    }


def answer(success: Json, definitions: Mapping[str, object] | None = None) -> Json:
    """The output schema of a tool: its success, or the failure every tool shares."""
    return {
        "type": "object",
        "oneOf": [success, {"$ref": "#/$defs/failure"}],
        "$defs": {**(definitions or {}), "failure": _failure()},
    }


def start_job() -> Json:
    """`job` and `reused`."""
    return answer(closed({"job": _ref("job"), "reused": _BOOLEAN}), _descriptor(START_TYPES))


def get_job() -> Json:
    """`job`."""
    return answer(closed({"job": _ref("job")}), _descriptor())


def cancel_job() -> Json:
    """`job` as observed after the request, and `outcome`."""
    outcome = {"enum": [each.value for each in CancelOutcome]}
    return answer(closed({"job": _ref("job"), "outcome": outcome}), _descriptor())


def list_jobs() -> Json:
    """`jobs`, newest first; `next_cursor` exactly when more remain."""
    jobs = {"type": "array", "items": _ref("job"), "maxItems": limits.LIST_LIMIT}
    cursor = {"type": "string", "minLength": 1, "maxLength": limits.CURSOR_CHARACTERS}
    return answer(closed({"jobs": jobs, "next_cursor": cursor}, optional=["next_cursor"]), _descriptor())


def export_job_artifact() -> Json:
    """The eight fields of the seed, no other (W 3.7, decision 25)."""
    return answer(
        closed(
            {
                "exported": {"const": True},
                "job_id": UUID,
                "artifact_id": UUID,
                "path": _text(limits.PATH_CHARACTERS),
                "sha256": DIGEST,
                "bytes": _integer(0, limits.ARTIFACT_BYTES),
                "overwritten": _BOOLEAN,
                "interactive_write_confirmation": _BOOLEAN,
            }
        )
    )


def read_job_artifact() -> Json:
    """A part of an artifact as text; `next_offset` is null at the end, `bytes` the whole size."""
    return answer(
        closed(
            {
                "text": {"type": "string", "maxLength": limits.ARTIFACT_READ_BYTES},
                "next_offset": _nullable(_integer(1, limits.ARTIFACT_BYTES)),
                "bytes": _integer(0, limits.ARTIFACT_BYTES),
            }
        )
    )


def describe_window() -> Json:
    """What is open here and what the caller may do (decision 24)."""
    name: Json = {"type": "string"}
    names: Json = {"type": "array", "items": name}
    statuses = {"enum": ["supported", "unsupported", "unknown", "untested"]}
    ontology = {
        "iri": _nullable(name),
        "version_iri": _nullable(name),
        "format": name,
        "axioms": _integer(0),
        "logical_axioms": _integer(0),
        "closure_axioms": _integer(0),
        "semantic_fingerprint": DIGEST,
        "reading_warnings": names,
        "reading_warning_count": _integer(0),
    }
    reasoner = {
        "profile_id": name,
        "name": _nullable(name),
        "version": _nullable(name),
        "reviewed": _BOOLEAN,
        "capabilities": {"type": "object", "additionalProperties": statuses},
        "probe": _nullable(_probe()),
    }
    policy = {"loaded": _BOOLEAN, "path": _nullable(name), "digest": DIGEST, "project_id": name}
    types = {"type": "array", "items": {"enum": [each.value for each in START_TYPES]}, "uniqueItems": True}
    return answer(
        closed(
            {
                "title": name,
                "workspace_id": UUID,
                "session_revision": _integer(0),
                "ontology": closed(ontology),
                "imports": closed({"declared": names, "loaded": names, "missing": names}),
                "reasoner": closed(reasoner),
                "policy": closed(policy),
                "job_types": types,
                "capabilities": names,
                "read_only": _BOOLEAN,
            }
        )
    )


def _probe() -> Json:
    """How the live probe of a reasoner's cancellation ended: wall times and stop path (W 8.9)."""
    seconds: Json = {"type": "number", "minimum": 0}
    return closed(
        {
            "profile_id": {"type": "string"},
            "passed": _BOOLEAN,
            "started_in_s": seconds,
            "stopped_in_s": seconds,
            "stopped_by": {"enum": ["itself", "kill", ""]},
            "problem": {"type": "string"},
        }
    )


# --- The descriptor -------------------------------------------------------------------------------


def _descriptor(types: Sequence[JobType] = tuple(JobType)) -> Json:
    """The definitions of a descriptor that may be of these types."""
    return {
        "job": _job(types),
        "input_identity": _input_identity(),
        "model_revision": _model_revision(),
        "result": _result(types),
        "structured": {"oneOf": [_SUMMARIES[each]() for each in types]},
        "artifact": _artifact(),
        "job_error": _error(),
    }


def _job(job_types: Sequence[JobType]) -> Json:
    fingerprints = ("owner", "principal", "client", "grant")
    capability = {
        "type": "string",
        "pattern": "^[a-z][a-z0-9_.-]{0,63}:[a-z][a-z0-9_.:-]{0,127}$",
    }
    capabilities = {
        "type": "array",
        "items": capability,
        "minItems": 1,
        "maxItems": limits.REQUIRED_CAPABILITIES,
        "uniqueItems": True,
    }
    types = {"enum": [each.value for each in job_types]}
    return closed(
        {
            "job_id": UUID,
            "workspace_id": UUID,
            **{f"{each}_fingerprint": DIGEST for each in fingerprints},
            "type": types,
            "state": {"enum": [each.value for each in State]},
            "created_at": TIMESTAMP,
            "started_at": _nullable(TIMESTAMP),
            "completed_at": _nullable(TIMESTAMP),
            "base_revision": _ref("model_revision"),
            "policy_digest": DIGEST,
            "phase": _CODE,
            "progress_message": _text(limits.PROGRESS_MESSAGE_BYTES),
            "progress_sequence": _integer(0),
            "cancellation_requested": _BOOLEAN,
            "cancellation_effective": _BOOLEAN,
            "commit_started": _BOOLEAN,
            "idempotency_key": _text(limits.IDEMPOTENCY_KEY_CHARACTERS),
            "required_capabilities": capabilities,
            "input_identity": _ref("input_identity"),
            "result_discriminator": types,
            "result": _nullable(_ref("result")),
            "error": _nullable(_ref("job_error")),
        }
    )


def _model_revision() -> Json:
    return closed(
        {
            "workspace_id": UUID,
            "session_revision": _integer(0),
            "semantic_fingerprint": DIGEST,
            "document_fingerprint": DIGEST,
        }
    )


def _input_identity() -> Json:
    secondary = closed(
        {
            "name": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_.-]{0,63}$"},
            "byte_digest": DIGEST,
            "provenance_digest": DIGEST,
        }
    )
    return closed(
        {
            "model_revision": _ref("model_revision"),
            "closure_fingerprint": DIGEST,
            "import_lock_digest": _nullable(DIGEST),
            "mapping_revision": _nullable(DIGEST),
            "preflight_asset_digest": _nullable(DIGEST),
            "reasoner_digest": _nullable(DIGEST),
            "policy_digest": DIGEST,
            "normalized_request_digest": DIGEST,
            "secondary_inputs": {
                "type": "array",
                "items": secondary,
                "maxItems": limits.SECONDARY_INPUTS,
            },
            "identity_digest": DIGEST,
        }
    )


def _result(types: Sequence[JobType]) -> Json:
    names = {
        "type": "array",
        "items": {"type": "string"},
        "maxItems": limits.CHANGED_INPUTS,
        "uniqueItems": True,
    }
    return closed(
        {
            "discriminator": {"enum": [each.value for each in types]},
            "structured": _ref("structured"),
            "artifacts": {
                "type": "array",
                "items": _ref("artifact"),
                "maxItems": limits.ARTIFACTS_PER_JOB,
            },
            "audit_incomplete": _BOOLEAN,
            "current": {"type": ["boolean", "null"]},
            "changed_inputs": names,
        }
    )


def _artifact() -> Json:
    side = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,63}"
    return closed(
        {
            "artifact_id": UUID,
            "media_type": {"type": "string", "pattern": f"^{side}/{side}$"},
            "sha256": DIGEST,
            "bytes": _integer(0, limits.ARTIFACT_BYTES),
            "created_at": TIMESTAMP,
            "expires_at": TIMESTAMP,
        }
    )


def _error() -> Json:
    return closed(
        {
            "code": _CODE,
            "message": _text(limits.ERROR_MESSAGE_BYTES),
            "retryable": _BOOLEAN,
            "details": {"type": "object"},
        }
    )


def _failure() -> Json:
    return closed(
        {
            "error": _text(limits.ERROR_MESSAGE_BYTES),
            "code": _CODE,
            "message": _text(limits.ERROR_MESSAGE_BYTES),
            "details": {"type": "object"},
            "retryable": _BOOLEAN,
        }
    )


# --- Summaries by type (W 4) ----------------------------------------------------------------------


def _classification() -> Json:
    unknown = ["unsupported", "unknown", "untested"]
    return _summary(
        JobType.CLASSIFICATION,
        {
            "classification_completed": {"const": True},
            "consistency_status": {"enum": ["consistent", "inconsistent", *unknown]},
            "unsatisfiable_status": {"enum": ["complete", "not_applicable", *unknown]},
            "unsatisfiable_count": _nullable(_integer(0, limits.UNSATISFIABLE_COUNT_MAX)),
            "capability_limited": _BOOLEAN,
            "reasoner_digest": DIGEST,
        },
    )


def _project_qc() -> Json:
    return _summary(
        JobType.PROJECT_QC,
        {
            "gate": {"enum": ["pass", "fail", "error"]},
            "stages_ran": _integer(0, 64),
            "stages_skipped": _integer(0, 64),
            "finding_count": _integer(0, 1_000_000),
            "semantic_fingerprint": DIGEST,
        },
    )


def _semantic_diff() -> Json:
    return _summary(
        JobType.SEMANTIC_DIFF,
        {
            "identical": _BOOLEAN,
            "compatibility": {"enum": ["metadata_only", "non_breaking", "potentially_breaking"]},
            "added_axioms": _integer(0),
            "removed_axioms": _integer(0),
        },
    )


def _materialization() -> Json:
    return _summary(
        JobType.INFERENCE_MATERIALIZATION,
        {
            "materialization_artifact_id": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,128}$"},
            "materialization_artifact_fingerprint": DIGEST,
            "materialization_digest": DIGEST,
            "axiom_count": _integer(0, _AXIOMS_MAX),
        },
    )


def _explanation() -> Json:
    iri: Json = {"type": "string"}
    kinds = {"unsatisfiable": ("class",), "subsumption": ("sub", "super"), "inconsistency": ()}
    goals = [closed({"kind": {"const": kind}, **dict.fromkeys(keys, iri)}) for kind, keys in kinds.items()]
    return _summary(
        JobType.REASONING_EXPLAIN,
        {
            "goal": {"oneOf": goals},
            "goal_chosen": {"enum": ["requested", "default"]},
            "holds": {"type": ["boolean", "null"]},
            "justification_count": _integer(0, limits.JUSTIFICATIONS),
            "all_found": _BOOLEAN,
            "reasoner_digest": DIGEST,
        },
    )


_SUMMARIES: Final = {
    JobType.CLASSIFICATION: _classification,
    JobType.PROJECT_QC: _project_qc,
    JobType.SEMANTIC_DIFF: _semantic_diff,
    JobType.INFERENCE_MATERIALIZATION: _materialization,
    JobType.REASONING_EXPLAIN: _explanation,
}


def _summary(kind: JobType, properties: Json) -> Json:
    return closed({"kind": {"const": kind.value}, **properties, "report_artifact_id": UUID})


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def _nullable(schema: Json) -> Json:
    return {"anyOf": [schema, {"type": "null"}]}


def _text(longest: int) -> Json:
    return {"type": "string", "minLength": 1, "maxLength": longest}


def _integer(least: int, most: int | None = None) -> Json:
    bound: Json = {} if most is None else {"maximum": most}
    return {"type": "integer", "minimum": least, **bound}
