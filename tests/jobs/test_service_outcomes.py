"""How jobs end: failures, limits of results and artifacts, drift, audit trouble, commits."""

from __future__ import annotations

import json
import signal
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

from jobs import JobService, MemoryStore, State, describe, limits
from jobs.audit import EventKind
from jobs.errors import (
    BoundExceeded,
    InputChanged,
    InvalidOntology,
    ProtegeJobsError,
    StorageFailed,
    UnknownJobArtifact,
    WorkerLost,
)
from jobs.kernel.queue import FairQueue
from tests.support import jobs_doubles as d

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from jobs import Job, JobId
    from jobs.kernel.record import Record

pytestmark = pytest.mark.anyio

SAYS = tuple(("loading", f"Step {number}.") for number in range(3))


async def result_of(folder: Path, work: d.Work, sink: d.Sink | None = None) -> tuple[Job, d.Sink]:
    kept = sink or d.Sink()
    async with d.bench(folder, sink=kept) as it:
        job = await it.ended((await it.start(work)).job)
        await anyio.wait_all_tasks_blocked()
    assert work.releases == 1
    assert work.leases == 0
    return job, kept


@pytest.mark.req("W-59")
@pytest.mark.parametrize(
    ("raised", "code", "retryable"),
    [
        (InvalidOntology("bad /home/ann/x.owl", details={"line": 3}), "invalid_ontology", False),
        (WorkerLost("gone"), "job_worker_lost", True),
        (BoundExceeded("too much"), "job_bound_exceeded", False),
        (ZeroDivisionError("/home/ann/x.owl"), "job_execution_failed", False),
        (ExceptionGroup("several", [ValueError("a"), ValueError("b")]), "job_execution_failed", False),
        (ExceptionGroup("one", [WorkerLost("gone")]), "job_worker_lost", True),
        (TimeoutError("/home/ann"), "job_execution_failed", False),
    ],
)
async def test_what_a_computation_raises_becomes_its_error(
    tmp_path: Path, raised: Exception, code: str, retryable: bool
) -> None:
    job, sink = await result_of(tmp_path, d.Work(raises=raised))
    assert job.state is State.FAILED
    assert job.error is not None
    assert (job.error.code, job.error.retryable) == (code, retryable)
    assert "ann" not in json.dumps(describe(job))
    assert sink.kinds(job) == ["accepted", "started", "terminal"]
    assert sink.events[-1].error_code == code
    assert sink.events[-1].outcome == "failed"


async def test_unforeseen_failure_tells_its_kind_only(tmp_path: Path) -> None:
    job, _ = await result_of(tmp_path, d.Work(raises=ZeroDivisionError("secret cause")))
    assert job.error is not None
    assert job.error.details == {"failure_type": "ZeroDivisionError"}
    assert "secret" not in job.error.message


async def test_interruption_nobody_asked_for_is_a_failure(tmp_path: Path, anyio_backend_name: str) -> None:
    if anyio_backend_name == "trio":
        pytest.skip("trio does not let a task invent a cancellation")
    job, _ = await result_of(tmp_path, d.Work(raises=anyio.get_cancelled_exc_class()()))
    assert job.error is not None
    assert (job.error.code, job.error.details) == ("job_execution_failed", {"failure_type": "Interrupted"})


@pytest.mark.req("W-56")
@pytest.mark.parametrize("words", [("Loading", "x"), ("loading", " "), ("loading", "x" * 1025)])
async def test_bad_progress_fails_its_job(tmp_path: Path, words: tuple[str, str]) -> None:
    job, _ = await result_of(tmp_path, d.Work(says=(words,)))
    assert job.error is not None
    assert job.error.details == {"failure_type": "ValueError"}


@pytest.mark.req("W-02", "W-58")
@pytest.mark.parametrize(
    ("structured", "code"),
    [
        ({"x": "y" * limits.RESULT_BYTES}, "job_result_too_large"),
        ({"x": {1, 2}}, "job_result_invalid"),
        ({"x": float("inf")}, "job_result_invalid"),
    ],
)
async def test_result_that_cannot_be_shown_fails_its_job(
    tmp_path: Path, structured: dict[str, object], code: str
) -> None:
    job, _ = await result_of(tmp_path, d.Work(structured=structured))
    assert job.error is not None
    assert job.error.code == code


