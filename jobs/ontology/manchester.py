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
from jobs.ontology import grammar
from jobs.ontology.functional import read_functional
from jobs.ontology.manchester_kinds import settle_kinds
from jobs.ontology.reading import declared_types
from jobs.ontology.terms import NESTING_MAX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jobs.ontology.document import OntologyDocument
    from jobs.ontology.grammar import EntityType

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
_BARE_DATATYPES: Final = frozenset({"integer", "decimal", "float", "string"})
_BARE_DATATYPE: Final = re.compile(r"(?<![\w:#/.-])(?:integer|decimal|float|string)(?![\w:#/-])")


def read_manchester(
    text: str, external_types: Mapping[str, frozenset[EntityType]] | None = None
) -> tuple[OntologyDocument, frozenset[str]]:
    """The document and the IRIs whose kind was guessed.

    Args:
        external_types: what imported documents declare.
    Raises:
        InvalidOntology: with the line where the library tells it.
    """
    import pyhornedowl

    _check_sections(text)
    try:
        ontology = pyhornedowl.open_ontology_from_string(_with_full_datatypes(text), "omn")
    except ValueError as error:
        raise _as_invalid(error, text) from None
    try:
        document = read_functional(ontology.save_to_string("ofn"))
        # The library keeps the mark of a float literal (1.5f) as part of its value.
        document = replace(
            document,
            axioms=tuple(_without_float_mark(document.axioms)),
            annotations=tuple(_without_float_mark(document.annotations)),
        )
        document, guessed = settle_kinds(document, declared_types(document), external_types or {})
    except InvalidOntology as error:
        reason = re.sub(r"^Line \d+: ", "", error.message)  # a line of the text in between
        raise InvalidOntology(reason, details={"format": "manchester"}) from None
    prefixes = dict(_PREFIX.findall(text))
    return replace(document, format="manchester", reader="horned", prefixes=prefixes), guessed


def _without_float_mark(texts: Iterable[str]) -> list[str]:
    return sorted({_FLOAT.sub(r'"\1"', text) for text in texts})


def _with_full_datatypes(text: str) -> str:
    """The text with the grammar's four datatype words as IRIs; the library takes them for names."""
    if _BARE_DATATYPE.search(text) is None:
        return text

    def replacement(match: re.Match[str]) -> str:
        token = match.group()
        return f"<{grammar.XSD}{token}>" if token in _BARE_DATATYPES else token

    return _TOKEN.sub(replacement, text)


def _check_sections(text: str) -> None:
    """Refuse what the library's reader cannot take: deep nesting, and annotations that it would drop."""
    depth = operators = 0
    before = ""
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token[0] == "#":
            continue
        if token == "Annotations:" and before == "HasKey:":
            line = text.count("\n", 0, match.start()) + 1
            raise InvalidOntology(
                f"Line {line}: annotations on HasKey are not read in Manchester syntax; "
                "save the file in another syntax.",
                details={"line": line, "format": "manchester", "construct": "HasKey"},
            )
        before = token
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
