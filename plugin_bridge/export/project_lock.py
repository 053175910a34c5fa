"""One export at a time per project, across processes; the lock file is never in the project."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from jobs.digests import text_digest
from plugin_bridge.export.targets import failed
from plugin_bridge.files.locks import close_locked, try_lock
from plugin_bridge.files.private import private_base

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROJECT_LOCK_S: Final = 10.0
_POLL_S: Final = 0.02


@contextmanager
def project_lock(project_root: Path, base: Path | None = None) -> Iterator[None]:
    """Hold the project's export lock for the block.

    The file lies in the private base folder, named by a digest of the root's path, and stays:
    removing a lock file would let two holders have two different files. Other users have other
    base folders; against them the atomic renames of publication must and do suffice.

    Raises: `ArtifactExportFailed` if it is not free within 10 s (`busy`), or cannot be had.
    """
    fd = _open_lock_file(project_root, base or private_base())
    try:
        _wait_for(fd)
        yield
    finally:
        close_locked(fd)


def _open_lock_file(project_root: Path, base: Path) -> int:
    locks = base / "locks"
    name = text_digest(str(project_root)).removeprefix("sha256:")
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        locks.mkdir(0o700, parents=True, exist_ok=True)
        return os.open(locks / name, flags, 0o600)
    except OSError:
        raise failed("The export lock cannot be made in this user's private folder.", "no_lock") from None


def _wait_for(fd: int) -> None:
    give_up_at = time.monotonic() + PROJECT_LOCK_S
    try:
        while not try_lock(fd):
            if time.monotonic() >= give_up_at:
                raise failed("Another export into this project takes too long. Try again.", "busy")
            time.sleep(_POLL_S)  # the system offers no wait with an end
    except OSError:
        raise failed("The file system of this user's private folder has no locks.", "no_lock") from None
