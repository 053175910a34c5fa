"""The life of a job as its owner sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from jobs import CancelOutcome, State, describe, parse_descriptor
from jobs.errors import UnknownJob
from tests.support.jobs_doubles import Work, bench, owner, staged_file

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


async def test_job_runs_to_a_result_with_its_report_and_events(tmp_path: Path) -> None:
    async with bench(tmp_path) as it:
        work = Work(files=(staged_file(tmp_path),))
        accepted = await it.start(work)
        assert (accepted.reused, accepted.job.state) == (False, State.QUEUED)
        job = await it.ended(accepted.job)
        assert job.state is State.SUCCEEDED
        assert job.result is not None
        assert (job.result.current, job.result.audit_incomplete) == (True, False)
        (artifact,) = job.result.artifacts
        assert job.result.structured["report_artifact_id"] == artifact.artifact_id
        handle = await it.service.artifact(job.owner, job.job_id, artifact.artifact_id)
        assert await handle.read_all() == b'{"kind":"x"}'
        assert parse_descriptor(describe(job)) == job
        assert it.sink.kinds(job) == ["accepted", "started", "publication_started", "terminal"]
        assert (work.releases, work.leases, work.runs) == (1, 0, 1)


async def test_running_job_is_cancelled_only_once_its_work_is_gone(tmp_path: Path) -> None:
    async with bench(tmp_path) as it:
        work = Work("compute", "stop")
        job = (await it.start(work)).job
        await work.reached("compute")
        pending, outcome = await it.service.cancel(job.owner, job.job_id)
        assert (pending.state, outcome) == (State.CANCEL_PENDING, CancelOutcome.CANCEL_REQUESTED)
        await work.reached("stop")
        assert await it.service.get(job.owner, job.job_id) == pending
        assert work.is_alive
        again = await it.service.cancel(job.owner, job.job_id)
        assert again == (pending, CancelOutcome.CANCEL_REQUESTED)
        work.open("stop")
        done = await it.ended(pending)
        assert (done.state, work.is_alive, work.releases) == (State.CANCELLED, False, 1)
        assert await it.service.cancel(job.owner, job.job_id) == (done, CancelOutcome.ALREADY_TERMINAL)


async def test_queued_job_is_cancelled_in_the_answer_and_never_runs(tmp_path: Path) -> None:
    async with bench(tmp_path, workers=1) as it:
        first, second = Work("compute"), Work()
        await it.start(first, key="1")
        job = (await it.start(second, key="2")).job
        await first.reached("compute")
        done, outcome = await it.service.cancel(job.owner, job.job_id)
        assert (done.state, outcome) == (State.CANCELLED, CancelOutcome.CANCELLED)
        first.open("compute")
        await anyio.wait_all_tasks_blocked()
        assert (second.runs, second.releases) == (0, 1)
        assert it.sink.kinds(job) == ["accepted", "cancel_requested", "cancellation_effective", "terminal"]


async def test_closing_cancels_everything_and_forgets_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as it:
        works = [Work("compute") for _ in range(3)]
        jobs = [(await it.start(work, key=str(n))).job for n, work in enumerate(works)]
        await works[0].reached("compute")
        await it.service.close()
        assert [work.releases for work in works] == [1, 1, 1]
        for job in jobs:
            with pytest.raises(UnknownJob):
                await it.service.get(job.owner, job.job_id)
        assert (await it.service.list(owner())).jobs == ()