@pytest.mark.req("W-02", "W-60")
async def test_four_artifacts_are_published_and_five_are_not(tmp_path: Path) -> None:
    files = tuple(d.staged_file(tmp_path, f"f{number}") for number in range(5))
    job, _ = await result_of(tmp_path / "four", d.Work(files=files[:4]))
    assert job.result is not None
    assert len(job.result.artifacts) == 4
    assert "report_artifact_id" not in job.result.structured
    job, _ = await result_of(tmp_path / "five", d.Work(files=files))
    assert job.error is not None
    assert job.error.code == "job_artifact_quota_exceeded"


async def test_expiry_is_renewed_at_completion_and_artifacts_go_before_a_bound_record(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        work = d.Work("lease", files=(d.staged_file(tmp_path),))
        job = (await it.start(work, quotas=d.settings(retention_s=60))).job
        await work.reached("lease")
        it.clock.advance(100)
        work.open("lease")
        job = await it.ended(job)
        assert job.result is not None
        (artifact,) = job.result.artifacts
        assert job.completed_at == d.START + timedelta(seconds=100)
        assert artifact.expires_at == d.START + timedelta(seconds=160)
        assert artifact.created_at == d.START
        it.clock.advance(59.999999)
        assert await it.service.artifact(job.owner, job.job_id, artifact.artifact_id)
        it.clock.advance(0.000001)
        with pytest.raises(UnknownJobArtifact):
            await it.service.artifact(job.owner, job.job_id, artifact.artifact_id)
        assert await it.service.get(job.owner, job.job_id) == job


@pytest.mark.parametrize("drift", [(True, ()), (False, ("policy_digest",)), (None, ())])
async def test_drift_is_told_and_refuses_nothing(
    tmp_path: Path, drift: tuple[bool | None, tuple[str, ...]]
) -> None:
    job, _ = await result_of(tmp_path, d.Work(drift=drift))
    assert job.result is not None
    assert (job.result.current, job.result.changed_inputs) == drift


async def test_drift_that_cannot_be_told_in_time_or_fails_is_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CURRENT_RECAPTURE_S", 0.01)
    job, _ = await result_of(tmp_path, d.Work("drift"))
    assert job.result is not None
    assert job.result.current is None

    class Failing(d.Work):
        async def drift(self) -> tuple[bool | None, tuple[str, ...]]:
            raise OSError("/home/ann")

    job, _ = await result_of(tmp_path / "b", Failing())
    assert job.result is not None
    assert job.result.current is None


async def test_authority_lost_before_publication_fails_the_job(tmp_path: Path) -> None:
    job, _ = await result_of(tmp_path, d.Work(authorized=False, files=(d.staged_file(tmp_path),)))
    assert job.error is not None
    assert job.error.code == "authorization_revoked"


@pytest.mark.parametrize("refusal", ["queue", "scheduler"])
async def test_executor_that_refuses_leaves_a_failed_job_never_a_stranded_one(
    tmp_path: Path, refusal: str
) -> None:
    async with d.bench(tmp_path) as it:
        work = d.Work()
        group = it.service._scheduler._group
        if refusal == "queue":
            it.service._scheduler.queue = FairQueue(0)
        else:
            it.service._scheduler._group = None
        accepted = await it.start(work)
        it.service._scheduler._group = group
        assert accepted.job.state is State.FAILED
        assert accepted.job.error is not None
        assert accepted.job.started_at is None
        assert accepted.job.error.code == f"job_{'queue_full' if refusal == 'queue' else 'scheduler_failed'}"
        assert accepted.job.error.retryable
        assert (work.runs, work.releases, len(it.service._scheduler.queue)) == (0, 1, 0)
        it.service._scheduler.queue = FairQueue(32)
        assert (await it.ended((await it.start(d.Work(), key="next")).job)).state is State.SUCCEEDED


class FailingStore(MemoryStore):
    """Fails the n-th write, once."""

    def __init__(self, fail_at: int) -> None:
        super().__init__()
        self.left = fail_at

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise StorageFailed("The records cannot be written.")

    async def insert_if_absent(self, record: Record, at: datetime) -> Record:
        self._count()
        return await super().insert_if_absent(record, at)

    async def compare_and_set(self, job_id: JobId, expected_revision: int, job: Job) -> Record | None:
        self._count()
        return await super().compare_and_set(job_id, expected_revision, job)


@pytest.mark.parametrize("cancels", [False, True])
@pytest.mark.parametrize("commits", [False, True])
@pytest.mark.parametrize("fail_at", range(1, 5))
async def test_a_store_that_fails_any_write_takes_down_no_other_job(
    tmp_path: Path, fail_at: int, commits: bool, cancels: bool
) -> None:
    store = FailingStore(fail_at)
    async with d.bench(tmp_path, store=store) as it:
        work = (d.CommittingWork if commits else d.Work)("compute")
        try:
            job = (await it.start(work)).job
            if cancels and fail_at != 2:
                await work.reached("compute")
                await it.service.cancel(job.owner, job.job_id)
        except StorageFailed:
            pass
        work.open("compute")
        await anyio.wait_all_tasks_blocked()
        assert work.releases == 1
        assert work.leases == 0
        assert it.service._scheduler.running_count == 0
        after = await it.ended((await it.start(d.Work(), key="after")).job)
        assert after.state is State.SUCCEEDED
        assert store.left < 0


async def test_full_disk_fails_the_job_and_gives_its_budget_back(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    big = d.staged_file(tmp_path, data=b"x" * (3 * limits.MIB))
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    async with d.bench(tmp_path) as it:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 * limits.MIB, before[1]))
        try:
            job = await it.ended((await it.start(d.Work(files=(big,)))).job)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
        assert job.error is not None
        assert (job.error.code, job.error.retryable) == ("job_storage_failed", True)
        assert str(tmp_path) not in json.dumps(describe(job))
        with anyio.fail_after(5):
            while it.service._artifacts.total_bytes:
                await anyio.lowlevel.checkpoint()
        assert (await it.ended((await it.start(d.Work(files=(big,)), key="2")).job)).state is State.SUCCEEDED


