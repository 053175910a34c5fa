"""One window, from open to close: the composition root, the one place that builds and ends things.

Everything a window owns lives in the block of `open_window`: worker processes, private files, jobs,
grants. When the block ends all of it is gone; what a SIGKILL leaves, the guardian removes, and what
even that leaves, the next start sweeps.
"""

from __future__ import annotations

import logging
import uuid
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import platformdirs
from anyio import to_thread

from jobs.artifacts import ArtifactVault
from jobs.audit_file import RotatingFileSink
from jobs.clock import SystemClock
from jobs.digests import text_digest
from jobs.errors import ProtegeJobsError
from jobs.reasoners.probe import CancellationProbe
from jobs.service import JobService, random_id
from jobs.stores.memory import MemoryStore
from jobs.tasks import open_tasks
from jobs.values import JobType, WorkspaceId
from jobs.workers.pool import open_worker_pool
from plugin_bridge.access import AccessTable, request_log
from plugin_bridge.capture.ahead import DiffAhead
from plugin_bridge.capture.inputs import InputCapturer
from plugin_bridge.capture.shelf import CaptureShelf
from plugin_bridge.choosing import ReasonerChoice
from plugin_bridge.files import CapturedFile, PrivateRoot, sweep
from plugin_bridge.host.events import ReasonerSelected
from plugin_bridge.host.origin import opened_origin
from plugin_bridge.mcp_server.port import Accepted, Cancelled, Chunk, Page
from plugin_bridge.policy import resolve_policy
from plugin_bridge.policy.essentials import BUILT_IN
from plugin_bridge.starting import JobStarter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import TaskGroup
    from anyio.streams.memory import MemoryObjectReceiveStream

    from jobs.clock import Clock
    from jobs.values import ArtifactId, Job, JobId, Json
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.access import RequestAudit, Session
    from plugin_bridge.host.events import HostEvent
    from plugin_bridge.host.values import OntologyHost
    from plugin_bridge.mcp_server.arguments import ExportArguments, StartArguments
    from plugin_bridge.policy import ResolvedPolicy
    from plugin_bridge.settings import WindowSettings

logger = logging.getLogger(__name__)

_AXIOMS_IN_EDITOR = 500  # decision 20: one commit must not freeze it
_AXIOMS_WITHOUT_EDITOR = 100_000  # decision 20


