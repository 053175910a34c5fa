"""Looks at files: whether a path still leads to the same, unchanged file.

A look opens nothing and follows no link. It proves a change, and the absence of one as far as the
file system's times are fine enough; who must know content compares digests.
"""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FileIdentity = tuple[int, int, int, int, int]
"""Device, inode, size in bytes, time of the last change of content and of anything, in nanoseconds.

The last one cannot be set: a tool that writes and then puts the old time back is seen by it.
"""
Look = tuple[FileIdentity, ...]
"""The file's identity, then that of what it links to; empty when nothing is there."""


SETTLE_S: Final = 0.02
"""Longer than the tick of the clock that local file systems take their times from (4 to 10 ms on
older Linux kernels): after it, an edit has another time than one that was just looked at."""


def identity_of(found: os.stat_result) -> FileIdentity:
    """The identity in a stat result."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def look(path: Path) -> Look:
    """Look at one path. A link that leads nowhere has one identity, its own."""
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    if not stat.S_ISLNK(found.st_mode):
        return (identity_of(found),)
    try:
        return identity_of(found), identity_of(os.stat(path))
    except OSError:
        return (identity_of(found),)


def is_fresh(seen: Look) -> bool:
    """Whether the file changed so lately that one more change could have the same time."""
    now_ns = time.time_ns()
    return any(0 <= now_ns - modified_ns < SETTLE_S * 1e9 for *_, modified_ns, _ in seen)


def look_at(paths: Iterable[Path]) -> dict[Path, Look]:
    """Look at several paths."""
    return {path: look(path) for path in paths}
