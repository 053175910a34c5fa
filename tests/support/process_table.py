"""Questions about living processes, asked of Linux's /proc."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Callable

PROC = Path("/proc")


def state_of(pid: int) -> str | None:
    """The one-letter state of a process, None when there is no such process."""
    fields = _stat(pid)
    return fields[0] if fields else None


def is_gone(pid: int) -> bool:
    """Whether nothing of it runs any more; who reaps an orphan is the system's affair."""
    return state_of(pid) in (None, "Z", "X")


def kill_and_wait(pid: int) -> None:
    """End a child and wait for its last thread, without reaping it."""
    pidfd = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    assert poll.poll(5000)
    os.close(pidfd)


def children_of(pid: int) -> list[int]:
    """Direct children, zombies included: a zombie of ours is a leak."""
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))) and int(fields[1]) == pid:
            found.append(int(entry.name))
    return found


def descendants_of(pid: int) -> list[int]:
    """Children and theirs, as long as nobody between them has died."""
    found = children_of(pid)
    return found + [below for child in found for below in descendants_of(child)]


def has_mapped(pid: int, name: str) -> bool:
    """Whether a process has loaded a native library whose path has this name in it."""
    try:
        return name in (PROC / str(pid) / "maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def processes_with(setting: str) -> list[int]:
    """Living processes whose environment at their start had this `NAME=value`."""
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if setting.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return [pid for pid in found if not is_gone(pid)]


def open_descriptors() -> int:
    """How many descriptors this process holds."""
    return len(os.listdir("/proc/self/fd"))


def wait_until(condition: Callable[[], bool], within_s: float) -> float:
    """Look again and again; the seconds it took, or an assertion error after the bound."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < within_s, "the condition did not come true in time"
        time.sleep(0.005)
    return time.monotonic() - begin


async def become(condition: Callable[[], bool], within_s: float = 5) -> None:
    """`wait_until` for tests inside an event loop."""
    with anyio.fail_after(within_s):
        while not condition():  # noqa: ASYNC110 - the kernel sets no event
            await anyio.sleep(0.005)


def _stat(pid: int) -> list[str] | None:
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
