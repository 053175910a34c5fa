"""Doubles and values for the tests of the job engine: a clock to move, work to hold at gates."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import anyio

from jobs import (
    PRODUCT_QUOTAS,
    Accepted,
    ArtifactVault,
    Computed,
    InputIdentity,
    Job,
    JobService,
    JobType,
    MemoryStore,
    ModelRevision,
    Owner,
    QuotaSettings,
    StagedFile,
    State,
    Submission,
    WorkspaceId,
    byte_digest,
    random_id,
    text_digest,
)
from jobs.errors import AuthorizationRevoked

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from jobs import JobEvent

START = datetime(2026, 1, 5, 10, tzinfo=UTC)
WORKSPACE = WorkspaceId("00000000-0000-4000-8000-00000000000a")


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class LoopClock:
    """Moves with the clock of the event loop, so a mock clock moves it too."""

    def __init__(self) -> None:
        self._start_s = anyio.current_time()

    def now(self) -> datetime:
        return START + timedelta(seconds=anyio.current_time() - self._start_s)


def owner(principal: str = "ann", *, client: str | None = None, grant: str | None = "g1") -> Owner:
    whole = Owner.of(WORKSPACE, principal_type="user", client_id=principal, grant_id=grant)
    return whole if client is None else replace(whole, client_fingerprint=text_digest(client))


def identity(request: str = "r", *, revision: int = 1) -> InputIdentity:
    return InputIdentity(
        model_revision=ModelRevision(
            workspace_id=WORKSPACE,
            session_revision=revision,
            semantic_fingerprint=text_digest("semantic"),
            document_fingerprint=text_digest("document"),
        ),
        closure_fingerprint=text_digest("closure"),
        import_lock_digest=None,
        mapping_revision=None,
        policy_digest=text_digest("policy"),
        preflight_asset_digest=None,
        reasoner_digest=None,
        normalized_request_digest=text_digest(request),
    )


def submission(
    who: Owner | None = None,
    key: str | None = "key",
    *,
    job_type: JobType = JobType.CLASSIFICATION,
    request: str = "r",
) -> Submission:
    return Submission(
        owner=who or owner(),
        type=job_type,
        idempotency_key=key,
        required_capabilities=("ontology:read", "filesystem:project:read"),
        input_identity=identity(request),
        request={},
    )


def settings(**lower: object) -> QuotaSettings:
    return replace(PRODUCT_QUOTAS, **lower)  # type: ignore[arg-type]


def staged_file(folder: Path, name: str = "report.json", data: bytes = b'{"kind":"x"}') -> StagedFile:
    path = folder / f"{random_id()}-{name}"
    path.write_bytes(data)
    return StagedFile(
        name=name,
        media_type="application/json",
        path=path,
        sha256=byte_digest(data),
        size_bytes=len(data),
    )


@dataclass
class Gate:
    """A point where the work waits; both sides know that it was reached."""

    reached: anyio.Event = field(default_factory=anyio.Event)
    opened: anyio.Event = field(default_factory=anyio.Event)

    async def pass_through(self) -> None:
        self.reached.set()
        await self.opened.wait()


class Work:
    """A computation that records what is done to it and stops at the gates that a test names.

    Gates: `compute`, `stop` (how long its process resists), `drift`, `lease`. `steps` says what it did.
    """

    def __init__(
        self,
        *gates: str,
        structured: dict[str, object] | None = None,
        files: tuple[StagedFile, ...] = (),
        raises: BaseException | None = None,
        says: tuple[tuple[str, str], ...] = (),
        drift: tuple[bool | None, tuple[str, ...]] = (True, ()),
        authorized: bool = True,
    ) -> None:
        self.gates = {name: Gate() for name in gates}
        self.structured = structured if structured is not None else {"kind": "classification"}
        self.files, self.raises, self.says, self.drifted = files, raises, says, drift
        self.authorized = authorized
        self.runs = self.releases = self.leases = 0
        self.is_alive = False
        self.steps: list[str] = []

    async def run(self, report) -> Computed:  # type: ignore[no-untyped-def]
        self.runs += 1
        self.is_alive = True
        try:
            for phase, message in self.says:
                report(phase, message)
            await self._gate("compute")
            if self.raises is not None:
                raise self.raises
            return Computed(structured=self.structured, files=self.files)
        finally:
            if "stop" in self.gates:
                with anyio.CancelScope(shield=True):
                    await self._gate("stop")
            self.is_alive = False

    async def drift(self) -> tuple[bool | None, tuple[str, ...]]:
        await self._gate("drift")
        return self.drifted

    @asynccontextmanager
    async def authority(self) -> AsyncIterator[None]:
        await self._gate("lease")
        if not self.authorized:
            raise AuthorizationRevoked
        self.leases += 1
        try:
            yield
        finally:
            self.leases -= 1
            self.steps.append("unleased")

    def release(self) -> None:
        self.releases += 1

    def open(self, name: str) -> None:
        self.gates[name].opened.set()

    async def reached(self, name: str) -> None:
        await self.gates[name].reached.wait()

    async def _gate(self, name: str) -> None:
        self.steps.append(name)
        if name in self.gates:
            await self.gates[name].pass_through()


class CommittingWork(Work):
    """The same with an irreversible step. More gates: `destination`, `revalidate`, `commit`."""

    def __init__(
        self,
        *gates: str,
        commit_raises: BaseException | None = None,
        revalidate_raises: Exception | None = None,
        committed: dict[str, object] | None = None,
        **rest: object,
    ) -> None:
        super().__init__(*gates, **rest)  # type: ignore[arg-type]
        self.commit_raises, self.revalidate_raises = commit_raises, revalidate_raises
        self.committed = committed or {"kind": "materialization"}
        self.commits = 0

    @asynccontextmanager
    async def destination(self) -> AsyncIterator[None]:
        await self._gate("destination")
        self.leases += 1
        try:
            yield
        finally:
            self.leases -= 1

    async def revalidate(self, computed: Computed) -> None:
        await self._gate("revalidate")
        if self.revalidate_raises is not None:
            raise self.revalidate_raises

    async def commit(self, computed: Computed) -> dict[str, object]:
        assert self.leases == 2
        self.commits += 1
        await self._gate("commit")
        if self.commit_raises is not None:
            raise self.commit_raises
        return self.committed


class Sink:
    """Keeps the events; fails or hangs where a test says."""

    def __init__(self, *, fail_at: int | None = None, hang_at: int | None = None) -> None:
        self.events: list[JobEvent] = []
        self.attempts = 0
        self.fail_at, self.hang_at = fail_at, hang_at
        self.hung = anyio.Event()
        self.unhang = anyio.Event()

    async def deliver(self, event: JobEvent) -> None:
        self.attempts += 1
        if self.hang_at == self.attempts:
            self.hung.set()
            await self.unhang.wait()
        if self.fail_at == self.attempts:
            raise OSError("/private/audit is full")
        self.events.append(event)

    def kinds(self, job: Job) -> list[str]:
        return [event.kind.value for event in self.events if event.job_id == job.job_id]


class Bench:
    """A running service and short ways to use it."""

    def __init__(self, service: JobService, clock: ManualClock, sink: Sink, store: MemoryStore) -> None:
        self.service, self.clock, self.sink, self.store = service, clock, sink, store

    async def start(
        self,
        work: Work,
        who: Owner | None = None,
        key: str | None = "key",
        quotas: QuotaSettings = PRODUCT_QUOTAS,
        **rest: object,
    ) -> Accepted:
        asked = submission(who, key, **rest)  # type: ignore[arg-type]
        with await self.service.reserve(asked.owner, asked.type, key, quotas) as reservation:
            return await self.service.submit(reservation, asked, work)

    async def ended(self, job: Job) -> Job:
        with anyio.fail_after(5):
            while not job.state.is_terminal:
                job = await self.service.wait(job.owner, job.job_id, job.progress.sequence)
        return job

    async def reaches(self, job: Job, state: State) -> Job:
        with anyio.fail_after(5):
            while job.state is not state:
                job = await self.service.wait(job.owner, job.job_id, job.progress.sequence)
        return job


@asynccontextmanager
async def bench(
    folder: Path,
    *,
    sink: Sink | None = None,
    clock: object = None,
    workers: int = 2,
    store: MemoryStore | None = None,
) -> AsyncIterator[Bench]:
    moved = clock or ManualClock()
    kept = sink or Sink()
    store = store or MemoryStore()
    vault = ArtifactVault(folder / "artifacts", random_id)
    async with JobService(
        workspace_id=WORKSPACE,
        store=store,
        artifacts=vault,
        audit_sink=kept,
        clock=moved,  # type: ignore[arg-type]
        workers=workers,
    ) as service:
        yield Bench(service, moved, kept, store)  # type: ignore[arg-type]


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)
