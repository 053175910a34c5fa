"""Our jars and what they need, as they lie in the package: `jars/`, with a manifest that names each
class path and the digest of each jar. A checkout has them after `make java`, a wheel always.

A jar is believed only when it has its digest; one altered or missing makes its class paths unusable.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

logger = logging.getLogger(__name__)

JARS: Final = Path(__file__).parent / "jars"
MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
"""Version of the manifest; `java-stub/collect_jars.py` writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """One jar of a class path."""

    name: str
    sha256: str
    group: str | None
    """Maven group; `org.protegejobs` for ours; None when the jar does not say."""
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPath:
    """The jars of one runnable module, verified."""

    name: str
    main_class: str
    jars: tuple[Jar, ...]


def find_classpath(name: str, folder: Path = JARS) -> ClassPath | None:
    """The class path by the name of its module; None when it is not installed whole.

    May block: each jar is read once in the life of the process, and again when it has changed.
    """
    manifest = _manifest(folder)
    try:
        row = manifest["class_paths"][name]
        jars = tuple(_verified(folder, each, manifest["jars"][each]) for each in row["jars"])
        return ClassPath(name=name, main_class=str(row["main_class"]), jars=jars)
    except (LookupError, TypeError):
        return None
    except _Unusable as error:
        logger.warning("java.jar_unusable", extra={"jar": error.args[0]})
        return None


def class_path_names(folder: Path = JARS) -> tuple[str, ...]:
    """The names of all class paths in the manifest."""
    found = _manifest(folder).get("class_paths")
    return tuple(found) if isinstance(found, dict) else ()


def file_digest(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal, read once as long as the file does not change."""
    status = path.stat()
    return _digest(str(path), status.st_mtime_ns, status.st_size, status.st_ino)


class _Unusable(Exception):
    """A jar is missing or is not the one of the manifest."""


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("format") == FORMAT else {}


def _verified(folder: Path, name: str, row: Mapping[str, object]) -> Jar:
    path = folder / name
    try:
        digest = file_digest(path)
    except OSError:
        raise _Unusable(name) from None
    if os.path.basename(name) != name or digest != row.get("sha256"):
        raise _Unusable(name)
    group = row.get("group")
    return Jar(
        name=name, sha256=digest, group=group if isinstance(group, str) else None, path=str(path.absolute())
    )


@lru_cache(maxsize=512)
def _digest(path: str, _mtime_ns: int, _size: int, _inode: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
