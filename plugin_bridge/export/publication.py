"""Publishing verified bytes under a name, so that a kill at any point leaves the old or the new file.

Stage beside the target, verify, then install in one atomic step that cannot destroy anything: a
new name by a move that fails if it exists, a replacement by exchanging both names and checking
what came out. Every step happens in the pinned folder; if its path has come to lead elsewhere,
the step is undone. `at_step` is called between the steps, so that tests can interfere there.
Source: W 9.3–9.7; decision 25.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs.errors import ArtifactTargetExists
from plugin_bridge.export import renames
from plugin_bridge.export.leftovers import SWAP, recover, temporary_stem
from plugin_bridge.export.outcomes import (
    as_failure,
    failed_install,
    make_durable,
    undoing,
    unknown,
    unsupported,
)
from plugin_bridge.export.project_lock import project_lock
from plugin_bridge.export.staging import Staged, staged_copy
from plugin_bridge.export.targets import check_target, digest_of, find_identity, mismatch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.values import ArtifactId, JobId, Json
    from plugin_bridge.export.plan import ExportPlan
    from plugin_bridge.export.staging import Step


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
        with as_failure():
            recover(plan)
        at_step("recovered")
        mode = check_target(plan)
        with staged_copy(plan, source, sha256, size_bytes, mode, at_step) as staged:
            recheck()
            plan.check_parent()
            check_target(plan)
            at_step("rechecked")
            if mode is None:
                _install_new(plan, staged, at_step)
            else:
                _replace(plan, staged, at_step)
        make_durable(plan)
        at_step("durable")
    return Published(
        path=plan.relative_path, sha256=sha256, size_bytes=size_bytes, overwritten=mode is not None
    )


def _install_new(plan: ExportPlan, staged: Staged, at_step: Step) -> None:
    try:
        renames.move_new(plan.parent, staged.name, plan.name)
    except FileExistsError:
        raise ArtifactTargetExists(f"{plan.relative_path} was created by somebody else meanwhile.") from None
    except renames.Unsupported:
        raise unsupported() from None
    except OSError as fault:
        raise failed_install(plan, staged.identity, fault) from None
    at_step("installed")
    if find_identity(plan.parent, plan.name) != staged.identity:
        raise unknown(plan)
    with undoing(plan, lambda: _withdraw(plan, staged)):
        plan.check_parent()
    at_step("confirmed")


def _withdraw(plan: ExportPlan, staged: Staged) -> None:
    if find_identity(plan.parent, plan.name) == staged.identity:
        plan.parent.remove_file(plan.name)


def _replace(plan: ExportPlan, staged: Staged, at_step: Step) -> None:
    """Exchange both names, then look at what came out; what nobody reviewed goes back."""
    with as_failure():
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
        raise failed_install(plan, staged.identity, fault) from None
    at_step("installed")
    with undoing(plan, lambda: _exchange_back(plan, staged)):
        if digest_of(plan.parent, staged.name) != plan.expected_target_digest:
            raise mismatch(plan)
        plan.check_parent()
    at_step("confirmed")
    with suppress(OSError):  # a leftover that the next export recognises
        plan.parent.remove_file(staged.name)


def _exchange_back(plan: ExportPlan, staged: Staged) -> None:
    renames.exchange(plan.parent, staged.name, plan.name)
    if find_identity(plan.parent, staged.name) != staged.identity:
        raise FileNotFoundError  # somebody replaced our file too; what they wrote is kept beside it


def _replace_by_rename(plan: ExportPlan, staged: Staged, at_step: Step) -> None:
    """The way without an exchange: keep a second name of the old file, verify it, rename over it.

    Between the last look and the rename a write by somebody else could be displaced; it is then
    found under the second name and put back.
    """
    kept = temporary_stem(plan, staged.sha256) + SWAP
    try:
        plan.parent.link(plan.name, kept)
    except OSError as fault:
        raise mismatch(plan) if isinstance(fault, FileNotFoundError) else unsupported() from None
    at_step("kept")
    try:
        is_reviewed = digest_of(plan.parent, kept) == plan.expected_target_digest
        if not is_reviewed or find_identity(plan.parent, plan.name) != find_identity(plan.parent, kept):
            raise mismatch(plan)
        with as_failure():
            plan.parent.replace(staged.name, plan.name)
        at_step("installed")
        with undoing(plan, lambda: _restore(plan, staged, kept)):
            if digest_of(plan.parent, kept) != plan.expected_target_digest:
                raise mismatch(plan)
            plan.check_parent()
        at_step("confirmed")
    finally:
        _drop_kept(plan, kept)


def _restore(plan: ExportPlan, staged: Staged, kept: str) -> None:
    if find_identity(plan.parent, plan.name) != staged.identity:
        raise FileNotFoundError  # somebody replaced our file too; the old one stays beside it
    plan.parent.replace(kept, plan.name)


def _drop_kept(plan: ExportPlan, kept: str) -> None:
    """Remove the second name of the old file, unless it is all that is left of something unreviewed."""
    with suppress(OSError):
        is_second_name = find_identity(plan.parent, kept) == find_identity(plan.parent, plan.name)
        if is_second_name or digest_of(plan.parent, kept) == plan.expected_target_digest:
            plan.parent.remove_file(kept)
