"""Documents in Manchester syntax, through py-horned-owl.

The library's reader follows the W3C grammar and refuses what it does not know; it hands the result
over as functional syntax, which `functional` reads. Its descent is recursive and native, so
nesting is bounded here first: a stack overflow there would take the process along.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology.functional import read_functional
from jobs.ontology.terms import NESTING_MAX

if TYPE_CHECKING:
    from jobs.ontology.document import OntologyDocument

OPERATORS_MAX: Final = 1000
"""Class constructors in one section; each may be a level of the library's recursion (ours)."""

_TOKEN: Final = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|<[^<>\s]*>|#[^\n]*|[({\[]|[)}\]]|[A-Za-z][\w-]*:(?=\s)|[^\s()<>{}\[\]",]+',
    re.DOTALL,
)
_OPERATORS: Final = frozenset(
    {"not", "some", "only", "value", "min", "max", "exactly", "inverse", "that", "o"}
)
_PREFIX: Final = re.compile(r"^[ \t]*Prefix:[ \t]*([^\s:]*):[ \t]*<([^>\n]*)>", re.MULTILINE)
_FLOAT: Final = re.compile(
    r'"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)[fF]"(?=\^\^<http://www\.w3\.org/2001/XMLSchema#float>)'
)


def read_manchester(text: str) -> OntologyDocument:
    """The document; raises `InvalidOntology` with the line where the library tells it."""
    import pyhornedowl

    _check_nesting(text)
    try:
        ontology = pyhornedowl.open_ontology_from_string(text, "omn")
    except ValueError as error:
        raise _as_invalid(error, text) from None
    # The library keeps the mark of a float literal (1.5f) as part of its value.
    written = _FLOAT.sub(r'"\1"', ontology.save_to_string("ofn"))
    try:
        document = read_functional(written)
    except InvalidOntology as error:
        reason = re.sub(r"^Line \d+: ", "", error.message)  # a line of the text in between
        raise InvalidOntology(reason, details={"format": "manchester"}) from None
    return replace(document, format="manchester", reader="horned", prefixes=dict(_PREFIX.findall(text)))


def _check_nesting(text: str) -> None:
    depth = operators = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "({[":
            depth += 1
        elif token in ")}]":
            depth -= 1
        elif token[-1] == ":":
            operators = 0
        elif token in _OPERATORS:
            operators += 1
        if depth > NESTING_MAX or operators > OPERATORS_MAX:
            line = text.count("\n", 0, match.start()) + 1
            raise InvalidOntology(
                f"Line {line}: expressions are nested more than {NESTING_MAX} deep or are too long.",
                details={"line": line, "format": "manchester"},
            )


def _as_invalid(error: ValueError, text: str) -> InvalidOntology:
    said = str(error)
    details: dict[str, object] = {"format": "manchester"}
    position = re.search(r"line_col: (?:Pos|Span)\(\(+(\d+), (\d+)\)", said)
    span = re.search(r"Byte(?:Span|Position)\((\d+)", said)
    expected = re.search(r"positives: \[([^\]]*)\]", said)
    where, reason = "", "it does not follow the grammar"
    line = int(position.group(1)) if position else None
    if line is None and span:
        line = text.encode()[: int(span.group(1))].count(b"\n") + 1
    if line is not None:
        details["line"] = line
        where = f"Line {line}: "
    if expected and expected.group(1):
        reason = f"expected here is one of {expected.group(1)[:200]}"
    elif not position:
        message = re.search(r'"([^"]*)"', said)
        reason = message.group(1)[:200] if message else reason
    return InvalidOntology(f"{where}not readable as Manchester syntax: {reason}.", details=details)
