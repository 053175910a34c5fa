"""The files behind artifacts: the only place that touches the private folder. Everything here blocks."""

from __future__ import annotations

import hashlib
import logging
import os
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.digests import Digest
from jobs.errors import ResultInvalid, StorageFailed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from jobs.values import StagedFile

logger = logging.getLogger(__name__)

BLOCK_BYTES: Final = limits.ARTIFACT_READ_BYTES
"""Artifacts are hashed as a whole and in blocks of this size, so that a part can be checked alone."""

_NEW_FILE: Final = (
    os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_OWNER_ONLY: Final = 0o600


def prepare_folder(folder: Path) -> None:
    """Make the private folder, or check that it is private. Blocking.

    Raises:
        StorageFailed: it cannot be made, is no directory, or others may enter (`job_storage_failed`).
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            raise StorageFailed("The private folder for artifacts is open to other users.")
    except OSError as problem:
        raise StorageFailed("The private folder for artifacts cannot be made.") from problem


def copy_checked(source: StagedFile, memory: bytearray | None, target: Path | None) -> list[bytes]:
    """Copy one file to memory or to a new private file; the digests of its blocks.

    Size and digest must be the said ones; the bytes kept are the bytes hashed (W 9.1).

    Raises:
        ResultInvalid: they are not (`job_result_invalid`).
        StorageFailed: reading or writing failed (`job_storage_failed`).
    """
    try:
        if target is None:
            assert memory is not None
            whole, blocks = _fill(source.path, memory)
        else:
            whole, blocks = _copy_file(source.path, target, source.size_bytes)
    except OSError as problem:
        raise StorageFailed(
            "An artifact could not be copied to private storage. Is the disk full?",
            details={"reason": os.strerror(problem.errno) if problem.errno else "unknown"},
        ) from problem
    if Digest(f"sha256:{whole}") != source.sha256:
        raise ResultInvalid(
            "An artifact is not what the operation says it wrote.", details={"name": source.name}
        )
    return blocks


def _fill(path: Path, memory: bytearray) -> tuple[str, list[bytes]]:
    with path.open("rb") as file:
        size = file.readinto(memory)
        if size != len(memory) or file.read(1):
            return "", []
    return hashlib.sha256(memory).hexdigest(), [
        hashlib.sha256(memory[start : start + BLOCK_BYTES]).digest()
        for start in range(0, len(memory), BLOCK_BYTES)
    ]


def _copy_file(path: Path, target: Path, size_bytes: int) -> tuple[str, list[bytes]]:
    whole, blocks, copied = hashlib.sha256(), [], 0
    with path.open("rb") as reading, open(os.open(target, _NEW_FILE, _OWNER_ONLY), "wb") as writing:
        while block := reading.read(BLOCK_BYTES):
            copied += len(block)
            if copied > size_bytes:  # never more than was reserved
                return "", []
            whole.update(block)
            blocks.append(hashlib.sha256(block).digest())
            writing.write(block)
    return (whole.hexdigest(), blocks) if copied == size_bytes else ("", [])


def read_range(path: Path, start: int, end: int) -> bytes:
    """The bytes from `start` to `end`, fewer if the file is shorter."""
    with path.open("rb") as file:
        file.seek(start)
        return file.read(end - start)


def unlink_all(paths: Iterable[Path]) -> list[Path]:
    """Unlink the files; those that could not be."""
    left = []
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as problem:
            logger.error("artifact.not_erased", extra={"errno": problem.errno})
            left.append(path)
    return left
