"""A finished job as output of the command line: text or JSON, artifacts, exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from jobs import limits
from jobs.descriptor import describe
from jobs.errors import InvalidRequest
from jobs.values import State
from plugin_bridge.cli.exit_codes import ExitCode
from plugin_bridge.cli.places import replace_file
from plugin_bridge.cli.terminal import note, say, say_failure

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from jobs.values import ArtifactReference, Job, Json
    from plugin_bridge.window import Window

_NAMES: Final = {
    "application/json": "report.json",
    "text/markdown": "explanation.md",
    "text/owl-functional": "axioms.ofn",
}
"""Plain names of artifacts by media type; a job has one of each at most."""
_ARTIFACTS_HINT: Final = "--artifacts DIR writes them"
_CANNOT_DECIDE: Final = ("unsupported", "untested")
"""What a reasoner says of a question that it never answers; a gate on it must not pass."""


async def deliver(window: Window, job: Job, options: argparse.Namespace) -> int:
    """Write everything that was asked for and return the exit code.

    A failed job has no result: what it says goes to standard error. Its descriptor is written all
    the same where JSON was asked for.

    Raises:
        InvalidRequest: a place to write to cannot be written.
    """
    is_read = options.artifacts is not None or options.fail_on == "unsatisfiable"
    reports = {each: await _read(window, job, each) for each in _artifacts(job)} if is_read else {}
    if options.artifacts is not None:
        await to_thread.run_sync(_write_artifacts, options.artifacts, reports)
    if job.error is not None:
        say_failure(job.error)
        if options.format != "json":
            return ExitCode.FAILED
    text = await _rendered(window, job, options.format)
    if options.output is None:
        say(text)
    else:
        await to_thread.run_sync(replace_file, options.output, text.encode())
    if options.fail_on == "unsatisfiable" and job.result is not None:
        _note_undecided(job.result.structured)
    return _exit_code(job, reports, options.fail_on)


def _artifacts(job: Job) -> tuple[ArtifactReference, ...]:
    return () if job.result is None else job.result.artifacts


async def _rendered(window: Window, job: Job, form: str) -> str:
    if form == "json":
        return json.dumps(describe(job), indent=2, ensure_ascii=False) + "\n"
    for artifact in _artifacts(job):
        if form == "markdown" and artifact.media_type == "text/markdown":
            return (await _read(window, job, artifact)).decode()
    from plugin_bridge.mcp_server.text import Reports  # JSON does without

    return await Reports(window, _ARTIFACTS_HINT).of_job(window.access.local_session(), job)


async def _read(window: Window, job: Job, artifact: ArtifactReference) -> bytes:
    session, parts, offset = window.access.local_session(), [], 0
    while offset < artifact.size_bytes:
        chunk = await window.read_job_artifact(
            session, job.job_id, artifact.artifact_id, offset, limits.ARTIFACT_READ_BYTES
        )
        parts.append(chunk.data)
        offset += len(chunk.data)
    return b"".join(parts)


def _write_artifacts(folder: Path, contents: dict[ArtifactReference, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidRequest(f"--artifacts: {folder} cannot be made: {error.strerror}.") from error
    for artifact, data in contents.items():
        replace_file(folder / _NAMES.get(artifact.media_type, artifact.artifact_id), data)


def _exit_code(job: Job, reports: dict[ArtifactReference, bytes], fail_on: str) -> ExitCode:
    if job.state is State.CANCELLED:
        return ExitCode.CANCELLED
    if job.result is None:
        return ExitCode.FAILED
    return ExitCode.FAILED if _reaches(fail_on, job.result.structured, reports) else ExitCode.SUCCEEDED


def _reaches(fail_on: str, summary: Json, reports: dict[ArtifactReference, bytes]) -> bool:
    match fail_on:
        case "difference":
            return summary["identical"] is not True
        case "breaking":
            return summary["compatibility"] == "potentially_breaking"
        case "unsatisfiable":
            # The summary's count is null when it may be incomplete; classes found are in the report.
            report = json.loads(next(iter(reports.values())))
            found = report["unsatisfiable_classes"] or report["unsatisfiable_truncated"]
            is_inconsistent = summary["consistency_status"] == "inconsistent"
            return bool(found) or is_inconsistent or summary["unsatisfiable_status"] in _CANNOT_DECIDE
        case _:
            return False


def _note_undecided(summary: Json) -> None:
    """Say that a gate could not look at everything, lest its passing be read as a verdict."""
    match summary["unsatisfiable_status"]:
        case "unknown":
            note("protege-jobs: --fail-on unsatisfiable saw what was found; not every class was decided.")
        case "unsupported" | "untested":
            note(
                "protege-jobs: --fail-on unsatisfiable needs a reasoner that decides; this profile does not."
            )
