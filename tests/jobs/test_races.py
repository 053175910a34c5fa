"""Stop requests raced at every step of a job: the fence has exactly one winner (W 8, 12.5).

Every step is held at a gate, so both parties are provably mid-flight. The store of these tests
waits, as a database does: a request comes in between a decision and its compare-and-set.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

from jobs import CancelOutcome, JobService, MemoryStore, State, random_id
from jobs.artifacts import ArtifactVault
from jobs.audit import EventKind
from jobs.errors import AuthorizationRevoked, UnknownJob
from jobs.values import Fence
from tests.support.jobs_doubles import (
    WORKSPACE,
    Bench,
    CommittingWork,
    Gate,
    ManualClock,
    Sink,
    Work,
    owner,
    settings,
    staged_file,
    submission,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from jobs import Job, JobEvent, StagedFile
    from jobs.kernel.record import Record
    from jobs.values import JobId

pytestmark = pytest.mark.anyio

BEFORE = ("queue", "claim", "compute", "staging", "drift", "lease", "permit")
BEHIND = ("announcing", "last event", "showing")
COMMIT_BEFORE = ("destination", "intent", "revalidate", "commit permit")
COMMIT_BEHIND = ("commit", "last event", "showing")


class WaitingStore(MemoryStore):
    """Waits at a gate between the caller's decision and the compare-and-set."""

    def __init__(self, gates: dict[str, Gate]) -> None:
        super().__init__()
        self.gates = gates
        self.last: tuple[State, ...] = ()

    async def clear(self) -> None:
        """What the jobs had come to when the window forgot them."""
        self.last = self.last or tuple(record.job.state for record in await self.everything())
        await super().clear()

    async def compare_and_set(self, job_id: JobId, expected_revision: int, job: Job) -> Record | None:
        before = await self.find(job_id)
        if before is not None:
            step = {
                (State.QUEUED, State.RUNNING, Fence.OPEN): "claim",
                (State.RUNNING, State.RUNNING, Fence.PUBLICATION_STARTED): "permit",
                (State.RUNNING, State.RUNNING, Fence.COMMIT_STARTED): "commit permit",
            }.get((before.job.state, job.state, job.fence))
            if job.state is State.SUCCEEDED:
                step = "showing"
            if step in self.gates:
                await self.gates[step].pass_through()
        return await super().compare_and_set(job_id, expected_revision, job)


class WaitingVault(ArtifactVault):
    def __init__(self, folder: Path, gates: dict[str, Gate]) -> None:
        super().__init__(folder, random_id)
        self.gates = gates

    async def stage(self, job_id, files, created_at, expires_at):  # type: ignore[no-untyped-def]
        staged = await super().stage(job_id, files, created_at, expires_at)
        if "staging" in self.gates:
            await self.gates["staging"].pass_through()
        return staged


class WaitingSink(Sink):
    def __init__(self, gates: dict[str, Gate], *, commits: bool) -> None:
        super().__init__()
        self.gates = gates
        self.steps = {
            EventKind.PUBLICATION_STARTED: "intent" if commits else "announcing",
            EventKind.TERMINAL: "last event",
        }

    async def deliver(self, event: JobEvent) -> None:
        step = self.steps.get(event.kind)
        if step in self.gates:
            await self.gates[step].pass_through()
        await super().deliver(event)


class Race:
    """One job held at one step."""

    def __init__(self, folder: Path, step: str, *, commits: bool) -> None:
        self.step, self.gate = step, Gate()
        gates = {step: self.gate}
        make = CommittingWork if commits else Work
        self.files: tuple[StagedFile, ...] = (staged_file(folder, data=b"x" * (2 * 1024 * 1024)),)
        self.work = make(files=self.files)
        self.work.gates = dict(gates)
        self.blocker = Work("compute")
        self.store = WaitingStore(gates)
        self.vault = WaitingVault(folder / "private", gates)
        self.sink = WaitingSink(gates, commits=commits)
        self.clock = ManualClock()
        self.folder = folder

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Bench]:
        async with JobService(
            workspace_id=WORKSPACE,
            store=self.store,
            artifacts=self.vault,
            audit_sink=self.sink,
            clock=self.clock,
            workers=1,
        ) as service:
            self.bench = Bench(service, self.clock, self.sink, self.store)
            if self.step == "queue":
                await self.bench.start(self.blocker, owner("bob"), "block")
                await self.blocker.reached("compute")
            self.job = (await self.bench.start(self.work)).job
            if self.step != "queue":
                with anyio.fail_after(5):
                    await self.gate.reached.wait()
            yield self.bench

    def let_go(self) -> None:
        self.gate.opened.set()
        self.blocker.open("compute")

    def check_end(self, state: State) -> None:
        """What holds after every race, whoever won."""
        assert self.work.releases == 1
        assert self.work.leases == 0
        assert not self.work.is_alive
        events = [event for event in self.sink.events if event.job_id == self.job.job_id]
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        terminal = [event for event in events if event.kind is EventKind.TERMINAL]
        assert [event.state for event in terminal] == [state]
        assert self.store.last[-1] is state
        if isinstance(self.work, CommittingWork):
            assert self.work.commits == (state is State.SUCCEEDED)


async def _stop(race: Race, how: str) -> CancelOutcome | None:
    service = race.bench.service
    if how == "cancel":
        return (await service.cancel(race.job.owner, race.job.job_id))[1]
    await service.cancel_where(lambda who: who == race.job.owner)
    return None


