"""Literals and names as they are spelt in functional syntax.

A literal's canonical text is its value between quotation marks, where the quotation mark and the
backslash are escaped and nothing else is; see `syntax` for the reasons.
"""

from __future__ import annotations

import re
from typing import Final

from jobs.ontology import grammar

IRI: Final = r'<[^<>"\x00-\x1f]*>'
QUOTED: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"'
PNAME: Final = r'[^\s()<>"=#@^,:]*:[^\s()<>"=,]*'
INDIVIDUAL: Final = rf'(?:{IRI}|_:[^\s()<>"=,]+)'
_STRING: Final = f"<{grammar.XSD}string>"
_PLAIN: Final = f"<{grammar.RDF}PlainLiteral>"
CLEAN_LITERAL: Final = rf"{QUOTED}(?:@[a-z0-9-]+|\^\^(?!{re.escape(_STRING)}|{re.escape(_PLAIN)}){IRI})?"
"""A literal that is already in its canonical text, but for its escapes."""

LITERAL: Final = re.compile(rf"({QUOTED})(?:\s*@\s*([A-Za-z0-9-]+)|\s*\^\^\s*(.+))?", re.DOTALL)
"""Quoted text, language, and datatype as written."""

_ESCAPE = re.compile(r'\\(["\\])')
_CLEAN_BODY = re.compile(r'[^\\]*(?:\\["\\][^\\]*)*', re.DOTALL)


def literal(value: str, language: str | None = None, datatype: str | None = None) -> str:
    """The canonical text of a literal from its value; `datatype` is a bare IRI."""
    quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return canonical_literal(quoted, language, f"<{datatype}>" if datatype else None)


def literal_parts(text: str) -> tuple[str, str | None, str | None]:
    """Value, language and datatype IRI of a canonical literal; the last is None for a plain one."""
    match = LITERAL.fullmatch(text)
    if match is None:
        raise ValueError("not a literal")
    quoted, language, datatype = match.groups()
    return _ESCAPE.sub(r"\1", quoted[1:-1]), language, datatype[1:-1] if datatype else None


def canonical_literal(quoted: str, language: str | None, datatype: str | None) -> str:
    """The canonical text from quoted text, language, and datatype in angle brackets."""
    if "\\" in quoted and not _CLEAN_BODY.fullmatch(quoted, 1, len(quoted) - 1):
        # A backslash before another character stands for itself, as the OWL API reads it.
        value = _ESCAPE.sub(r"\1", quoted[1:-1])
        quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if language:
        return f"{quoted}@{language.lower()}"
    if datatype is None or datatype == _STRING:
        return quoted
    if datatype == _PLAIN:
        body, mark, tag = quoted[1:-1].rpartition("@")
        if not mark:
            return quoted
        return f'"{body}"@{tag.lower()}' if tag else f'"{body}"'
    return f"{quoted}^^{datatype}"


def has_clean_escapes(text: str) -> bool:
    """Whether every backslash in a text is part of one of the two escapes."""
    return _CLEAN_BODY.fullmatch(text) is not None