class Window:
    """An open window; satisfies `mcp_server.port.WindowPort`. Made by `open_window`."""

    def __init__(
        self,
        *,
        settings: WindowSettings,
        workspace_id: WorkspaceId,
        clock: Clock,
        access: AccessTable,
        service: JobService,
        host: OntologyHost,
        document: Path | None,
        shelf: CaptureShelf,
        starter: JobStarter,
        pool: WorkerPool,
        tasks: TaskGroup,
        requests: RequestAudit,
    ) -> None:
        self.settings = settings
        self.workspace_id = workspace_id
        self.clock = clock
        self.access = access
        self.requests = requests
        self.is_read_only = settings.read_only
        self._service = service
        self._host = host
        self._document = document
        self._shelf = shelf
        self._starter = starter
        self._pool = pool
        self._tasks = tasks

    @property
    def title(self) -> str:
        """A name of the window's ontology, fit for people."""
        return self._host.title

    @property
    def materialization_axioms_max(self) -> int:
        """How many axioms a materialization may count here."""
        return _AXIOMS_WITHOUT_EDITOR if self.settings.gateway is None else _AXIOMS_IN_EDITOR

    def warm_up(self) -> None:
        """After the window is ready: keep workers warm, and prove the selected reasoner beforehand.

        So the first `start_job` does not pay for either (decisions 6 and 19).
        """
        self._pool.warm()
        self.prove_ahead()

    def prove_ahead(self, job_type: JobType = JobType.CLASSIFICATION) -> None:
        """Prove now the reasoner that such a job needs, beside whatever else goes on."""
        self._tasks.start_soon(self._prove_early, job_type, name="early probe")

    async def follow(self, events: MemoryObjectReceiveStream[HostEvent]) -> None:
        """Act on what the editor tells, until it closes: a reasoner is proven when selected (decision 19)."""
        async for event in events:
            if isinstance(event, ReasonerSelected):
                self.prove_ahead()

    async def _prove_early(self, job_type: JobType) -> None:
        try:
            await self._starter.prove(await self._starter.policy(), job_type)
        except ProtegeJobsError as error:
            # Not a fault of the window: the same answer meets the caller who asks for that reasoner.
            logger.info("probe.early_failure", extra={"code": error.code})

    # --- The tools --------------------------------------------------------------------------------

    async def start_job(self, session: Session, arguments: StartArguments) -> Accepted:
        """Capture, admit and queue one job (W 3.3)."""
        accepted = await self._starter.start(
            session.owner, arguments.type, arguments.idempotency_key, arguments.request
        )
        return Accepted(job=accepted.job, reused=accepted.reused)

    async def get_job(self, session: Session, job_id: JobId) -> Job:
        """The newest snapshot of an owned job."""
        return await self._service.get(session.owner, job_id)

    async def wait_job(self, session: Session, job_id: JobId, after_sequence: int) -> Job:
        """The job once its progress is past a sequence, or it has ended; the caller bounds the wait."""
        return await self._service.wait(session.owner, job_id, after_sequence)

    async def cancel_job(self, session: Session, job_id: JobId) -> Cancelled:
        """Ask an owned job to stop."""
        job, outcome = await self._service.cancel(session.owner, job_id)
        return Cancelled(job=job, outcome=outcome)

    async def list_jobs(self, session: Session, limit: int, cursor: str | None) -> Page:
        """One page of the owner's jobs, newest first."""
        page = await self._service.list(session.owner, limit, cursor)
        return Page(jobs=page.jobs, next_cursor=page.next_cursor)

    async def export_job_artifact(self, session: Session, arguments: ExportArguments) -> Json:
        """Publish one artifact into the project."""
        from plugin_bridge.exporting import Exporter  # a command never exports, and starts sooner without

        # Ownership answers first, so a foreign id cannot be told from an absent one by a policy error.
        await self._service.artifact(session.owner, arguments.job_id, arguments.artifact_id)
        policy = await self._starter.policy(arguments.policy_path)
        exporter = Exporter(self._service, self._document, lambda: self.is_read_only)
        return await exporter.export(session.owner, arguments, policy)

    async def read_job_artifact(
        self, session: Session, job_id: JobId, artifact_id: ArtifactId, offset: int, length: int
    ) -> Chunk:
        """At most `length` bytes of one artifact from `offset`."""
        handle = await self._service.artifact(session.owner, job_id, artifact_id)
        return Chunk(data=await handle.read(offset, length), size_bytes=handle.reference.size_bytes)

    async def describe_window(self, session: Session) -> Json:
        """Ontology, revision, imports, reasoner, policy and what the caller may do (decision 24)."""
        from plugin_bridge.describing import describe  # as `export_job_artifact`

        policy = await self._starter.policy()
        hold = await self._shelf.hold()
        try:
            profile = await self._starter.find_profile(policy)
            return describe(
                title=self.title,
                workspace_id=self.workspace_id,
                ontology=hold.ontology,
                policy=policy,
                profile=profile,
                profile_name=await self._starter.profile_name(policy),
                probe=None if profile is None else self._starter.find_probe(profile),
                session=session,
                is_read_only=self.is_read_only,
            )
        finally:
            hold.release()


