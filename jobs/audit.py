"""Job events: what happened to each job, in order, delivered by one drainer (W 10).

Owned here: the event, the counters of one job (`Trail`), the queue to the sink (`AuditLog`). Not
here: where events are kept (`audit_file.py`). Invariants: the events of one job are numbered from 1
without a gap and delivered in that order; whoever emits never waits; a sink that fails or hangs
changes nothing but `audit_incomplete`.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import anyio

from jobs import limits
from jobs.clock import rfc3339
from jobs.values import Json, State

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.digests import Digest
    from jobs.values import Job, JobId, JobType, WorkspaceId

logger = logging.getLogger(__name__)


class EventKind(StrEnum):
    """The kinds of W 10.1."""

    ACCEPTED = "accepted"
    STARTED = "started"
    PROGRESS = "progress"
    CANCEL_REQUESTED = "cancel_requested"
    CANCELLATION_EFFECTIVE = "cancellation_effective"
    PUBLICATION_STARTED = "publication_started"
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """One event, with exactly the fields of W 10.2: no text of the request, no path, no secret."""

    sequence: int
    kind: EventKind
    job_id: JobId
    occurred_at: datetime
    workspace_id: WorkspaceId
    owner_fingerprint: Digest
    principal_fingerprint: Digest
    client_fingerprint: Digest
    grant_fingerprint: Digest
    type: JobType
    state: State
    input_identity_digest: Digest
    required_capabilities: tuple[str, ...]
    phase: str
    progress_sequence: int
    progress_updates: int
    progress_events_emitted: int
    progress_events_suppressed: int
    elapsed_millis: int
    artifact_count: int
    artifact_bytes: int
    cancellation_requested: bool
    cancellation_effective: bool
    commit_started: bool
    error_code: str | None

    @property
    def operation(self) -> str:
        """The name it is stored under."""
        return f"job.{self.type}.{self.kind}"

    @property
    def outcome(self) -> str:
        """`started`, `failed` or `succeeded`; a cancelled job is a succeeded operation, so see the state."""
        if self.kind is not EventKind.TERMINAL:
            return "started"
        return "failed" if self.state is State.FAILED else "succeeded"

    def as_json(self) -> Json:
        """The event as a JSON object under its field names."""
        row: Json = {field.name: getattr(self, field.name) for field in fields(self)}
        row["occurred_at"] = rfc3339(self.occurred_at)
        row["required_capabilities"] = list(self.required_capabilities)
        return row


class AuditSink(Protocol):
    """Keeps events. It may fail, by any exception; it may be slow, and is left alone after a bound."""

    async def deliver(self, event: JobEvent) -> None:
        """Keep one event; return when it is safe."""
        ...


class DiscardingSink:
    """A sink for those who keep no audit."""

    async def deliver(self, event: JobEvent) -> None:
        """Forget the event."""


class Trail:
    """The numbering and counters of one job's events."""

    __slots__ = ("announced", "emitted", "failed", "sequence", "updates")

    def __init__(self) -> None:
        self.sequence = 0
        self.updates = 0
        self.emitted = 0
        self.failed = False
        self.announced: dict[EventKind, Delivery] = {}

    def owed(self, job: Job) -> list[EventKind]:
        """What must have been said before anything else is said of the job as it now is."""
        before = [EventKind.ACCEPTED]
        before += [EventKind.STARTED] if job.started_at else []
        before += [EventKind.CANCEL_REQUESTED] if job.cancellation_requested else []
        return [kind for kind in before if kind not in self.announced]

    def next_event(self, kind: EventKind, job: Job, at: datetime) -> JobEvent:
        """The next event of the job as it now is; the numbering moves on."""
        self.sequence += 1
        self.emitted += kind is EventKind.PROGRESS
        artifacts = job.result.artifacts if job.result else ()
        return JobEvent(
            sequence=self.sequence,
            kind=kind,
            job_id=job.job_id,
            occurred_at=max(at, job.latest_at),
            workspace_id=job.owner.workspace_id,
            owner_fingerprint=job.owner.owner_fingerprint,
            principal_fingerprint=job.owner.principal_fingerprint,
            client_fingerprint=job.owner.client_fingerprint,
            grant_fingerprint=job.owner.grant_fingerprint,
            type=job.type,
            state=job.state,
            input_identity_digest=job.input_identity.identity_digest,
            required_capabilities=job.required_capabilities,
            phase=job.progress.phase,
            progress_sequence=job.progress.sequence,
            progress_updates=self.updates,
            progress_events_emitted=self.emitted,
            progress_events_suppressed=self.updates - self.emitted,
            elapsed_millis=int((max(at, job.latest_at) - job.created_at).total_seconds() * 1000),
            artifact_count=len(artifacts),
            artifact_bytes=sum(artifact.size_bytes for artifact in artifacts),
            cancellation_requested=job.cancellation_requested,
            cancellation_effective=job.cancellation_effective,
            commit_started=job.commit_started,
            error_code=job.error.code if job.error else None,
        )


