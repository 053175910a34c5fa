"""One ontology document as a value, its capture file, and the fingerprints made of it.

A capture is a functional-syntax file that any OWL tool can read: a comment with what functional
syntax cannot say, the ontology's IRIs, then imports, header annotations and axioms, each item
starting a line of its own, with full IRIs, canonical and sorted. A literal keeps its line breaks
(`syntax`), so an item spans several lines exactly when its quotation marks have not closed; the
head says whether that happens, and then lines are joined by counting them.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from jobs.digests import Digest, text_digest
from jobs.errors import InvalidOntology

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_HEAD: Final = "# capture 1 "
_ESCAPED = re.compile(r"\\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyDocument:
    """What one document says, imports not included.

    All texts are canonical (`syntax`); two documents that say the same are equal in `iri`,
    `version_iri`, `imports`, `annotations` and `axioms`, whatever syntax they came in, provided
    that `anonymous_exact` is true for both.
    """

    iri: str | None
    version_iri: str | None
    imports: tuple[str, ...]
    """IRIs, sorted, each once."""
    annotations: tuple[str, ...]
    """Header annotations, `Annotation(...)`, sorted, each once."""
    axioms: tuple[str, ...]
    """Sorted, each once."""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Prefix name without the colon to namespace."""
    format: str
    """`rdfxml`, `turtle`, `ntriples`, `owlxml`, `functional` or `manchester`."""
    anonymous_exact: bool = True
    """Whether labels of anonymous individuals depend on the document's content alone."""
    reader: str
    """Which path read it: `functional`, `rdf-mapping`, `owlxml` or `horned`."""
    warnings: tuple[str, ...] = ()
    """What was decided where the document leaves a choice; for people."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "prefixes", MappingProxyType(dict(self.prefixes)))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the read-only view, which does not."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return _rebuild, ({**values, "prefixes": dict(self.prefixes)},)


def _rebuild(values: dict[str, Any]) -> OntologyDocument:
    return OntologyDocument(**values)


# --- The capture file -----------------------------------------------------------------------------


def write_capture(document: OntologyDocument, path: Path) -> None:
    """Write the capture, readable by its owner alone; the path holds all of it or what it held before."""
    data = capture_bytes(document)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load_capture(path: Path) -> OntologyDocument:
    """Read a capture written by `write_capture`; raises `InvalidOntology` when it is not one."""
    return parse_capture(path.read_bytes())


def capture_bytes(document: OntologyDocument) -> bytes:
    """The content of a capture file."""
    imports = [f"Import(<{iri}>)" for iri in document.imports]
    items = [*imports, *document.annotations, *document.axioms]
    text = "\n".join(items)
    head = {
        "anonymous_exact": document.anonymous_exact,
        "annotations": len(document.annotations),
        "format": document.format,
        "imports": len(imports),
        "items": len(items),
        "multiline": bool(items) and text.count("\n") != len(items) - 1,
        "prefixes": dict(document.prefixes),
        "reader": document.reader,
        "warnings": document.warnings,
    }
    identity = " ".join(f"<{iri}>" for iri in (document.iri, document.version_iri) if iri is not None)
    comment = _HEAD + json.dumps(head, sort_keys=True)
    return "\n".join([comment, f"Ontology({identity}", *items, ")\n"]).encode("utf-8", "surrogatepass")


def parse_capture(data: bytes) -> OntologyDocument:
    """The document in the content of a capture file."""
    lines = data.decode("utf-8", "surrogatepass").split("\n")
    try:
        head = _head(lines[0])
        imports, annotations = int(head["imports"]), int(head["annotations"])
        identity = re.findall(r"<([^>]*)>", lines[1])
        items = lines[2:-2]
        if head["multiline"]:
            items = _joined(items)
        if lines[-2:] != [")", ""] or len(items) != head["items"] or len(identity) > 2:
            raise ValueError("incomplete")
        return OntologyDocument(
            iri=identity[0] if identity else None,
            version_iri=identity[1] if len(identity) == 2 else None,
            imports=tuple(item[len("Import(<") : -2] for item in items[:imports]),
            annotations=tuple(items[imports : imports + annotations]),
            axioms=tuple(items[imports + annotations :]),
            prefixes=head["prefixes"],
            format=head["format"],
            anonymous_exact=head["anonymous_exact"],
            reader=head["reader"],
            warnings=tuple(head["warnings"]),
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InvalidOntology(
            "The captured ontology is damaged or was written by another version.",
            details={"format": "capture"},
        ) from error


def _head(line: str) -> dict[str, Any]:
    if not line.startswith(_HEAD):
        raise ValueError("no head")
    head = json.loads(line[len(_HEAD) :])
    if not isinstance(head, dict):
        raise TypeError("head")
    return head


def _joined(lines: list[str]) -> list[str]:
    """Items from lines: an item goes on while a literal in it is open.

    Only a line whose quotation marks do not pair, or hide behind backslashes, opens or closes one, and
    few do; the lines between them are items by themselves, or all inside a literal.
    """
    items: list[str] = []
    done = 0  # up to here lines have become items
    is_open = False
    for place, line in enumerate(lines):
        if line.count('"') % 2 == 0 and "\\" not in line:
            continue
        if (_ESCAPED.sub("", line) if "\\" in line else line).count('"') % 2 == 0:
            continue
        if is_open:
            items.append("\n".join(lines[done : place + 1]))
            done = place + 1
        else:
            items += lines[done:place]
            done = place
        is_open = not is_open
    if is_open:
        raise ValueError("a literal is not closed")
    return items + lines[done:]


# --- Fingerprints (window jobs contract, 5.2) -----------------------------------------------------


def semantic_fingerprint(document: OntologyDocument) -> Digest:
    """Digest of what the document says: IRIs, imports, header annotations and axioms.

    Syntax, prefixes, order and labels of anonymous individuals do not matter (the last only when
    `anonymous_exact`).
    """
    return text_digest(
        document.iri,
        document.version_iri,
        str(len(document.imports)),
        *document.imports,
        str(len(document.annotations)),
        *document.annotations,
        *document.axioms,
    )


def document_fingerprint(
    document: OntologyDocument,
    document_iri: str | None,
    lock_digest: str | None = None,
    *,
    semantic: Digest | None = None,
) -> Digest:
    """Digest of the document as a thing: what it says, where it stands and how it is written.

    Args:
        semantic: its semantic fingerprint, where that is at hand; making it costs a pass over all axioms.
    """
    prefixes = [part for pair in sorted(document.prefixes.items()) for part in pair]
    return text_digest(
        semantic or semantic_fingerprint(document), document_iri, document.format, lock_digest, *prefixes
    )


def closure_fingerprint(members: Iterable[tuple[str, str]]) -> Digest:
    """Digest of an import closure from (ontology key, semantic fingerprint) of every loaded member."""
    return text_digest(*(part for member in sorted(members) for part in member))
