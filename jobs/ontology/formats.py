"""From bytes to one named syntax and its text: decompression, encoding, recognition.

The syntax is decided by what the document begins with, never by trying readers until one accepts:
a reader that accepts another syntax by accident loses statements without a word. File names and
media types are not asked.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Final, Literal

from jobs import limits
from jobs.errors import InvalidOntology

Format = Literal["rdfxml", "turtle", "owlxml", "functional", "manchester"]

EXPANDED_BYTES_MAX: Final = limits.SECONDARY_FILE_BYTES
EXPANSION_RATIO: Final = 200
"""How much larger than the compressed file its content may be, beyond `EXPANSION_FREE_BYTES`;
RDF/XML shrinks to a twentieth or fortieth (ours)."""
EXPANSION_FREE_BYTES: Final = 64 * limits.MIB

_GZIP: Final = b"\x1f\x8b"
_ARCHIVES: Final = {
    b"PK\x03\x04": "ZIP",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"7z\xbc\xaf": "7z",
}
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ENCODINGS: Final = frozenset(
    {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "latin1", "latin-1", "windows-1252", "iso-8859-15"}
)
_DECLARATION: Final = re.compile(r"\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_LEADING = re.compile(r"(?:\s+|#[^\n]*(?:\n|$))*")
_XML_LEADING = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_HTML = re.compile(r"<!doctype\s+html|<(?:html|head|body|script|meta|title)\b", re.IGNORECASE)
_TAG = re.compile(r"<(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)(?=[\s/>])([^>]*)>?")
_FUNCTIONAL = re.compile(r"(?:Prefix|Ontology)\s*\(")
_MANCHESTER = re.compile(
    r"(?:Prefix|Namespace|Ontology|Import|Annotations|Class|ObjectProperty|DataProperty|AnnotationProperty"
    r"|Individual|Datatype|DisjointClasses|EquivalentClasses):\s"
)
_OBO = re.compile(
    r"(?:format-version|data-version|ontology|default-namespace|date|saved-by|subsetdef)\s*:|\[Term\]"
)
_TURTLE = re.compile(
    r"@prefix\b|@base\b|(?:PREFIX|BASE|VERSION)\s|<[^<>\s]*>|_:|\[|\(|[A-Za-z][\w.-]*:[^\s]*\s", re.IGNORECASE
)
# A comment that does not close goes to the end at once, or looking for its end would be quadratic.
_DOCTYPE_PART = re.compile(r"\"[^\"]*\"|'[^']*'|\[|>")
_SUBSET_PART = re.compile(r"\"[^\"]*\"|'[^']*'|<!--(?:.*?-->|.*\Z)|\]\s*>", re.DOTALL)
_JSON = re.compile(r"\{|\[\s*\{")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The text of a document and the syntax that it is in."""

    format: Format
    text: str


def recognise(data: bytes) -> Source:
    """Decompress, decode and name the syntax.

    Raises:
        InvalidOntology: empty, damaged, an archive, no text, or no syntax of ontologies that is
            read here; the message says which, `format` in the details where it is known.
    """
    text = decode(decompress(data))
    start = _LEADING.match(text)
    at = start.end() if start else 0
    if at >= len(text):
        raise InvalidOntology("The file holds nothing to read: it is empty or has only comments.")
    return Source(format=_syntax_of(text, at), text=text)


# --- Bytes ----------------------------------------------------------------------------------------


def decompress(data: bytes) -> bytes:
    """The content of a gzip file of one or more members; other data as it is."""
    if not data:
        raise InvalidOntology("The file is empty.")
    if not data.startswith(_GZIP):
        _refuse_archives(data, "The file is a {} archive; unpack it first.")
        return data
    bound = min(EXPANDED_BYTES_MAX, max(EXPANSION_FREE_BYTES, EXPANSION_RATIO * len(data)))
    parts: list[bytes] = []
    left, size = data, 0
    while left.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(left, bound - size + 1)
        except zlib.error:
            raise InvalidOntology("The gzip file is damaged.", details={"format": "gzip"}) from None
        size += len(part)
        if size > bound:
            raise InvalidOntology(
                f"The gzip file unpacks to more than {bound // limits.MIB} MiB, which is not taken.",
                details={"format": "gzip"},
            )
        if not member.eof:
            raise InvalidOntology("The gzip file ends too early: it was cut off.", details={"format": "gzip"})
        parts.append(part)
        left = member.unused_data
    if left.strip(b"\x00"):
        raise InvalidOntology("The gzip file is followed by other data.", details={"format": "gzip"})
    content = b"".join(parts)
    if content.startswith(_GZIP):
        raise InvalidOntology(
            "The gzip file holds another gzip file; unpack it first.", details={"format": "gzip"}
        )
    _refuse_archives(content, "The gzip file holds a {} archive; unpack it first.")
    if not content:
        raise InvalidOntology("The gzip file holds an empty file.", details={"format": "gzip"})
    return content


