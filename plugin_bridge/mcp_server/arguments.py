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
    ExpectedTargetDigestRequired,
    InvalidJobLimit,
    UnknownJobType,
)
from jobs.values import START_TYPES, ArtifactId, JobId, JobType
from plugin_bridge.mcp_server.request_shapes import EXPLANATION, POLICY_PATH, request_shapes
from plugin_bridge.mcp_server.shapes import Choice, Flag, Integer, Object, Text, check

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.values import Json

MATERIALIZATION_LIVE_AXIOMS: Final = 500  # W 4.4: one commit must fit the model thread's budget
MATERIALIZATION_AXIOMS: Final = 100_000  # decision 20: where no editor can freeze

_UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_DIGEST = "^sha256:[0-9a-f]{64}$"


# --- The checked arguments ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StartArguments:
    """What a job is started with; `request` has the keys of its type, defaults filled in.

    `idempotency_key` is None for an ordinary call (decision 26).
    """

    type: JobType
    idempotency_key: str | None
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


def _start(request: Object | None) -> Object:
    return Object(
        about="Start one job.",
        required={
            "type": Choice(
                about="What to compute.",
                words=tuple(each.value for each in START_TYPES),
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
        "policy_path": POLICY_PATH,
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
        self.requests = request_shapes(axioms_max)
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


def read_explanation(request: Mapping[str, object], key: str | None = None) -> StartArguments:
    """The request of a `reasoning_explain`, for `Window.start_job`; `start_job` of MCP never takes it."""
    return StartArguments(
        type=JobType.REASONING_EXPLAIN, idempotency_key=key, request=check(EXPLANATION, request)
    )


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
