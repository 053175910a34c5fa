"""The published face of the tools: titles, descriptions, schemas, annotations, instructions (W 3).

Everything is a plain JSON object built once per server. Descriptions are written for assistants:
what it does, what comes back, what to do next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugin_bridge.mcp_server import arguments, outputs

if TYPE_CHECKING:
    from jobs.values import Json
    from plugin_bridge.mcp_server.arguments import StartShape

INSTRUCTIONS: Final = (
    "Long ontology work as jobs of one open ontology (a window). Call describe_window first. "
    "start_job captures the inputs and returns at once with a job_id; ask get_job about every 2 seconds "
    "until state is succeeded, failed or cancelled. Later edits never change a running job. "
    "A succeeded job has a report: read_job_artifact shows it, export_job_artifact saves it into the "
    "project. Jobs live as long as the window and are private to you. When a call fails, code says why "
    "and retryable whether the same call may succeed later."
)
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def tools(start_shape: StartShape) -> list[Json]:
    """The tools as `tools/list` shows them, in a fixed order."""
    return [
        _tool(
            "start_job",
            "Start a job",
            "Start one job on the ontology as it is now and return at once. type is classification (infer "
            "the class hierarchy, find unsatisfiable classes), semantic_diff (compare with another file of "
            "the project), project_qc (quality checks) or inference_materialization (collect inferred "
            "axioms); job_types of describe_window are those that run here. request holds the options. "
            "Repeating the call with the same idempotency_key within 15 minutes returns the same job "
            "(reused: true). Next: get_job with the job_id.",
            start_shape.schema(),
            outputs.start_job(),
            _hints(reads_only=False, destructive=False, idempotent=True),
        ),
        _tool(
            "get_job",
            "Look at a job",
            "State, progress and, once succeeded, the result of one of your jobs. Answers at once; while "
            "state is queued, running or cancel_pending, ask again in about 2 seconds.",
            arguments.JOB.schema(),
            outputs.get_job(),
            _hints(reads_only=True),
        ),
        _tool(
            "cancel_job",
            "Cancel a job",
            "Ask one of your jobs to stop. outcome says what happened: cancelled, cancel_requested (it is "
            "stopping; see get_job), already_terminal, or commit_in_progress (too late). Harmless to repeat.",
            arguments.JOB.schema(),
            outputs.cancel_job(),
            _hints(reads_only=False, destructive=True, idempotent=True),
        ),
        _tool(
            "list_jobs",
            "List your jobs",
            "Your jobs in this window, newest first. When next_cursor is returned, call again with it as "
            "cursor for the next page.",
            arguments.LIST.schema(),
            outputs.list_jobs(),
            _hints(reads_only=True),
        ),
        _tool(
            "export_job_artifact",
            "Save an artifact into the project",
            "Write one artifact of a succeeded job to a file of the project; confirm must be true and the "
            "folder must exist. An existing file is replaced only with overwrite: true and its present "
            "digest as expected_target_digest. To just look at a report, use read_job_artifact.",
            arguments.EXPORT.schema(),
            outputs.export_job_artifact(),
            _hints(reads_only=False, destructive=True, idempotent=False),
        ),
        _tool(
            "read_job_artifact",
            "Read an artifact",
            "Text of one artifact of a succeeded job, for instance its report (artifacts[].artifact_id). At "
            "most 64 KiB at a time: while next_offset is not null, call again with it as offset.",
            arguments.READ.schema(),
            outputs.read_job_artifact(),
            _hints(reads_only=True),
        ),
        _tool(
            "describe_window",
            "Describe this window",
            "What is open here: ontology, revision, imports, reasoner and its profile, project policy, and "
            "what you may do.",
            arguments.DESCRIBE.schema(),
            outputs.describe_window(),
            _hints(reads_only=True),
        ),
    ]


def _tool(name: str, title: str, about: str, takes: Json, gives: Json, hints: Json) -> Json:
    return {
        "name": name,
        "title": title,
        "description": about,
        "inputSchema": {"$schema": _DIALECT, **{k: v for k, v in takes.items() if k != "description"}},
        "outputSchema": {"$schema": _DIALECT, **gives},
        "annotations": {"title": title, **hints},
    }


def _hints(*, reads_only: bool, destructive: bool = False, idempotent: bool = True) -> Json:
    """Hints of MCP; nothing here reaches beyond the window and its project."""
    return {
        "readOnlyHint": reads_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": False,
    }
