"""Everything at once, in any order the loop may choose: the ends agree with the answers given."""

from __future__ import annotations

import tempfile
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs import CancelOutcome, Job, State
from jobs.errors import Refused, UnknownJob, WorkerLost
from tests.support import jobs_doubles as d
from tests.support.yielding_store import YieldingStore

OWNERS = [d.owner("ann"), d.owner("ann", grant="g2"), d.owner("bob")]
KINDS = ["cancel", "cancel", "revoke", "open", "open", "open", "list", "retry", "new"]
ORDER = {State.QUEUED: 0, State.RUNNING: 1, State.CANCEL_PENDING: 2} | {
    state: 3 for state in State if state.is_terminal
}
ACTION = st.tuples(st.sampled_from(KINDS), st.integers(0, 4), st.integers(0, 60))


class Storm:
    """Five jobs and a storm of requests."""

    def __init__(self, commits: list[bool], fails: list[bool]) -> None:
        self.sink = d.Sink()
        self.works = [
            (d.CommittingWork if commits[number] else d.Work)(
                "compute", says=(("loading", "One."),), raises=WorkerLost("x") if fails[number] else None
            )
            for number in range(5)
        ]
        self.outcomes: list[set[CancelOutcome]] = [set() for _ in self.works]
        self.retries: list[d.Work] = []
        self.reused: set[tuple[int, str]] = set()

    async def blow(
        self, actions: list[tuple[str, int, int]], close_after: int | None, store: YieldingStore
    ) -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with d.bench(Path(folder), sink=self.sink, store=store) as it:
                self.it = it
                self.jobs = [
                    (await it.start(work, OWNERS[number % 3], str(number))).job
                    for number, work in enumerate(self.works)
                ]
                with anyio.fail_after(20):
                    async with anyio.create_task_group() as group:
                        for job in self.jobs:
                            group.start_soon(self.read, job)
                        for kind, which, turns in actions:
                            group.start_soon(self.act, kind, which, turns)
                        if close_after is not None:
                            group.start_soon(self.act, "close", 0, close_after)
                    for work in self.works[:5]:
                        work.open("compute")
                    self.ended = [] if close_after is not None else [await it.ended(j) for j in self.jobs]

    async def read(self, seen: Job) -> None:
        """A reader sees a job move forwards only, and never again once it has ended (W 2.7)."""
        for _ in range(60):
            try:
                now = await self.it.service.get(seen.owner, seen.job_id)
            except UnknownJob:
                return
            assert ORDER[now.state] >= ORDER[seen.state]  # it may have slept through a state
            assert now.progress.sequence >= seen.progress.sequence
            assert now.latest_at >= seen.latest_at
            assert now == seen or not seen.state.is_terminal
            if seen.state.is_terminal:
                return
            seen = now

    async def act(self, kind: str, which: int, turns: int) -> None:
        for _ in range(turns):
            await anyio.lowlevel.checkpoint()
        job, service = self.jobs[which], self.it.service
        match kind:
            case "cancel":
                try:
                    _, outcome = await service.cancel(job.owner, job.job_id)
                except UnknownJob:
                    return  # closed meanwhile
                self.outcomes[which].add(outcome)
            case "revoke":
                await service.cancel_where(lambda owner: owner == job.owner)
            case "open":
                self.works[which].open("compute")
            case "list":
                await service.list(job.owner, 2)
            case "retry":
                work = d.Work()
                try:
                    again = await self.it.start(work, job.owner, str(which))
                except Refused:
                    return  # closed meanwhile
                self.retries.append(work)
                self.reused.add((which, again.job.job_id))
            case "new":
                work = d.Work()
                try:
                    made = await self.it.start(work, job.owner, f"new {turns}")
                except Refused:
                    return
                if not made.reused:
                    self.works.append(work)
                    self.outcomes.append(set())
                    self.jobs.append(made.job)
            case "close":
                await service.close()

    def check(self) -> None:
        for work in [*self.works, *self.retries]:
            assert (work.releases, work.leases, work.is_alive) == (1, 0, False)
        assert all(job_id == self.jobs[which].job_id for which, job_id in self.reused)
        assert not any(work.runs for work in self.retries)
        for number, job in enumerate(self.jobs):
            events = [event for event in self.sink.events if event.job_id == job.job_id]
            kinds = [event.kind.value for event in events]
            assert [event.sequence for event in events] == list(range(1, len(events) + 1))
            assert (kinds[0], kinds[-1]) == ("accepted", "terminal")
            assert len(set(kinds)) == len(kinds)
            assert "started" not in kinds[2:]
            end, outcomes = events[-1].state, self.outcomes[number]
            if outcomes & {CancelOutcome.CANCELLED, CancelOutcome.CANCEL_REQUESTED}:
                assert end is State.CANCELLED
            if CancelOutcome.COMMIT_IN_PROGRESS in outcomes:
                assert end is State.SUCCEEDED
            if end is State.CANCELLED:
                assert kinds[-2:] == ["cancellation_effective", "terminal"]
                assert "cancel_requested" in kinds
            work = self.works[number]
            if isinstance(work, d.CommittingWork):
                assert work.commits == (end is State.SUCCEEDED)
            if self.ended:
                assert self.ended[number].state is end


@pytest.mark.req("W-28", "W-49", "W-61", "W-66", "W-68")
@settings(max_examples=150, deadline=None)
@given(
    st.lists(ACTION, max_size=12),
    st.lists(st.booleans(), min_size=5, max_size=5),
    st.lists(st.sampled_from([False, False, True]), min_size=5, max_size=5),
    st.none() | st.integers(0, 80),
    st.integers(0, 1000),
)
def test_any_interleaving_ends_as_was_answered(
    actions: list[tuple[str, int, int]],
    commits: list[bool],
    fails: list[bool],
    close_after: int | None,
    seed: int,
) -> None:
    storm = Storm(commits, fails)
    anyio.run(storm.blow, actions, close_after, YieldingStore(seed, most=12))
    storm.check()
