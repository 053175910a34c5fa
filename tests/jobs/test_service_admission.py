"""Keys, quotas and retention as callers meet them (W 5, 7)."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio
import pytest
import trio
import trio.testing

from jobs import JobService, JobType, MemoryStore, State, limits, random_id
from jobs import errors as e
from jobs.artifacts import ArtifactVault
from tests.support import jobs_doubles as d

if TYPE_CHECKING:
    from pathlib import Path

    from jobs import Accepted

pytestmark = pytest.mark.anyio


# --- keys -----------------------------------------------------------------------------------------


@pytest.mark.req("W-22", "W-47")
@pytest.mark.parametrize("state", list(State))
async def test_retry_gets_the_job_in_whatever_state_without_a_rerun(tmp_path: Path, state: State) -> None:
    async with d.bench(tmp_path, workers=1) as it:
        blocker, retry = d.Work("compute"), d.Work()
        gates = {
            State.QUEUED: (), State.RUNNING: ("compute",), State.CANCEL_PENDING: ("compute", "stop"),
            State.CANCELLED: ("compute",),
        }.get(state, ())  # fmt: skip
        work = d.Work(*gates, raises=ValueError("x") if state is State.FAILED else None)
        if state is State.QUEUED:
            await it.start(blocker, key="blocker")
        job = (await it.start(work)).job
        if gates:
            await work.reached("compute")
        if state in (State.CANCEL_PENDING, State.CANCELLED):
            job, _ = await it.service.cancel(job.owner, job.job_id)
        if state.is_terminal:
            job = await it.ended(job)
        again = await it.start(retry)
        assert again.reused
        assert again.job.job_id == job.job_id
        assert again.job.state is state
        assert (retry.runs, retry.releases, work.runs) == (0, 1, state is not State.QUEUED)
        if state is State.CANCEL_PENDING:
            work.open("stop")


@pytest.mark.req("W-23")
async def test_key_is_free_at_exactly_fifteen_minutes_while_the_old_job_stays(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        old = await it.ended((await it.start(d.Work())).job)
        it.clock.advance(899.999)
        assert (await it.start(d.Work())).reused
        it.clock.advance(0.000999)
        assert (await it.start(d.Work())).reused
        it.clock.advance(0.000001)
        assert await it.service.find_idempotent(old.owner, old.type, "key") is None
        new = await it.start(d.Work())
        assert not new.reused
        assert await it.service.get(old.owner, old.job_id) == old
        assert (await it.service.find_idempotent(old.owner, old.type, "key")) is not None


@pytest.mark.req("W-25")
async def test_other_input_under_a_key_is_a_conflict_that_names_the_job(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        first, other = d.Work(), d.Work()
        job = await it.ended((await it.start(first)).job)
        with pytest.raises(e.IdempotencyConflict) as caught:
            await it.start(other, request="other")
        assert caught.value.details["job_id"] == job.job_id
        assert (other.runs, other.releases) == (0, 1)
        assert await it.service.get(job.owner, job.job_id) == job


@pytest.mark.req("W-27")
async def test_key_is_another_one_under_each_type_and_owner(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        made = [
            await it.ended((await it.start(d.Work(), d.owner(who), job_type=kind)).job)
            for who in ("ann", "bob")
            for kind in JobType
        ]
        assert len({job.job_id for job in made}) == 2 * len(JobType)


@pytest.mark.req("W-28")
@pytest.mark.parametrize("equal", [True, False])
async def test_parallel_starters_give_one_job(tmp_path: Path, equal: bool) -> None:
    async with d.bench(tmp_path) as it:
        results: list[Accepted | e.ProtegeJobsError] = []
        works = [d.Work() for _ in range(8)]
        captured = anyio.Event()
        capturing = 0

        async def starter(number: int) -> None:
            nonlocal capturing
            asked = d.submission(request="r" if equal else str(number))
            with await it.service.reserve(
                asked.owner, asked.type, asked.idempotency_key, d.settings()
            ) as reservation:
                capturing += 1
                if capturing == len(works):
                    captured.set()
                await captured.wait()
                try:
                    results.append(await it.service.submit(reservation, asked, works[number]))
                except e.IdempotencyConflict as conflict:
                    results.append(conflict)

        with anyio.fail_after(5):
            async with anyio.create_task_group() as group:
                for number in range(len(works)):
                    group.start_soon(starter, number)
            (job,) = (await it.service.list(d.owner())).jobs
            await it.ended(job)
        reused = [result.reused for result in results if not isinstance(result, e.ProtegeJobsError)]
        assert reused.count(False) == 1
        assert reused.count(True) == (7 if equal else 0)
        assert [work.releases for work in works] == [1] * 8
        assert sum(work.runs for work in works) == 1
        assert it.service._admission.ledger.open_count == 0


async def test_retry_whose_job_vanished_during_capture_is_told_to_ask_again(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        await it.ended((await it.start(d.Work())).job)
        asked, work = d.submission(), d.Work()
        with await it.service.reserve(asked.owner, asked.type, "key", d.settings()) as reservation:
            assert reservation.is_retry
            it.clock.advance(3600)
            with pytest.raises(e.AdmissionExpired):
                await it.service.submit(reservation, asked, work)
        assert work.releases == 1


@pytest.mark.req("W-24")
async def test_retry_is_not_refused_by_limits_that_the_first_job_filled(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        works = [d.Work("compute") for _ in range(8)]
        jobs = [(await it.start(work, key=str(number))).job for number, work in enumerate(works)]
        with pytest.raises(e.ActiveQuotaExceeded):
            await it.start(d.Work(), key="one more")
        for number, job in enumerate(jobs):
            again = await it.start(d.Work(), key=str(number))
            assert again.reused
            assert again.job.job_id == job.job_id


@pytest.mark.req("W-24")
async def test_short_retention_never_ends_the_window_early(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        one_minute = d.settings(retention_s=60)
        job = await it.ended((await it.start(d.Work(), quotas=one_minute)).job)
        it.clock.advance(899)
        assert (await it.start(d.Work(), quotas=one_minute)).job == job
        it.clock.advance(1)
        with pytest.raises(e.UnknownJob):
            await it.service.get(job.owner, job.job_id)


@pytest.mark.req("W-02", "W-30")
async def test_keys_of_one_to_128_characters_are_taken_as_they_are(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        for key in ("x", "x" * 128, "é" * 128, " lead", "-dash", "a b", "\U0001f98e" * 128):
            job = await it.ended((await it.start(d.Work(), key=key)).job)
            assert job.idempotency_key == key
        for key in ("", "x" * 129, "a\nb", "\x00", "\ud800", "\x7f", "\x85"):
            with pytest.raises(e.InvalidRequest):
                await it.start(d.Work(), key=key)


async def test_ordinary_call_is_shown_under_its_own_id_binds_nothing_and_goes_when_delivered(
    tmp_path: Path,
) -> None:
    async with d.bench(tmp_path) as it:
        first = await it.ended((await it.start(d.Work(), key=None)).job)
        second = await it.ended((await it.start(d.Work(), key=None)).job)
        assert first.job_id != second.job_id
        assert first.idempotency_key == f"call:{first.job_id}"
        guessed = await it.start(d.Work(), key=first.idempotency_key)
        assert not guessed.reused
        await it.service.discard_record(first.owner, first.job_id)
        with pytest.raises(e.UnknownJob):
            await it.service.get(first.owner, first.job_id)
        assert await it.service.get(second.owner, second.job_id) == second


async def test_unfinished_job_is_not_discarded(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        job = (await it.start(d.Work("compute"), key=None)).job
        await it.service.discard_record(job.owner, job.job_id)
        assert await it.service.get(job.owner, job.job_id)


# --- quotas ---------------------------------------------------------------------------------------


@pytest.mark.req("W-02")
async def test_eight_active_jobs_and_no_ninth_until_one_ends(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        works = [d.Work("compute") for _ in range(8)]
        jobs = [
            (await it.start(work, d.owner(grant=f"g{number}"), key=str(number))).job
            for number, work in enumerate(works)
        ]
        with pytest.raises(e.ActiveQuotaExceeded):
            await it.start(d.Work(), d.owner(grant="g9"))
        assert (await it.start(d.Work(), d.owner("bob"))).job.state is State.QUEUED
        works[0].open("compute")
        await it.ended(jobs[0])
        assert await it.start(d.Work(), d.owner(grant="g9"))


@pytest.mark.req("W-02")
async def test_two_run_thirty_two_wait_and_the_next_is_refused_without_a_job(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        works = []
        for number in range(34):
            works.append(d.Work("compute"))
            await it.start(works[-1], d.owner(f"p{number // 8}"), str(number))
            if number < 2:
                await works[-1].reached("compute")
        with pytest.raises(e.QueueFull):
            await it.start(d.Work(), d.owner("late"))
        assert sum(work.runs for work in works) == 2
        assert len(await it.store.everything()) == 34
        assert (await it.service.list(d.owner("late"))).jobs == ()


@pytest.mark.req("W-02")
async def test_thirty_two_of_one_principal_are_kept_then_the_oldest_free_one_goes(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        jobs = [await it.ended((await it.start(d.Work(), key=str(number))).job) for number in range(32)]
        with pytest.raises(e.RetentionQuotaExceeded):
            await it.start(d.Work(), key="more")
        it.clock.advance(900)
        with await it.service.reserve(d.owner(), jobs[0].type, "more", d.settings()):
            assert await it.service.get(jobs[0].owner, jobs[0].job_id)  # asking alone evicts nothing
        newest = (await it.start(d.Work(), key="more")).job
        left = {job.job_id for job in (await it.service.list(d.owner(), 100)).jobs}
        assert len(left) == 32
        assert newest.job_id in left
        assert len(left & {job.job_id for job in jobs}) == 31


@pytest.mark.req("W-02")
async def test_128_are_kept_in_all_then_the_oldest_of_anyone_goes(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        for number in range(128):
            await it.ended((await it.start(d.Work(), d.owner(f"p{number // 32}"), str(number))).job)
        with pytest.raises(e.BackendQuotaExceeded):
            await it.start(d.Work(), d.owner("late"))
        it.clock.advance(900)
        assert await it.start(d.Work(), d.owner("late"))
        assert len(await it.store.everything()) == 128


async def test_announced_ttl_keeps_a_job_from_making_room(tmp_path: Path) -> None:
    tiny = d.settings(active_per_principal=1, retained_per_principal=1, retained_per_backend=1)
    async with d.bench(tmp_path) as it:
        job = await it.ended((await it.start(d.Work(), key=None, quotas=tiny)).job)
        await it.service.keep_until(job.owner, job.job_id, d.START + timedelta(seconds=100))
        with pytest.raises(e.RetentionQuotaExceeded):
            await it.start(d.Work(), key=None, quotas=tiny)
        it.clock.advance(100)
        assert await it.start(d.Work(), key=None, quotas=tiny)
        with pytest.raises(e.UnknownJob):
            await it.service.get(job.owner, job.job_id)


async def test_job_keeps_the_configuration_it_was_admitted_under(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        job = await it.ended((await it.start(d.Work(), key=None, quotas=d.settings(retention_s=60))).job)
        await it.ended((await it.start(d.Work(), key=None)).job)
        it.clock.advance(60)
        with pytest.raises(e.UnknownJob):
            await it.service.get(job.owner, job.job_id)
        assert len((await it.service.list(d.owner())).jobs) == 1


async def test_policy_of_one_worker_runs_its_jobs_alone(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        first, second = d.Work("compute"), d.Work("compute")
        alone = d.settings(workers=1)
        await it.start(first, key="1", quotas=alone)
        await it.start(second, key="2", quotas=alone)
        await first.reached("compute")
        await anyio.wait_all_tasks_blocked()
        assert second.runs == 0
        first.open("compute")
        with anyio.fail_after(5):
            await second.reached("compute")


async def test_old_artifacts_make_room_for_new_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STAGING_BYTES_PER_BACKEND", 3 * limits.MIB)
    big = d.staged_file(tmp_path, data=b"x" * (2 * limits.MIB))
    async with d.bench(tmp_path) as it:
        old = await it.ended((await it.start(d.Work(files=(big,)), key="1")).job)
        refused = await it.ended((await it.start(d.Work(files=(big,)), key="2")).job)
        assert refused.error is not None
        assert (refused.error.code, refused.error.retryable) == ("job_artifact_backend_quota_exceeded", True)
        it.clock.advance(900)
        new = await it.ended((await it.start(d.Work(files=(big,)), key="3")).job)
        assert new.state is State.SUCCEEDED
        with pytest.raises(e.UnknownJob):
            await it.service.get(old.owner, old.job_id)


async def test_impossible_settings_are_refused_before_anything(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        with pytest.raises(e.RetentionBelowActive):
            await it.start(d.Work(), quotas=d.settings(retained_per_principal=2))
        with pytest.raises(e.JobTypeDisabled):
            await it.start(d.Work(), quotas=d.settings(allowed_types=frozenset({JobType.PROJECT_QC})))


async def test_five_thousand_parallel_requests_keep_to_the_bounds(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        refused = 0

        async def ask(number: int) -> None:
            nonlocal refused
            try:
                await it.start(d.Work("compute"), d.owner(f"p{number % 50}"), str(number))
            except e.Refused:
                refused += 1

        async with anyio.create_task_group() as group:
            for number in range(5000):
                group.start_soon(ask, number)
        kept = await it.store.everything()
        assert refused == 5000 - len(kept)
        assert len(kept) <= 34
        assert it.service._admission.ledger.open_count == 0


# --- time -----------------------------------------------------------------------------------------


def test_hours_of_retention_pass_on_the_timer_alone(tmp_path: Path) -> None:
    """No call comes in: the timer of 30 s purges by itself, on a clock that jumps."""

    async def main() -> None:
        store, clock = MemoryStore(), d.LoopClock()
        vault = ArtifactVault(tmp_path / "artifacts", random_id)
        async with JobService(workspace_id=d.WORKSPACE, store=store, artifacts=vault, clock=clock) as service:
            it = d.Bench(service, clock, d.Sink(), store)  # type: ignore[arg-type]
            job = (await it.start(d.Work())).job
            job = await service.wait(job.owner, job.job_id, 2)
            while not job.state.is_terminal:
                job = await service.wait(job.owner, job.job_id, job.progress.sequence)
            await trio.sleep(3599)
            assert len(await store.everything()) == 1
            await trio.sleep(32)
            assert len(await store.everything()) == 0

    trio.run(main, clock=trio.testing.MockClock(rate=0, autojump_threshold=0.01))


async def test_clock_that_steps_back_takes_no_job_with_it(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        first = (await it.start(d.Work("compute"), key="1")).job
        it.clock.advance(-3600)
        second = (await it.start(d.Work(), key="2")).job
        assert second.created_at >= first.created_at
        done = await it.ended(second)
        assert done.completed_at is not None
        assert done.completed_at >= done.created_at


async def test_wait_returns_on_every_change(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        work = d.Work("compute", says=(("loading", "One."),))
        job = (await it.start(work)).job
        seen = [job]
        while seen[-1].progress.phase != "loading":
            seen.append(await it.service.wait(job.owner, job.job_id, seen[-1].progress.sequence))
        sequences = [each.progress.sequence for each in seen]
        assert sequences == sorted(set(sequences))
        with anyio.move_on_after(0.01):
            await it.service.wait(job.owner, job.job_id, seen[-1].progress.sequence)
            pytest.fail("nothing had changed")
        work.open("compute")
        done = await it.ended(seen[-1])
        assert await it.service.wait(job.owner, job.job_id, math.inf) == done  # type: ignore[arg-type]


async def test_closing_wakes_whoever_waits(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        job = (await it.start(d.Work("compute"))).job
        job = await it.reaches(job, State.RUNNING)
        async with anyio.create_task_group() as group:
            group.start_soon(it.service.close)
            with anyio.fail_after(5):
                job = await it.service.wait(job.owner, job.job_id, job.progress.sequence)
        assert job.state is State.CANCEL_PENDING


async def test_what_a_caller_raises_inside_the_service_comes_out_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(e.UnknownJob):
        async with d.bench(tmp_path) as it:
            await it.service.get(d.owner(), "none")