@pytest.mark.req("W-08", "W-61", "W-63", "W-64", "W-65")
@pytest.mark.parametrize("how", ["cancel", "revoke"])
@pytest.mark.parametrize(
    ("step", "commits"),
    [(step, False) for step in BEFORE] + [(step, True) for step in COMMIT_BEFORE + BEFORE[1:-1]],
)
async def test_stop_before_the_permit_wins(tmp_path: Path, step: str, commits: bool, how: str) -> None:
    race = Race(tmp_path, step, commits=commits)
    async with race.held() as it:
        with anyio.fail_after(1):
            outcome = await _stop(race, how)
        if how == "cancel":
            queued = step in ("queue", "claim")
            assert outcome is (CancelOutcome.CANCELLED if queued else CancelOutcome.CANCEL_REQUESTED)
        race.let_go()
        done = await it.ended(await it.service.get(race.job.owner, race.job.job_id))
        assert (done.state, done.result, done.error) == (State.CANCELLED, None, None)
        await anyio.wait_all_tasks_blocked()
        assert race.work.runs == (step not in ("queue", "claim"))
        with anyio.fail_after(5):
            while race.vault.total_bytes:
                await anyio.lowlevel.checkpoint()
        assert _private_files(race) == []
    race.check_end(State.CANCELLED)


@pytest.mark.req("W-08", "W-66")
@pytest.mark.parametrize("how", ["cancel", "revoke"])
@pytest.mark.parametrize(
    ("step", "commits"), [(step, False) for step in BEHIND] + [(step, True) for step in COMMIT_BEHIND]
)
async def test_stop_behind_the_permit_changes_nothing(
    tmp_path: Path, step: str, commits: bool, how: str
) -> None:
    race = Race(tmp_path, step, commits=commits)
    async with race.held() as it:
        before = await it.service.get(race.job.owner, race.job.job_id)
        outcome = await _stop(race, how)
        assert outcome in (CancelOutcome.COMMIT_IN_PROGRESS, None)
        assert await it.service.get(race.job.owner, race.job.job_id) == before
        race.let_go()
        done = await it.ended(before)
        assert done.state is State.SUCCEEDED
        assert done.result is not None
        assert not done.result.audit_incomplete
        assert not done.cancellation_requested
        assert done.commit_started is commits
        await anyio.wait_all_tasks_blocked()
    race.check_end(State.SUCCEEDED)


@pytest.mark.req("W-08", "W-09", "W-10")
@pytest.mark.parametrize("by", ["close", "leaving", "cancelled host"])
@pytest.mark.parametrize(
    ("step", "commits", "wins"),
    [(step, False, False) for step in BEFORE]
    + [(step, True, False) for step in COMMIT_BEFORE]
    + [(step, False, True) for step in BEHIND]
    + [(step, True, True) for step in COMMIT_BEHIND],
)
async def test_closing_at_every_step_lets_only_a_permit_finish(
    tmp_path: Path, step: str, commits: bool, wins: bool, by: str
) -> None:
    race = Race(tmp_path, step, commits=commits)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            with anyio.CancelScope() as host:
                async with race.held() as it:
                    if wins or step in ("claim", "intent", "permit", "commit permit", "last event"):
                        # These do not end by cancellation: they go on while the service closes.
                        group.start_soon(_open_later, race)
                    if by == "close":
                        await it.service.close()
                        with pytest.raises(UnknownJob):
                            await it.service.get(race.job.owner, race.job.job_id)
                        with pytest.raises(AuthorizationRevoked):
                            await it.start(Work(), key="late")
                    elif by == "cancelled host":
                        host.cancel()
                        await anyio.sleep_forever()
    assert _private_files(race) == []
    assert race.vault.total_bytes == 0
    race.check_end(State.SUCCEEDED if wins else State.CANCELLED)


async def _open_later(race: Race) -> None:
    with anyio.CancelScope(shield=True):
        await anyio.wait_all_tasks_blocked()
        race.let_go()


def _private_files(race: Race) -> list[str]:
    return [path.name for path in (race.folder / "private").iterdir()]


@pytest.mark.req("W-21")
@pytest.mark.parametrize("by", ["close", "failed capture", "refused"])
async def test_reservation_and_capture_are_given_back(tmp_path: Path, by: str) -> None:
    race = Race(tmp_path, "none", commits=False)
    async with JobService(
        workspace_id=WORKSPACE, store=race.store, artifacts=race.vault, clock=race.clock
    ) as service:
        asked, late = submission(), Work()
        one = settings(active_per_principal=1)
        reservation = await service.reserve(asked.owner, asked.type, asked.idempotency_key, one)
        with reservation:
            if by == "close":
                await service.close()
            if by != "failed capture":
                wrong = submission(key="other") if by == "refused" else asked
                with pytest.raises((AuthorizationRevoked, Exception)) as caught:
                    await service.submit(reservation, wrong, late)
                assert late.releases == 1
                assert late.runs == 0
                assert caught.value.code in ("authorization_revoked", "job_admission_invalid")  # type: ignore[attr-defined]
        if by != "close":
            with await service.reserve(asked.owner, asked.type, "again", one):
                pass


@pytest.mark.req("W-62")
async def test_cancel_waits_neither_for_a_stuck_sink_nor_for_stuck_work(tmp_path: Path) -> None:
    race = Race(tmp_path, "compute", commits=False)
    race.sink.hang_at = 1
    async with race.held() as it:
        with anyio.fail_after(0.5):
            job, outcome = await it.service.cancel(race.job.owner, race.job.job_id)
        assert (job.state, outcome) == (State.CANCEL_PENDING, CancelOutcome.CANCEL_REQUESTED)
        with anyio.fail_after(1):
            assert (await it.ended(job)).state is State.CANCELLED
        race.sink.unhang.set()
    race.check_end(State.CANCELLED)
