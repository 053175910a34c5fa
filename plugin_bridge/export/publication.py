"""Publishing verified bytes under a name, so that a kill at any point leaves the old or the new file.

Stage beside the target, verify, then install in one atomic step that cannot destroy anything: a
new name by a move that fails if it exists, a replacement by exchanging both names and checking
what came out. Every step happens in the pinned folder; if its path has come to lead elsewhere,
the step is undone. `at_step` is called between the steps, so that tests can interfere there.
Source: W 9.3–9.7; decision 25.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import (
    ArtifactExportOutcomeUnknown,
    ArtifactTargetExists,
    ArtifactWriteVerificationFailed,
    UnknownJobArtifact,
)
from plugin_bridge.export import renames
from plugin_bridge.export.leftovers import PART, SWAP, recover, temporary_stem
from plugin_bridge.export.project_lock import project_lock
from plugin_bridge.export.targets import (
    check_target,
    digest_of,
    digest_open,
    failed,
    find_identity,
    mismatch,
)
from plugin_bridge.files.locks import close_locked, try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.values import ArtifactId, JobId, Json
    from plugin_bridge.export.destinations import ExportPlan
    from plugin_bridge.files.folders import Identity

    Step = Callable[[str], None]

_CHUNK_BYTES: Final = limits.MIB
_NEW_FILE_MODE: Final = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What now stands in the project. `path` is relative to its root, with forward slashes."""

    path: str
    sha256: Digest
    size_bytes: int
    overwritten: bool


def export_answer(
    published: Published, *, job_id: JobId, artifact_id: ArtifactId, interactive_write_confirmation: bool
) -> Json:
    """The eight fields of W 3.7, and no other."""
    return {
        "exported": True,
        "job_id": job_id,
        "artifact_id": artifact_id,
        "path": published.path,
        "sha256": published.sha256,
        "bytes": published.size_bytes,
        "overwritten": published.overwritten,
        "interactive_write_confirmation": interactive_write_confirmation,
    }


def _no_step(_: str) -> None:
    return


def publish(
    plan: ExportPlan,
    source: bytes | Path,
    *,
    sha256: Digest,
    size_bytes: int,
    recheck: Callable[[], None],
    lock_base: Path | None = None,
    at_step: Step = _no_step,
) -> Published:
    """Publish an artifact at the plan's destination.

    Args:
        source: the artifact's bytes, or the private file that holds them.
        sha256, size_bytes: what the job's result says of them; other bytes are never published.
        recheck: raises if the export must not happen any more (read-only, confirmation mode,
            authority, ownership, retention). Called under the lock before anything is written
            and again just before installing, so it must be quick and repeatable.
        lock_base: the private base folder; `private_base()` by default.
    Raises:
        Every code of W 9.6 from the target's state on; `UnknownJobArtifact` if the source is gone
        or damaged; what `recheck` raises. After all of them nothing has changed, but for
        `ArtifactExportOutcomeUnknown`.
    """
    with project_lock(plan.root.path, lock_base):
        at_step("locked")
        recheck()
        plan.check_parent()
        with _as_failure():
            recover(plan)
        at_step("recovered")
        mode = check_target(plan)
        with _staged(plan, source, sha256, size_bytes, mode, at_step) as staged:
            recheck()
            plan.check_parent()
            check_target(plan)
            at_step("rechecked")
            if mode is None:
                _install_new(plan, staged, at_step)
            else:
                _replace(plan, staged, at_step)
        _make_durable(plan)
        at_step("durable")
    return Published(
        path=plan.relative_path, sha256=sha256, size_bytes=size_bytes, overwritten=mode is not None
    )


# --- Staging --------------------------------------------------------------------------------------


class _Staged:
    """Our temporary sibling: its present name, and which file it is."""

    __slots__ = ("identity", "name", "sha256", "stem")

    def __init__(self, stem: str, identity: Identity, sha256: Digest) -> None:
        self.stem = stem
        self.sha256 = sha256
        self.name = stem + PART
        self.identity = identity


@contextmanager
def _staged(
    plan: ExportPlan,
    source: bytes | Path,
    sha256: Digest,
    size_bytes: int,
    mode: int | None,
    at_step: Step,
) -> Iterator[_Staged]:
    """Verified bytes in a temporary sibling; after the block that name is gone if it is still ours."""
    stem = temporary_stem(plan, sha256)
    with _as_failure():
        # Created with the mode a new file gets, so that the umask answers, and narrowed while empty.
        fd = plan.parent.create_file(stem + PART, _NEW_FILE_MODE)
    try:
        with _as_failure():
            found = os.fstat(fd)
            staged = _Staged(stem, (found.st_dev, found.st_ino), sha256)
        try:
            with _as_failure():
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


def _discard(plan: ExportPlan, staged: _Staged) -> None:
    with suppress(OSError):
        if find_identity(plan.parent, staged.name) == staged.identity:
            plan.parent.remove_file(staged.name)


# --- Installing -----------------------------------------------------------------------------------


def _install_new(plan: ExportPlan, staged: _Staged, at_step: Step) -> None:
    try:
        renames.move_new(plan.parent, staged.name, plan.name)
    except FileExistsError:
        raise ArtifactTargetExists(f"{plan.relative_path} was created by somebody else meanwhile.") from None
    except renames.Unsupported:
        raise _unsupported() from None
    except OSError as fault:
        raise _after(plan, staged, fault) from None
    at_step("installed")
    if find_identity(plan.parent, plan.name) != staged.identity:
        raise _unknown(plan)
    with _undoing(plan, lambda: _withdraw(plan, staged)):
        plan.check_parent()
    at_step("confirmed")


