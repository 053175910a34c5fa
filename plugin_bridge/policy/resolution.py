"""Which policy holds for a document, and which folder is its project.

Discovery walks up from the document's folder to the nearest `.protege-jobs/project.yaml`; without
one, the built-in defaults hold and the document's folder is the project. An explicitly named
policy must lie inside the project discovered so: naming a file never makes its folder the project.
Files are read through `plugin_bridge.files`, hence never through a link. Source: W 4.6; decision 14.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import InvalidRequest, PolicyRequired, PolicyUnavailable
from plugin_bridge.files.confined import ErrorChoice, read_confined
from plugin_bridge.files.roots import ProjectRoot
from plugin_bridge.policy.essentials import BUILT_IN, essentials_of

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.values import QuotaSettings
    from plugin_bridge.policy.document import PolicyDocument
    from plugin_bridge.policy.essentials import AuditSettings, Essentials

MARKER_FOLDER: Final = ".protege-jobs"
POLICY_NAME: Final = "project.yaml"
_ERRORS: Final = ErrorChoice(invalid=PolicyRequired, changed=PolicyUnavailable, remote=InvalidRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPolicy:
    """A policy in force. `loaded` is false and `policy_path` None for the built-in defaults.

    `project_root` is canonical and absolute; so is `policy_path`.
    """

    essentials: Essentials
    loaded: bool
    project_root: Path
    policy_path: Path | None
    read: PolicyDocument | None
    """The document of the file; None for the defaults."""

    @property
    def document(self) -> PolicyDocument:
        """The whole effective document."""
        if self.read is not None:
            return self.read
        from plugin_bridge.policy.document import PolicyDocument  # `essentials` says why here

        return PolicyDocument(version=1)

    @property
    def digest(self) -> Digest:
        """Digest of the effective document (W 4.6)."""
        return self.essentials.digest

    @property
    def project_id(self) -> str:
        """The declared id, else the name of the root folder."""
        return self.essentials.project_id or self.project_root.name or "project"

    @property
    def quotas(self) -> QuotaSettings:
        """The bounds that jobs are admitted under."""
        return self.essentials.quotas

    @property
    def audit(self) -> AuditSettings:
        """The audit log's bounds."""
        return self.essentials.audit

    @property
    def relative_policy_path(self) -> str | None:
        """The policy file as reports name it: relative to the root where it lies inside."""
        if self.policy_path is None:
            return None
        if self.policy_path.is_relative_to(self.project_root):
            return self.policy_path.relative_to(self.project_root).as_posix()
        return self.policy_path.name


def resolve_policy(folder: Path | None, policy_path: str | None = None) -> ResolvedPolicy:
    """The policy for a document in `folder`: an explicit one, else the discovered one, else defaults.

    Raises:
        PolicyRequired: no local folder, or a policy file that does not load.
        PolicyInvalid (and its two siblings): the `jobs` block is out of bounds.
        PolicyUnavailable: the file changed while it was read.
        InvalidRequest: `policy_path` lies outside the discovered project.
    """
    if folder is None:
        raise PolicyRequired(
            "This window has no local folder, so it has no project. Save the document first.",
            details={"reason": "no_folder", "line": None, "key": None},
        )
    discovered = discover_policy(folder)
    return discovered if policy_path is None else select_policy(discovered, policy_path)


def discover_policy(folder: Path) -> ResolvedPolicy:
    """The nearest policy at or above a folder, else the built-in defaults. Raises as `resolve_policy`."""
    start = _canonical(folder)
    trusted = _trusted_owners(start)
    for anchor in (start, *start.parents):
        if _holds_policy(anchor, trusted):
            with _pinned(anchor) as root:
                return _load(root, f"{MARKER_FOLDER}/{POLICY_NAME}")
    return built_in_policy(start)


def select_policy(discovered: ResolvedPolicy, policy_path: str) -> ResolvedPolicy:
    """An explicitly named policy, authorised against the discovered project. Raises as `resolve_policy`."""
    if discovered.policy_path is not None and policy_path == str(discovered.policy_path):
        return discovered  # its project_root may lie below it, so it is not always inside its own project
    with _pinned(discovered.project_root) as root:
        return _load(root, policy_path)


def built_in_policy(folder: Path) -> ResolvedPolicy:
    """The defaults, with the folder as project (decision 14)."""
    return ResolvedPolicy(
        essentials=BUILT_IN,
        loaded=False,
        project_root=_canonical(folder),
        policy_path=None,
        read=None,
    )


def _load(root: ProjectRoot, reference: str) -> ResolvedPolicy:
    from plugin_bridge.policy.loading import read_policy  # `essentials` says why here

    captured = read_confined(root, reference, max_bytes=limits.POLICY_FILE_BYTES, errors=_ERRORS)
    document = read_policy(captured.data)
    policy_path = root.path / captured.relative_path
    inside_marker = policy_path.parent.name == MARKER_FOLDER
    anchor = policy_path.parent.parent if inside_marker else policy_path.parent
    return ResolvedPolicy(
        essentials=essentials_of(document),
        loaded=True,
        project_root=_project_root(anchor, document.project_root),
        policy_path=policy_path,
        read=document,
    )


def _project_root(anchor: Path, declared: str) -> Path:
    """The declared root below the anchor, reached without a link."""
    path = anchor
    for name in (each for each in declared.split("/") if each not in ("", ".")):
        path = path / name
        try:
            is_folder = stat.S_ISDIR(path.lstat().st_mode)
        except OSError:
            is_folder = False
        if not is_folder:
            raise PolicyRequired(
                "Policy project_root must name an existing folder at or below the policy's own, not a link.",
                details={"reason": "bad_project_root", "line": None, "key": "project_root"},
            )
    return path


def _holds_policy(anchor: Path, trusted: frozenset[int] | None) -> bool:
    """Whether discovery stops here; a policy that is there but unusable stops it too, with an error later."""
    marker = anchor / MARKER_FOLDER
    try:
        found = marker.lstat()
        # A stranger's policy in a shared folder above (/tmp) must not decide what our project is.
        if trusted is not None and found.st_uid not in trusted:
            return False
        return stat.S_ISLNK(found.st_mode) or os.path.lexists(marker / POLICY_NAME)
    except OSError:
        return False


def _trusted_owners(folder: Path) -> frozenset[int] | None:
    if not hasattr(os, "geteuid"):
        return None
    return frozenset({0, os.geteuid(), folder.stat().st_uid})


def _canonical(folder: Path) -> Path:
    try:
        return folder.resolve(strict=True)
    except (OSError, RuntimeError):
        raise _unreachable() from None


def _pinned(folder: Path) -> ProjectRoot:
    try:
        return ProjectRoot.open(folder)
    except OSError:
        raise _unreachable() from None


def _unreachable() -> PolicyUnavailable:
    return PolicyUnavailable(
        "The project folder cannot be opened just now.", details={"reason": "unreachable"}
    )
