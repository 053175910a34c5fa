"""Opening files below one folder, without following a link anywhere on the way.

Where the system opens relative to a directory handle (`dir_fd`), every component is opened so and
`O_NOFOLLOW`; elsewhere each component is looked at first, and the opened file is compared with what
was seen. What was read is kept by path and digest, so that the host can check it later.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Final

from jobs import errors, limits

if TYPE_CHECKING:
    from pathlib import Path

_HAS_DIR_FD: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FILE_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not make us wait for its writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS: Final = _FILE_FLAGS | getattr(os, "O_DIRECTORY", 0)


class ConfinedOpener:
    """Reads files below `root`; call it with a path relative to it, with `/`."""

    def __init__(self, root: Path, *, max_bytes: int = limits.SECONDARY_FILE_BYTES) -> None:
        self._root = root
        self._max_bytes = max_bytes
        self.opened: dict[str, str | None] = {}
        """SHA-256 in hexadecimal by path, of every file asked for; None for what was not there."""

    def __call__(self, path: str) -> bytes:
        """The content of a regular file.

        Raises:
            OSError: it is not there, leads through a link, or is no regular file.
            SnapshotTooLarge: it is larger than `max_bytes`.
            InputChanged: it moved while it was read.
        """
        components(path)
        try:
            data = read_regular(self._open(path), path, self._max_bytes)
        except OSError:
            self.opened.setdefault(path, None)
            raise
        self.opened[path] = hashlib.sha256(data).hexdigest()
        return data

    def _open(self, path: str) -> int:
        *folders, name = components(path)
        if not _HAS_DIR_FD:
            return self._open_plainly([*folders, name])
        descriptor = os.open(self._root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            for folder in folders:
                inner = os.open(folder, _FOLDER_FLAGS, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            return os.open(name, _FILE_FLAGS, dir_fd=descriptor)
        finally:
            os.close(descriptor)

    def _open_plainly(self, parts: list[str]) -> int:
        place = self._root
        for part in parts:
            place = place / part
            seen = os.lstat(place)
            is_reparse_point = bool(getattr(seen, "st_file_attributes", 0) & 0x400)
            if stat.S_ISLNK(seen.st_mode) or is_reparse_point:
                raise OSError(errno.ELOOP, "a link")
        descriptor = os.open(place, _FILE_FLAGS)
        opened = os.fstat(descriptor)
        if (opened.st_dev, opened.st_ino) != (seen.st_dev, seen.st_ino):
            os.close(descriptor)
            raise OSError(errno.ELOOP, "another file")
        return descriptor


def components(path: str) -> list[str]:
    """The names of a relative path; `OSError` when it could lead elsewhere."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts):
        raise OSError(errno.EINVAL, "not a plain relative path")
    return parts


def read_regular(descriptor: int, name: str, max_bytes: int) -> bytes:
    """Read a descriptor to its end and close it: a regular file, bounded, the same before and after."""
    with os.fdopen(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if before.st_size > max_bytes:
            raise errors.SnapshotTooLarge(
                f"{name} has {before.st_size:,} bytes; at most {max_bytes:,} are read.",
                details={"bytes": before.st_size, "maximum": max_bytes},
            )
        data = file.read(before.st_size + 1)
        after = os.fstat(descriptor)
    has_moved = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    if has_moved or len(data) != before.st_size:
        raise errors.InputChanged(f"{name} changed while it was being read. Try again.")
    return data
