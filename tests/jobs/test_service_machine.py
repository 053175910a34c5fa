"""The whole life of jobs against a model that fits on a page (W 2, 5, 7, 8).

The model predicts every answer and every final state; which waiting job is taken next it only
observes (`test_queue.py` shows the order). Runs on one asyncio loop that is stepped between rules.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from jobs import CancelOutcome, Job, JobType, MemoryStore, State, describe, parse_descriptor
from jobs import errors as e
from tests.support import jobs_doubles as d
from tests.support.yielding_store import YieldingStore

if TYPE_CHECKING:
    from collections.abc import Coroutine

QUOTAS = d.settings(
    active_per_principal=3, retained_per_principal=4, retained_per_backend=6, queue_capacity=3, retention_s=60
)
OWNERS = {name: d.owner(principal, grant=grant) for name, principal, grant in
          (("ann1", "ann", "g1"), ("ann2", "ann", "g2"), ("bob", "bob", "g1"))}  # fmt: skip


@dataclass
class Modelled:
    """What the model knows of a job."""

    seen: Job
    work: d.Work
    who: str
    key: str | None
    request: str
    created_s: float
    state: State = State.QUEUED
    ended_s: float | None = None
    computed: bool = False
    history: list[Job] = field(default_factory=list)

    def bound(self, now_s: float) -> bool:
        return self.key is not None and now_s < self.created_s + 900

    def expired(self, now_s: float) -> bool:
        if self.ended_s is None:
            return False
        return now_s >= max(self.ended_s + 60, self.created_s + 900 if self.key else 0)

    def end(self, state: State, now_s: float) -> None:
        self.state, self.ended_s = state, now_s


class JobMachine(RuleBasedStateMachine):
    """Rules are what callers, workers and time may do."""

    jobs = Bundle("jobs")
    make_store: type[MemoryStore] = MemoryStore
    turns = 40

    @initialize()
    def open(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.clock, self.sink = d.ManualClock(), d.Sink()
        self.now_s = 0.0
        self.model: list[Modelled] = []
        self.rejected: list[d.Work] = []
        self.closed = False
        ready, self.leave = asyncio.Event(), asyncio.Event()

        async def live() -> None:
            async with d.bench(
                Path(self.folder.name), sink=self.sink, clock=self.clock, store=self.make_store()
            ) as it:
                self.it = it
                ready.set()
                await self.leave.wait()

        self.task = self.loop.create_task(live())
        self.loop.run_until_complete(ready.wait())

    def teardown(self) -> None:
        if hasattr(self, "loop"):
            self.leave.set()
            self.loop.run_until_complete(self.task)
            works = [job.work for job in self.model] + self.rejected
            assert [work.releases for work in works] == [1] * len(works)
            assert not any(work.is_alive for work in works)
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()
            self.folder.cleanup()

    def do(self, step: Coroutine[Any, Any, Any]) -> Any:
        """Run one step, then everything that follows from it."""

        async def stepped() -> Any:
            try:
                return await step
            finally:
                for _ in range(self.turns):  # no step of a job waits for more turns of the loop
                    await asyncio.sleep(0)

        return self.loop.run_until_complete(stepped())

    # --- the model -------------------------------------------------------------------------------

    def settle(self) -> None:
        """Let the model follow time and observe which waiting jobs were claimed."""
        self.model = [job for job in self.model if not job.expired(self.now_s)]
        for job in self.model:
            if job.state is State.QUEUED and job.work.runs:
                job.state = State.RUNNING

    def of(self, who: str) -> list[Modelled]:
        principal = OWNERS[who].principal_fingerprint
        return [job for job in self.model if OWNERS[job.who].principal_fingerprint == principal]

    def evictable(self, job: Modelled) -> bool:
        return job.ended_s is not None and not job.bound(self.now_s)

    def refusal(self, who: str) -> type[e.ProtegeJobsError] | None:
        mine = self.of(who)
        if sum(job.ended_s is None for job in mine) >= 3:
            return e.ActiveQuotaExceeded
        if sum(not self.evictable(job) for job in mine) >= 4:
            return e.RetentionQuotaExceeded
        if sum(not self.evictable(job) for job in self.model) >= 6:
            return e.BackendQuotaExceeded
        if sum(job.state is State.QUEUED for job in self.model) >= 3:
            return e.QueueFull
        return None

    def make_room(self, who: str) -> None:
        for bound, jobs in ((4, self.of(who)), (6, self.model)):
            order = sorted(
                (job for job in jobs if self.evictable(job) and job in self.model),
                key=lambda job: (job.ended_s, job.created_s, job.seen.job_id),
            )
            here = [job for job in jobs if job in self.model]
            for job in order[: max(0, len(here) + 1 - bound)]:
                self.model.remove(job)

    # --- the rules -------------------------------------------------------------------------------

    @precondition(lambda self: not self.closed)
    @rule(
        target=jobs,
        who=st.sampled_from(list(OWNERS)),
        key=st.sampled_from(["k1", "k2", None]),
        kind=st.sampled_from([JobType.CLASSIFICATION, JobType.PROJECT_QC]),
        request=st.sampled_from(["r1", "r1", "r2"]),
    )
    def submit(self, who: str, key: str | None, kind: JobType, request: str) -> Any:
        self.settle()
        work = d.Work("compute", "lease")
        held = next(
            (
                job
                for job in self.model
                if key is not None and (job.who, job.key, job.seen.type) == (who, key, kind)
                and job.bound(self.now_s)
            ),
            None,
        )  # fmt: skip
        start = self.it.start(work, OWNERS[who], key, QUOTAS, job_type=kind, request=request)
        if held is not None:
            self.rejected.append(work)
            if held.request == request:
                accepted = self.do(start)
                assert accepted.reused
                assert accepted.job.job_id == held.seen.job_id
            else:
                with pytest.raises(e.IdempotencyConflict) as caught:
                    self.do(start)
                assert caught.value.details["changed_inputs"] == ["normalized_request_digest"]
            return multiple()
        refusal = self.refusal(who)
        if refusal is not None:
            with pytest.raises(refusal):
                self.do(start)
            return multiple()
        self.make_room(who)
        accepted = self.do(start)
        assert not accepted.reused
        made = Modelled(seen=accepted.job, work=work, who=who, key=key, request=request, created_s=self.now_s)
        self.model.append(made)
        return made

    @rule(job=jobs, phase=st.sampled_from(["loading", "reasoning"]))
    def say(self, job: Modelled, phase: str) -> None:
        self.settle()
        live = self.it.service._scheduler.live.get(job.seen.job_id)
        if live is not None and job.state is State.RUNNING and not self.closed:
            self.do(_said(live, phase))

    @rule(job=jobs, raises=st.booleans())
    def compute(self, job: Modelled, raises: bool) -> None:
        self.settle()
        if job.state is not State.RUNNING or job.computed or self.closed:
            return
        job.computed = True
        job.work.raises = ZeroDivisionError("/secret") if raises else None
        self.do(_opened(job.work, "compute"))
        if raises:
            job.end(State.FAILED, self.now_s)

    @rule(job=jobs, authorized=st.sampled_from([True, True, False]))
    def publish(self, job: Modelled, authorized: bool) -> None:
        self.settle()
        if job.state is not State.RUNNING or not job.computed or self.closed:
            return
        job.work.authorized = authorized
        self.do(_opened(job.work, "lease"))
        job.end(State.SUCCEEDED if authorized else State.FAILED, self.now_s)

    @rule(job=jobs, who=st.sampled_from(list(OWNERS)))
    def cancel(self, job: Modelled, who: str) -> None:
        self.settle()
        request = self.it.service.cancel(OWNERS[who], job.seen.job_id)
        if who != job.who or job not in self.model:
            with pytest.raises(e.UnknownJob) as caught:
                self.do(request)
            assert caught.value.body() == e.UnknownJob().body()
            return
        after, outcome = self.do(request)
        if job.ended_s is not None:
            assert (outcome, after.state) == (CancelOutcome.ALREADY_TERMINAL, job.state)
        elif job.state is State.QUEUED:
            assert (outcome, after.state) == (CancelOutcome.CANCELLED, State.CANCELLED)
            assert job.work.runs == 0
        else:
            assert (outcome, after.state) == (CancelOutcome.CANCEL_REQUESTED, State.CANCEL_PENDING)
        if job.ended_s is None:
            job.end(State.CANCELLED, self.now_s)

    @precondition(lambda self: not self.closed)
    @rule(who=st.sampled_from(list(OWNERS)))
    def revoke(self, who: str) -> None:
        self.settle()
        self.do(self.it.service.cancel_where(lambda owner: owner == OWNERS[who]))
        for job in self.model:
            if job.who == who and job.ended_s is None:
                job.end(State.CANCELLED, self.now_s)

    @rule(seconds=st.sampled_from([0.5, 59, 60, 300, 899, 900]))
    def tick(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.now_s += seconds
        self.settle()

    @rule(job=jobs)
    def deliver_and_discard(self, job: Modelled) -> None:
        self.settle()
        if job in self.model and job.key is None and job.ended_s is not None:
            self.do(self.it.service.discard_record(OWNERS[job.who], job.seen.job_id))
            self.model.remove(job)

    @precondition(lambda self: not self.closed and len(self.model) > 3)
    @rule(chance=st.integers(0, 3))
    def close(self, chance: int) -> None:
        if chance == 0:
            self.do(self.it.service.close())
            for job in self.model:
                if job.ended_s is None:
                    job.end(State.CANCELLED, self.now_s)
            self.model, self.closed = [], True
            with pytest.raises(e.AuthorizationRevoked):
                self.do(self.it.start(d.Work(), OWNERS["ann1"], "late", QUOTAS))

    # --- what always holds -----------------------------------------------------------------------

    @invariant()
    def every_owner_sees_exactly_its_jobs(self) -> None:
        if not hasattr(self, "loop"):
            return
        self.settle()
        for who, owner in OWNERS.items():
            page = self.do(self.it.service.list(owner, 100))
            mine = [job for job in self.model if job.who == who]
            assert {job.job_id for job in page.jobs} == {job.seen.job_id for job in mine}
            for job in mine:
                now = next(seen for seen in page.jobs if seen.job_id == job.seen.job_id)
                self.check(job, now)

    def check(self, job: Modelled, now: Job) -> None:
        assert now.state is job.state
        assert now.progress.sequence >= job.seen.progress.sequence
        assert now.latest_at >= job.seen.latest_at
        assert now == job.seen or not job.seen.state.is_terminal
        assert job.work.releases == (now.state.is_terminal and 1)
        assert (now.state is State.SUCCEEDED) is (now.result is not None)
        assert parse_descriptor(describe(now)) == now or now.fence.value == "publication_started"
        job.seen = now

    @invariant()
    def workers_queue_and_ledger_agree(self) -> None:
        if hasattr(self, "loop"):
            states = [job.state for job in self.model]
            running, queued = states.count(State.RUNNING), states.count(State.QUEUED)
            assert len(self.it.service._scheduler.queue) == queued
            assert len(self.it.service._scheduler.live) == running + queued
            assert running <= 2
            assert queued == 0 or running == 2
            assert self.it.service._admission.ledger.open_count == 0

    @invariant()
    def events_are_gapless_with_one_beginning_and_one_end(self) -> None:
        if hasattr(self, "loop"):
            for job in self.model:
                events = [event for event in self.sink.events if event.job_id == job.seen.job_id]
                assert [event.sequence for event in events] == list(range(1, len(events) + 1))
                kinds = [event.kind.value for event in events]
                assert kinds.count("accepted") == 1
                assert kinds.count("terminal") == job.state.is_terminal
                if job.state is State.CANCELLED:
                    assert kinds[-2:] == ["cancellation_effective", "terminal"]


async def _opened(work: d.Work, gate: str) -> None:
    work.open(gate)


async def _said(live: Any, phase: str) -> None:
    live.report(phase, "Still at it.")


class YieldingMachine(JobMachine):
    """The same life on a store that waits."""

    make_store = YieldingStore
    turns = 150


_SETTINGS = {
    "stateful_step_count": 40,
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
TestJobMachine = pytest.mark.req("W-22", "W-24", "W-25", "W-28", "W-49", "W-57", "W-63", "W-67")(
    JobMachine.TestCase
)
TestJobMachine.settings = settings(max_examples=60, **_SETTINGS)
TestYieldingMachine = YieldingMachine.TestCase
TestYieldingMachine.settings = settings(max_examples=30, **_SETTINGS)
