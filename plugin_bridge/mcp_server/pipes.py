"""Waiting on the standard descriptors without a thread where the system can, else with one.

The room for what differs between systems: on POSIX the loop waits for readiness; a descriptor that
cannot be polled (a regular file) never blocks for long, so it is read at once; on Windows, where
pipes cannot be waited for, a thread reads and is left behind when the window closes, which ends the
process anyway.
"""

from __future__ import annotations

import os
import select
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import anyio.lowlevel
import anyio.to_thread

if sys.platform == "linux":
    import fcntl
    import termios

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

_READ_BYTES: Final = 64 * 1024
_WRITE_BYTES: Final = 4096  # PIPE_BUF: a pipe that is ready takes this much without blocking


@dataclass(frozen=True, slots=True)
class LongLine:
    """Stands for a line above the bound, of which nothing was kept."""


@contextmanager
def standard_pipes() -> Iterator[tuple[int, int]]:
    """Private copies of stdin and stdout; the public ones are harmless while the block runs."""
    sys.stdout.flush()
    stdin, stdout = os.dup(0), os.dup(1)
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        yield stdin, stdout
    finally:
        sys.stdout.flush()
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        os.close(stdin)
        os.close(stdout)


async def read_lines(descriptor: int, longest: int) -> AsyncIterator[bytes | LongLine]:
    """The lines of a descriptor until its end, without their newline."""
    kept = bytearray()
    is_dropping = False
    while data := await _read_some(descriptor):
        *ended, rest = data.split(b"\n")
        for piece in ended:
            if is_dropping or len(kept) + len(piece) > longest:
                yield LongLine()
            else:
                yield bytes(kept + piece)
            kept.clear()
            is_dropping = False
        if is_dropping or len(kept) + len(rest) > longest:
            kept.clear()
            is_dropping = True
        else:
            kept += rest
    if kept:
        yield bytes(kept)


async def write_all(descriptor: int, data: bytes) -> None:
    """Write everything, waiting for a slow reader.

    Raises:
        OSError: the other end is gone.
    """
    view = memoryview(data)
    while view:
        await _ready_to_write(descriptor)
        piece = view[:_WRITE_BYTES] if len(view) <= _WRITE_BYTES else view[: _taken_at_once(descriptor)]
        if sys.platform == "win32":
            written = await anyio.to_thread.run_sync(os.write, descriptor, piece, abandon_on_cancel=True)
        else:
            written = os.write(descriptor, piece)
        view = view[written:]


async def _read_some(descriptor: int) -> bytes:
    if sys.platform == "win32":
        read = partial(os.read, descriptor, _READ_BYTES)
        return await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
    try:
        await anyio.wait_readable(descriptor)
    except PermissionError:  # a regular file cannot be polled, and is always ready
        await anyio.lowlevel.checkpoint()
    try:
        return os.read(descriptor, _READ_BYTES)
    except OSError:
        return b""  # a terminal or socket that went away reads as its end


def _taken_at_once(descriptor: int) -> int:
    """How much a descriptor that is ready for writing takes without blocking: an empty pipe, all it holds.

    In pieces of PIPE_BUF, a list of jobs would take five turns of the loop.
    """
    if sys.platform != "linux":
        return _WRITE_BYTES
    try:
        capacity = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
        unread = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    except OSError:  # no pipe
        return _WRITE_BYTES
    return _WRITE_BYTES if any(unread) else capacity


def _is_ready_to_write(descriptor: int) -> bool:
    """Whether it takes `_WRITE_BYTES` now, asked of the system and not of the loop."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return bool(poll.poll(0))


async def _ready_to_write(descriptor: int) -> None:
    if sys.platform == "win32":
        return
    if _is_ready_to_write(descriptor):  # as a client's pipe is that waits for one answer
        await anyio.lowlevel.checkpoint_if_cancelled()
        return
    try:
        await anyio.wait_writable(descriptor)
    except PermissionError:
        await anyio.lowlevel.checkpoint()