def _refuse_archives(data: bytes, message: str) -> None:
    for magic, name in _ARCHIVES.items():
        if data.startswith(magic):
            raise InvalidOntology(message.format(name), details={"format": name.lower()})


def decode(data: bytes) -> str:
    """The text: UTF-8, or what a byte order mark or XML declaration says; no mark, no NUL."""
    encoding, mark = "utf-8", b""
    for mark_bytes, name in _MARKS:
        if data.startswith(mark_bytes):
            encoding, mark = name, mark_bytes
            break
    else:
        declared = _DECLARATION.match(data[:200].decode("latin-1"))
        if declared:
            encoding = declared.group(1).lower()
            if encoding not in _ENCODINGS:
                raise InvalidOntology(
                    f"The encoding {declared.group(1)} is not read here; save the file as UTF-8.",
                    details={"line": 1},
                )
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidOntology(
            f"Line {line}: the bytes are not valid {encoding.upper()}.", details={"line": line}
        ) from None
    at = text.find("\x00")
    if at >= 0:
        line = text.count("\n", 0, at) + 1
        raise InvalidOntology(f"Line {line}: a NUL byte; this is no text file.", details={"line": line})
    return text


# --- Syntax ---------------------------------------------------------------------------------------


def _syntax_of(text: str, at: int) -> Format:
    if text[at] == "<":
        found = _xml_syntax(text, at)
        if found is not None:
            return found
    if _FUNCTIONAL.match(text, at):
        return "functional"
    if _JSON.match(text, at):
        raise InvalidOntology(
            "This is JSON (JSON-LD or OBO graphs), which is not read here; convert it first.",
            details={"format": "json"},
        )
    if _OBO.match(text, at):
        raise InvalidOntology(
            "This is OBO format. Reading it needs a Java runtime (pip install 'protege-jobs[jvm]' "
            "adds one) and the jars that come with a release.",
            details={"format": "obo"},
        )
    if _MANCHESTER.match(text, at):
        return "manchester"
    if _TURTLE.match(text, at):
        return "turtle"
    raise InvalidOntology(
        "This is no ontology syntax known here. Read are RDF/XML, Turtle, OWL/XML, functional and "
        f"Manchester syntax; the file begins with {text[at : at + 40]!r}.",
        details={"line": text.count("\n", 0, at) + 1},
    )


def _xml_syntax(text: str, at: int) -> Format | None:
    """What XML it is; None when it is none (an IRI begins a Turtle file)."""
    while True:
        match = _XML_LEADING.match(text, at)
        at = match.end() if match else at
        if _HTML.match(text, at):
            raise InvalidOntology(
                "This is an HTML page, not an ontology; perhaps a sign-in page was saved in its place.",
                details={"format": "html"},
            )
        if not text.startswith("<!DOCTYPE", at):
            break
        end = _end_of_doctype(text, at)
        if end < 0:
            raise InvalidOntology("The document type declaration is not closed.", details={"format": "xml"})
        at = end
    tag = _TAG.match(text, at)
    if tag is None:
        started = text.lstrip().startswith("<?xml")
        if started or text.startswith("<!", at):
            raise InvalidOntology(
                "The XML file has no root element: it was cut off.", details={"format": "xml"}
            )
        return None
    prefix, name, attributes = tag.groups()
    if name == "RDF" and (prefix or "xmlns" in attributes):
        return "rdfxml"
    if name == "Ontology":
        return "owlxml"
    if "xmlns" not in attributes and not text.lstrip().startswith("<?xml") and prefix:
        return None
    raise InvalidOntology(
        f"This is XML with the root element {name!r}; ontologies have rdf:RDF or Ontology.",
        details={"format": "xml", "line": text.count("\n", 0, at) + 1},
    )


def _end_of_doctype(text: str, at: int) -> int:
    """Just past the declaration that starts here; -1 when it does not end."""
    for match in _DOCTYPE_PART.finditer(text, at + 9):
        token = match.group()
        if token == "[":
            return _end_of_subset(text, match.end())
        if token == ">":
            return match.end()
    return -1


def _end_of_subset(text: str, at: int) -> int:
    for match in _SUBSET_PART.finditer(text, at):
        if match.group()[0] == "]":
            return match.end()
    return -1
