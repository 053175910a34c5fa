"""The arguments of every tool: closed shapes, defaults and the codes of their violations (W 3, 4).

The SDK hands raw `arguments` on and would drop unknown keys of decorated tools silently, so this
is the one place where arguments are checked (decision 28). A checked request is a plain dict with
every key of its type present: defaults filled in, `None` where `policy_path` was left out.

Not decided here: whether a path is inside the project or a type is available; the window knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import (
    ConfirmationRequired,
    DiffNetworkUnsupported,
    DiffScopeUnsupported,
    ExpectedTargetDigestRequired,
    InvalidJobLimit,
    MaterializationDestinationUnavailable,
    MaterializationLiveLimitExceeded,
    UnknownJobType,
)
from jobs.values import ArtifactId, JobId, JobType
from plugin_bridge.mcp_server.shapes import Choice, Flag, Integer, Object, Several, Text, check

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.values import Json
    from plugin_bridge.mcp_server.shapes import Problem

MATERIALIZATION_LIVE_AXIOMS: Final = 500  # W 4.4: one commit must fit the model thread's budget
MATERIALIZATION_AXIOMS: Final = 100_000  # decision 20: where no editor can freeze

_UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_DIGEST = "^sha256:[0-9a-f]{64}$"
_ABSOLUTE_IRI = '^[A-Za-z][A-Za-z0-9+.-]*:[^\\u0000-\\u0020<>"{}|\\\\^`\\u007F-\\u00A0\\uD800-\\uDFFF]+$'


# --- The checked arguments ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StartArguments:
    """`start_job`; `request` has the keys of its type, defaults filled in."""

    type: JobType
    idempotency_key: str
    request: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class JobArguments:
    """`get_job` and `cancel_job`."""

    job_id: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class ListArguments:
    """`list_jobs`."""

    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArguments:
    """`export_job_artifact`; `expected_target_digest` is there exactly when `overwrite` is true."""

    job_id: JobId
    artifact_id: ArtifactId
    destination: str
    overwrite: bool
    expected_target_digest: str | None
    policy_path: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArguments:
    """`read_job_artifact`; both numbers are bytes."""

    job_id: JobId
    artifact_id: ArtifactId
    offset: int
    length: int


# --- Shapes ---------------------------------------------------------------------------------------


def _uuid(about: str) -> Text:
    return Text(about=about, longest=36, pattern=_UUID, must="a UUID in lower case, as given by start_job")


def _limit(about: str, default: int) -> tuple[Integer, int]:
    return Integer(about=about, least=0, most=limits.REQUEST_LIMIT_MAX), default


_POLICY_PATH = (
    Text(
        about="Project policy to use instead of the discovered one. Usually left out.",
        longest=limits.PATH_CHARACTERS,
    ),
    None,
)

CLASSIFICATION: Final = Object(
    about="Classify the active ontology and its imports with the selected reasoner. {} is enough.",
    optional={
        "limit": _limit(
            "Most unsatisfiable classes to list in the report.", limits.CLASSIFICATION_LIMIT_DEFAULT
        ),
        "policy_path": _POLICY_PATH,
    },
)

PROJECT_QC: Final = Object(
    about="Run the project's quality checks. {} is enough.",
    optional={
        "limit": _limit("Most samples per check.", limits.QC_LIMIT_DEFAULT),
        "lock_mode": (
            Choice(
                about="Import lock: ignore it, verify and report, or require it to be valid.",
                words=("ignore", "verify", "required"),
            ),
            "ignore",
        ),
        "policy_path": _POLICY_PATH,
    },
)

SEMANTIC_DIFF: Final = Object(
    about="Compare the active ontology (left) with one local file (right).",
    required={
        "right_document": Text(
            about="The other ontology file, inside the project; a relative path starts at the project root.",
            longest=limits.PATH_CHARACTERS,
        )
    },
    optional={
        "limit": _limit(
            "Most axiom rows per side in the report; counts stay exact.", limits.DIFF_LIMIT_DEFAULT
        ),
        "network": (
            Choice(
                about="Only deny: nothing is fetched.",
                words=("deny",),
                telling=DiffNetworkUnsupported,
            ),
            "deny",
        ),
        "include_imports": (
            Flag(
                about="Only false: the two documents themselves are compared.",
                only=False,
                telling=DiffScopeUnsupported,
            ),
            False,
        ),
        "policy_path": _POLICY_PATH,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _DestinationKind(Choice):
    """The kinds a window offers; a known kind of other hosts has a code of its own (W 4.4)."""

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The kind."""
        if value == "project_file":
            told = _DestinationKind(
                about=self.about, words=self.words, telling=MaterializationDestinationUnavailable
            )
            told._refuse(where, problems, f"one of {', '.join(self.words)}: a window writes no project file")
            return value
        return Choice.read(self, value, where, problems)