@asynccontextmanager
async def open_window(
    settings: WindowSettings, *, clock: Clock | None = None, pool: WorkerPool | None = None
) -> AsyncIterator[Window]:
    """Open a window on a document or on an editor for the length of the block.

    Args:
        pool: the caller's pool of workers, which outlives the window; its own by default.
    Raises:
        PolicyRequired, PolicyInvalid, PolicyUnavailable: the project's policy does not load.
        StorageFailed: the private folder cannot be made.
        HostUnavailable: the editor does not answer.
    """
    async with opened_origin(settings) as origin:
        folder = settings.project or (None if origin.document is None else origin.document.parent)
        # Without a local folder there is no policy, and the window says so to whoever wants a job.
        policy = None if folder is None else await to_thread.run_sync(resolve_policy, folder)
        await to_thread.run_sync(sweep)
        async with open_worker_pool() if pool is None else nullcontext(pool) as workers:
            # On the loop, which serves nobody yet: Ctrl-C ends the wait for a thread, shielded or
            # not, and the folder that the thread then makes would be nobody's.
            private = PrivateRoot.create()
            workers.guard_directory(private.path)
            try:
                async with open_tasks() as tasks:
                    ground = _Ground(
                        settings=settings,
                        document=origin.document,
                        folder=folder,
                        policy=policy,
                        private=private,
                        pool=workers,
                        tasks=tasks,
                        clock=clock or SystemClock(),
                    )
                    async with (
                        origin.open(workers, _import_root(origin.document, policy)) as host,
                        _opened(ground, host) as window,
                    ):
                        yield window
                        await window.access.revoke_all()
                    tasks.cancel_scope.cancel()
            finally:
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(private.close)
                workers.release_directory(private.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What a window stands on; all of it outlives the window."""

    settings: WindowSettings
    document: Path | None
    folder: Path | None
    """Where policy discovery begins."""
    policy: ResolvedPolicy | None
    private: PrivateRoot
    pool: WorkerPool
    tasks: TaskGroup
    clock: Clock


@asynccontextmanager
async def _opened(ground: _Ground, host: OntologyHost) -> AsyncIterator[Window]:
    """The window over its processes and private folder; its jobs end with the block."""
    workspace_id = WorkspaceId(str(uuid.uuid4()))
    private, pool, tasks, clock = ground.private, ground.pool, ground.tasks, ground.clock
    audit = _audit_sink(ground.policy, clock)
    service = JobService(
        workspace_id=workspace_id,
        store=MemoryStore(),
        artifacts=ArtifactVault(private.path / "artifacts", random_id),
        audit_sink=audit,
        clock=clock,
        workers=(BUILT_IN if ground.policy is None else ground.policy).quotas.workers,
    )
    access = AccessTable(workspace_id, clock, service.cancel_where)
    shelf = CaptureShelf(host, lambda: private.new_dir("capture"), tasks)

    def start_ahead(right: CapturedFile, limit: object) -> DiffAhead:
        ahead = DiffAhead(pool, right, limit, private.new_dir("ahead"))
        tasks.start_soon(ahead.run, name="diff ahead")
        return ahead

    async with service, request_log(audit.append) as requests:
        starter = JobStarter(
            service=service,
            pool=pool,
            probe=CancellationProbe(pool.execute, lambda: private.new_dir("probe")),
            capturer=InputCapturer(shelf, workspace_id, private.path, ground.settings.named_files),
            access=access,
            private=private,
            discovery_folder=ground.folder,
            choice=ReasonerChoice(host, ground.settings.profile),
            start_ahead=start_ahead if ground.settings.works_ahead else None,
        )
        tasks.start_soon(access.watch_expiry, name="grant expiry")
        window = Window(
            settings=ground.settings,
            workspace_id=workspace_id,
            clock=clock,
            access=access,
            service=service,
            host=host,
            document=ground.document,
            shelf=shelf,
            starter=starter,
            pool=pool,
            tasks=tasks,
            requests=requests,
        )
        if host.events is not None:
            tasks.start_soon(window.follow, host.events, name="editor events")
        yield window


def _audit_sink(policy: ResolvedPolicy | None, clock: Clock) -> RotatingFileSink:
    """The audit log of the project, shared by all its windows; it lies outside the project.

    Windows without a project share one, too.
    """
    settings = (BUILT_IN if policy is None else policy).audit
    project = "" if policy is None else str(policy.project_root)
    return RotatingFileSink(
        platformdirs.user_state_path("protege-jobs", appauthor=False)
        / "audit"
        / text_digest(project).removeprefix("sha256:")[:16],
        retention_days=settings.retention_days,
        max_file_bytes=settings.max_file_bytes,
        max_files=settings.max_files,
        clock=clock,
    )


def _import_root(document: Path | None, policy: ResolvedPolicy | None) -> Path | None:
    """Imports are read inside the project; of a document outside it, beside the document."""
    if document is None or policy is None:
        return None
    folder = document.parent
    return policy.project_root if folder.is_relative_to(policy.project_root) else folder
