"""Locks between processes, on an open file: the operating system's part.

A lock ends with its holder, however that dies. It is not passed on: the descriptor closes on
exec, and a forked child closes its copy at once, so no worker can keep a dead backend's lock.
"""

from __future__ import annotations

import os
import sys

_held: set[int] = set()


def try_lock(fd: int) -> bool:
    """Take the exclusive lock of an open file if nobody has it, without waiting.

    Raises: `OSError` where the file system has no locks.
    """
    if not _try_lock(fd):
        return False
    _held.add(fd)
    return True


def close_locked(fd: int) -> None:
    """Close the file and with it give up its lock, if it was held."""
    _held.discard(fd)
    os.close(fd)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        # flock, not record locks: those would be lost when any other descriptor of the file
        # closes, and two windows of one process could not see each other's.
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _forget_in_child() -> None:
        for fd in list(_held):
            os.close(fd)
        _held.clear()

    os.register_at_fork(after_in_child=_forget_in_child)