class Delivery:
    """One event on its way; `wait` tells how it went."""

    __slots__ = ("_done", "event", "succeeded", "trail")

    def __init__(self, event: JobEvent, trail: Trail) -> None:
        self.event, self.trail = event, trail
        self.succeeded = False
        self._done = anyio.Event()

    async def wait(self) -> bool:
        """Wait, at most `limits.AUDIT_DELIVERY_S`, until the sink has it; whether it has."""
        with anyio.move_on_after(limits.AUDIT_DELIVERY_S):
            await self._done.wait()
        return self.succeeded

    def settle(self, succeeded: bool) -> None:
        """Say how it went; a failure stays with the job."""
        self.succeeded = succeeded
        self.trail.failed |= not succeeded
        self._done.set()


class AuditLog:
    """The one line to the sink."""

    def __init__(self, sink: AuditSink) -> None:
        self._sink = sink
        self._line: deque[Delivery] = deque()
        self._more = anyio.Event()
        self._delivering = anyio.Lock()
        self._draining = anyio.CancelScope(shield=True)
        self._is_failing = False

    def emit(self, trail: Trail, kind: EventKind, job: Job, at: datetime) -> Delivery:
        """Put the next event of a job in the line, without waiting; a full line drops it.

        Two tasks may move a job at almost the same time, and the one that was second in the store may
        be first here. So what a snapshot implies is said before it, nothing but progress is said
        twice, and nothing after the end.
        """
        end = trail.announced.get(EventKind.TERMINAL)
        if end is not None:
            return end
        for earlier in trail.owed(job):
            trail.announced[earlier] = self._enter(trail, earlier, job, at)
        if kind in trail.announced and kind is not EventKind.PROGRESS:
            return trail.announced[kind]
        trail.announced[kind] = self._enter(trail, kind, job, at)
        return trail.announced[kind]

    def _enter(self, trail: Trail, kind: EventKind, job: Job, at: datetime) -> Delivery:
        delivery = Delivery(trail.next_event(kind, job, at), trail)
        if len(self._line) >= limits.AUDIT_PENDING_EVENTS:
            logger.error("audit.dropped", extra={"job_id": job.job_id, "kind": kind.value})
            delivery.settle(succeeded=False)
        else:
            self._line.append(delivery)
            self._more.set()
        return delivery

    async def drain(self) -> None:
        """Deliver until `stop`; run by exactly one task.

        Shielded: when the host is cancelled, the jobs that end by it still have events to deliver.
        """
        with self._draining:
            while True:
                await self.flush()
                if not self._line:
                    self._more = anyio.Event()
                    await self._more.wait()

    def stop(self) -> None:
        """End `drain`, also in the middle of a delivery."""
        self._draining.cancel()

    async def flush(self) -> None:
        """Deliver what is in the line now. Two callers take turns, so the order holds."""
        async with self._delivering:
            while self._line:
                delivery = self._line.popleft()
                settled = False
                try:
                    settled = await self._deliver(delivery.event)
                finally:
                    delivery.settle(settled)

    async def _deliver(self, event: JobEvent) -> bool:
        """Whether the sink has it; the log hears once that a sink fails, not at every event."""
        problem: Exception | None = None
        try:
            with anyio.fail_after(limits.AUDIT_DELIVERY_S):
                await self._sink.deliver(event)
        except Exception as found:  # noqa: BLE001 - W 10.4: trouble of a sink, of any kind, touches no job
            problem = found
        if problem is not None and not self._is_failing:
            extra = {
                "job_id": event.job_id,
                "failure_type": type(problem).__name__,
                "errno": getattr(problem, "errno", None),
            }
            logger.error("audit.failed", extra=extra)
        self._is_failing = problem is not None
        return problem is None
