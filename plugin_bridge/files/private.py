"""The backend's private folder: owner-only, locked while the backend lives, swept when it died.

    <base>/run/<random>/lock    held locked by the live backend
    <base>/run/<random>/…       captures, artifacts, work folders

Invariants: a folder whose lock is held is never touched by another process; `lock` is the first
file made and the last removed, so a folder without one holds nothing. No lock spans both makers
and sweepers: a maker that loses the race sees that its lock file is gone and takes a new name.
The base is in the user's cache rather than runtime folder: private copies reach 512 MiB, and
runtime folders usually live in memory.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import platformdirs

from jobs.errors import StorageFailed
from plugin_bridge.files.folders import Folder, open_folder, remove_tree
from plugin_bridge.files.locks import close_locked, try_lock

_LOCK_NAME: Final = "lock"
_ATTEMPTS: Final = 16
_NAME_BYTES: Final = 12


def private_base() -> Path:
    """The folder above all private folders; `PROTEGE_JOBS_RUNTIME_DIR` overrides it.

    Absolute, since workers have another working folder than the backend.
    """
    chosen = os.environ.get("PROTEGE_JOBS_RUNTIME_DIR")
    return (
        Path(os.path.abspath(chosen))
        if chosen
        else Path(platformdirs.user_cache_dir("protege-jobs", appauthor=False))
    )


class PrivateRoot:
    """One backend's private folder. `close` removes it with all it holds."""

    __slots__ = ("_lock_fd", "_runs", "path")

    def __init__(self, path: Path, runs: Folder, lock_fd: int) -> None:
        self.path = path
        self._runs = runs
        self._lock_fd = lock_fd

    @classmethod
    def create(cls, base: Path | None = None) -> Self:
        """Make and lock a new private folder.

        Raises: `StorageFailed` if the base is not ours alone, or cannot be written or locked.
        """
        runs_path = _ensure_runs(base or private_base())
        runs = _open_runs(runs_path)
        try:
            for _ in range(_ATTEMPTS):
                name = secrets.token_hex(_NAME_BYTES)
                lock_fd = _try_make(runs, name)
                if lock_fd is not None:
                    return cls(runs_path / name, runs, lock_fd)
        except OSError:
            runs.close()
            raise StorageFailed("This window's private folder cannot be made. Is the disk full?") from None
        runs.close()
        raise StorageFailed("This window's private folder was removed as it was made, again and again.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def new_dir(self, prefix: str) -> Path:
        """A new, empty, owner-only folder inside; its name begins with the prefix."""
        path = self.path / f"{prefix}-{secrets.token_hex(_NAME_BYTES)}"
        try:
            path.mkdir(0o700)
        except OSError:
            raise StorageFailed("A private folder cannot be made. Is the disk full?") from None
        return path

    def close(self) -> None:
        """Remove the folder and all it holds; a second call does nothing."""
        if self._lock_fd < 0:
            return
        lock_fd, self._lock_fd = self._lock_fd, -1
        with suppress(OSError):  # what cannot be removed now, the next start sweeps
            _remove_locked(self._runs, self.path.name, lock_fd)
        self._runs.close()


def sweep(base: Path | None = None) -> int:
    """Remove the private folders of dead backends; the number of removed ones.

    Live ones, and whatever is not a folder of ours, stay. Safe beside other sweepers and makers.

    Raises: `StorageFailed` if the base is not ours alone.
    """
    runs = _open_runs(_ensure_runs(base or private_base()))
    try:
        return sum(_sweep_one(runs, name) for name in runs.names())
    finally:
        runs.close()


def _sweep_one(runs: Folder, name: str) -> bool:
    try:
        if not stat.S_ISDIR(runs.stat(name).st_mode):  # a link or a stray file is not ours to remove
            return False
        root = runs.open_folder(name)
    except OSError:
        return False
    try:
        lock_fd = root.open_file(_LOCK_NAME)
    except FileNotFoundError:
        # Just made, or half swept by one who died: empty either way, and a maker will notice.
        with suppress(OSError):
            runs.remove_folder(name)
            return True
        return False
    except OSError:
        return False
    finally:
        root.close()
    return _sweep_locked(runs, name, lock_fd)


def _sweep_locked(runs: Folder, name: str, lock_fd: int) -> bool:
    try:
        is_dead = try_lock(lock_fd)
    except OSError:
        is_dead = False
    if not is_dead:
        os.close(lock_fd)
        return False
    with suppress(OSError):
        _remove_locked(runs, name, lock_fd)
        return True
    return False


def _try_make(runs: Folder, name: str) -> int | None:
    """The descriptor of the new folder's held lock, or None if a sweeper was faster."""
    runs.create_folder(name)
    lock_fd = -1
    try:
        root = runs.open_folder(name)
        try:
            lock_fd = root.create_file(_LOCK_NAME)
            if try_lock(lock_fd):
                found, mine = root.stat(_LOCK_NAME), os.fstat(lock_fd)
                if (found.st_dev, found.st_ino) == (mine.st_dev, mine.st_ino):
                    return lock_fd
        finally:
            root.close()
    except FileNotFoundError:
        pass
    if lock_fd >= 0:
        close_locked(lock_fd)
    return None


def _remove_locked(runs: Folder, name: str, lock_fd: int) -> None:
    """Remove a folder whose lock we hold, the lock last; the lock is given up in any case."""
    try:
        root = runs.open_folder(name)
        try:
            for each in root.names():
                if each != _LOCK_NAME:
                    remove_tree(root, each)
            if os.name == "nt":  # an open file cannot be removed there
                close_locked(lock_fd)
                lock_fd = -1
            root.remove_file(_LOCK_NAME)
        finally:
            root.close()
        runs.remove_folder(name)
    finally:
        if lock_fd >= 0:
            close_locked(lock_fd)


def _open_runs(path: Path) -> Folder:
    try:
        return open_folder(path)
    except OSError:
        raise StorageFailed("The folder for private files cannot be opened.") from None


def _ensure_runs(base: Path) -> Path:
    """The folder of all private folders: ours alone, no link, and nobody else can exchange it."""
    runs = base / "run"
    try:
        runs.mkdir(0o700, parents=True, exist_ok=True)
        above, found = base.stat(), runs.lstat()
        if not stat.S_ISDIR(found.st_mode) or not _is_ours(found) or _others_may_rename_in(above):
            raise StorageFailed(
                "The folder for private files is a link, or others could replace it."
                " Point PROTEGE_JOBS_RUNTIME_DIR to a folder of your own."
            )
        if os.name != "nt" and found.st_mode & 0o077:
            runs.chmod(0o700)
    except OSError:
        raise StorageFailed(
            "The folder for private files cannot be made or protected."
            " Point PROTEGE_JOBS_RUNTIME_DIR to a folder of your own."
        ) from None
    return runs


def _is_ours(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def _others_may_rename_in(folder: os.stat_result) -> bool:
    # In a sticky folder (/tmp) only the owner of an entry may rename it.
    return os.name != "nt" and bool(folder.st_mode & 0o022) and not folder.st_mode & stat.S_ISVTX
