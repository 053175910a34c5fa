"""A window in memory for tests of the MCP face: jobs are values that a test moves by hand.

It keeps the promises of `WindowPort` that the face relies on (owner-private look-ups in one
constant answer, sealed-enough cursors, idempotency by key) and computes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import anyio

from jobs.digests import byte_digest, json_digest, text_digest
from jobs.errors import InvalidJobCursor, UnknownJob, UnknownJobArtifact
from jobs.values import (
    START_TYPES,
    ArtifactId,
    ArtifactReference,
    CancelOutcome,
    Fence,
    InputIdentity,
    Job,
    JobId,
    JobType,
    ModelRevision,
    Owner,
    Progress,
    Result,
    State,
    WorkspaceId,
)
from plugin_bridge.mcp_server.port import Accepted, Cancelled, Chunk, Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugin_bridge.access import Session
    from plugin_bridge.mcp_server.arguments import ExportArguments, StartArguments

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)

DIFF_REPORT = {
    "entities": {"added": {"class": ["http://example.org/b"], "count": 1}, "removed": {"count": 0}},
    "rename_candidates": [],
    "asserted_axioms": {
        "added": {
            "count": 2,
            "truncated": False,
            "groups": {"SubClassOf": [{"axiom": "SubClassOf(:b :a)", "affected_iris": []}]},
        },
        "removed": {"count": 0, "truncated": False, "groups": {}},
    },
    "compatibility": {"anonymous_individual_churn": False},
}


@dataclass
class FakeClock:
    """A clock a test moves."""

    at: datetime = NOON

    def now(self) -> datetime:
        return self.at

    def advance(self, **by: float) -> None:
        self.at += timedelta(**by)


@dataclass
class FakeWindow:
    """See the module. `before_start` runs inside `start_job`, before anything is stored."""

    workspace_id: WorkspaceId = field(default_factory=lambda: WorkspaceId(str(uuid4())))
    clock: FakeClock = field(default_factory=FakeClock)
    materialization_axioms_max: int = 100_000
    before_start: Callable[[], object] | None = None
    jobs: dict[JobId, Job] = field(default_factory=dict)
    bytes_of: dict[ArtifactId, bytes] = field(default_factory=dict)
    committed: list[str] = field(default_factory=list)

    async def start_job(self, session: Session, arguments: StartArguments) -> Accepted:
        if self.before_start is not None:
            waited = self.before_start()
            if hasattr(waited, "__await__"):
                await waited
        for job in self.jobs.values():
            if (job.owner, job.type, job.idempotency_key) == (
                session.owner,
                arguments.type,
                arguments.idempotency_key,
            ):
                return Accepted(job=job, reused=True)
        job = self._job(session.owner, arguments)
        self.jobs[job.job_id] = job
        return Accepted(job=job, reused=False)

    async def get_job(self, session: Session, job_id: JobId) -> Job:
        return self._owned(session, job_id)

    def _owned(self, session: Session, job_id: JobId) -> Job:
        job = self.jobs.get(job_id)
        if job is None or job.owner != session.owner:
            raise UnknownJob
        return job

    async def cancel_job(self, session: Session, job_id: JobId) -> Cancelled:
        job = self._owned(session, job_id)
        if job.state.is_terminal:
            return Cancelled(job=job, outcome=CancelOutcome.ALREADY_TERMINAL)
        now = self.clock.now()
        job = replace(job, state=State.CANCELLED, fence=Fence.CANCELLED, completed_at=now)
        self.jobs[job_id] = job
        return Cancelled(job=job, outcome=CancelOutcome.CANCELLED)

    async def list_jobs(self, session: Session, limit: int, cursor: str | None) -> Page:
        mine = [each for each in self.jobs.values() if each.owner == session.owner]
        mine.sort(key=lambda each: (each.created_at, each.job_id), reverse=True)
        start = 0
        if cursor is not None:
            ids = [each.job_id for each in mine]
            if cursor not in ids:
                raise InvalidJobCursor
            start = ids.index(JobId(cursor)) + 1
        rows = mine[start : start + limit]
        more = start + limit < len(mine)
        return Page(jobs=tuple(rows), next_cursor=rows[-1].job_id if more else None)

    async def export_job_artifact(self, session: Session, arguments: ExportArguments) -> dict[str, object]:
        data = self._artifact(session, arguments.job_id, arguments.artifact_id)
        self.committed.append(arguments.destination)
        return {
            "exported": True,
            "job_id": arguments.job_id,
            "artifact_id": arguments.artifact_id,
            "path": arguments.destination,
            "sha256": byte_digest(data),
            "bytes": len(data),
            "overwritten": arguments.overwrite,
            "interactive_write_confirmation": False,
        }

    async def read_job_artifact(
        self, session: Session, job_id: JobId, artifact_id: ArtifactId, offset: int, length: int
    ) -> Chunk:
        await anyio.lowlevel.checkpoint()
        data = self._artifact(session, job_id, artifact_id)
        return Chunk(data=data[offset : offset + length], size_bytes=len(data))

    async def describe_window(self, session: Session) -> dict[str, object]:
        return {
            "title": "fake.ofn",
            "workspace_id": self.workspace_id,
            "session_revision": 1,
            "ontology": {
                "iri": "http://example.org/o",
                "version_iri": None,
                "format": "functional",
                "axioms": 1,
                "logical_axioms": 0,
                "closure_axioms": 1,
                "semantic_fingerprint": text_digest("fake"),
                "reading_warnings": [],
                "reading_warning_count": 0,
            },
            "imports": {"declared": [], "loaded": [], "missing": []},
            "reasoner": {
                "profile_id": "structural",
                "name": "structural",
                "version": "1",
                "reviewed": True,
                "capabilities": {},
                "probe": None,
            },
            "policy": {
                "loaded": False,
                "path": None,
                "digest": text_digest("policy"),
                "project_id": "fake",
            },
            "job_types": [each.value for each in START_TYPES],
            "capabilities": sorted(session.capabilities),
            "read_only": False,
        }

    # --- for tests ---------------------------------------------------------------------------------

    async def cancel_where(self, concerns: Callable[[Owner], bool]) -> int:
        stopped = [each for each in self.jobs.values() if concerns(each.owner) and not each.state.is_terminal]
        for job in stopped:
            self.jobs[job.job_id] = replace(
                job, state=State.CANCELLED, fence=Fence.CANCELLED, completed_at=self.clock.now()
            )
        return len(stopped)

    def succeed(self, job_id: JobId, report: bytes | None = None) -> ArtifactId:
        """End a job well, with one report artifact."""
        job, now = self.jobs[job_id], self.clock.now()
        data = json.dumps(DIFF_REPORT).encode() if report is None else report
        artifact_id = ArtifactId(str(uuid4()))
        self.bytes_of[artifact_id] = data
        artifact = ArtifactReference(
            artifact_id=artifact_id,
            media_type="application/json",
            sha256=byte_digest(data),
            size_bytes=len(data),
            created_at=now,
            expires_at=now + timedelta(hours=1),
        )
        result = Result(
            structured={**_structured(job.type), "report_artifact_id": artifact_id},
            artifacts=(artifact,),
            audit_incomplete=False,
            current=True,
            changed_inputs=(),
        )
        self.jobs[job_id] = replace(
            job,
            state=State.SUCCEEDED,
            fence=Fence.PUBLICATION_STARTED,
            started_at=now,
            completed_at=now,
            result=result,
            progress=Progress(phase="succeeded", message="Job completed.", sequence=2),
        )
        return artifact_id

    def _artifact(self, session: Session, job_id: JobId, artifact_id: ArtifactId) -> bytes:
        job = self._owned(session, job_id)
        known = job.result.artifacts if job.result else ()
        if all(each.artifact_id != artifact_id for each in known):
            raise UnknownJobArtifact
        return self.bytes_of[artifact_id]

    def _job(self, owner: Owner, arguments: StartArguments) -> Job:
        self.clock.advance(milliseconds=1)
        digest = text_digest("fake")
        return Job(
            job_id=JobId(str(uuid4())),
            owner=owner,
            type=arguments.type,
            state=State.QUEUED,
            fence=Fence.OPEN,
            created_at=self.clock.now(),
            started_at=None,
            completed_at=None,
            progress=Progress(phase="queued", message="Job queued.", sequence=0),
            idempotency_key=arguments.idempotency_key,
            required_capabilities=("filesystem:project:read", "ontology:read"),
            input_identity=InputIdentity(
                model_revision=ModelRevision(
                    workspace_id=self.workspace_id,
                    session_revision=1,
                    semantic_fingerprint=digest,
                    document_fingerprint=digest,
                ),
                closure_fingerprint=digest,
                import_lock_digest=None,
                mapping_revision=None,
                policy_digest=digest,
                preflight_asset_digest=None,
                reasoner_digest=None,
                normalized_request_digest=json_digest(arguments.request),
            ),
            result=None,
            error=None,
        )


def _structured(job_type: JobType) -> dict[str, object]:
    digest = text_digest("fake")
    match job_type:
        case JobType.SEMANTIC_DIFF:
            return {
                "kind": "semantic_diff",
                "identical": False,
                "compatibility": "potentially_breaking",
                "added_axioms": 2,
                "removed_axioms": 0,
            }
        case JobType.CLASSIFICATION:
            return {
                "kind": "classification",
                "classification_completed": True,
                "consistency_status": "consistent",
                "unsatisfiable_status": "complete",
                "unsatisfiable_count": 1,
                "capability_limited": False,
                "reasoner_digest": digest,
            }
        case JobType.PROJECT_QC:
            return {
                "kind": "project_qc",
                "gate": "pass",
                "stages_ran": 3,
                "stages_skipped": 1,
                "finding_count": 2,
                "semantic_fingerprint": digest,
            }
        case JobType.INFERENCE_MATERIALIZATION:
            return {
                "kind": "inference_materialization",
                "materialization_artifact_id": "set-1",
                "materialization_artifact_fingerprint": digest,
                "materialization_digest": digest,
                "axiom_count": 2,
            }
        case JobType.REASONING_EXPLAIN:
            return {
                "kind": "reasoning_explain",
                "goal": {"kind": "unsatisfiable", "class": "https://example.org/small#A"},
                "goal_chosen": "requested",
                "holds": True,
                "justification_count": 1,
                "all_found": True,
                "reasoner_digest": digest,
            }