_CATEGORIES = (
    "subclass_axioms",
    "equivalent_class_axioms",
    "class_assertions",
    "property_hierarchy_axioms",
    "object_property_assertions",
    "data_property_assertions",
)


def _materialization(axioms_max: int) -> Object:
    def count(about: str) -> Integer:
        return Integer(about=about, least=1, most=axioms_max, beyond=MaterializationLiveLimitExceeded)

    return Object(
        about="Compute inferred axioms into a private artifact; the ontology is not changed.",
        required={
            "categories": Several(about="What to infer, in order of importance.", words=_CATEGORIES),
            "destination": Object(
                about="Where the axioms are meant to go.",
                required={
                    "kind": _DestinationKind(
                        about="A new ontology, or the active one.", words=("new_ontology", "active_source")
                    ),
                    "identifier": Text(
                        about="IRI of that ontology.",
                        longest=limits.PATH_CHARACTERS,
                        pattern=_ABSOLUTE_IRI,
                        must="an absolute IRI of 1 to 4096 characters",
                    ),
                },
            ),
            "provenance": Object(
                about="Who made the axioms and why.",
                required={
                    "generator": Text(about="Name of the generator.", longest=512, is_nonblank=True),
                    "purpose": Text(about="What they are for.", longest=1024, is_nonblank=True),
                },
            ),
            "limits": Object(
                about="Bounds; exceeding any one discards everything.",
                required={
                    "max_axioms_per_category": count("Most axioms per category."),
                    "max_axioms_total": count("Most axioms together."),
                    "max_bytes": Integer(
                        about="Most bytes of axioms.", least=1024, most=limits.ARTIFACT_BYTES
                    ),
                    "timeout_ms": Integer(about="Most milliseconds.", least=1, most=3_600_000),
                },
            ),
        },
        optional={"policy_path": _POLICY_PATH},
    )


def _start(request: Object | None) -> Object:
    return Object(
        about="Start one job.",
        required={
            "type": Choice(
                about="What to compute.",
                words=tuple(each.value for each in JobType),
                telling=UnknownJobType,
            ),
            "idempotency_key": Text(
                about="Your own name for this piece of work. The same key and inputs within 15 minutes "
                "return the same job instead of a second one.",
                longest=limits.IDEMPOTENCY_KEY_CHARACTERS,
                is_one_line=True,
            ),
            "request": request or Object(about="Options of the chosen type."),
        },
    )


JOB: Final = Object(about="Which job.", required={"job_id": _uuid("Id of the job.")})

LIST: Final = Object(
    about="Which page.",
    optional={
        "limit": (
            Integer(about="Most jobs to return.", least=1, most=limits.LIST_LIMIT, telling=InvalidJobLimit),
            limits.LIST_LIMIT_DEFAULT,
        ),
        "cursor": (
            Text(
                about="next_cursor of the page before.",
                longest=limits.CURSOR_CHARACTERS,
                is_one_line=True,
            ),
            None,
        ),
    },
)

EXPORT: Final = Object(
    about="Copy one artifact into the project.",
    required={
        "job_id": _uuid("Id of the succeeded job."),
        "artifact_id": _uuid("Id of one of its artifacts."),
        "destination": Text(
            about="New file, relative to the project root; its folder must exist.",
            longest=limits.PATH_CHARACTERS,
        ),
        "confirm": Flag(
            about="Must be true: a file will be written.", only=True, telling=ConfirmationRequired
        ),
    },
    optional={
        "overwrite": (Flag(about="Replace an existing file."), False),
        "expected_target_digest": (
            Text(
                about="With overwrite: sha256 digest of the file being replaced.",
                longest=71,
                pattern=_DIGEST,
                must="sha256: and 64 hexadecimal digits in lower case",
            ),
            None,
        ),
        "policy_path": _POLICY_PATH,
    },
    absent={"confirm": ConfirmationRequired},
)

