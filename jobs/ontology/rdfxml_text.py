"""RDF/XML text in the form that the parser reads without loss.

The parser takes a comment, processing instruction or CDATA section inside a literal for the start
of another text: it then refuses the literal, or forgets white space at its ends. It also passes
over what `rdf:parseType` values it does not know, with all that is written inside. So the former
are dissolved here and the latter refused. Line numbers stay those of the source.
"""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat
from xml.sax.saxutils import escape

from jobs.errors import InvalidOntology
from jobs.ontology.grammar import RDF

_ASIDE: Final = r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
_ASIDES: Final = re.compile(rf"(?>(?:(?:{_ASIDE})[^<]*)+)(?:(</[^>]*)>)?", re.DOTALL)
_ONE_ASIDE: Final = re.compile(_ASIDE, re.DOTALL)
_CDATA: Final = "<![CDATA["
_UNREAD: Final = re.compile(r"parseType\s*=\s*([\"'])(?!(?:Literal|Resource|Collection)\1)|bagID\s*=")
_PARSE_TYPES: Final = frozenset({"Literal", "Resource", "Collection"})


def simplify(text: str) -> str:
    """The same statements in plainer XML.

    Args:
        text: well-formed, without document type or entities.
    Raises:
        InvalidOntology: an attribute of `rdf:` that the parser would pass over.
    """
    if _UNREAD.search(text):
        _refuse_unread(text)
    if "<!" in text or "<?" in text:
        return _ASIDES.sub(_dissolved, text)
    return text


def _dissolved(match: re.Match[str]) -> str:
    """Comments and sections before an end tag as plain text; elsewhere no literal can be around them."""
    end_tag = match.group(1)
    if end_tag is None:
        return match.group()
    inside = match.group()[: match.start(1) - match.start()]
    plain = _ONE_ASIDE.sub(
        lambda aside: escape(aside.group()[9:-3]) if aside.group().startswith(_CDATA) else "", inside
    )
    lost_lines = "\n" * (inside.count("\n") - plain.count("\n"))
    return f"{plain}{end_tag}{lost_lines}>"


def _refuse_unread(text: str) -> None:
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")

    def start(_: str, attributes: dict[str, str]) -> None:
        parse_type = attributes.get(f"{RDF} parseType", "Literal")
        if parse_type not in _PARSE_TYPES:
            raise _unread(f"rdf:parseType={parse_type[:80]!r}", parser.CurrentLineNumber)
        if f"{RDF} bagID" in attributes:
            raise _unread("rdf:bagID", parser.CurrentLineNumber)

    parser.StartElementHandler = start
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
