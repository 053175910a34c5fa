"""A backend that warms a pool, starts a job that holds the interpreter lock, says so, and waits to be killed.

python doomed_backend.py ASYNC_BACKEND PRIVATE_DIRECTORY [--no-death-signal] [--lose-guardian] [--no-guardian]
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio
from process_table import become

from jobs.workers.contract import StageCall, StageProgress, WorkerLimits
from jobs.workers.pool import WorkerPool, open_worker_pool

DOUBLE = (sys.executable, "-I", str(Path(__file__).with_name("worker_double.py")))


async def run(private: Path, flags: set[str]) -> None:
    limits = WorkerLimits(guardian_restarts=0 if "--no-guardian" in flags else 5)
    async with open_worker_pool(
        limits, command=DOUBLE, use_death_signal="--no-death-signal" not in flags
    ) as pool:
        pool.guard_directory(private)
        pool.warm()
        assert await pool.wait_warm() == limits.workers
        if flags & {"--lose-guardian", "--no-guardian"}:
            await _lose_guardian(pool, is_replaced="--lose-guardian" in flags)

        async def on_progress(progress: StageProgress) -> None:
            print(progress.phase, progress.message, flush=True)

        call = StageCall(operation="forks_and_holds_the_lock", version=1, inputs={}, work_dir=private)
        await pool.execute(call, on_progress=on_progress)


async def _lose_guardian(pool: WorkerPool, *, is_replaced: bool) -> None:
    await become(lambda: pool.lifeline.guardian_pid is not None)
    lost = pool.lifeline.guardian_pid
    assert lost is not None
    os.kill(lost, signal.SIGKILL)
    await become(lambda: pool.lifeline.guardian_pid not in ((lost, None) if is_replaced else (lost,)))


if __name__ == "__main__":
    Path(sys.argv[2]).mkdir(mode=0o700)
    anyio.run(run, Path(sys.argv[2]), set(sys.argv[3:]), backend=sys.argv[1])
