"""Files that an export never writes, however the caller spells them.

The policy, its import lock, mapping and crate files; metadata of the project; anything inside
version-control or marker folders. Names are compared as the laxest file system would: case,
Unicode form, invisible characters, and the endings and stream suffixes Windows drops do not
count. Source: W 9.4.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugin_bridge.policy import ResolvedPolicy

TEMPORARY_PREFIX: Final = ".protege-jobs-"
"""How the names of temporary siblings begin (`leftovers`)."""

_GUARDED_FOLDERS: Final = frozenset(
    {".git", "git~1", ".hg", ".svn", ".bzr", ".jj", "_darcs", ".fossil", ".protege-jobs", "proteg~1"}
)
_GUARDED_NAMES: Final = frozenset(
    {
        ".gitattributes",
        ".gitignore",
        ".gitmodules",
        ".hgignore",
        ".hgsub",
        ".hgtags",
        "catalog-v001.xml",
        "imports.lock.json",
        "ro-crate-metadata.json",
    }
)


def is_protected(components: tuple[str, ...], policy: ResolvedPolicy, also: Iterable[str] = ()) -> bool:
    """Whether the file below the project root may never be written.

    Args:
        also: further project-relative paths, as the window knows them.
    """
    folded = tuple(_fold(each) for each in components)
    if any(each in _GUARDED_FOLDERS for each in folded) or folded[-1] in _GUARDED_NAMES:
        return True
    if folded[-1].startswith(TEMPORARY_PREFIX):  # it would look like a leftover and be removed
        return True
    return folded in {_fold_path(each) for each in (*declared_files(policy), *also)}


def declared_files(policy: ResolvedPolicy) -> tuple[str, ...]:
    """Project-relative paths of the files that the policy is or names as its own records."""
    document = policy.document
    named = (
        policy.relative_policy_path,
        document.imports.lockfile,
        document.mappings.path,
        document.interoperability.crate,
    )
    return tuple(each for each in named if each is not None)


def _fold_path(path: str) -> tuple[str, ...]:
    return tuple(_fold(each) for each in path.replace("\\", "/").split("/") if each not in ("", "."))


def _fold(component: str) -> str:
    visible = "".join(each for each in component if unicodedata.category(each) != "Cf")
    text = unicodedata.normalize("NFKC", visible).casefold()
    return text.split(":", 1)[0].rstrip(". ")
