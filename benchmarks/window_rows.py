"""Rows about a living window: cancel to terminal, and spawn to ready. Job control is in `control_rows`."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

import anyio

from benchmarks.command_rows import generate
from benchmarks.figures import NotRun, Row, paired, row
from benchmarks.peers import our_command
from benchmarks.windows import (
    TERMINAL,
    classification_request,
    content_of,
    open_window,
    state_of,
    until_running,
)
from benchmarks.wire import open_wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CANCELS_PER_WINDOW: Final = 20


def cancel_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """From the cancel call to a terminal state, at random moments of a real classification."""
    path = work / "cancel.ofn"
    generate(path, classes=8_000, syntax="functional", release=1)
    latencies: list[float] = []
    for window in range(1 if quick else 3):
        latencies += anyio.run(_cancel_in_window, path, _CANCELS_PER_WINDOW, window)
    note = f"{len(latencies)} cancellations of running classifications (pyelk-0.2.1)"
    yield row(name="cancel to terminal", ours=latencies, statistic="p95", target=0.250, note=note)
    yield row(name="cancel to terminal", ours=latencies, statistic="max", target=5.0)


def ready_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """From spawning a window to its first answered tool call, beside importing the SDK."""
    path = work / "small.ofn"
    generate(path, classes=300, syntax="functional", release=1)
    ours, theirs = paired(lambda: _spawn_to_ready(path), _spawn_to_imported, 5 if quick else 15)
    yield row(
        name="spawn to window ready",
        ours=ours,
        peer=theirs,
        against="import mcp.server",
        statistic="median",
        target=1.3,
        note="ready: the first list_jobs call is answered",
    )


# --- Cancellation ---------------------------------------------------------------------------------


async def _cancel_in_window(path: Path, count: int, seed: int) -> list[float]:
    chance = random.Random(seed)
    latencies = []
    async with open_window(path) as window:
        for number in range(count):
            answer = await window.call_tool("start_job", classification_request(f"cancel-{number}"))
            job = content_of(answer)["job"]["job_id"]
            await until_running(window, job)
            await anyio.sleep(chance.uniform(0, 1.5))
            start = time.perf_counter()
            await window.call_tool("cancel_job", {"job_id": job})
            while await state_of(window, job) not in TERMINAL:
                pass  # each look is a whole call, so this does not spin
            latencies.append(time.perf_counter() - start)
            if await state_of(window, job) != "cancelled":
                raise NotRun("a classification ended before it was cancelled: use a larger ontology")
    return latencies


# --- Spawn to ready, without a client library in the measured path --------------------------------


def _spawn_to_ready(path: Path) -> float:
    """Seconds from spawning `serve` until list_jobs is answered; the window is closed afterwards."""
    start = time.perf_counter()
    with open_wire([*our_command(), "serve", str(path)], path.parent) as window:
        window.call("list_jobs", {})
        return time.perf_counter() - start


def _spawn_to_imported() -> float:
    """Seconds from spawning an interpreter until it has imported the SDK's server; its end is not timed."""
    argv = [sys.executable, "-c", "import mcp.server; print(flush=True)"]
    start = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as interpreter:
        assert interpreter.stdout is not None
        interpreter.stdout.readline()
        return time.perf_counter() - start
