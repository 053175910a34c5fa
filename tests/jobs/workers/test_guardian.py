"""Nothing survives a SIGKILLed backend: neither workers, nor what they forked, nor private files."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from process_table import become, children_of, descendants_of, is_gone, processes_with, state_of, wait_until

from jobs.workers import guardian
from jobs.workers.contract import WorkerLimits
from jobs.workers.lifeline import open_lifeline

if TYPE_CHECKING:
    from collections.abc import Iterator

DOOMED = Path(__file__).parents[2] / "support" / "doomed_backend.py"
GUARDIAN = (sys.executable, "-I", "-S", guardian.__file__)
SLEEPER = (sys.executable, "-I", "-S", "-c", "import time; print(flush=True); time.sleep(60)")


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own, as a worker is."""
    with subprocess.Popen(SLEEPER, start_new_session=True, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def doom(backend: str, private: Path, *flags: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a backend, wait until its job holds the interpreter lock; it and all below it."""
    process = subprocess.Popen(
        [sys.executable, str(DOOMED), backend, str(private), *flags], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("hanging"):
            return process, descendants_of(process.pid)
    raise AssertionError("the doomed backend ended before its job hung")


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=5)


@pytest.mark.req("W-09")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize(
    "flags", [(), ("--no-death-signal",), ("--lose-guardian",)], ids=lambda flags: "".join(flags)
)
def test_a_killed_backend_leaves_no_process_and_no_private_file(tmp_path, backend, flags) -> None:
    private = tmp_path / "private"
    process, below = doom(backend, private, *flags)
    assert len(below) >= 4, "guardian, busy worker, its forked child, idle worker"
    assert (private / "private.txt").exists()
    kill(process)
    took_s = wait_until(lambda: all(map(is_gone, below)) and not private.exists(), within_s=2)
    print(f"everything gone after {took_s * 1000:.0f} ms")


@pytest.mark.parametrize("flags", [(), ("--no-death-signal",)], ids="".join)
def test_killed_at_any_moment_of_its_start_a_backend_leaves_nothing(tmp_path, flags) -> None:
    for step in range(14):
        private, token = tmp_path / f"private{step}", f"DOOMED={tmp_path}/{step}"
        process = subprocess.Popen(
            [sys.executable, str(DOOMED), "asyncio", str(private), *flags],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "DOOMED": f"{tmp_path}/{step}"},
        )
        wait_until(private.exists, within_s=5)  # imports are over, the pool opens now
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=step * 0.012)
        has_guard = len(children_of(process.pid)) > 0
        kill(process)
        wait_until(lambda token=token: not processes_with(token), within_s=2)
        if has_guard:
            print(f"step {step}: {'deleted' if not private.exists() else 'left for the sweep'}")


def test_without_any_guardian_the_death_signal_still_ends_the_workers(tmp_path) -> None:
    process, below = doom("asyncio", tmp_path / "private", "--no-guardian")
    workers = children_of(process.pid)
    kill(process)
    wait_until(lambda: all(map(is_gone, workers)), within_s=2)
    for left in set(below) - set(workers):  # what the worker forked had only the guardian
        os.kill(left, signal.SIGKILL)


def test_a_backend_ended_by_ctrl_c_leaves_nothing(tmp_path) -> None:
    private = tmp_path / "private"
    process, below = doom("asyncio", private)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    wait_until(lambda: all(map(is_gone, below)) and not private.exists(), within_s=2)


def test_the_guardian_ignores_polite_signals(sleeper) -> None:
    with subprocess.Popen(GUARDIAN, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        wait_until(lambda: _ignores(process.pid, signal.SIGTERM), within_s=5)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process.send_signal(number)
        process.stdin.write(json.dumps({"watch": sleeper.pid}).encode() + b"\n")
        process.stdin.close()
        assert sleeper.wait(timeout=5) == -signal.SIGKILL
        assert process.wait(timeout=5) == 0


def test_the_guardian_spares_what_was_forgotten_released_or_cut_off(tmp_path, sleeper) -> None:
    kept, deleted = tmp_path / "kept", tmp_path / "deleted ä\n"
    (deleted / "deep").mkdir(parents=True)
    (deleted / "link").symlink_to(tmp_path)
    kept.mkdir()
    lines: list[object] = [
        {"watch": sleeper.pid},
        {"guard": str(kept)},
        {"guard": str(deleted)},
        {"guard": "relative"},
        {"forget": sleeper.pid},
        {"release": str(kept)},
        {"forget": 1},
        ["nonsense"],
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines) + json.dumps({"watch": sleeper.pid})[:-1]
    subprocess.run(GUARDIAN, input=text.encode(), check=True, timeout=10)
    assert kept.is_dir()
    assert not deleted.exists()
    assert sleeper.poll() is None


@pytest.mark.anyio
async def test_a_lost_guardian_is_replaced_and_told_everything(sleeper, tmp_path) -> None:
    directory = tmp_path / "private"
    directory.mkdir()
    async with open_lifeline(WorkerLimits()) as lifeline:
        lifeline.watch_group(sleeper.pid)
        lifeline.guard_directory(directory)
        await become(lambda: lifeline.guardian_pid is not None)
        lost = lifeline.guardian_pid
        assert lost is not None
        os.kill(lost, signal.SIGKILL)
        await become(lambda: lifeline.guardian_pid not in (None, lost))
        assert sleeper.poll() is None, "the loss of a guardian ends nobody"
    assert not directory.exists()
    assert await anyio.to_thread.run_sync(lambda: sleeper.wait(timeout=5)) == -signal.SIGKILL


@pytest.mark.anyio
async def test_a_stopped_guardian_blocks_nobody_and_ends_nobody(sleeper) -> None:
    with anyio.fail_after(10):
        async with open_lifeline(WorkerLimits(reap_s=0.3)) as lifeline:
            lifeline.watch_group(sleeper.pid)
            await become(lambda: lifeline.guardian_pid is not None)
            stopped = lifeline.guardian_pid
            assert stopped is not None
            os.kill(stopped, signal.SIGSTOP)
            await become(lambda: state_of(stopped) == "T")
            for number in range(5000):  # far more than a pipe holds
                lifeline.forget_group(10_000_000 + number)
            await become(lambda: lifeline.guardian_pid not in (None, stopped))
            assert sleeper.poll() is None
            lifeline.forget_group(sleeper.pid)
            replaced = lifeline.guardian_pid
            assert replaced is not None
            os.kill(replaced, signal.SIGSTOP)
        assert sleeper.poll() is None


@pytest.mark.anyio
async def test_a_flood_before_the_guardian_has_started_ends_nobody(sleeper) -> None:
    async with open_lifeline(WorkerLimits()) as lifeline:
        lifeline.watch_group(sleeper.pid)
        for number in range(5000):
            lifeline.forget_group(10_000_000 + number)
        await become(lambda: lifeline.guardian_pid is not None)
        lifeline.forget_group(sleeper.pid)
    assert sleeper.poll() is None


def _ignores(pid: int, number: signal.Signals) -> bool:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigIgn:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False
