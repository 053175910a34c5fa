"""What a caller's text names: a local path, another address, or nothing usable.

Purely lexical: nothing here touches the file system. Where symbolic links lead is decided
later, component by component, by `plugin_bridge.files.folders`.
"""

from __future__ import annotations

import os
import re
from enum import StrEnum
from urllib.parse import unquote_to_bytes

from jobs import limits

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_NESTED = re.compile(r"\.(?:jar|zip|war|tar|tgz|gz|bz2|xz|7z)!/", re.IGNORECASE)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class ReferenceKind(StrEnum):
    """What a reference is, judged by its text alone."""

    LOCAL = "local"
    REMOTE = "remote"
    ARCHIVE = "archive"
    MALFORMED = "malformed"


def classify_reference(text: str) -> ReferenceKind:
    """Say what a reference names; only `LOCAL` ones may be opened.

    `file:` IRIs without a foreign host are local; every other scheme is remote, whether or not
    anything would be fetched. A relative name that looks like a scheme is written `./name:x`.
    Source: W 6.6.
    """
    if _NESTED.search(text):
        return ReferenceKind.ARCHIVE
    scheme = _scheme(text)
    if scheme not in (None, "file"):
        return ReferenceKind.REMOTE
    if scheme == "file" and not _is_own_host(text):
        return ReferenceKind.REMOTE
    return ReferenceKind.LOCAL if find_local_path(text) is not None else ReferenceKind.MALFORMED


def find_local_path(text: str) -> str | None:
    """The path of a local reference with percent escapes undone, or None if it has no usable form.

    Refused forms: empty, over 4,096 characters, control characters, lone surrogates, a `file:`
    IRI with query, fragment or bytes that are not UTF-8.
    """
    path = _file_iri_path(text) if _scheme(text) == "file" else text
    if path is None or not path or len(path) > limits.PATH_CHARACTERS or _UNPRINTABLE.search(path):
        return None
    return path


def path_components(path: str) -> tuple[str, ...] | None:
    """The components of a relative path, `.` and empty ones dropped; None if any is `..`.

    A `..` is refused even where it would stay inside: together with links its meaning depends on
    what is on disk at that moment.
    """
    text = path.replace("\\", "/") if os.name == "nt" else path
    components = tuple(each for each in text.split("/") if each not in ("", "."))
    if ".." in components or any(not _is_portable_here(each) for each in components):
        return None
    return components


def _is_portable_here(component: str) -> bool:
    # Windows gives these names a second meaning (streams, drives, devices, dropped endings).
    if os.name != "nt":
        return True
    stem = component.split(".")[0].rstrip(" ").upper()
    is_device = stem in {"CON", "PRN", "AUX", "NUL"} or re.fullmatch(r"(COM|LPT)[0-9¹²³]", stem) is not None
    return not is_device and ":" not in component and component.rstrip(". ") == component


def _scheme(text: str) -> str | None:
    match = _SCHEME.match(text)
    if match is None or (os.name == "nt" and len(match[1]) == 1):  # a drive letter
        return None
    return match[1].lower()


def _is_own_host(iri: str) -> bool:
    rest = iri[len("file:") :]
    if not rest.startswith("//"):
        return True
    return rest[2:].split("/", 1)[0].lower() in ("", "localhost")


def _file_iri_path(iri: str) -> str | None:
    rest = iri[len("file:") :]
    if "?" in rest or "#" in rest:
        return None
    if rest.startswith("//"):
        _, slash, path = rest[2:].partition("/")
        rest = slash + path
    try:
        path = unquote_to_bytes(rest).decode("utf-8")
    except UnicodeError:
        return None
    if os.name == "nt" and re.match(r"/[A-Za-z]:", path):
        return path[1:]
    return path
