"""The temporary sibling: written owner-only, flushed, read back and verified, then given its mode."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import ArtifactWriteVerificationFailed, UnknownJobArtifact
from plugin_bridge.export.leftovers import PART, temporary_stem
from plugin_bridge.export.outcomes import as_failure
from plugin_bridge.export.targets import digest_open, find_identity
from plugin_bridge.files.locks import close_locked, try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from jobs.digests import Digest
    from plugin_bridge.export.plan import ExportPlan
    from plugin_bridge.files.folders import Identity

    Step = Callable[[str], None]

_CHUNK_BYTES: Final = limits.MIB
_NEW_FILE_MODE: Final = 0o644


class Staged:
    """Our temporary sibling: its present name, and which file it is."""

    __slots__ = ("identity", "name", "sha256", "stem")

    def __init__(self, stem: str, identity: Identity, sha256: Digest) -> None:
        self.stem = stem
        self.sha256 = sha256
        self.name = stem + PART
        self.identity = identity


@contextmanager
def staged_copy(
    plan: ExportPlan,
    source: bytes | Path,
    sha256: Digest,
    size_bytes: int,
    mode: int | None,
    at_step: Step,
) -> Iterator[Staged]:
    """Verified bytes in a temporary sibling; after the block that name is gone if it is still ours."""
    stem = temporary_stem(plan, sha256)
    with as_failure():
        # Created with the mode a new file gets, so that the umask answers, and narrowed while empty.
        fd = plan.parent.create_file(stem + PART, _NEW_FILE_MODE)
    try:
        with as_failure():
            found = os.fstat(fd)
            staged = Staged(stem, (found.st_dev, found.st_ino), sha256)
        try:
            with as_failure():
                _set_mode(fd, 0o600)
                _hold(fd)
                at_step("created")
                _fill(fd, source, sha256, size_bytes)
                at_step("written")
                os.fsync(fd)
                at_step("synced")
                _verify(fd, sha256, size_bytes)
                _set_mode(fd, found.st_mode & 0o777 if mode is None else mode)
                at_step("verified")
            yield staged
        finally:
            _discard(plan, staged)
    finally:
        close_locked(fd)


def _hold(fd: int) -> None:
    with suppress(OSError):  # without locks on this file system the project's lock must do
        try_lock(fd)


def _fill(fd: int, source: bytes | Path, sha256: Digest, size_bytes: int) -> None:
    state = hashlib.sha256()
    written = 0
    for chunk in _chunks(source):
        written += len(chunk)
        if written > size_bytes:
            break
        state.update(chunk)
        view = memoryview(chunk)
        while view:
            view = view[os.write(fd, view) :]
    if written != size_bytes or f"sha256:{state.hexdigest()}" != sha256:
        raise UnknownJobArtifact  # damaged where it was kept (W 9.1)


def _chunks(source: bytes | Path) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    try:
        file = source.open("rb", buffering=0)
    except OSError:
        raise UnknownJobArtifact from None
    with file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def _verify(fd: int, sha256: Digest, size_bytes: int) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    if digest_open(fd, size_bytes) != (sha256, size_bytes):
        raise ArtifactWriteVerificationFailed("What was written does not read back as it should. Try again.")


def _set_mode(fd: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(fd, mode)


def _discard(plan: ExportPlan, staged: Staged) -> None:
    with suppress(OSError):
        if find_identity(plan.parent, staged.name) == staged.identity:
            plan.parent.remove_file(staged.name)
