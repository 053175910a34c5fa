"""The project's root folder, pinned while a window is open, and the names of files inside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Self

from jobs.errors import DiffNetworkUnsupported, InvalidRequest
from plugin_bridge.files.folders import Folder, open_folder
from plugin_bridge.files.references import (
    ReferenceKind,
    classify_reference,
    find_local_path,
    path_components,
)

if TYPE_CHECKING:
    from jobs.errors import ProtegeJobsError


class ProjectRoot:
    """A root folder held open: names are looked up from this handle, never by path again.

    `path` is canonical. A context manager; `close` may be called twice.
    """

    __slots__ = ("_given", "folder", "path")

    def __init__(self, path: Path, given: Path, folder: Folder) -> None:
        self.path = path
        self._given = given
        self.folder = folder

    @classmethod
    def open(cls, path: Path, *, seen_from: Path | None = None) -> Self:
        """Pin a trusted folder. Links above it are resolved once, here.

        Args:
            seen_from: a folder at or below the root as its user spells it (the document's);
                absolute paths may then use that spelling too, though it leads through links.
        Raises: `OSError` if the root does not exist or is no folder.
        """
        canonical = path.resolve(strict=True)
        folder = open_folder(canonical)
        spelled = Path(os.path.abspath(seen_from or path))
        given = next((each for each in (spelled, *spelled.parents) if _is(each, folder)), canonical)
        return cls(canonical, given, folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unpin the folder."""
        self.folder.close()

    def is_in_place(self) -> bool:
        """Whether the canonical path still leads to the pinned folder."""
        return not self.path.is_symlink() and _is(self.path, self.folder)

    def components(
        self, reference: str, *, remote_error: type[ProtegeJobsError] = DiffNetworkUnsupported
    ) -> tuple[str, ...]:
        """The components, below this root, of a relative path, absolute path or `file:` IRI.

        Raises:
            InvalidRequest: `details.reason` is `malformed`, `nested_archive`, `outside_project` or
                `not_regular` (the text names the root itself).
            remote_error: the text has another scheme or names another host.
        Source: W 6.6, 9.4.
        """
        kind = classify_reference(reference)
        if kind is ReferenceKind.REMOTE:
            raise remote_error(
                "Only local paths are accepted: give one inside the project, or a file: IRI"
                " (write ./ before a name that contains a colon).",
                details={"reason": "not_local"},
            )
        if kind is ReferenceKind.ARCHIVE:
            raise _invalid("nested_archive", "Files inside archives are not read; unpack it first.")
        path = find_local_path(reference)
        if kind is ReferenceKind.MALFORMED or path is None:
            raise _invalid("malformed", "The path is empty, too long, or contains unusable characters.")
        return self._below(path)

    def _below(self, path: str) -> tuple[str, ...]:
        relative = self._without_root(path) if os.path.isabs(path) or os.path.splitdrive(path)[0] else path
        components = None if relative is None else path_components(relative)
        if components is None:
            raise _invalid("outside_project", "The path must lie inside the project and may not use '..'.")
        if not components or path.endswith(("/", os.sep)):
            raise _invalid("not_regular", "The path names a folder; a file is needed.")
        return components

    def _without_root(self, path: str) -> str | None:
        text = os.path.normcase(path)
        for root in (self.path, self._given):  # the second: the same folder as the user wrote it
            prefix = os.path.normcase(str(root)).rstrip(os.sep) + os.sep
            if text.startswith(prefix):
                return path[len(prefix) :]
        return None


def _is(path: Path, folder: Folder) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == folder.identity


def _invalid(reason: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, details={"reason": reason})
