"""XML made safe before any reader sees it: well-formed, without document type or entities.

Namespace entities (`<!ENTITY obo "http://...">`) are common in real ontologies, so internal
entities are replaced in the text, within a bound; external ones, parameter entities and markup in
entities are refused. Well-formedness is checked here for all XML, because the RDF/XML reader
accepts a file that was cut off without a word. Line numbers stay those of the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from jobs import limits
from jobs.errors import InvalidOntology

EXPANSION_FREE_CHARACTERS: Final = 16 * limits.MIB
EXPANSION_RATIO: Final = 8
"""Entities may make the text longer by this factor of its length, or by the free amount (ours)."""
ENTITY_CHARACTERS: Final = 64 * limits.KIB
"""Longest replacement text of one entity."""

# What does not close goes to the end at once, or looking for its end would be quadratic.
_REFERENCE = re.compile(r"<!--(?:.*?-->|.*\Z)|<!\[CDATA\[(?:.*?\]\]>|.*\Z)|&([A-Za-z_:][\w:.-]*);", re.DOTALL)
_INNER_REFERENCE = re.compile(r"&([A-Za-z_:][\w:.-]*);")
_PREDEFINED: Final = frozenset({"amp", "lt", "gt", "quot", "apos"})
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlSource:
    """XML text that any reader may have."""

    text: str
    prefixes: dict[str, str]
    """Namespace declarations of the root element."""


class _Found(Exception):
    """The root element begins: the document type is known."""


def prepare_xml(text: str, name: str) -> XmlSource:
    """Check and simplify an XML text.

    Args:
        name: the syntax, for messages: `rdfxml` or `owlxml`.
    Raises:
        InvalidOntology: not well-formed (with the line), or an entity that is not taken.
    """
    if "\r" in text:  # every line end is one line feed (XML 1.0, 2.11); the RDF/XML parser leaves them
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    declaration = _XML_DECLARATION.match(text)
    if declaration:  # the text is decoded already, so what it said of its encoding no longer holds
        text = (
            text[declaration.end() :] if "\n" not in declaration.group() else _blank(text, declaration.end())
        )
    if "<!DOCTYPE" in text:
        text = _without_doctype(text, name)
    return XmlSource(text=text, prefixes=_check(text, name))


def _blank(text: str, stop: int) -> str:
    return "\n" * text.count("\n", 0, stop) + text[stop:]


def _check(text: str, name: str) -> dict[str, str]:
    """Parse to the end; the namespace declarations of the root element."""
    prefixes: dict[str, str] = {}
    parser = expat.ParserCreate(encoding="utf-8")

    def start(_: str, attributes: dict[str, str]) -> None:
        for key, value in attributes.items():
            if key == "xmlns" or key.startswith("xmlns:"):
                prefixes[key[6:]] = value
        parser.StartElementHandler = None

    parser.StartElementHandler = start
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise _not_well_formed(error, name) from None
    return prefixes


def _not_well_formed(error: expat.ExpatError, name: str) -> InvalidOntology:
    reason = expat.errors.messages.get(error.code, "not well-formed")
    cut = error.code in (3, 5)  # no element found, unclosed token
    what = f"{reason}: the file was cut off" if cut else reason
    return InvalidOntology(
        f"Line {error.lineno}: not well-formed XML ({what}).", details={"line": error.lineno, "format": name}
    )


def _without_doctype(text: str, name: str) -> str:
    entities: dict[str, str] = {}
    bounds: list[int] = []
    parser = expat.ParserCreate(encoding="utf-8")
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def refuse(why: str) -> InvalidOntology:
        line = parser.CurrentLineNumber
        return InvalidOntology(
            f"Line {line}: {why}, which is not read.",
            details={"line": line, "format": name, "construct": "entity"},
        )

    def doctype(_: str, system: str | None, public: str | None, __: bool) -> None:
        bounds.append(parser.CurrentByteIndex)
        if system is not None or public is not None:
            raise refuse("the DOCTYPE names an external document type (entity)")

    def entity(
        key: str, parameter: bool, value: str | None, _: str | None, system: str | None, *__: object
    ) -> None:
        if parameter or value is None or system is not None:
            raise refuse(f"{key!r} is an external or parameter entity")
        if key not in _PREDEFINED:
            entities.setdefault(key, value)

    def attributes(*_: object) -> None:
        raise refuse(
            "the DOCTYPE declares attributes, whose defaults would be lost (only entities are taken)"
        )

    def end() -> None:
        bounds.append(parser.CurrentByteIndex)

    def start(_: str, __: object) -> None:
        raise _Found

    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.AttlistDeclHandler = attributes
    parser.EndDoctypeDeclHandler = end
    parser.StartElementHandler = start
    raw = text.encode("utf-8", "surrogatepass")
    try:
        parser.Parse(raw, True)
    except _Found:
        pass
    except expat.ExpatError as error:
        if len(bounds) < 2:
            raise _not_well_formed(error, name) from None
    if len(bounds) < 2:
        return text  # the word stands in a comment or value
    begin = raw.rindex(b"<!DOCTYPE", 0, bounds[0] + 1)  # expat tells where its name or subset ends
    stop = raw.index(b">", bounds[1]) + 1
    blank = b"\n" * raw.count(b"\n", begin, stop)
    head, body = raw[:begin].decode("utf-8"), raw[stop:].decode("utf-8")
    first_line = raw.count(b"\n", 0, stop) + 1
    return head + blank.decode() + _replace(body, _resolved(entities, name), first_line, name)


def _resolved(entities: dict[str, str], name: str) -> dict[str, str]:
    """Entities without references to each other; an entity that grows beyond its bound is refused."""
    resolved: dict[str, str] = {}
    for key in entities:
        value = _resolve(key, entities, resolved, (), name)
        if "<" in value:
            raise _bad_entity(f"The entity {key!r} contains markup", name)
    return {key: value.replace('"', "&quot;").replace("'", "&apos;") for key, value in resolved.items()}


def _resolve(
    key: str, entities: dict[str, str], resolved: dict[str, str], path: tuple[str, ...], name: str
) -> str:
    if key in resolved:
        return resolved[key]
    if key in path or len(path) > 20:
        raise _bad_entity(f"The entity {key!r} refers to itself or is nested too deep", name)
    if key not in entities:
        raise _bad_entity(f"The entity {key!r} is not declared", name)
    size = 0
    parts: list[str] = []
    at = 0
    for match in _INNER_REFERENCE.finditer(entities[key]):
        inner = match.group(1)
        text = (
            match.group() if inner in _PREDEFINED else _resolve(inner, entities, resolved, (*path, key), name)
        )
        parts += [entities[key][at : match.start()], text]
        at = match.end()
        size += len(text)
        if size > ENTITY_CHARACTERS:
            raise _bad_entity(f"The entity {key!r} expands beyond {ENTITY_CHARACTERS} characters", name)
    parts.append(entities[key][at:])
    resolved[key] = "".join(parts)
    return resolved[key]


def _bad_entity(why: str, name: str) -> InvalidOntology:
    return InvalidOntology(f"{why}, which is not read.", details={"format": name, "construct": "entity"})


def _replace(body: str, entities: dict[str, str], first_line: int, name: str) -> str:
    bound = len(body) * EXPANSION_RATIO + EXPANSION_FREE_CHARACTERS
    size = len(body)

    def replacement(match: re.Match[str]) -> str:
        nonlocal size
        key = match.group(1)
        if key is None or key in _PREDEFINED:
            return match.group()
        if key not in entities:
            line = first_line + body.count("\n", 0, match.start())
            raise InvalidOntology(
                f"Line {line}: the entity {key!r} is not declared.",
                details={"line": line, "format": name, "construct": "entity"},
            )
        size += len(entities[key])
        if size > bound:
            raise _bad_entity("The text expands beyond the bound by its entities", name)
        return entities[key]

    return _REFERENCE.sub(replacement, body)
