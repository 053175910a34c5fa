"""What stands at the destination now, compared with what the caller reviewed."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.digests import Digest
from jobs.errors import (
    ArtifactExportFailed,
    ArtifactTargetExists,
    ArtifactTargetTooLarge,
    ExpectedTargetMissing,
    InvalidRequest,
    TargetDigestMismatch,
)

if TYPE_CHECKING:
    from plugin_bridge.export.plan import ExportPlan
    from plugin_bridge.files.folders import Folder, Identity

_CHUNK_BYTES: Final = limits.MIB
_MODE_BITS: Final = 0o777


def check_target(plan: ExportPlan) -> int | None:
    """Compare the target with the plan: the mode bits of a file to replace, None for a new name.

    Raises: every code of W 9.6 that concerns an existing or missing target.
    """
    found = _find(plan)
    if found is None:
        if plan.overwrite:
            raise ExpectedTargetMissing(
                f"There is no {plan.relative_path} to overwrite. Export without overwrite to create it."
            )
        return None
    if stat.S_ISLNK(found.st_mode):
        raise failed(f"{plan.relative_path} is a symbolic link, which is not written through.", "symlink")
    if not stat.S_ISREG(found.st_mode):
        raise failed(f"{plan.relative_path} is not a regular file.", "not_regular")
    if not plan.overwrite:
        raise ArtifactTargetExists(
            f"{plan.relative_path} exists. Choose another name, or set overwrite and the digest you reviewed."
        )
    if found.st_size > limits.EXPORT_TARGET_BYTES:
        raise ArtifactTargetTooLarge(f"{plan.relative_path} is larger than an export may replace (64 MiB).")
    if digest_of(plan.parent, plan.name) != plan.expected_target_digest:
        raise mismatch(plan)
    return stat.S_IMODE(found.st_mode) & _MODE_BITS


def digest_of(folder: Folder, name: str) -> Digest | None:
    """Byte digest of a regular file of at most 64 MiB that does not change meanwhile, else None."""
    try:
        fd = folder.open_file(name)
    except OSError:
        return None
    try:
        before = os.fstat(fd)
        if not stat.S_ISREG(before.st_mode) or before.st_size > limits.EXPORT_TARGET_BYTES:
            return None
        digest, size_bytes = digest_open(fd, before.st_size)
        after = os.fstat(fd)
        is_stable = (after.st_size, after.st_mtime_ns) == (size_bytes, before.st_mtime_ns)
        return digest if is_stable else None
    except OSError:
        return None
    finally:
        os.close(fd)


def digest_open(fd: int, expected_bytes: int) -> tuple[Digest, int]:
    """Digest and length of an open file from where it stands; one byte past the expected length at most."""
    state = hashlib.sha256()
    size_bytes = 0
    while size_bytes <= expected_bytes:
        chunk = os.read(fd, min(_CHUNK_BYTES, expected_bytes - size_bytes + 1))
        if not chunk:
            break
        size_bytes += len(chunk)
        state.update(chunk)
    return Digest(f"sha256:{state.hexdigest()}"), size_bytes


def find_identity(folder: Folder, name: str) -> Identity | None:
    """Which file has this name now."""
    try:
        found = folder.stat(name)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _find(plan: ExportPlan) -> os.stat_result | None:
    try:
        return plan.parent.stat(plan.name)
    except FileNotFoundError:
        return None
    except OSError as fault:
        if fault.errno == errno.ENAMETOOLONG:
            raise InvalidRequest(
                "The file name is too long for this file system.", details={"reason": "malformed"}
            ) from None
        raise failed(f"{plan.relative_path} cannot be looked at.", "unreadable") from None


def mismatch(plan: ExportPlan) -> TargetDigestMismatch:
    """The target is not the reviewed file."""
    return TargetDigestMismatch(
        f"{plan.relative_path} is not the file whose digest you gave. Look at it again before overwriting."
    )


def failed(message: str, reason: str) -> ArtifactExportFailed:
    """The export ended before publication and changed nothing."""
    return ArtifactExportFailed(message, details={"reason": reason})