# --- progress -------------------------------------------------------------------------------------


@pytest.mark.req("W-56")
async def test_sixty_four_progress_events_and_counters_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PROGRESS_UPDATES_PER_S", 1e9)

    class Talking(d.Work):
        async def run(self, report):  # type: ignore[no-untyped-def]
            for number in range(70):
                report("loading", f"Step {number}.")
                for _ in range(10):
                    await anyio.lowlevel.checkpoint()
            return await super().run(report)

    job, sink = await result_of(tmp_path, Talking())
    kinds = sink.kinds(job)
    assert kinds.count("progress") == 64
    last = sink.events[-1]
    counters = (last.progress_updates, last.progress_events_emitted, last.progress_events_suppressed)
    assert counters == (70, 64, 6)
    assert job.progress.sequence == 72  # every update changed the descriptor, claim and end besides


async def test_twenty_updates_a_second_reach_the_descriptor_and_the_newest_wins(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        work = d.Work("compute", says=tuple(("loading", f"Step {number}.") for number in range(500)))
        job = (await it.start(work)).job
        with anyio.fail_after(5):
            while job.progress.message != "Step 499.":
                job = await it.service.wait(job.owner, job.job_id, job.progress.sequence)
        assert job.progress.sequence <= 4
        work.open("compute")
        await it.ended(job)


async def test_progress_behind_the_permit_is_refused(tmp_path: Path) -> None:
    class Late(d.CommittingWork):
        async def run(self, report):  # type: ignore[no-untyped-def]
            self.report = report
            return await super().run(report)

        async def commit(self, computed):  # type: ignore[no-untyped-def]
            with pytest.raises(ProtegeJobsError, match="after publication began") as caught:
                self.report("loading", "Too late.")
            assert caught.value.code == "job_publication_started"
            return await super().commit(computed)

    job, _ = await result_of(tmp_path, Late())
    assert job.state is State.SUCCEEDED


# --- audit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("attempt", range(1, 6))
async def test_failing_sink_at_any_event_shows_in_the_first_visible_success(
    tmp_path: Path, attempt: int
) -> None:
    sink = d.Sink(fail_at=attempt)
    async with d.bench(tmp_path, sink=sink) as it:
        work = d.Work("compute", says=(("loading", "One."),))
        job = (await it.start(work)).job
        while job.progress.phase != "loading":
            job = await it.service.wait(job.owner, job.job_id, job.progress.sequence)
        work.open("compute")
        seen = []
        while not job.state.is_terminal:
            job = await it.service.wait(job.owner, job.job_id, job.progress.sequence)
            seen.append(job)
        assert job.state is State.SUCCEEDED
        assert [each.result.audit_incomplete for each in seen if each.result] == [True]
        assert work.runs == 1
        assert sink.attempts == 5


@pytest.mark.parametrize("ending", ["failed", "cancelled"])
async def test_audit_trouble_of_other_endings_shows_nowhere(tmp_path: Path, ending: str) -> None:
    sink = d.Sink(fail_at=1)
    async with d.bench(tmp_path, sink=sink) as it:
        work = d.Work("compute", raises=WorkerLost("gone"))
        job = (await it.start(work)).job
        await work.reached("compute")
        if ending == "cancelled":
            await it.service.cancel(job.owner, job.job_id)
        work.open("compute")
        job = await it.ended(job)
        assert job.state.value == ending


async def test_hanging_sink_delays_a_publication_by_its_bound_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "AUDIT_DELIVERY_S", 0.05)
    sink = d.Sink(hang_at=4)
    job, _ = await result_of(tmp_path, d.Work(), sink)
    assert job.result is not None
    assert job.result.audit_incomplete


