"""The short words beside every structured answer: what happened and what to do next.

Written for assistants that see only text and for the people they quote. A succeeded job's text
shows the first rows of its report (at most 8 KiB, decision 23); which rows, `rows` decides. Nothing
here is contract: programs read the structured answer.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from jobs import limits
from jobs.errors import ProtegeJobsError, clip_utf8
from jobs.values import CancelOutcome, State
from plugin_bridge.mcp_server import rows

if TYPE_CHECKING:
    from jobs.values import ArtifactReference, Job, JobId, Json
    from plugin_bridge.access import Session
    from plugin_bridge.mcp_server.port import Accepted, Cancelled, Chunk, Page, WindowPort

logger = logging.getLogger(__name__)

TEXT_BYTES: Final = 8 * limits.KIB  # decision 23
REPORT_BYTES: Final = 512 * limits.KIB  # ours: what of a report is read for a text
TEXTS_KEPT: Final = limits.RETAINED_PER_BACKEND
POLL_HINT: Final = "Ask again in about 2 seconds with get_job."
ARTIFACTS_HINT: Final = "read_job_artifact shows them, export_job_artifact saves them into the project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of an artifact cut between characters."""

    text: str
    next_offset: int | None


def decoded(chunk: Chunk, offset: int) -> Part | None:
    """The chunk as text, without a character cut in two at its end; None when its start cuts one.

    Bytes that are no UTF-8 at all become U+FFFD: an artifact that is not text can still be looked at.
    """
    if chunk.data and offset and chunk.data[0] & 0xC0 == 0x80:
        return None
    kept = chunk.data
    if offset + len(kept) < chunk.size_bytes:
        kept = kept[: len(kept) - _cut_tail(kept)]
        if not kept:
            return None
    end = offset + len(kept)
    return Part(
        text=kept.decode("utf-8", "replace"),
        next_offset=end if kept and end < chunk.size_bytes else None,
    )


