"""Reading project files so that nobody can redirect, stall or change the reading.

Invariants: every component is opened from the handle of the one before it without following a
link; the file is a regular one; its size is checked before and while reading; afterwards the
same walk must lead to the same file, unchanged. Bytes are read once and hashed as they are read.
Hard links are accepted. Source: W 6.6; decision 8.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.digests import Digest, text_digest
from jobs.errors import DiffNetworkUnsupported, InputChanged, SecondaryInputInvalid, StorageFailed
from plugin_bridge.files.looks import FileIdentity, identity_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from jobs.errors import ProtegeJobsError
    from plugin_bridge.files.folders import Folder
    from plugin_bridge.files.roots import ProjectRoot

_CHUNK_BYTES: Final = limits.MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedBytes:
    """A small file read whole. `relative_path` has forward slashes."""

    relative_path: str
    data: bytes
    byte_digest: Digest
    provenance_digest: Digest

    @property
    def size_bytes(self) -> int:
        """Length of the data."""
        return len(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedFile:
    """A private copy (mode 0600) of a project file; whoever asked for it removes it."""

    relative_path: str
    private_path: Path
    byte_digest: Digest
    provenance_digest: Digest
    size_bytes: int
    identity: FileIdentity
    """Of the file that was copied, at that moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorChoice:
    """Which errors a reading raises: the same faults mean other codes to other callers."""

    invalid: type[ProtegeJobsError] = SecondaryInputInvalid
    changed: type[ProtegeJobsError] = InputChanged
    remote: type[ProtegeJobsError] = DiffNetworkUnsupported


_DEFAULT_ERRORS: Final = ErrorChoice()


def read_confined(
    root: ProjectRoot, reference: str, *, max_bytes: int, errors: ErrorChoice = _DEFAULT_ERRORS
) -> CapturedBytes:
    """Read one project file into memory.

    Args:
        root: the pinned project.
        reference: relative path, absolute path inside the project, or `file:` IRI.
        max_bytes: refused above it, before anything is read.
    Raises:
        InvalidRequest: the text names nothing inside the project (`ProjectRoot.components`).
        errors.remote: another scheme.
        errors.invalid: `details.reason` is `missing`, `symlink`, `not_regular`, `too_large` or
            `unreadable`.
        errors.changed: the file grew, shrank or was replaced while it was read.
    """
    chunks: list[bytes] = []
    name, digest, _, _ = _pour(root, reference, chunks.append, max_bytes, errors)
    return CapturedBytes(
        relative_path=name,
        data=b"".join(chunks),
        byte_digest=digest,
        provenance_digest=_provenance(root, name),
    )


def copy_confined(
    root: ProjectRoot,
    reference: str,
    *,
    into_dir: Path,
    max_bytes: int = limits.SECONDARY_FILE_BYTES,
    errors: ErrorChoice = _DEFAULT_ERRORS,
) -> CapturedFile:
    """Copy one project file into a private folder while hashing it; never held in memory.

    Raises: as `read_confined`, and `StorageFailed` if the copy cannot be written. A failed copy
    leaves nothing behind.
    """
    private_path = into_dir / f"input-{secrets.token_hex(8)}"
    done = False
    try:
        with _private_file(private_path) as write:
            name, digest, size_bytes, identity = _pour(root, reference, write, max_bytes, errors)
        done = True
    finally:
        if not done:
            private_path.unlink(missing_ok=True)
    return CapturedFile(
        relative_path=name,
        private_path=private_path,
        byte_digest=digest,
        provenance_digest=_provenance(root, name),
        size_bytes=size_bytes,
        identity=identity,
    )


def digest_confined(
    root: ProjectRoot, reference: str, *, max_bytes: int, errors: ErrorChoice = _DEFAULT_ERRORS
) -> Digest:
    """Digest one project file without keeping it. Raises as `read_confined`."""
    _, digest, _, _ = _pour(root, reference, _drop, max_bytes, errors)
    return digest


def _drop(chunk: bytes) -> None:
    """Keep nothing of it."""


@contextmanager
def open_parent(root: ProjectRoot, components: tuple[str, ...]) -> Iterator[Folder]:
    """The folder that holds the last component, reached without following a link.

    Raises: `OSError` of the first component that is missing, a link or no folder.
    """
    with ExitStack() as opened:
        folder: Folder = root.folder
        for name in components[:-1]:
            folder = folder.open_folder(name)
            opened.callback(folder.close)
        yield folder


def pin_parent(root: ProjectRoot, components: tuple[str, ...]) -> Folder:
    """As `open_parent`, but the folder stays open until its taker closes it."""
    with open_parent(root, components) as parent:
        return parent.open_folder(".")


