"""One open folder, and the few things we do in it: the operating system's part of confinement.

Two classes with the same methods. `PinnedFolder` holds a descriptor: every name is looked up
relative to it without following a symbolic link, so a folder that is moved or swapped meanwhile
cannot redirect us. `PlainFolder` serves systems without such lookups (Windows): it checks each
path for links before and compares identities after, which leaves a window of microseconds to
somebody who can already write in the folder. Both raise plain `OSError`s.

Names are single components; `plugin_bridge.files.references` makes them.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

Identity = tuple[int, int]
"""Device and inode: the same folder or file under whatever name."""

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not wait for its other end
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | _CLOEXEC | _NOFOLLOW | _NONBLOCK | _BINARY
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC | _NOFOLLOW | _BINARY

HAS_PINNED_LOOKUP = {os.open, os.stat, os.unlink, os.link, os.rename} <= os.supports_dir_fd and _NOFOLLOW != 0


class Folder(Protocol):
    """An open folder; close it when done."""

    fd: int | None

    @property
    def identity(self) -> Identity:
        """Which folder this is."""

    def open_folder(self, name: str) -> Folder:
        """Open a sub-folder; a link is an error."""

    def stat(self, name: str) -> os.stat_result:
        """Stat an entry, never what a link leads to."""

    def open_file(self, name: str) -> int:
        """Open an existing file for reading; a link is an error."""

    def create_file(self, name: str, mode: int = 0o600) -> int:
        """Create a new file for writing and reading back; an existing name is an error."""

    def create_folder(self, name: str) -> None:
        """Create a sub-folder for the owner alone."""

    def names(self) -> list[str]:
        """All entries."""

    def remove_file(self, name: str) -> None:
        """Remove a file or link."""

    def remove_folder(self, name: str) -> None:
        """Remove an empty sub-folder."""

    def link(self, name: str, new_name: str) -> None:
        """Give a file a second name; an existing name is an error."""

    def replace(self, name: str, new_name: str) -> None:
        """Rename, replacing what has the new name."""

    def sync(self) -> None:
        """Make the folder's entries durable where the system can."""

    def close(self) -> None:
        """Give the descriptor back."""


def open_folder(path: Path) -> Folder:
    """Open a trusted folder by its path; its last component may not be a link."""
    return PinnedFolder(os.open(path, _READ | _DIRECTORY)) if HAS_PINNED_LOOKUP else PlainFolder(path)


class PinnedFolder:
    """A folder held by descriptor."""

    __slots__ = ("fd",)

    fd: int | None

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @property
    def identity(self) -> Identity:
        """Which folder this is."""
        found = os.fstat(self._fd)
        return found.st_dev, found.st_ino

    @property
    def _fd(self) -> int:
        if self.fd is None:
            raise ValueError("this folder is closed")
        return self.fd

    def open_folder(self, name: str) -> PinnedFolder:
        """Open a sub-folder; a link is an error."""
        return PinnedFolder(os.open(name, _READ | _DIRECTORY, dir_fd=self._fd))

    def stat(self, name: str) -> os.stat_result:
        """Stat an entry, never what a link leads to."""
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def open_file(self, name: str) -> int:
        """Open an existing file for reading; a link is an error."""
        return os.open(name, _READ, dir_fd=self._fd)

    def create_file(self, name: str, mode: int = 0o600) -> int:
        """Create a new file for writing and reading back; an existing name is an error."""
        return os.open(name, _CREATE, mode, dir_fd=self._fd)

    def create_folder(self, name: str) -> None:
        """Create a sub-folder for the owner alone."""
        os.mkdir(name, 0o700, dir_fd=self._fd)

    def names(self) -> list[str]:
        """All entries."""
        return os.listdir(self._fd)

    def remove_file(self, name: str) -> None:
        """Remove a file or link."""
        os.unlink(name, dir_fd=self._fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty sub-folder."""
        os.rmdir(name, dir_fd=self._fd)

    def link(self, name: str, new_name: str) -> None:
        """Give a file a second name; an existing name is an error."""
        os.link(name, new_name, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)

    def replace(self, name: str, new_name: str) -> None:
        """Rename, replacing what has the new name."""
        os.replace(name, new_name, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def sync(self) -> None:
        """Make the folder's entries durable."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Give the descriptor back; a second call does nothing."""
        fd, self.fd = self.fd, None
        if fd is not None:
            os.close(fd)


class PlainFolder:
    """A folder known by its path: the weaker fallback described in the module's head."""

    __slots__ = ("_identity", "_path", "fd")

    fd: int | None

    def __init__(self, path: Path) -> None:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or _is_reparse_point(found):
            raise NotADirectoryError(errno.ENOTDIR, "not a plain folder")
        self.fd = None
        self._path = path
        self._identity = (found.st_dev, found.st_ino)

    @property
    def identity(self) -> Identity:
        """Which folder this is."""
        return self._identity

    def _at(self, name: str) -> Path:
        found = self._path.lstat()
        if (found.st_dev, found.st_ino) != self._identity:
            raise NotADirectoryError(errno.ENOTDIR, "the folder was replaced")
        return self._path / name

    def open_folder(self, name: str) -> PlainFolder:
        """Open a sub-folder; a link is an error."""
        return PlainFolder(self._at(name))

    def stat(self, name: str) -> os.stat_result:
        """Stat an entry, never what a link leads to."""
        return self._at(name).lstat()

    def open_file(self, name: str) -> int:
        """Open an existing file for reading; a link is an error."""
        path = self._at(name)
        before = path.lstat()
        if not stat.S_ISREG(before.st_mode) or _is_reparse_point(before):
            raise OSError(errno.ELOOP, "not a plain file")
        fd = os.open(path, _READ)
        after = os.fstat(fd)
        if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
            os.close(fd)
            raise OSError(errno.ELOOP, "the file was replaced")
        return fd

    def create_file(self, name: str, mode: int = 0o600) -> int:
        """Create a new file for writing and reading back; an existing name is an error."""
        return os.open(self._at(name), _CREATE, mode)

    def create_folder(self, name: str) -> None:
        """Create a sub-folder for the owner alone."""
        self._at(name).mkdir(0o700)

    def names(self) -> list[str]:
        """All entries."""
        return os.listdir(self._at("."))

    def remove_file(self, name: str) -> None:
        """Remove a file or link."""
        self._at(name).unlink()

    def remove_folder(self, name: str) -> None:
        """Remove an empty sub-folder."""
        self._at(name).rmdir()

    def link(self, name: str, new_name: str) -> None:
        """Give a file a second name; an existing name is an error."""
        os.link(self._at(name), self._at(new_name))

    def replace(self, name: str, new_name: str) -> None:
        """Rename, replacing what has the new name."""
        os.replace(self._at(name), self._at(new_name))

    def sync(self) -> None:
        """Nothing: these systems cannot flush a folder."""

    def close(self) -> None:
        """Nothing is held."""


def remove_tree(folder: Folder, name: str) -> None:
    """Remove an entry and all below it without following a link; entries that vanish are fine.

    Depth is bounded by the system's path and descriptor limits; used on our own private folders only.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(folder.stat(name).st_mode):
            folder.remove_file(name)
            return
        below = folder.open_folder(name)
        try:
            for each in below.names():
                remove_tree(below, each)
        finally:
            below.close()
        folder.remove_folder(name)


def _is_reparse_point(found: os.stat_result) -> bool:
    # Junctions are no symbolic links to Python, yet lead elsewhere (Windows only).
    return bool(getattr(found, "st_file_attributes", 0) & 0x400)
