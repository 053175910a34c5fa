"""One stage in one process: what comes back, and that nothing stays behind. Real processes throughout."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

import anyio
import pytest
from process_table import become, children_of, has_mapped, is_gone, kill_and_wait, open_descriptors

from jobs import errors
from jobs.workers.contract import StageCall, StageProgress, StopReport, WorkerLimits
from jobs.workers.pool import WorkerPool, open_worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeCall = Callable[..., StageCall]

pytestmark = pytest.mark.anyio


async def run(double: tuple[str, ...], call: StageCall, **options: object) -> object:
    """One stage in a pool of its own; an error of it leaves the pool bare."""
    with anyio.fail_after(30):
        async with open_worker_pool(command=double) as pool:
            return await pool.execute(call, **options)  # type: ignore[arg-type]


def workers_of(pool: WorkerPool) -> set[int]:
    return set(children_of(os.getpid())) - {pool.lifeline.guardian_pid}


async def test_a_stage_answers_with_its_value_from_its_working_folder(double, make_call: MakeCall) -> None:
    result = await run(double, make_call("echo", n=1, text="ä\ud800"))
    assert result.value == {"inputs": {"n": 1, "text": "ä\ud800"}, "cwd_is_work_dir": True}


async def test_progress_arrives_in_order_rate_limited_and_ends_with_the_newest(double, make_call) -> None:
    seen: list[StageProgress] = []

    async def on_progress(progress: StageProgress) -> None:
        seen.append(progress)

    begin = time.monotonic()
    await run(double, make_call("phases"), on_progress=on_progress)
    assert seen[0] == StageProgress(phase="reading", message="left", fraction=0.0)
    assert seen[1].phase == "comparing"
    assert seen[-1] == StageProgress(phase="comparing", message="last", fraction=None)
    assert len(seen) <= 4 + 20 * (time.monotonic() - begin)


async def test_prints_of_a_library_do_not_tear_frames_and_stdin_is_empty(double, make_call) -> None:
    assert (await run(double, make_call("prints"))).value == ""


async def test_an_artifact_comes_with_its_absolute_path(double, make_call) -> None:
    call = make_call("artifact")
    (artifact,) = (await run(double, call)).artifacts
    assert artifact.path == call.work_dir / "sub" / "report.json"
    assert artifact.path.stat().st_mode & 0o077 == 0
    assert artifact.size_bytes == 2


async def test_an_artifact_of_another_size_is_refused(double, make_call) -> None:
    with pytest.raises(errors.ResultInvalid):
        await run(double, make_call("artifact", size=3))


@pytest.mark.parametrize(
    "how", ["symlink", "folder_symlink", "parent", "fifo", "absolute", "folder", "nul", "missing"]
)
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_artifact_that_is_no_plain_file_inside_is_refused(double, make_call, how: str) -> None:
    call = make_call("artifact_elsewhere", how=how)
    (call.work_dir.parent / "outside").write_text("private")
    with pytest.raises(errors.ResultInvalid):
        await run(double, call)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_artifact_above_its_bound_is_refused(double, make_call) -> None:
    async with open_worker_pool(WorkerLimits(artifact_bytes=1), command=double) as pool:
        with pytest.raises(errors.ArtifactTooLarge):
            await pool.execute(make_call("artifact"))


@pytest.mark.req("W-02")
@pytest.mark.parametrize(
    ("operation", "expected"), [("too_large", errors.ResultTooLarge), ("not_json", errors.ResultInvalid)]
)
async def test_a_result_that_cannot_be_kept_is_refused(double, make_call, operation, expected) -> None:
    with pytest.raises(expected):
        await run(double, make_call(operation))


@pytest.mark.parametrize(("operation", "version"), [("os.system", 1), ("echo", 2)])
async def test_an_operation_that_is_not_registered_is_refused(double, make_call, operation, version) -> None:
    with pytest.raises(errors.ExecutionFailed) as caught:
        await run(double, make_call(operation, version))
    assert caught.value.details["failure_type"] == "unknown_operation"


async def test_an_error_of_the_tree_keeps_class_and_details(double, make_call) -> None:
    with pytest.raises(errors.InputChanged) as caught:
        await run(double, make_call("refuses"))
    assert caught.value.message == "moved"
    assert caught.value.details["which"] == "root"


async def test_a_full_disk_inside_a_worker_is_named(double, make_call) -> None:
    with pytest.raises(errors.StorageFailed, match="full"):
        await run(double, make_call("fills_the_disk"))


@pytest.mark.parametrize(("operation", "kind"), [("raises", "ZeroDivisionError"), ("exits", "SystemExit")])
async def test_any_other_exception_names_its_kind_and_leaks_nothing(
    double, make_call, operation, kind, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(errors.ExecutionFailed) as caught:
        await run(double, make_call(operation))
    assert caught.value.details["failure_type"] == kind
    assert "secret" not in str(caught.value.body())
    (record,) = [record for record in caplog.records if record.message == "worker.failed"]
    assert kind in record.stderr_tail  # the diagnosis stays in the log


@pytest.mark.parametrize(
    ("operation", "exit_code", "said"),
    [("vanishes", 0, "last words"), ("segfaults", -signal.SIGSEGV, "Segmentation fault")],
)
async def test_a_worker_that_ends_without_a_result_is_lost(
    double, make_call, operation, exit_code, said, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(errors.WorkerLost) as caught:
        await run(double, make_call(operation))
    assert caught.value.details["exit_code"] == exit_code
    (record,) = [record for record in caplog.records if record.message == "worker.failed"]
    assert said in record.stderr_tail


async def test_a_flood_of_stderr_neither_blocks_nor_fills_memory(double, make_call, caplog) -> None:
    with pytest.raises(errors.WorkerLost):
        await run(double, make_call("floods_stderr"))
    (record,) = [record for record in caplog.records if record.message == "worker.failed"]
    assert record.stderr_tail.endswith("END OF FLOOD")
    assert len(record.stderr_tail) == 64 * 1024


async def test_memory_above_the_bound_fails_the_stage_only(double, make_call) -> None:
    with pytest.raises(errors.ExecutionFailed) as caught:
        await run(double, make_call("allocates"), memory_bytes=1 << 30)
    assert caught.value.details["failure_type"] == "MemoryError"


@pytest.mark.parametrize(
    "how",
    [
        "half_frame",
        "oversized_frame",
        "garbage",
        "array_frame",
        "unknown_frame",
        "wild_progress",
        "exits_before_hello",
        "greets_in_another_protocol",
    ],
)
async def test_a_worker_that_breaks_the_wire_is_lost(double, make_call, how: str) -> None:
    with pytest.raises(errors.WorkerLost):
        await run((*double, "--broken", how), make_call("echo"))


async def test_a_result_without_value_is_invalid(double, make_call) -> None:
    with pytest.raises(errors.ResultInvalid):
        await run((*double, "--broken", "result_without_value"), make_call("echo"))


async def test_a_worker_that_never_greets_is_given_up(double, make_call) -> None:
    command = (*double, "--broken", "never_greets")
    async with open_worker_pool(WorkerLimits(hello_s=0.3), command=command) as pool:
        with anyio.fail_after(5), pytest.raises(errors.WorkerLost):
            await pool.execute(make_call("echo"))


async def test_a_command_that_does_not_exist_is_a_lost_worker_warm_or_not(make_call) -> None:
    async with open_worker_pool(command=("/nonexistent/python",)) as pool:
        pool.warm()
        with anyio.fail_after(5), pytest.raises(errors.WorkerLost):
            await pool.execute(make_call("echo"))


@pytest.mark.parametrize("operation", ["forks_and_answers", "forks_and_vanishes"])
async def test_what_a_stage_forked_is_gone_when_execute_ends(double, make_call, operation: str) -> None:
    forked: list[int] = []

    async def on_progress(progress: StageProgress) -> None:
        forked.append(int(progress.message))

    async with open_worker_pool(command=double) as pool:
        with anyio.fail_after(5):  # the forked child holds the pipes: waiting for their end would hang
            try:
                await pool.execute(make_call(operation), on_progress=on_progress)
            except errors.WorkerLost:
                assert operation == "forks_and_vanishes"
        assert workers_of(pool) == set()
        await become(lambda: is_gone(forked[0]), within_s=1)


@pytest.mark.req("W-64")
@pytest.mark.parametrize(
    "operation", ["ignores_signals", "holds_the_lock", "stops_itself", "cooperates", "forks_and_hangs"]
)
@pytest.mark.parametrize("is_warm", [False, True])
async def test_a_cancelled_stage_is_gone_when_execute_returns(
    double, make_call, operation: str, is_warm: bool
) -> None:
    pids: list[int] = []
    began = 0.0
    async with open_worker_pool(WorkerLimits(workers=1), command=double) as pool:
        if is_warm:
            pool.warm()
            await pool.wait_warm()
        with anyio.fail_after(10), anyio.CancelScope() as scope:

            async def on_progress(progress: StageProgress) -> None:
                nonlocal began
                pids.extend(workers_of(pool) | {int(progress.message)})
                began = time.monotonic()
                scope.cancel()

            await pool.execute(make_call(operation), on_progress=on_progress)
        assert scope.cancelled_caught
        assert time.monotonic() - began < 1.0
        if pool.lifeline.guardian_pid in pids:  # seen before the pool knew its number
            pids.remove(pool.lifeline.guardian_pid)
        leader = min(pids)
        assert not set(pids) & set(children_of(os.getpid())), "reaped, not only dead"
        assert is_gone(leader)
        await become(lambda: all(map(is_gone, pids)), within_s=1)


@pytest.mark.parametrize(
    ("operation", "options", "is_cooperative", "bound_s"),
    [
        ("cooperates", {}, True, 0.1),
        ("holds_the_lock", {}, False, 1.0),
        ("holds_the_lock", {"may_cooperate": False}, False, 0.1),
    ],
)
async def test_a_stop_reports_which_step_of_the_ladder_it_took(
    double, make_call, operation, options, is_cooperative, bound_s
) -> None:
    reports: list[StopReport] = []
    async with open_worker_pool(WorkerLimits(cancel_polite_s=0.5), command=double) as pool:
        with anyio.CancelScope() as scope:

            async def on_progress(progress: StageProgress) -> None:
                scope.cancel()

            call = make_call(operation)
            await pool.execute(call, on_progress=on_progress, on_stopped=reports.append, **options)
    (report,) = reports
    assert report.is_cooperative is is_cooperative
    assert report.took_s < bound_s + 0.3


@pytest.mark.parametrize("inputs", [{"x": object()}, {"x": float("nan")}, {"x": "y" * (1 << 24)}])
async def test_inputs_that_cannot_be_sent_start_nothing(double, make_call, inputs) -> None:
    with pytest.raises(errors.SchedulerFailed):
        await run(double, make_call("echo", **inputs))


async def test_a_cold_worker_has_imported_nothing_heavy(double, make_call) -> None:
    result = await run(double, make_call("modules"))
    heavy = {"anyio", "asyncio", "cryptography", "mcp", "pydantic", "pyhornedowl", "pyoxigraph", "rich"}
    assert heavy.isdisjoint(result.value)


async def test_the_workers_environment_has_no_token(double, make_call, monkeypatch) -> None:
    monkeypatch.setenv("PROTEGE_JOBS_TOKEN", "secret")
    monkeypatch.setenv("PROTEGE_JOBS_OTHER", "seen")
    names = (await run(double, make_call("environment"))).value
    assert "PROTEGE_JOBS_OTHER" in names
    assert "PROTEGE_JOBS_TOKEN" not in names


async def test_the_real_entry_point_serves_the_real_table(make_call) -> None:
    pytest.importorskip("jobs.operations.registry")
    async with open_worker_pool() as pool:
        pool.warm()
        assert await pool.wait_warm() == 2
        with pytest.raises(errors.ExecutionFailed) as caught:
            await pool.execute(make_call("no_such_operation"))
    assert caught.value.details["failure_type"] == "unknown_operation"


async def test_a_deadline_of_the_caller_ends_the_stage(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        with pytest.raises(TimeoutError), anyio.fail_after(0.3):
            await pool.execute(make_call("ignores_signals"))
        assert workers_of(pool) == set()


async def test_a_failing_progress_receiver_ends_the_stage(double, make_call) -> None:
    async def on_progress(progress: StageProgress) -> None:
        raise errors.StorageFailed

    async with open_worker_pool(command=double) as pool:
        with pytest.raises(errors.StorageFailed):
            await pool.execute(make_call("ignores_signals"), on_progress=on_progress)
        assert workers_of(pool) == set()


async def test_cancelled_at_any_moment_of_its_start_a_worker_is_reaped(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        await become(lambda: pool.lifeline.guardian_pid is not None)
        for step in range(24):
            with anyio.move_on_after(step * 0.004):
                await pool.execute(make_call("echo"))
            assert workers_of(pool) == set()
        for turns in range(24):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(pool.execute, make_call("echo"))
                for _ in range(turns):
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
            assert workers_of(pool) == set()


@pytest.mark.parametrize("closes_after_s", [0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16])
async def test_a_pool_closed_while_its_workers_start_leaves_none(double, closes_after_s: float) -> None:
    async with open_worker_pool(command=double) as pool:
        pool.warm()
        with anyio.move_on_after(closes_after_s):
            await anyio.sleep_forever()
    assert children_of(os.getpid()) == []


async def test_a_pool_closed_by_cancellation_during_a_job_leaves_nothing(double, make_call) -> None:
    async with anyio.create_task_group() as outer:

        async def on_progress(progress: StageProgress) -> None:
            outer.cancel_scope.cancel()

        async with open_worker_pool(command=double) as pool:
            pool.warm()
            await pool.execute(make_call("holds_the_lock"), on_progress=on_progress)
    assert children_of(os.getpid()) == []


async def test_a_closing_pool_takes_no_more_work(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        pool.close()
        with anyio.CancelScope(shield=True), pytest.raises(errors.WorkerLost):
            await pool.execute(make_call("echo"))


async def test_warm_workers_have_imported_the_parsers_and_are_replaced_after_use(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        assert workers_of(pool) <= set(children_of(os.getpid())), "nothing is spawned before warm()"
        pool.warm()
        assert await pool.wait_warm() == 2
        first = workers_of(pool)
        await become(lambda: all(has_mapped(pid, "pyoxigraph") for pid in first))
        result = await pool.execute(make_call("loaded"))
        assert result.value == ["pyoxigraph"]
        assert await pool.wait_warm() == 2
        second = workers_of(pool)
        assert len(first) == len(second) == 2
        assert len(first & second) == 1, "one job per process"


async def test_workers_spawned_ahead_take_the_next_jobs_and_are_not_replaced(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        pool.spawn_ahead(["echo", "no such stage"])
        assert await pool.wait_warm() == 2
        ahead = workers_of(pool)
        result = await pool.execute(make_call("loaded"))
        assert result.value == [], "nothing is imported beforehand"
        left = workers_of(pool)
        assert len(left) == 1
        assert left < ahead
        await pool.execute(make_call("loaded"))
        assert workers_of(pool) == set()


async def test_a_warm_worker_that_died_idle_is_passed_over(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        pool.warm()
        await pool.wait_warm()
        for pid in workers_of(pool):
            kill_and_wait(pid)  # blocking: the loop hears of it later
        assert (await pool.execute(make_call("echo", n=1))).value["inputs"] == {"n": 1}


async def test_two_stages_run_at_the_same_time(double, make_call) -> None:
    running: set[str] = set()
    async with open_worker_pool(command=double) as pool, anyio.create_task_group() as tasks:

        async def on_progress(progress: StageProgress) -> None:
            running.add(progress.message)
            if len(running) == 2:
                tasks.cancel_scope.cancel()

        tasks.cancel_scope.deadline = anyio.current_time() + 10
        for _ in range(2):
            tasks.start_soon(lambda: pool.execute(make_call("cooperates"), on_progress=on_progress))
    assert len(running) == 2


async def test_fifty_stages_leak_no_descriptor_process_or_thread(double, make_call) -> None:
    async with open_worker_pool(command=double) as pool:
        await become(lambda: pool.lifeline.guardian_pid is not None)
        for _ in range(3):
            await pool.execute(make_call("echo"))
        descriptors, threads = open_descriptors(), threading.active_count()
        for _ in range(50):
            await pool.execute(make_call("echo"))
        assert workers_of(pool) == set()
        await become(lambda: open_descriptors() <= descriptors)
        await become(lambda: threading.active_count() <= threads + 2)


def test_the_real_entry_point_refuses_to_run_by_hand() -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-I", "-m", "jobs.workers.main"],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert done.returncode != 0
    assert "the pool starts me" in done.stderr