def why_not(root: ProjectRoot, components: tuple[str, ...]) -> str:
    """After a failed walk: `symlink`, `missing`, `not_regular` or `unreadable`."""
    try:
        with open_parent(root, components[:1]) as parent:
            mode = parent.stat(components[0]).st_mode
            for depth in range(2, len(components) + 1):
                if not stat.S_ISDIR(mode):
                    return "symlink" if stat.S_ISLNK(mode) else "not_regular"
                with open_parent(root, components[:depth]) as parent:
                    mode = parent.stat(components[depth - 1]).st_mode
    except FileNotFoundError:
        return "missing"
    except OSError as fault:
        return "missing" if fault.errno == errno.ENAMETOOLONG else "unreadable"
    if stat.S_ISLNK(mode):
        return "symlink"
    return "unreadable" if stat.S_ISREG(mode) else "not_regular"


def _pour(
    root: ProjectRoot,
    reference: str,
    write: Callable[[bytes], object],
    max_bytes: int,
    errors: ErrorChoice,
) -> tuple[str, Digest, int, FileIdentity]:
    components = root.components(reference, remote_error=errors.remote)
    name = "/".join(components)
    with _opened(root, components, errors) as (fd, before):
        if before.st_size > max_bytes:
            raise errors.invalid(
                f"{name} has {before.st_size:,} bytes; at most {max_bytes:,} are read.",
                details={"reason": "too_large", "maximum_bytes": max_bytes},
            )
        digest, size_bytes = _read_all(fd, before.st_size, write)
        if size_bytes != before.st_size or identity_of(os.fstat(fd)) != identity_of(before):
            raise _changed(name, errors)
    if not _still_there(root, components, before):
        raise _changed(name, errors)
    return name, digest, size_bytes, identity_of(before)


@contextmanager
def _opened(
    root: ProjectRoot, components: tuple[str, ...], errors: ErrorChoice
) -> Iterator[tuple[int, os.stat_result]]:
    try:
        with open_parent(root, components) as parent:
            # Looked at before it is opened: opening a device can already do something to it.
            if not stat.S_ISREG(parent.stat(components[-1]).st_mode):
                raise _unusable(root, components, errors)
            fd = parent.open_file(components[-1])
    except OSError:
        raise _unusable(root, components, errors) from None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise _unusable(root, components, errors)
        yield fd, found
    finally:
        os.close(fd)


def _read_all(fd: int, expected_bytes: int, write: Callable[[bytes], object]) -> tuple[Digest, int]:
    """Read until the end or until more than expected has come, so a growing file cannot hold us."""
    state = hashlib.sha256()
    size_bytes = 0
    while size_bytes <= expected_bytes:
        try:
            chunk = os.read(fd, min(_CHUNK_BYTES, expected_bytes - size_bytes + 1))
        except OSError:  # a failing disk or a server gone: a short count, hence "changed"
            return Digest(""), -1
        if not chunk:
            break
        size_bytes += len(chunk)
        if size_bytes <= expected_bytes:
            state.update(chunk)
            write(chunk)
    return Digest(f"sha256:{state.hexdigest()}"), size_bytes


def _still_there(root: ProjectRoot, components: tuple[str, ...], before: os.stat_result) -> bool:
    try:
        with open_parent(root, components) as parent:
            return identity_of(parent.stat(components[-1])) == identity_of(before)
    except OSError:
        return False


@contextmanager
def _private_file(path: Path) -> Iterator[Callable[[bytes], None]]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        fd = os.open(path, flags, 0o600)
    except OSError as fault:
        raise _storage_failed(fault) from None

    def write(chunk: bytes) -> None:
        view = memoryview(chunk)
        try:
            while view:
                view = view[os.write(fd, view) :]
        except OSError as fault:
            raise _storage_failed(fault) from None

    try:
        yield write
    finally:
        os.close(fd)


def _storage_failed(fault: OSError) -> StorageFailed:
    what = "There is no space left" if fault.errno == errno.ENOSPC else "The private copy cannot be written"
    return StorageFailed(f"{what} in the private folder of this window.")


def _provenance(root: ProjectRoot, relative_path: str) -> Digest:
    return text_digest((root.path / relative_path).as_posix())


_WORDS: Final = {
    "missing": "does not exist",
    "symlink": "is a symbolic link or lies behind one, which is not followed",
    "not_regular": "is not a regular file",
    "unreadable": "cannot be opened for reading",
}


def _unusable(root: ProjectRoot, components: tuple[str, ...], errors: ErrorChoice) -> ProtegeJobsError:
    reason = why_not(root, components)
    return errors.invalid(f"{'/'.join(components)} {_WORDS[reason]}.", details={"reason": reason})


def _changed(name: str, errors: ErrorChoice) -> ProtegeJobsError:
    return errors.changed(f"{name} changed while it was read. Try again.", details={"reason": "changed"})
