"""JVM workers in the pool: started by our flags, cancelled, killed, kept warm, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from java_support import class_path_of
from process_table import become, children_of, descendants_of, has_mapped, is_gone, kill_and_wait, wait_until

from jobs import errors, limits
from jobs.java.launch import java_command
from jobs.workers.contract import StageCall, StageProgress, StopReport, WorkerLimits
from jobs.workers.pool import open_worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobs.java.jars import ClassPath
    from jobs.java.runtime import JavaRuntime
    from jobs.workers.contract import Launch
    from jobs.workers.pool import WorkerPool

    MakeCall = Callable[..., StageCall]

pytestmark = [pytest.mark.anyio, pytest.mark.java]

SMALL = 64 * limits.MIB


@pytest.fixture
def launch(runtime: JavaRuntime, class_path: ClassPath) -> Launch:
    return java_command(runtime, class_path, heap_bytes=SMALL)


def jvms() -> set[int]:
    return {pid for pid in children_of(os.getpid()) if has_mapped(pid, "libjvm")}


async def ask(launch: Launch, call: StageCall) -> object:
    async with open_worker_pool() as pool:
        with anyio.fail_after(30):
            return (await pool.execute(call, launch=launch)).value


async def cancel_one(pool: WorkerPool, launch: Launch, call: StageCall) -> tuple[int, StopReport]:
    """A computation cancelled while it is seen at work: its process and how it stopped."""
    pids: list[int] = []
    reports: list[StopReport] = []
    with anyio.fail_after(30), anyio.CancelScope() as scope:

        async def on_progress(progress: StageProgress) -> None:
            pids.append(int(progress.message))
            scope.cancel()

        await pool.execute(call, launch=launch, on_progress=on_progress, on_stopped=reports.append)
    assert scope.cancelled_caught
    return pids[0], reports[0]


async def test_a_jvm_answers_with_the_flags_of_its_launch(launch: Launch, make_call: MakeCall) -> None:
    seen = {}
    async with open_worker_pool() as pool:
        for name in ("java.awt.headless", "file.encoding", "sun.jnu.encoding", "user.language"):
            call = make_call("property", name=name)
            seen[name] = (await pool.execute(call, launch=launch)).value
        heap = (await pool.execute(make_call("heap"), launch=launch)).value
    assert seen == {
        "java.awt.headless": "true",
        "file.encoding": "UTF-8",
        "sun.jnu.encoding": "UTF-8",
        "user.language": "en",
    }
    assert 0.8 * SMALL < int(str(heap)) <= SMALL


async def test_files_with_any_name_are_found_in_any_locale(launch, make_call, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "中 ü.ofn").touch()
    assert await ask(launch, make_call("exists", name=str(tmp_path / "中 ü.ofn"))) == "true"


async def test_options_in_the_environment_do_not_reach_it(launch, make_call, monkeypatch) -> None:
    for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"):
        monkeypatch.setenv(name, "-Xmx2g -Dstray=yes")
    assert await ask(launch, make_call("property", name="stray")) == "null"


async def test_it_reaches_no_network(launch, make_call) -> None:
    assert await ask(launch, make_call("network", name="http://192.0.2.1/x")) in (
        "ConnectException",
        "SocketException",
    )


async def test_it_leaves_no_file_of_the_runtime_behind(launch, make_call, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_worker_pool() as pool:
        pid, _ = await cancel_one(pool, launch, make_call("spins"))
    assert list(tmp_path.iterdir()) == []
    left = Path(tempfile.gettempdir()).glob(f"hsperfdata_*/{pid}")  # noqa: ASYNC240 - nothing else runs
    assert not list(left)


async def test_a_crash_is_told_and_leaves_no_report(launch, make_call, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def on_progress(progress: StageProgress) -> None:
        os.kill(int(progress.message), signal.SIGSEGV)

    async with open_worker_pool() as pool:
        with anyio.fail_after(30), pytest.raises(errors.ExecutionFailed) as caught:
            await pool.execute(make_call("spins"), launch=launch, on_progress=on_progress)
        assert caught.value.details["failure_type"] == "java_crashed"
        assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false", (
            "the next job works"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("operation", "failure_type"), [("fills_the_heap", "out_of_memory"), ("recurses", "stack_overflow")]
)
async def test_a_jvm_that_dies_by_itself_is_told_apart(launch, make_call, operation, failure_type) -> None:
    async with open_worker_pool() as pool:
        with anyio.fail_after(60), pytest.raises(errors.ExecutionFailed) as caught:
            await pool.execute(make_call(operation), launch=launch)
        assert caught.value.details["failure_type"] == failure_type
        assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false", (
            "the next job works"
        )


async def test_a_jvm_killed_from_outside_is_told(launch, make_call) -> None:
    async def on_progress(progress: StageProgress) -> None:
        os.kill(int(progress.message), signal.SIGKILL)

    async with open_worker_pool() as pool:
        with anyio.fail_after(30), pytest.raises(errors.WorkerLost, match="killed from outside") as caught:
            await pool.execute(make_call("spins"), launch=launch, on_progress=on_progress)
        assert caught.value.details["exit_code"] == -signal.SIGKILL
        assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false"


@pytest.mark.parametrize(
    ("how", "failure_type"),
    [
        ("no_main", "jars_incomplete"),
        ("not_a_jar", "jars_incomplete"),
        ("bad_class", "jars_incomplete"),
        ("newer_class", "java_too_old"),
        ("too_much", "memory_not_reserved"),
    ],
)
async def test_a_jvm_that_cannot_start_says_why_and_no_path(
    runtime, double_jar, make_call, tmp_path, how, failure_type, monkeypatch
) -> None:
    heap = 1 << 58 if how == "too_much" else SMALL
    place = double_jar
    name = "JavaDouble"
    if how == "no_main":
        name = "no.such.Main"
    elif how == "not_a_jar":
        place = tmp_path / "broken.jar"
        place.write_bytes(double_jar.read_bytes()[:200])
    elif how in ("bad_class", "newer_class"):
        place = tmp_path / "classes.jar"
        data = bytearray((double_jar.parent / "out" / "JavaDouble.class").read_bytes())
        data[0:8] = b"\xca\xfe\xba\xbe\0\0\0\xff" if how == "newer_class" else b"\xca\xfe\0\0\0\0\0\0"
        import zipfile

        with zipfile.ZipFile(place, "w") as jar:
            jar.writestr("JavaDouble.class", bytes(data))
    launch = java_command(runtime, class_path_of(place, main_class=name), heap_bytes=heap)
    async with open_worker_pool() as pool:
        with anyio.fail_after(30), pytest.raises(errors.ExecutionFailed) as caught:
            await pool.execute(make_call("is_warm"), launch=launch)
    assert caught.value.details["failure_type"] == failure_type
    assert str(place.parent) not in str(caught.value.body())


async def test_a_runtime_that_went_away_is_a_lost_worker(launch, make_call, tmp_path) -> None:
    gone = replace(launch, argv=(str(tmp_path / "bin" / "java"), *launch.argv[1:]))
    async with open_worker_pool() as pool:
        with anyio.fail_after(10), pytest.raises(errors.WorkerLost):
            await pool.execute(make_call("is_warm"), launch=gone)


async def test_ten_cancels_in_a_row_leave_no_process_and_memory_flat(launch, make_call) -> None:
    stopped_s = []
    async with open_worker_pool() as pool:
        await cancel_one(pool, launch, make_call("spins"))
        before = resident_bytes()
        for _ in range(10):
            pid, report = await cancel_one(pool, launch, make_call("spins"))
            stopped_s.append(report.took_s)
            assert is_gone(pid)
            assert not report.is_cooperative
        grown = resident_bytes() - before
    assert jvms() == set()
    assert max(stopped_s) < limits.CANCEL_OUTER_S
    assert grown < 4 * limits.MIB
    print(f"stopped within {max(stopped_s) * 1000:.0f} ms, grown by {grown // 1024} KiB")


async def test_one_known_not_to_cooperate_is_killed_at_once(launch, make_call) -> None:
    async with open_worker_pool(WorkerLimits(cancel_polite_s=20)) as pool:
        _, report = await cancel_one(pool, replace(launch, may_cooperate=False), make_call("spins"))
    assert not report.is_cooperative
    assert report.took_s < 5


async def test_a_spare_waits_after_the_first_use_and_is_used(launch, make_call) -> None:
    launch = replace(launch, keeps_spare=True)
    async with open_worker_pool(WorkerLimits(workers=1)) as pool:
        assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false"
        assert await pool.wait_spare() is None, "a pool that keeps nothing warm keeps no spare"
        pool.warm()
        await pool.wait_warm()
        assert jvms() == set(), "none before the first use"
        with anyio.fail_after(30):
            assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false"
            first = await pool.wait_spare()
            assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "true"
            assert first is not None
            assert is_gone(first), "one job for each process"
            second = await pool.wait_spare()
            assert second is not None
            assert jvms() == {second}
            # Another kind, whose spare takes the place; and one that keeps none, which does not.
            await pool.execute(make_call("is_warm"), launch=replace(launch, kind="other"))
            third = await pool.wait_spare()
            await become(lambda: jvms() == {third})
            await pool.execute(make_call("is_warm"), launch=replace(launch, kind="x", keeps_spare=False))
            assert await pool.wait_spare() == third
    assert jvms() == set()


async def test_an_idle_spare_is_dropped_and_the_next_job_starts_one(launch, make_call) -> None:
    launch = replace(launch, keeps_spare=True)
    async with open_worker_pool(WorkerLimits(workers=1, spare_idle_s=1.0)) as pool:
        pool.warm()
        with anyio.fail_after(30):
            await pool.execute(make_call("is_warm"), launch=launch)
            pid = await pool.wait_spare()
            assert pid is not None
            await become(lambda: is_gone(pid))
            assert await pool.wait_spare() is None
            assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false"


async def test_a_spare_that_died_idle_is_passed_over(launch, make_call) -> None:
    launch = replace(launch, keeps_spare=True)
    async with open_worker_pool(WorkerLimits(workers=1)) as pool:
        pool.warm()
        with anyio.fail_after(30):
            await pool.execute(make_call("is_warm"), launch=launch)
            pid = await pool.wait_spare()
            assert pid is not None
            kill_and_wait(pid)  # blocking: the loop hears of it later
            assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false"


async def test_a_pool_closed_with_a_spare_leaves_none(launch, make_call) -> None:
    async with open_worker_pool(WorkerLimits(workers=1)) as pool:
        pool.warm()
        await pool.execute(make_call("is_warm"), launch=replace(launch, keeps_spare=True))
    assert children_of(os.getpid()) == []


@pytest.mark.req("W-09")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_killed_backend_leaves_no_jvm(double_jar: Path, tmp_path: Path, backend: str) -> None:
    doomed = Path(__file__).parents[2] / "support" / "doomed_java_backend.py"
    command = [sys.executable, str(doomed), backend, str(double_jar), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("spinning"), "a busy JVM and a spare"
        below = descendants_of(process.pid)
        assert sum(has_mapped(pid, "libjvm") for pid in below) == 2
        process.kill()
        process.communicate(timeout=5)
    took_s = wait_until(lambda: all(map(is_gone, below)), within_s=2)
    print(f"everything gone after {took_s * 1000:.0f} ms")


async def test_a_jvm_steps_behind_the_backend(launch, make_call) -> None:
    seen: list[int] = []

    async def on_progress(progress: StageProgress) -> None:
        threads = os.listdir(f"/proc/{progress.message}/task")
        seen.extend(os.getpriority(os.PRIO_PROCESS, int(each)) for each in threads)
        scope.cancel()

    async with open_worker_pool() as pool:
        with anyio.fail_after(30), anyio.CancelScope() as scope:
            await pool.execute(make_call("spins"), launch=launch, on_progress=on_progress)
    assert set(seen) == {5}


def resident_bytes() -> int:
    import gc

    gc.collect()
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
