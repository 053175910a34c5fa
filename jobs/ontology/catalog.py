"""OASIS XML catalogs (`catalog-v001.xml`): which local file stands for which import IRI.

Entries are confined to the project: one that leaves its root, is absolute or names a scheme is
ignored and the reason kept. Paths are relative to the root, with `/`. Read are the elements that
Protégé writes: `uri`, `rewriteURI`, `group` and `nextCatalog`.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote
from xml.parsers import expat

from jobs.errors import InvalidOntology
from jobs.ontology.formats import decode
from jobs.ontology.xml_source import prepare_xml

if TYPE_CHECKING:
    from collections.abc import Callable

NAMESPACE: Final = "urn:oasis:names:tc:entity:xmlns:xml:catalog"
CATALOG_BYTES_MAX: Final = 4 * 1024 * 1024
ENTRIES_MAX: Final = 50_000
CATALOGS_MAX: Final = 16
"""How many files one catalog may chain with `nextCatalog` (ours)."""

_XML_BASE: Final = "http://www.w3.org/XML/1998/namespace base"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Where import IRIs are found."""

    entries: tuple[tuple[str, str], ...] = ()
    """(IRI, path); the first entry for an IRI counts."""
    rewrites: tuple[tuple[str, str], ...] = ()
    """(start of the IRI, start of the path); the longest start counts."""
    ignored: tuple[str, ...] = ()
    """What was left out and why, for people."""

    def find(self, iri: str) -> str | None:
        """The path of an import; None when the catalog does not know it."""
        for name, path in self.entries:
            if name == iri:
                return path
        starts = [pair for pair in self.rewrites if iri.startswith(pair[0])]
        if not starts:
            return None
        start, replacement = max(starts, key=lambda pair: len(pair[0]))
        path, reason = confine(replacement + iri[len(start) :], "")
        return None if reason else path


def read_catalog(data: bytes, *, folder: str = "", opener: Callable[[str], bytes] | None = None) -> Catalog:
    """Read a catalog and those it chains.

    Args:
        folder: the catalog's folder, relative to the project root.
        opener: opens `nextCatalog` files; raises `OSError` for one that is not there.
    Raises:
        InvalidOntology: not a well-formed catalog (`format` is `catalog`).
    """
    builder = _Builder(opener)
    builder.read(data, folder)
    return Catalog(
        entries=tuple(builder.entries.items()),
        rewrites=tuple(builder.rewrites),
        ignored=tuple(builder.ignored),
    )


def confine(reference: str, folder: str) -> tuple[str, str | None]:
    """A catalog reference as a path below the root, or the reason why it is none."""
    if _SCHEME.match(reference):
        return "", "it names a scheme or drive"
    path = unquote(reference.partition("#")[0]).replace("\\", "/")
    if "\x00" in path:
        return "", "it contains a NUL character"
    if path.startswith("/"):
        return "", "it is absolute"
    normal = posixpath.normpath(posixpath.join(folder, path))
    if normal == ".." or normal.startswith(("../", "/")):
        return "", "it leaves the project"
    return normal, None


class _Builder:
    """Collects entries over chained catalogs."""

    def __init__(self, opener: Callable[[str], bytes] | None) -> None:
        self.entries: dict[str, str] = {}
        self.rewrites: list[tuple[str, str]] = []
        self.ignored: list[str] = []
        self._opener = opener
        self._seen: set[str] = set()
        self._bases: list[str] = []
        self._next: list[str] = []

    def read(self, data: bytes, folder: str) -> None:
        """Read one file, then those it names."""
        if len(data) > CATALOG_BYTES_MAX:
            raise InvalidOntology("The catalog is too large.", details={"format": "catalog"})
        text = prepare_xml(decode(data), "catalog").text
        parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        self._bases = [folder]
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.Parse(text.encode(), True)
        waiting, self._next = self._next, []
        for path in waiting:
            self._chain(path)

    def _chain(self, path: str) -> None:
        if path in self._seen or self._opener is None:
            return
        if len(self._seen) >= CATALOGS_MAX:
            self.ignored.append(f"nextCatalog {path}: more than {CATALOGS_MAX} catalogs are chained")
            return
        self._seen.add(path)
        try:
            data = self._opener(path)
        except OSError:
            self.ignored.append(f"nextCatalog {path}: it is not there")
            return
        self.read(data, posixpath.dirname(path))

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        namespace, _, name = qualified.rpartition(" ")
        base = self._bases[-1]
        if attributes.get(_XML_BASE):
            inner, reason = confine(attributes[_XML_BASE], base)
            if reason:
                self.ignored.append(f"xml:base {attributes[_XML_BASE]}: {reason}")
            else:
                base = inner
        self._bases.append(base)
        if namespace not in (NAMESPACE, ""):
            return
        match name:
            case "uri":
                self._add(attributes.get("name"), attributes.get("uri"), base)
            case "rewriteURI":
                self._add_rewrite(attributes.get("uriStartString"), attributes.get("rewritePrefix"), base)
            case "nextCatalog":
                path, reason = confine(attributes.get("catalog", ""), base)
                if reason:
                    self.ignored.append(f"nextCatalog {attributes.get('catalog', '')}: {reason}")
                else:
                    self._next.append(path)
            case _:
                pass

    def _end(self, _: str) -> None:
        self._bases.pop()

    def _add(self, iri: str | None, reference: str | None, base: str) -> None:
        if not iri or not reference:
            return
        path, reason = confine(reference, base)
        if reason:
            self.ignored.append(f"{iri}: {reason}")
        elif len(self.entries) < ENTRIES_MAX:
            self.entries.setdefault(iri, path)

    def _add_rewrite(self, start: str | None, replacement: str | None, base: str) -> None:
        if not start or replacement is None:
            return
        path, reason = confine(replacement, base)
        if reason:
            self.ignored.append(f"{start}: {reason}")
        elif len(self.rewrites) < ENTRIES_MAX:
            path = "" if path == "." else path
            self.rewrites.append((start, f"{path}/" if replacement.endswith("/") and path else path))
