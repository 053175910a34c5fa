"""RDF/XML text in the form that the parser reads without loss.

The parser takes a comment, processing instruction or CDATA section inside a literal for the start
of another text: it then refuses the literal, or forgets white space at its ends. It also passes
over what `rdf:parseType` values it does not know, with all that is written inside. So the former
are dissolved here and the latter refused. Line numbers stay those of the source.

Its time grows with the square of the nesting, so that is bounded here as well; lists written as
nested `rdf:rest` elements make real documents thousands deep.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from jobs.errors import InvalidOntology
from jobs.ontology.grammar import RDF

if TYPE_CHECKING:
    from collections.abc import Iterator

_ASIDE: Final = r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
_ASIDES: Final = re.compile(rf"(?>(?:(?:{_ASIDE})[^<]*)+)(?:(</[^>]*)>)?", re.DOTALL)
_ONE_ASIDE: Final = re.compile(_ASIDE, re.DOTALL)
_CDATA: Final = "<![CDATA["
_UNREAD: Final = (  # one each: a pattern that begins with fixed text is searched for much faster
    re.compile(r"parseType\s*=\s*([\"'])(?!(?:Literal|Resource|Collection)\1)"),
    re.compile(r"bagID\s*="),
)
DEPTH_MAX: Final = 20_000
"""Nested elements (ours): a list of 10,000 members at two levels each, and seconds of parsing."""
_DEPTH_LOOK: Final = 64 * 1024
_PARSE_TYPES: Final = frozenset({"Literal", "Resource", "Collection"})


def simplify(text: str) -> str:
    """The same statements in plainer XML.

    Args:
        text: well-formed, without document type or entities.
    Raises:
        InvalidOntology: an attribute of `rdf:` that the parser would pass over, or nesting beyond
            `DEPTH_MAX`.
    """
    if any(each.search(text) for each in _UNREAD) or _may_be_deep(text):
        _refuse_elements(text)
    return "".join(_dissolved_everywhere(text)) if _has_aside_in_text(text) else text


def _has_aside_in_text(text: str) -> bool:
    """Whether anything but comments between elements may be there; cheaper than to take text apart."""
    if "<?" in text:
        return True
    at = text.find("<!")
    while at >= 0:
        if not text.startswith("<!--", at):
            return True
        end = text.find("-->", at + 4)
        if text.startswith("</", text.find("<", end)):
            return True
        at = text.find("<!", end)
    return False


def _dissolved_everywhere(text: str) -> Iterator[str]:
    """`_ASIDES.sub(_dissolved, text)`, which would try the pattern at each of many times more tags."""
    done = 0
    section, instruction = text.find("<!"), text.find("<?")
    while section >= 0 or instruction >= 0:
        at = min(each for each in (section, instruction) if each >= 0)
        match = _ASIDES.match(text, at)
        assert match is not None, "well-formed text without a document type has nothing else here"
        yield text[done:at]
        yield _dissolved(match)
        done = match.end()
        section = text.find("<!", done) if 0 <= section < done else section
        instruction = text.find("<?", done) if 0 <= instruction < done else instruction
    yield text[done:]


def _dissolved(match: re.Match[str]) -> str:
    """Comments and sections before an end tag as plain text; elsewhere no literal can be around them."""
    end_tag = match.group(1)
    if end_tag is None:
        return match.group()
    inside = match.group()[: match.start(1) - match.start()]
    plain = _ONE_ASIDE.sub(
        lambda aside: _escaped(aside.group()[9:-3]) if aside.group().startswith(_CDATA) else "", inside
    )
    lost_lines = "\n" * (inside.count("\n") - plain.count("\n"))
    return f"{plain}{end_tag}{lost_lines}>"


def _escaped(text: str) -> str:
    # Not `xml.sax.saxutils`: it imports an HTTP client, which costs more than reading a small file.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _may_be_deep(text: str) -> bool:
    """Estimate the nesting every 64 KiB by counting marks; sure only to see what is far too deep."""
    depth = 0  # or more, by what was not counted of comments and the like
    not_counted = 0
    for start in range(0, len(text), _DEPTH_LOOK):
        stop = start + _DEPTH_LOOK
        opened = text.count("<", start, stop)
        depth += opened - 2 * text.count("</", start, stop) - text.count("/>", start, stop)
        if depth > DEPTH_MAX // 2:
            depth -= text.count("<!", not_counted, stop) + text.count("<?", not_counted, stop)
            not_counted = stop
            if depth > DEPTH_MAX // 2:
                return True
    return False


def _refuse_elements(text: str) -> None:
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
    depth = 0

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def start(_: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH_MAX:
            line = parser.CurrentLineNumber
            raise InvalidOntology(
                f"Line {line}: elements are nested more than {DEPTH_MAX} deep.",
                details={"line": line, "format": "rdfxml"},
            )
        parse_type = attributes.get(f"{RDF} parseType", "Literal")
        if parse_type not in _PARSE_TYPES:
            raise _unread(f"rdf:parseType={parse_type[:80]!r}", parser.CurrentLineNumber)
        if f"{RDF} bagID" in attributes:
            raise _unread("rdf:bagID", parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise InvalidOntology(
            f"Line {error.lineno}: the XML namespaces are not well-formed.",
            details={"line": error.lineno, "format": "rdfxml"},
        ) from None


def _unread(what: str, line: int) -> InvalidOntology:
    return InvalidOntology(
        f"Line {line}: {what} is not part of RDF/XML as it is read here.",
        details={"line": line, "format": "rdfxml", "construct": what.partition("=")[0]},
    )