def _withdraw(plan: ExportPlan, staged: _Staged) -> None:
    if find_identity(plan.parent, plan.name) == staged.identity:
        plan.parent.remove_file(plan.name)


def _replace(plan: ExportPlan, staged: _Staged, at_step: Step) -> None:
    """Exchange both names, then look at what came out; what nobody reviewed goes back."""
    with _as_failure():
        renames.move_new(plan.parent, staged.name, staged.stem + SWAP)
        staged.name = staged.stem + SWAP
    at_step("renamed")
    try:
        renames.exchange(plan.parent, staged.name, plan.name)
    except renames.Unsupported:
        _replace_by_rename(plan, staged, at_step)
        return
    except FileNotFoundError:
        raise mismatch(plan) from None
    except OSError as fault:
        raise _after(plan, staged, fault) from None
    at_step("installed")
    with _undoing(plan, lambda: _exchange_back(plan, staged)):
        if digest_of(plan.parent, staged.name) != plan.expected_target_digest:
            raise mismatch(plan)
        plan.check_parent()
    at_step("confirmed")
    with suppress(OSError):  # a leftover that the next export recognises
        plan.parent.remove_file(staged.name)


def _exchange_back(plan: ExportPlan, staged: _Staged) -> None:
    renames.exchange(plan.parent, staged.name, plan.name)
    if find_identity(plan.parent, staged.name) != staged.identity:
        raise FileNotFoundError  # somebody replaced our file too; what they wrote is kept beside it


def _replace_by_rename(plan: ExportPlan, staged: _Staged, at_step: Step) -> None:
    """The way without an exchange: keep a second name of the old file, verify it, rename over it.

    Between the last look and the rename a write by somebody else could be displaced; it is then
    found under the second name and put back.
    """
    kept = temporary_stem(plan, staged.sha256) + SWAP
    try:
        plan.parent.link(plan.name, kept)
    except OSError as fault:
        raise mismatch(plan) if isinstance(fault, FileNotFoundError) else _unsupported() from None
    at_step("kept")
    try:
        is_reviewed = digest_of(plan.parent, kept) == plan.expected_target_digest
        if not is_reviewed or find_identity(plan.parent, plan.name) != find_identity(plan.parent, kept):
            raise mismatch(plan)
        with _as_failure():
            plan.parent.replace(staged.name, plan.name)
        at_step("installed")
        with _undoing(plan, lambda: _restore(plan, staged, kept)):
            if digest_of(plan.parent, kept) != plan.expected_target_digest:
                raise mismatch(plan)
            plan.check_parent()
        at_step("confirmed")
    finally:
        _drop_kept(plan, kept)


def _restore(plan: ExportPlan, staged: _Staged, kept: str) -> None:
    if find_identity(plan.parent, plan.name) != staged.identity:
        raise FileNotFoundError  # somebody replaced our file too; the old one stays beside it
    plan.parent.replace(kept, plan.name)


def _drop_kept(plan: ExportPlan, kept: str) -> None:
    """Remove the second name of the old file, unless it is all that is left of something unreviewed."""
    with suppress(OSError):
        is_second_name = find_identity(plan.parent, kept) == find_identity(plan.parent, plan.name)
        if is_second_name or digest_of(plan.parent, kept) == plan.expected_target_digest:
            plan.parent.remove_file(kept)


# --- Outcomes -------------------------------------------------------------------------------------


@contextmanager
def _undoing(plan: ExportPlan, undo: Callable[[], None]) -> Iterator[None]:
    """If the block refuses, undo the installation; if that fails, say that the outcome is unknown."""
    try:
        yield
    except BaseException:
        try:
            undo()
            _make_durable(plan)
        except (OSError, renames.Unsupported):
            raise _unknown(plan) from None
        raise


@contextmanager
def _as_failure() -> Iterator[None]:
    """System errors before installation: nothing has changed."""
    try:
        yield
    except renames.Unsupported:
        raise _unsupported() from None
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
            raise failed("There is no space left for the export. Nothing was changed.", "no_space") from None
        raise failed(
            "The destination's folder cannot be written. Nothing was changed.", "not_writable"
        ) from None


def _after(plan: ExportPlan, staged: _Staged, fault: OSError) -> Exception:
    """A failed atomic step changed nothing, unless the system says one thing and the folder another."""
    if find_identity(plan.parent, plan.name) == staged.identity:
        return _unknown(plan)
    if fault.errno in (errno.EXDEV, errno.ENOSYS):
        return _unsupported()
    return failed("The file could not be put in place. Nothing was changed.", "not_writable")


def _make_durable(plan: ExportPlan) -> None:
    try:
        plan.parent.sync()
    except OSError as fault:
        if fault.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot flush a folder
            raise _unknown(plan) from None


def _unsupported() -> Exception:
    return failed(
        "This file system cannot replace a file safely. Export to a local disk.", "unsupported_file_system"
    )


def _unknown(plan: ExportPlan) -> ArtifactExportOutcomeUnknown:
    return ArtifactExportOutcomeUnknown(
        f"It is not certain which bytes {plan.relative_path} now has. Look at it before trying again."
    )
