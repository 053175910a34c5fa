"""The entities of an axiom, fast: nine axioms in ten have one of a few plain shapes.

Everything else goes the exact way, `syntax.entities` over the parsed axiom; both ways give the
same answer for every canonical text (a test compares them).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.ontology import syntax

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jobs.ontology.grammar import EntityType

    Entity = tuple[EntityType, str]
    """Type and IRI without brackets."""

_IRI: Final = r"<[^<>]*>"
_ANONYMOUS: Final = r'_:[^\s()<>"=,]+'
_LITERAL: Final = rf'"[^"\\]*(?:\\.[^"\\]*)*"(?:@[a-z0-9-]+|\^\^{_IRI})?'
_VALUE: Final = rf"(?:{_IRI}|{_ANONYMOUS}|{_LITERAL})"
_ANNOTATIONS: Final = rf"((?:Annotation\({_IRI} {_VALUE}\) )*)"
_ANNOTATION = re.compile(rf"Annotation\(<([^<>]*)> ({_VALUE})\) ", re.DOTALL)
_DECLARATION = re.compile(rf"Declaration\({_ANNOTATIONS}([A-Za-z]+)\(<([^<>]*)>\)\)", re.DOTALL)
_ASSERTION = re.compile(
    rf"AnnotationAssertion\({_ANNOTATIONS}<([^<>]*)> (?:<([^<>]*)>|{_ANONYMOUS}) ({_VALUE})\)", re.DOTALL
)
_SUBCLASS = re.compile(
    rf"SubClassOf\({_ANNOTATIONS}<([^<>]*)> (?:<([^<>]*)>|ObjectSomeValuesFrom\(<([^<>]*)> <([^<>]*)>\))\)",
    re.DOTALL,
)


def entities(text: str) -> Iterator[Entity]:
    """Every entity of a canonical axiom with its type, built-in ones included, perhaps repeatedly."""
    if text.startswith("AnnotationAssertion("):
        if match := _ASSERTION.fullmatch(text):
            annotations, prop, _, value = match.groups()
            yield "annotationproperty", prop
            yield from _of_value(value)
            yield from _of_annotations(annotations)
            return
    elif text.startswith("SubClassOf("):
        if match := _SUBCLASS.fullmatch(text):
            annotations, sub, superclass, prop, filler = match.groups()
            yield "class", sub
            yield "class", superclass if superclass is not None else filler
            if prop is not None:
                yield "objectproperty", prop
            yield from _of_annotations(annotations)
            return
    elif match := _DECLARATION.fullmatch(text):
        annotations, kind, iri = match.groups()
        yield kind.lower(), iri  # type: ignore[misc] # the grammar's names, in lower case
        yield from _of_annotations(annotations)
        return
    yield from syntax.entities(syntax.parse_axiom(text))


def signature(texts: Iterable[str]) -> set[Entity]:
    """The entities of many axioms or annotations, built-in ones included."""
    found: set[Entity] = set()
    for text in texts:
        found.update(entities(text))
    return found


def annotation_subject(text: str) -> str | None:
    """The IRI that an annotation assertion is about; None for other axioms and anonymous subjects."""
    if not text.startswith("AnnotationAssertion("):
        return None
    if match := _ASSERTION.fullmatch(text):
        subject: str | None = match.group(3)
        return subject
    operands = [node for node in syntax.parse_axiom(text)[1:] if isinstance(node, str)]
    return operands[1][1:-1] if operands[1].startswith("<") else None


def _of_annotations(annotations: str) -> Iterator[Entity]:
    for prop, value in _ANNOTATION.findall(annotations):
        yield "annotationproperty", prop
        yield from _of_value(value)


def _of_value(value: str) -> Iterator[Entity]:
    if value[0] == '"' and value[-1] == ">":
        yield "datatype", value[value.rindex("<") + 1 : -1]
