"""Which code a Python reasoner really is: digests of its installed files.

The digest of a distribution covers the content, as it lies on disk, of every file below its
package folders that its record lists; what an installer adds (byte code, scripts, records) is
left out. So it is one value per published wheel, and any altered file changes it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from jobs.digests import Digest, text_digest

if TYPE_CHECKING:
    from collections.abc import Iterable


def files_digest(rows: Iterable[tuple[str, str]]) -> Digest:
    """Digest of (path, SHA-256 in hexadecimal) rows, whatever their order."""
    return text_digest(*(part for row in sorted(rows) for part in row))


def installed_digest(distribution: str, package: str) -> Digest | None:
    """The digest of an installed distribution's package folder; None when it is not there whole."""
    from importlib import metadata  # here: it imports the mail package, and a diff needs no reasoner

    try:
        files = metadata.files(distribution) or []
        rows = [
            (path.as_posix(), hashlib.sha256(path.locate().read_bytes()).hexdigest())  # type: ignore[attr-defined] # a path, on every importer we run on
            for path in files
            if is_code(path.as_posix(), package)
        ]
    except (metadata.PackageNotFoundError, OSError):
        return None
    return files_digest(rows) if rows else None


def is_code(path: str, package: str) -> bool:
    """Whether a row of a distribution's record is part of its code."""
    return path.startswith(f"{package}/") and "__pycache__" not in path