async def test_full_line_to_the_sink_drops_events_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "AUDIT_PENDING_EVENTS", 0)
    job, sink = await result_of(tmp_path, d.Work())
    assert job.result is not None
    assert job.result.audit_incomplete
    assert sink.events == []


@pytest.mark.req("W-59")
async def test_events_carry_no_text_of_the_request_or_the_progress(tmp_path: Path) -> None:
    work = d.Work("compute", says=(("loading", "secret words"),), raises=WorkerLost("secret cause"))
    sink = d.Sink()
    async with d.bench(tmp_path, sink=sink) as it:
        job = (await it.start(work, key="secret key")).job
        await it.service.wait(job.owner, job.job_id, 1)
        work.open("compute")
        await it.ended(job)
        await anyio.wait_all_tasks_blocked()
    assert [event.kind for event in sink.events][2] is EventKind.PROGRESS
    assert "secret" not in json.dumps([event.as_json() for event in sink.events])


# --- commits --------------------------------------------------------------------------------------


async def test_commit_takes_its_leases_announces_itself_and_shows_its_summary(tmp_path: Path) -> None:
    work = d.CommittingWork(committed={"kind": "done"}, files=(d.staged_file(tmp_path),))
    job, sink = await result_of(tmp_path, work)
    assert job.state is State.SUCCEEDED
    assert job.commit_started
    assert job.result is not None
    assert job.result.structured["kind"] == "done"
    assert "report_artifact_id" in job.result.structured
    order = ["compute", "lease", "destination", "drift", "revalidate", "commit", "unleased"]
    assert work.steps == order
    assert sink.kinds(job) == ["accepted", "started", "publication_started", "terminal"]


@pytest.mark.parametrize("raised", [OSError("/home/ann"), WorkerLost("gone"), ValueError("x")])
async def test_exception_in_the_irreversible_step_leaves_the_outcome_unknown(
    tmp_path: Path, raised: Exception
) -> None:
    job, _ = await result_of(tmp_path, d.CommittingWork(commit_raises=raised))
    assert job.state is State.FAILED
    assert job.commit_started
    assert job.error is not None
    assert (job.error.code, job.error.retryable) == ("job_commit_outcome_unknown", False)
    assert job.error.details["commit_started"] is True
    assert job.error.details["retry_requires_state_check"] is True


async def test_committed_but_unpublishable_is_told_apart(tmp_path: Path) -> None:
    job, _ = await result_of(tmp_path, d.CommittingWork(committed={"x": "y" * limits.RESULT_BYTES}))
    assert job.error is not None
    assert job.error.code == "job_publication_failed_after_commit"


async def test_intent_that_cannot_be_recorded_prevents_the_commit(tmp_path: Path) -> None:
    work = d.CommittingWork()
    job, _ = await result_of(tmp_path, work, d.Sink(fail_at=3))
    assert job.error is not None
    assert job.error.code == "job_audit_intent_failed"
    assert (work.commits, job.commit_started) == (0, False)


async def test_output_that_no_longer_holds_is_not_committed(tmp_path: Path) -> None:
    work = d.CommittingWork(revalidate_raises=InputChanged("moved"))
    job, _ = await result_of(tmp_path, work)
    assert job.error is not None
    assert (work.commits, job.commit_started, job.error.code) == (0, False, InputChanged.code)


def test_every_public_name_of_the_service_is_described() -> None:
    assert all(getattr(JobService, name).__doc__ for name in vars(JobService) if not name.startswith("_"))
