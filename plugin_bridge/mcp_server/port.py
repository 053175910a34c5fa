"""What the MCP face needs of a window; the window satisfies it without knowing MCP.

Values only: jobs are snapshots of `jobs.values`, bodies are JSON objects. Errors are raised from
the tree of `jobs.errors`. Reading and cancelling are `async` only because a store may have to wait
for its disk: they never wait for a computation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from jobs.values import ArtifactId, CancelOutcome, Job, JobId, Json
    from plugin_bridge.access.sessions import Session
    from plugin_bridge.mcp_server.arguments import ExportArguments, StartArguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A started job, or the earlier one that the idempotency key names."""

    job: Job
    reused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """A job as observed after the request to cancel it."""

    job: Job
    outcome: CancelOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Jobs of one owner, newest first; `next_cursor` exactly when more remain."""

    jobs: tuple[Job, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Bytes of one artifact from the offset asked for; `size_bytes` is the whole artifact's."""

    data: bytes
    size_bytes: int


class WindowPort(Protocol):
    """One window, as the tools see it. The caller holds the session's lease around every call."""

    @property
    def materialization_axioms_max(self) -> int:
        """500 in a live window, 100,000 where no editor can freeze (decision 20)."""

    async def start_job(self, session: Session, arguments: StartArguments) -> Accepted:
        """Capture, admit and queue; never waits for the computation (W 3.3)."""

    async def get_job(self, session: Session, job_id: JobId) -> Job:
        """The newest snapshot of an owned job.

        Raises:
            UnknownJob: absent, foreign or expired, in one constant answer.
        """

    async def cancel_job(self, session: Session, job_id: JobId) -> Cancelled:
        """Ask an owned job to stop, without waiting for its computation (W 3.5)."""

    async def list_jobs(self, session: Session, limit: int, cursor: str | None) -> Page:
        """One page of the owner's jobs.

        Raises:
            InvalidJobCursor: foreign, altered or outlived.
        """

    async def export_job_artifact(self, session: Session, arguments: ExportArguments) -> Json:
        """Publish one artifact into the project; the eight fields of W 3.7."""

    async def read_job_artifact(
        self, session: Session, job_id: JobId, artifact_id: ArtifactId, offset: int, length: int
    ) -> Chunk:
        """At most `length` bytes from `offset`; no bytes at or past the end.

        Raises:
            UnknownJob, UnknownJobArtifact: as for export.
        """

    async def describe_window(self, session: Session) -> Json:
        """Ontology, revision, imports, reasoner, policy and what this caller may do (decision 24)."""
