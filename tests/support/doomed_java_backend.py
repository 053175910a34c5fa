"""A backend with a busy JVM and a warm spare, which says so and waits to be killed.

python doomed_java_backend.py ASYNC_BACKEND JAR FOLDER
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import anyio
from java_support import class_path_of

from jobs.java.launch import java_command
from jobs.java.runtime import get_runtime
from jobs.workers.contract import StageCall, StageProgress, WorkerLimits
from jobs.workers.pool import open_worker_pool


async def run(jar: Path, folder: Path) -> None:
    launch = java_command(get_runtime(), class_path_of(jar), heap_bytes=1 << 26)
    launch = replace(launch, keeps_spare=True)

    def call(operation: str) -> StageCall:
        return StageCall(operation=operation, version=1, inputs={}, work_dir=folder)

    async with open_worker_pool(WorkerLimits(workers=1)) as pool:
        pool.warm()
        await pool.execute(call("is_warm"), launch=launch)
        await pool.wait_spare()

        async def on_progress(progress: StageProgress) -> None:
            print("spinning", progress.message, flush=True)

        await pool.execute(call("spins"), launch=replace(launch, kind="another"), on_progress=on_progress)


if __name__ == "__main__":
    anyio.run(run, Path(sys.argv[2]), Path(sys.argv[3]), backend=sys.argv[1])