def _cut_tail(data: bytes) -> int:
    """How many bytes at the end belong to a character that goes on after them."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            needs = 1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)
            return back if needs > back else 0
    return 0


# --- Answers other than get_job -------------------------------------------------------------------


def of_start(accepted: Accepted) -> str:
    """Accepted or reused, and when to ask."""
    job = accepted.job
    if accepted.reused:
        again = "" if job.state.is_terminal else f" {POLL_HINT}"
        known = f"This key already names {_name(job)}, now {job.state}; nothing new was started."
        return f"{known}{again}{_see(job)}"
    if job.state.is_terminal:
        return f"{_name(job).capitalize()} ended at once: {job.state}.{_failure(job)}"
    return f"{_name(job).capitalize()} is {job.state}. {POLL_HINT}"


def of_cancel(cancelled: Cancelled) -> str:
    """What the request met."""
    name = _name(cancelled.job).capitalize()
    match cancelled.outcome:
        case CancelOutcome.CANCELLED:
            return f"{name} was still waiting and is cancelled."
        case CancelOutcome.CANCEL_REQUESTED:
            return f"{name} was asked to stop; its late output will be discarded. {POLL_HINT}"
        case CancelOutcome.ALREADY_TERMINAL:
            return f"{name} had already ended: {cancelled.job.state}. Nothing was changed."
        case CancelOutcome.COMMIT_IN_PROGRESS:
            return f"{name} is already publishing its result and can no longer be cancelled. {POLL_HINT}"


def of_page(page: Page) -> str:
    """One line per job."""
    if not page.jobs:
        return "You have no jobs in this window. start_job starts one."
    lines = [
        f"{each.job_id}  {each.type}  {each.state}  {each.created_at.isoformat(' ', 'seconds')[:19]}Z"
        for each in page.jobs
    ]
    more = "\nMore remain: call list_jobs again with cursor set to next_cursor." if page.next_cursor else ""
    return clip_utf8("\n".join(lines), TEXT_BYTES - len(more)) + more


def of_export(exported: Json) -> str:
    """Where the file is."""
    verb = "Replaced" if exported.get("overwritten") else "Wrote"
    return f"{verb} {exported.get('path')} ({exported.get('bytes')} bytes, {exported.get('sha256')})."


def of_part(part: Part, offset: int, size_bytes: int) -> str:
    """The text itself, then how to go on; the text of an artifact is never repeated in words."""
    if part.next_offset is None:
        return f"{part.text}\n[end of the artifact, {size_bytes} bytes]"
    end = part.next_offset
    return f"{part.text}\n[bytes {offset} to {end} of {size_bytes}; go on with offset {end}]"


def of_window(described: Json) -> str:
    """What is open, which reasoner, and what may be started."""
    return clip_utf8("\n".join(rows.window(described)), TEXT_BYTES)


# --- get_job --------------------------------------------------------------------------------------


class Reports:
    """Texts of jobs; those of succeeded jobs are kept, since such a job never changes.

    Args:
        artifacts_hint: how the reader of the text gets at the artifacts.
    """

    def __init__(self, window: WindowPort, artifacts_hint: str = ARTIFACTS_HINT) -> None:
        self._window = window
        self._artifacts_hint = artifacts_hint
        self._kept: OrderedDict[JobId, str] = OrderedDict()

    async def of_job(self, session: Session, job: Job) -> str:
        """The text of one job that the caller was just allowed to see."""
        if job.state is not State.SUCCEEDED:
            return _unfinished(job)
        kept = self._kept.get(job.job_id)
        if kept is None:
            kept = await self._succeeded(session, job)
            self._kept[job.job_id] = kept
            while len(self._kept) > TEXTS_KEPT:
                self._kept.popitem(last=False)
        return kept

    async def _succeeded(self, session: Session, job: Job) -> str:
        assert job.result is not None
        head = f"{_name(job).capitalize()} succeeded."
        if job.result.current is False:
            changed = ", ".join(job.result.changed_inputs)
            head += f"\nThe window has moved on since ({changed}); this is about what was captured."
        elif job.result.current is None:
            head += "\nWhether the window has moved on since could not be told in time."
        tail = _artifacts(job, self._artifacts_hint)
        report = await self._beginning(session, job)
        # Parsing takes milliseconds and holds the interpreter, but not the loop's turn.
        lines = await anyio.to_thread.run_sync(rows.told, job.type, job.result.structured, report)
        space = TEXT_BYTES - len(f"{head}\n\n{tail}".encode())
        body = clip_utf8("\n".join(lines), space) if space > 0 else ""
        return "\n".join(each for each in (head, body, tail) if each)

    async def _beginning(self, session: Session, job: Job) -> bytes:
        """The report, or the first part of a large one; nothing when it is gone."""
        report = _report(job)
        if report is None:
            return b""
        try:
            return await self._read(session, job, report)
        except ProtegeJobsError as error:  # it expired between two calls; the text does without
            logger.info("text.report_unavailable", extra={"job_id": job.job_id, "code": error.code})
            return b""

    async def _read(self, session: Session, job: Job, report: ArtifactReference) -> bytes:
        data = bytearray()
        while len(data) < min(report.size_bytes, REPORT_BYTES):
            chunk = await self._window.read_job_artifact(
                session, job.job_id, report.artifact_id, len(data), limits.ARTIFACT_READ_BYTES
            )
            if not chunk.data:
                break
            data += chunk.data
        return bytes(data)


def _report(job: Job) -> ArtifactReference | None:
    assert job.result is not None
    wanted = job.result.structured.get("report_artifact_id")
    return next((each for each in job.result.artifacts if each.artifact_id == wanted), None)


def _unfinished(job: Job) -> str:
    name = _name(job).capitalize()
    match job.state:
        case State.FAILED:
            return f"{name} failed.{_failure(job)}"
        case State.CANCELLED:
            return f"{name} was cancelled; it has no result."
        case State.CANCEL_PENDING:
            return f"{name} is stopping. {POLL_HINT}"
        case _:
            return f"{name} is {job.state}: {job.progress.message} {POLL_HINT}"


def _artifacts(job: Job, hint: str) -> str:
    assert job.result is not None
    lines = [
        f"  {each.artifact_id}  {each.media_type}  {each.size_bytes} bytes" for each in job.result.artifacts
    ]
    if not lines:
        return ""
    return "\n".join([f"Artifacts ({hint}):", *lines])


def _name(job: Job) -> str:
    return f"{job.type.replace('_', ' ')} job {job.job_id}"


def _see(job: Job) -> str:
    return " get_job shows its result." if job.state is State.SUCCEEDED else ""


def _failure(job: Job) -> str:
    if job.error is None:
        return ""
    again = " It may be tried again, under a new key." if job.error.retryable else ""
    return f" {job.error.message} (code {job.error.code}){again}"
