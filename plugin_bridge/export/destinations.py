"""Where an export may write: arguments, destination, and the pinned folder it will land in."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from jobs.digests import Digest, is_digest
from jobs.errors import ConfirmationRequired, ExpectedTargetDigestRequired, InvalidRequest
from plugin_bridge.export.plan import ExportPlan
from plugin_bridge.export.protection import declared_files, is_protected
from plugin_bridge.export.targets import check_target, failed, find_identity
from plugin_bridge.files.confined import open_parent, pin_parent, why_not

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobs.errors import ProtegeJobsError
    from plugin_bridge.files.folders import Folder
    from plugin_bridge.files.roots import ProjectRoot
    from plugin_bridge.policy import ResolvedPolicy


def check_arguments(*, confirm: bool, overwrite: bool, expected_target_digest: str | None) -> None:
    """The first two checks of an export, which need nothing but its arguments.

    Raises: ConfirmationRequired; ExpectedTargetDigestRequired; InvalidRequest for a malformed digest.
    Source: W 9.3.
    """
    if confirm is not True:
        raise ConfirmationRequired
    if overwrite is not (expected_target_digest is not None):
        raise ExpectedTargetDigestRequired(
            "overwrite=true needs expected_target_digest, the digest of the file you reviewed;"
            " without overwrite it must be left out."
        )
    if expected_target_digest is not None and not is_digest(expected_target_digest):
        raise InvalidRequest("expected_target_digest must be sha256: and 64 lower-case hexadecimal digits.")


def prepare(
    root: ProjectRoot,
    policy: ResolvedPolicy,
    destination: str,
    *,
    overwrite: bool = False,
    expected_target_digest: str | None = None,
    also_protected: Iterable[str] = (),
) -> ExportPlan:
    """Authorise a destination and pin its folder; nothing is written.

    The target is compared with the arguments already here, so that nobody is asked to confirm
    what cannot succeed; `publish` compares again.

    Args:
        root: the project of `policy`, which must stay open as long as the plan.
        destination: relative to the root, or absolute inside it.
        also_protected: project-relative paths that must not be written, beyond `protection`'s.
    Raises:
        InvalidRequest: `details.reason` is `outside_project`, `malformed`, `not_regular` or `protected`.
        ArtifactExportFailed: `parent_missing`, `symlink` or `not_regular`.
        The target's codes of W 9.6.
    Source: W 9.3, 9.4.
    """
    check_arguments(confirm=True, overwrite=overwrite, expected_target_digest=expected_target_digest)
    components = root.components(destination, remote_error=InvalidRequest)
    if is_protected(components, policy, also_protected):
        raise _protected()
    plan = ExportPlan(
        root=root,
        components=components,
        parent=_pin(root, components),
        expected_target_digest=None if expected_target_digest is None else Digest(expected_target_digest),
    )
    try:
        _refuse_protected_file(plan, policy)
        check_target(plan)
    except BaseException:
        plan.close()
        raise
    return plan


def _pin(root: ProjectRoot, components: tuple[str, ...]) -> Folder:
    try:
        return pin_parent(root, components)
    except OSError as fault:
        raise _no_parent(root, components, fault) from None


def _no_parent(root: ProjectRoot, components: tuple[str, ...], fault: OSError) -> ProtegeJobsError:
    if fault.errno == errno.ENAMETOOLONG:
        return InvalidRequest("A folder's name is too long.", details={"reason": "malformed"})
    if len(components) > 1 and why_not(root, components[:-1]) == "symlink":
        return failed("The destination lies behind a symbolic link, which is not followed.", "symlink")
    return failed("The destination's folder does not exist. Create it first.", "parent_missing")


def _refuse_protected_file(plan: ExportPlan, policy: ResolvedPolicy) -> None:
    """The same file under a name that only this file system thinks equal is caught by its identity."""
    target = find_identity(plan.parent, plan.name)
    if target is None:
        return
    for path in declared_files(policy):
        components = tuple(each for each in path.split("/") if each not in ("", "."))
        try:
            with open_parent(plan.root, components) as parent:
                is_same = find_identity(parent, components[-1]) == target
        except OSError:
            continue
        if is_same:
            raise _protected()


def _protected() -> InvalidRequest:
    return InvalidRequest(
        "This file belongs to the project's own records (policy, locks, mappings, version control);"
        " exports do not write it.",
        details={"reason": "protected"},
    )
