"""What a fault means before, during and after the one step that counts."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jobs.errors import ArtifactExportOutcomeUnknown
from plugin_bridge.export import renames
from plugin_bridge.export.targets import failed, find_identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plugin_bridge.export.plan import ExportPlan
    from plugin_bridge.files.folders import Identity


@contextmanager
def undoing(plan: ExportPlan, undo: Callable[[], None]) -> Iterator[None]:
    """If the block refuses, undo the installation; if that fails, say that the outcome is unknown."""
    try:
        yield
    except BaseException:
        try:
            undo()
            make_durable(plan)
        except (OSError, renames.Unsupported):
            raise unknown(plan) from None
        raise


@contextmanager
def as_failure() -> Iterator[None]:
    """System errors before installation: nothing has changed."""
    try:
        yield
    except renames.Unsupported:
        raise unsupported() from None
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
            raise failed("There is no space left for the export. Nothing was changed.", "no_space") from None
        raise failed(
            "The destination's folder cannot be written. Nothing was changed.", "not_writable"
        ) from None


def failed_install(plan: ExportPlan, ours: Identity, fault: OSError) -> Exception:
    """A failed atomic step changed nothing, unless the system says one thing and the folder another."""
    if find_identity(plan.parent, plan.name) == ours:
        return unknown(plan)
    if fault.errno in (errno.EXDEV, errno.ENOSYS):
        return unsupported()
    return failed("The file could not be put in place. Nothing was changed.", "not_writable")


def make_durable(plan: ExportPlan) -> None:
    """Flush the folder's entries; a failure leaves the outcome unknown."""
    try:
        plan.parent.sync()
    except OSError as fault:
        if fault.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot flush a folder
            raise unknown(plan) from None


def unsupported() -> Exception:
    """The file system lacks every safe primitive; nothing has changed."""
    return failed(
        "This file system cannot replace a file safely. Export to a local disk.", "unsupported_file_system"
    )


def unknown(plan: ExportPlan) -> ArtifactExportOutcomeUnknown:
    """The replacement may have happened."""
    return ArtifactExportOutcomeUnknown(
        f"It is not certain which bytes {plan.relative_path} now has. Look at it before trying again."
    )