READ: Final = Object(
    about="Which part of which artifact.",
    required={
        "job_id": _uuid("Id of the succeeded job."),
        "artifact_id": _uuid("Id of one of its artifacts."),
    },
    optional={
        "offset": (
            Integer(
                about="First byte to read: 0, or next_offset of the part before.",
                least=0,
                most=limits.ARTIFACT_BYTES,
            ),
            0,
        ),
        "length": (
            Integer(about="Most bytes to read.", least=1, most=limits.ARTIFACT_READ_BYTES),
            limits.ARTIFACT_READ_BYTES,
        ),
    },
)

DESCRIBE: Final = Object(about="No arguments.")


class StartShape:
    """`start_job` for one window: the shape of `request` hangs on `type`.

    Args:
        axioms_max: how many axioms a materialization may count here (decision 20).
    """

    def __init__(self, axioms_max: int) -> None:
        self.requests: Mapping[JobType, Object] = {
            JobType.CLASSIFICATION: CLASSIFICATION,
            JobType.PROJECT_QC: PROJECT_QC,
            JobType.SEMANTIC_DIFF: SEMANTIC_DIFF,
            JobType.INFERENCE_MATERIALIZATION: _materialization(axioms_max),
        }
        self._by_type = {key.value: _start(each) for key, each in self.requests.items()}
        self._unknown = _start(None)

    def read(self, arguments: Mapping[str, object]) -> StartArguments:
        """The checked arguments.

        Raises:
            UnknownJobType: `type` is none of the four; it wins over other problems.
            Refused: `invalid_request` or the more telling code of the request.
        """
        named = arguments.get("type")
        shape = self._by_type.get(named, self._unknown) if isinstance(named, str) else self._unknown
        read = check(shape, arguments)
        return StartArguments(
            type=JobType(str(read["type"])),
            idempotency_key=str(read["idempotency_key"]),
            request=_object(read["request"]),
        )

    def schema(self) -> Json:
        """The schema of the whole tool.

        `request` is any of four objects; that it is the one `type` names, only `read` checks:
        model providers refuse tools with conditions or references at the root of the schema.
        """
        schema = _start(None).schema()
        _object(schema["properties"])["request"] = {
            "type": "object",
            "description": "Options of the chosen type; the title of each form names its type.",
            "anyOf": [{"title": key.value, **each.schema()} for key, each in self.requests.items()],
        }
        return schema


# --- Reading --------------------------------------------------------------------------------------


def read_job(arguments: Mapping[str, object]) -> JobArguments:
    """Arguments of `get_job` and `cancel_job`."""
    return JobArguments(job_id=JobId(str(check(JOB, arguments)["job_id"])))


def read_list(arguments: Mapping[str, object]) -> ListArguments:
    """Arguments of `list_jobs`."""
    read = check(LIST, arguments)
    cursor = read["cursor"]
    return ListArguments(limit=_integer(read["limit"]), cursor=None if cursor is None else str(cursor))


def read_export(arguments: Mapping[str, object]) -> ExportArguments:
    """Arguments of `export_job_artifact`: confirmation first, then the pairing (W 9.3)."""
    read = check(EXPORT, arguments)
    overwrite, digest = read["overwrite"] is True, read["expected_target_digest"]
    if overwrite != (digest is not None):
        raise ExpectedTargetDigestRequired(
            "overwrite: true and expected_target_digest go together; give both or neither.",
            details={"field": "expected_target_digest"},
        )
    policy_path = read["policy_path"]
    return ExportArguments(
        job_id=JobId(str(read["job_id"])),
        artifact_id=ArtifactId(str(read["artifact_id"])),
        destination=str(read["destination"]),
        overwrite=overwrite,
        expected_target_digest=None if digest is None else str(digest),
        policy_path=None if policy_path is None else str(policy_path),
    )


def read_read(arguments: Mapping[str, object]) -> ReadArguments:
    """Arguments of `read_job_artifact`."""
    read = check(READ, arguments)
    return ReadArguments(
        job_id=JobId(str(read["job_id"])),
        artifact_id=ArtifactId(str(read["artifact_id"])),
        offset=_integer(read["offset"]),
        length=_integer(read["length"]),
    )


def read_nothing(arguments: Mapping[str, object]) -> None:
    """Arguments of a tool that takes none."""
    check(DESCRIBE, arguments)


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _object(value: object) -> Json:
    assert isinstance(value, dict)
    return value
