"""Names of temporary siblings, and what becomes of those a killed export left behind.

    .protege-jobs-<target>-<new>-<old>-<random>.part   our bytes, whole or not: always removable
    .protege-jobs-<target>-<new>-<old>-<random>.swap   ours before the exchange, the displaced file after it

`target`, `new` and `old` are the beginnings of the digests of the target's name, of the exported
and of the reviewed bytes, so that whoever finds a leftover can tell from its bytes which side of
the exchange it is on. Invariant: bytes that are neither are somebody's unreviewed work and are
never removed: they go back to their name if ours still stands there, else they wait for a person.
Live files are told by their lock. Source: W 9.5, 9.6.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from jobs.errors import ArtifactRecoveryAmbiguous
from plugin_bridge.export import renames
from plugin_bridge.export.protection import TEMPORARY_PREFIX
from plugin_bridge.export.targets import digest_of, find_identity
from plugin_bridge.files.locks import close_locked, try_lock

if TYPE_CHECKING:
    from jobs.digests import Digest
    from plugin_bridge.export.plan import ExportPlan
    from plugin_bridge.files.folders import Folder

PART: Final = ".part"
SWAP: Final = ".swap"
_NAME = re.compile(
    re.escape(TEMPORARY_PREFIX)
    + r"(?P<target>[0-9a-f]{16})-(?P<new>[0-9a-f]{32})-(?P<old>[0-9a-f]{32})-[0-9a-f]{16}"
    r"(?P<suffix>\.part|\.swap)"
)


def temporary_stem(plan: ExportPlan, new: Digest) -> str:
    """A fresh name, without suffix, for a temporary sibling of the plan's target."""
    old = plan.expected_target_digest
    parts = (_name_mark(plan.name), _mark(new), "0" * 32 if old is None else _mark(old), secrets.token_hex(8))
    return TEMPORARY_PREFIX + "-".join(parts)


def recover(plan: ExportPlan) -> None:
    """Remove what killed exports left in the target's folder. Needs the project's lock.

    Raises: `ArtifactRecoveryAmbiguous` if a leftover of this very target needs a person.
    """
    names = plan.parent.names()
    for name in names:
        match = _NAME.fullmatch(name)
        if match is not None and _is_abandoned(plan.parent, name):
            with suppress(FileNotFoundError):
                _settle(plan, name, match, names)


def _settle(plan: ExportPlan, name: str, match: re.Match[str], names: list[str]) -> None:
    folder = plan.parent
    if match["suffix"] == PART:
        folder.remove_file(name)
        return
    target = next((each for each in names if _name_mark(each) == match["target"]), None)
    if target is not None and find_identity(folder, target) == find_identity(folder, name):
        folder.remove_file(name)  # a second name of what stands at the target
        return
    found = digest_of(folder, name)
    if found is not None and _mark(found) in (match["new"], match["old"]):
        folder.remove_file(name)
        return
    if target is not None and _put_back(folder, name, target, match["new"]):
        return
    if match["target"] == _name_mark(plan.name):
        raise ArtifactRecoveryAmbiguous(
            f"An interrupted export left {name} beside {plan.relative_path}. It holds a version of that file"
            " nobody reviewed: compare both, keep what you need, and remove it.",
            details={"leftover": name},
        )


def _put_back(folder: Folder, name: str, target: str, new: str) -> bool:
    """Return displaced bytes to their name, if the killed export's bytes still stand there."""
    standing = digest_of(folder, target)
    if standing is None or _mark(standing) != new:
        return False
    try:
        renames.exchange(folder, name, target)
    except renames.Unsupported:
        folder.replace(name, target)
        return True
    except OSError:
        return False
    exchanged = digest_of(folder, name)
    if exchanged is None or _mark(exchanged) != new:
        return False  # the target moved in that instant; both files still exist
    folder.remove_file(name)
    return True


def _is_abandoned(folder: Folder, name: str) -> bool:
    """Whether this is our user's regular file that no living export holds."""
    try:
        found = folder.stat(name)
        if not stat.S_ISREG(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
            return False
        fd = folder.open_file(name)
    except OSError:
        return False
    try:
        return try_lock(fd)
    except OSError:  # no locks on this file system: the project's lock must do
        return True
    finally:
        close_locked(fd)


def _mark(digest: Digest) -> str:
    return digest.removeprefix("sha256:")[:32]


def _name_mark(name: str) -> str:
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
