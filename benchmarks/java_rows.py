"""Rows about reasoners on Java: a cold command beside ROBOT, a warm window beside ELK alone."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio

from benchmarks.command_rows import generate, run, structured
from benchmarks.figures import NotRun, Row, paired, row
from benchmarks.peers import elk_command, our_command, robot_command
from benchmarks.windows import (
    TERMINAL,
    classification_request,
    content_of,
    open_window,
    state_of,
    text_of_job,
)
from jobs.reasoners import profiles
from jobs.reasoners.java_profiles import ELK_6

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COLD_TARGET: Final = 0.3
WARM_TARGET: Final = 1.15
MEMORY_TARGET_BYTES: Final = 20 * 1024 * 1024
_HEAP_BYTES: Final = 8 << 30
_JOB_S: Final = 600


def java_classification_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Classification of a large EL ontology by ELK 0.6.0: cold command, warm window, backend's memory."""
    if not profiles.resolve(ELK_6).is_reviewed:
        raise NotRun("the jars of ELK are not built, or not the reviewed ones: make java")
    classes = 10_000 if quick else 45_000
    path = work / f"large-{classes}.ofn"
    generate(path, classes=classes, syntax="functional", release=1)
    yield _cold(path, classes, rounds=3)
    yield from anyio.run(_warm, path, classes, 3 if quick else 5)


def _cold(path: Path, classes: int, rounds: int) -> Row:
    ours = [*our_command(), "run", "classification", str(path), "--profile", ELK_6, "--format", "json"]
    peer = [*robot_command(), "reason", "--reasoner", "ELK", "--input", str(path), "--output", "r.ofn"]
    result = structured(run(ours, path.parent)[1])
    if result.get("unsatisfiable_status") != "complete" or result.get("unsatisfiable_count") != 0:
        raise NotRun(f"our classification of the generated ontology is not the known one: {result}")
    mine, theirs = paired(lambda: run(ours, path.parent)[0], lambda: run(peer, path.parent)[0], rounds)
    return row(
        name=f"classification, cold, {classes:,} classes, {ELK_6}",
        ours=mine,
        peer=theirs,
        against="robot reason (ELK)",
        statistic="median",
        target=COLD_TARGET,
    )


async def _warm(path: Path, classes: int, rounds: int) -> list[Row]:
    """Claim to succeeded in a window whose capture and spare JVM are there, beside ELK in a warm JVM."""
    mine, theirs, grown = [], [], []
    with _elk_alone(path) as turn:
        async with open_window(path, ELK_6) as window:
            pid = _backend()
            for number in range(rounds + 1):
                before = _resident_bytes(pid)
                start = time.perf_counter()
                answer = await window.call_tool("start_job", classification_request(f"warm-{number}"))
                job = content_of(answer)["job"]["job_id"]
                claimed, peak = 0.0, 0
                while (state := await state_of(window, job)) not in TERMINAL:
                    claimed = claimed or (time.perf_counter() if state == "running" else 0.0)
                    peak = max(peak, _resident_bytes(pid))
                    await anyio.sleep(0.02)
                took = time.perf_counter() - (claimed or start)
                if state != "succeeded":
                    raise NotRun(f"the classification ended: {await text_of_job(window, job)}")
                await anyio.sleep(3)  # the spare warms up; its peer has been warm for a while
                alone = await anyio.to_thread.run_sync(turn)
                if number:  # the first of both is cold
                    mine.append(took)
                    theirs.append(alone)
                    grown.append(float(peak - before))
    name = f"{classes:,} classes, {ELK_6}"
    return [
        row(
            name=f"classification, warm window, {name}",
            ours=mine,
            peer=theirs,
            against="ELK's own load and classify, warm JVM",
            statistic="median",
            target=WARM_TARGET,
        ),
        row(
            name=f"backend growth meanwhile, {name}",
            ours=[each / 2**20 for each in grown],
            statistic="max",
            target=MEMORY_TARGET_BYTES / 2**20,
            unit="MiB",
        ),
    ]


@contextmanager
def _elk_alone(path: Path) -> Iterator[Callable[[], float]]:
    """One JVM with ELK alone; each call loads and classifies once more and tells the seconds."""
    argv = [*elk_command(_HEAP_BYTES), str(path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def turn() -> float:
            stdin.write("\n")
            stdin.flush()
            said = stdout.readline().split()
            if len(said) != 2:
                raise NotRun("ELK alone ended without a figure")
            return float(said[0])

        try:
            yield turn
        finally:
            process.kill()


def _backend() -> int:
    """The process of the window that this process opened."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"\0serve\0" in (entry / "cmdline").read_bytes():
                return int(entry.name)
        except (OSError, IndexError, ValueError):
            continue
    raise NotRun("the window's process is only found on Linux")


def _resident_bytes(pid: int) -> int:
    """Of the backend process alone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError) as error:
        raise NotRun("the backend's memory can only be read on Linux") from error
    return pages * 4096
