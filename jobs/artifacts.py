"""Private artifacts: bytes addressed by their SHA-256, small ones in memory, large ones in private files.

Owned here: staging, budgets, reading, erasing. Not here: who may read (the service) and where the
private folder lies (the caller gives it, and sweeps what a killed process left in it).
Invariants: no byte is held that no budget counts; no byte is given out whose digest was not checked
in the same call; a condemned artifact cannot be found any more, even while its file still exists.
Bytes in memory are overwritten before they are let go; files are unlinked (overwriting them would
promise what file systems do not keep).
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from jobs import limits
from jobs.artifact_files import BLOCK_BYTES, copy_checked, read_range, unlink_all
from jobs.digests import byte_digest
from jobs.errors import (
    ArtifactBackendQuotaExceeded,
    ArtifactQuotaExceeded,
    ArtifactTooLarge,
    UnknownJobArtifact,
)
from jobs.values import ArtifactId, ArtifactReference, JobId, StagedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Kept:
    """One artifact and its bytes: in memory, or in a file. `blocks` are the digests of its 64 KiB blocks."""

    reference: ArtifactReference
    blocks: list[bytes]
    memory: bytearray | None = None
    path: Path | None = None


@dataclass(slots=True, kw_only=True)
class _Holding:
    """What one job holds of the budget, and its artifacts once staged."""

    reserved_bytes: int
    kept: dict[ArtifactId, _Kept] = field(default_factory=dict)
    is_published: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactHandle:
    """One retained artifact, as long as it is retained."""

    reference: ArtifactReference
    _vault: ArtifactVault
    _job_id: JobId

    async def read(self, offset: int, length: int) -> bytes:
        """Bytes from an offset on, at most `length` and at most 64 KiB; empty at the end.

        Raises:
            UnknownJobArtifact: gone, expired or damaged (`unknown_job_artifact`).
            ValueError: a negative offset or length.
        """
        return await self._vault.read(self._job_id, self.reference.artifact_id, offset, length)

    async def read_all(self) -> bytes:
        """All bytes, whose digest has just been checked. Raises as `read`."""
        return await self._vault.read_all(self._job_id, self.reference.artifact_id)


class ArtifactVault:
    """All artifacts of one backend.

    Args:
        folder: an absolute, owner-only directory that belongs to this backend alone; made if absent.
        new_id: gives a fresh artifact id.
    """

    def __init__(self, folder: Path, new_id: Callable[[], str]) -> None:
        self._folder = folder
        self._new_id = new_id
        self._held: dict[JobId, _Holding] = {}
        self._condemned: list[tuple[int, list[Path]]] = []
        self._total_bytes = 0
        self._disk = anyio.CapacityLimiter(2)
        self._erasing = anyio.Lock()

    @property
    def folder(self) -> Path:
        """The private folder."""
        return self._folder

    @property
    def total_bytes(self) -> int:
        """All bytes counted by the budget of the backend."""
        return self._total_bytes

    # --- staging ---

    def reserve(self, job_id: JobId, files: Sequence[StagedFile]) -> None:
        """Count the sizes of a job's files before any is copied (W 9.2). `condemn` gives them back.

        Raises:
            ArtifactTooLarge: one file above 64 MiB (`job_artifact_too_large`).
            ArtifactQuotaExceeded: above 4 files or 128 MiB (`job_artifact_quota_exceeded`).
            ArtifactBackendQuotaExceeded: above 512 MiB in all (`job_artifact_backend_quota_exceeded`).
        """
        total = sum(each.size_bytes for each in files)
        for each in files:
            if each.size_bytes > limits.ARTIFACT_BYTES:
                raise ArtifactTooLarge(
                    f"The artifact {each.name} is above 64 MiB. Ask again with a smaller limit.",
                    details={"maximum": limits.ARTIFACT_BYTES, "observed": each.size_bytes},
                )
        if len(files) > limits.ARTIFACTS_PER_JOB or total > limits.ARTIFACT_BYTES_PER_JOB:
            raise ArtifactQuotaExceeded(
                "The artifacts of this job are more than 4 or above 128 MiB. Ask again with a smaller limit.",
                details={"maximum": limits.ARTIFACT_BYTES_PER_JOB, "observed": total, "count": len(files)},
            )
        if self._total_bytes + total > limits.STAGING_BYTES_PER_BACKEND:
            raise ArtifactBackendQuotaExceeded(
                "This window holds as many artifact bytes as it may. Try again when older jobs have expired."
            )
        self._held[job_id] = _Holding(reserved_bytes=total)
        self._total_bytes += total

    async def stage(
        self, job_id: JobId, files: Sequence[StagedFile], created_at: datetime, expires_at: datetime
    ) -> tuple[ArtifactReference, ...]:
        """Take private copies of a job's reserved files, checking size and digest as they are copied.

        Raises:
            ResultInvalid: a file is not what the operation said it wrote (`job_result_invalid`).
            StorageFailed: the private folder cannot be written, or a file not read (`job_storage_failed`).
        """
        holding = self._held[job_id]
        for each in files:
            reference = ArtifactReference(
                artifact_id=ArtifactId(self._new_id()),
                media_type=each.media_type,
                sha256=each.sha256,
                size_bytes=each.size_bytes,
                created_at=created_at,
                expires_at=expires_at,
            )
            target = self._folder / reference.artifact_id
            kept = _Kept(reference=reference, blocks=[])
            # Known before it is copied: whatever interrupts the copy, `condemn` finds the bytes.
            holding.kept[reference.artifact_id] = kept
            if each.size_bytes <= limits.ARTIFACT_MEMORY_BYTES:
                kept.memory = bytearray(each.size_bytes)
            else:
                kept.path = target
            try:
                kept.blocks = await to_thread.run_sync(
                    copy_checked, each, kept.memory, kept.path, limiter=self._disk
                )
            finally:
                if kept.path is not None and self._held.get(job_id) is not holding:
                    # Condemned and unlinked while the thread was still to create it.
                    self._condemned.append((0, [kept.path]))
        return tuple(kept.reference for kept in holding.kept.values())

    def publish(self, job_id: JobId, expires_at: datetime) -> tuple[ArtifactReference, ...]:
        """Make a job's artifacts readable, with the expiry renewed at completion (W 9.1)."""
        holding = self._held.get(job_id)
        if holding is None:
            return ()
        for kept in holding.kept.values():
            kept.reference = replace(kept.reference, expires_at=expires_at)
        holding.is_published = True
        return tuple(kept.reference for kept in holding.kept.values())

    # --- reading ---

    def open(self, job_id: JobId, artifact_id: ArtifactId, at: datetime) -> ArtifactHandle:
        """A handle on a retained artifact.

        Raises:
            UnknownJobArtifact: none of that id, or expired (`unknown_job_artifact`).
        """
        kept = self._find(job_id, artifact_id)
        if at >= kept.reference.expires_at:
            raise UnknownJobArtifact
        return ArtifactHandle(reference=kept.reference, _vault=self, _job_id=job_id)

    async def read(self, job_id: JobId, artifact_id: ArtifactId, offset: int, length: int) -> bytes:
        """See `ArtifactHandle.read`. Only the touched blocks are read, and each is checked."""
        if offset < 0 or length < 0:
            raise ValueError("offset and length must not be negative")
        kept = self._find(job_id, artifact_id)
        end = min(offset + min(length, BLOCK_BYTES), kept.reference.size_bytes)
        if offset >= end:
            return b""
        first, behind = offset // BLOCK_BYTES, -(-end // BLOCK_BYTES)
        raw = await self._bytes_of(
            kept, first * BLOCK_BYTES, min(behind * BLOCK_BYTES, kept.reference.size_bytes)
        )
        self._find(job_id, artifact_id)  # it may have been erased while a thread read it
        for number, expected in enumerate(kept.blocks[first:behind]):
            if hashlib.sha256(raw[number * BLOCK_BYTES : (number + 1) * BLOCK_BYTES]).digest() != expected:
                raise self._damaged(job_id, artifact_id)
        return raw[offset - first * BLOCK_BYTES : end - first * BLOCK_BYTES]

    async def read_all(self, job_id: JobId, artifact_id: ArtifactId) -> bytes:
        """See `ArtifactHandle.read_all`."""
        kept = self._find(job_id, artifact_id)
        raw = await self._bytes_of(kept, 0, kept.reference.size_bytes)
        digest = await to_thread.run_sync(byte_digest, raw, limiter=self._disk)
        self._find(job_id, artifact_id)
        if digest != kept.reference.sha256:
            raise self._damaged(job_id, artifact_id)
        return raw

    async def _bytes_of(self, kept: _Kept, start: int, end: int) -> bytes:
        if kept.memory is not None:
            return bytes(kept.memory[start:end])
        assert kept.path is not None
        try:
            return await to_thread.run_sync(read_range, kept.path, start, end, limiter=self._disk)
        except OSError:
            raise self._damaged(None, kept.reference.artifact_id) from None

    def _find(self, job_id: JobId, artifact_id: ArtifactId) -> _Kept:
        holding = self._held.get(job_id)
        if holding is None or not holding.is_published or artifact_id not in holding.kept:
            raise UnknownJobArtifact
        return holding.kept[artifact_id]

    def _damaged(self, job_id: JobId | None, artifact_id: ArtifactId) -> UnknownJobArtifact:
        logger.error("artifact.damaged", extra={"job_id": job_id, "artifact_id": artifact_id})
        return UnknownJobArtifact()

    # --- letting go ---

    def condemn(self, job_id: JobId) -> bool:
        """Make a job's artifacts unreachable at once and overwrite those in memory; whether there were any.

        Their files, and the bytes of the budget that they hold, go with the next `erase`.
        """
        holding = self._held.pop(job_id, None)
        if holding is None:
            return False
        paths = []
        for kept in holding.kept.values():
            if kept.memory is not None:
                kept.memory[:] = bytes(len(kept.memory))
            if kept.path is not None:
                paths.append(kept.path)
        if paths:
            self._condemned.append((holding.reserved_bytes, paths))
        else:
            self._total_bytes -= holding.reserved_bytes
        return True

    def condemn_expired(self, at: datetime) -> None:
        """Condemn the published artifacts whose time is over, also where their job stays visible (W 5.8)."""
        for job_id, holding in list(self._held.items()):
            ends = [kept.reference.expires_at for kept in holding.kept.values()]
            if holding.is_published and max(ends, default=at) <= at:
                self.condemn(job_id)

    def condemn_all(self) -> None:
        """Condemn everything: the window closes."""
        for job_id in list(self._held):
            self.condemn(job_id)

    async def erase(self) -> None:
        """Unlink the files of what was condemned; what cannot be unlinked is tried again next time."""
        async with self._erasing:
            due, self._condemned = self._condemned, []
            for number, (size_bytes, paths) in enumerate(due):
                try:
                    left = await to_thread.run_sync(unlink_all, paths, limiter=self._disk)
                except BaseException:  # cancelled before the thread began: all of it is still due
                    self._condemned += due[number:]
                    raise
                if left:
                    self._condemned.append((size_bytes, left))
                else:
                    self._total_bytes -= size_bytes
