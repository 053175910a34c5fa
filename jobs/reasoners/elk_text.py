"""What the EL reasoner is given: the logical axioms, stripped to what it reads.

The closure's axioms are rewritten as a small functional-syntax document: annotations and
annotation axioms left out, every class declared (one that stands only in ignored axioms still has
its place), and names and literals replaced by short ones of our own. So no odd IRI or malformed
lexical form of the document can be refused, and reading it costs a third. Property and datatype
declarations are left out: alone they say nothing, and the reasoner would count them as reasons
to doubt its answer. Rules are left out by name, since its reader does not know them; ranges, since
pyelk 0.2.1 draws wrong conclusions from them: of `C SubClassOf r some C` and a range of r it puts C
below the range. A range that says nothing new (`ranges.needless`) is left out without a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar, syntax
from jobs.reasoners import ranges, told

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOT_GIVEN: Final = ("DLSafeRule(", "ObjectPropertyRange(")
_NAME = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"(?:@[a-z0-9-]+|\^\^<[^<>]*>)?|<[^<>]*>|_:[^\s()<>"=,]+', re.DOTALL
)


@dataclass(slots=True)
class Encoded:
    """The axioms as the reasoner reads them, and the way back."""

    axioms: list[str] = field(default_factory=list)
    """One text per kept axiom."""
    sources: list[str] = field(default_factory=list)
    """The axiom each came from; class declarations, which are ours, have none and come last."""
    names: list[str] = field(default_factory=list)
    """The IRI behind each short name, by its number."""
    left_out: list[str] = field(default_factory=list)
    """Axioms the reasoner is not given."""
    entities: dict[str, set[str]] = field(default_factory=dict)
    """Every entity of the axioms by its kind, built-in ones included."""

    def document(self, keep: Iterable[int] | None = None) -> bytes:
        """A functional-syntax document of all axioms, or of those with these numbers."""
        chosen = self.axioms if keep is None else [self.axioms[number] for number in keep]
        return "\n".join(["Ontology(", *chosen, ")\n"]).encode()

    def iri(self, short: str) -> str:
        """The IRI behind a short name; a reserved name stands for itself."""
        return self.names[int(short[2:])] if short.startswith("e:") else short


def not_given(encoded: Encoded) -> int:
    """How many axioms were left out here, before its reader saw any."""
    return sum(1 for text in encoded.left_out if text.startswith(_NOT_GIVEN))


def encode(axioms: Iterable[str]) -> Encoded:
    """Rewrite the closure's axioms."""
    logical = [text for text in axioms if not text.startswith(("Annotation", "SubAnnotation"))]
    encoded = Encoded()
    short: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        token = match.group()
        known = short.get(token)
        if known is None:
            short[token] = known = _short(token, encoded)
        return known

    needless = ranges.needless(logical)
    for text in logical:
        if text.startswith("Declaration(") or text in needless:
            continue
        if text.startswith(_NOT_GIVEN):
            encoded.left_out.append(text)
            continue
        encoded.axioms.append(_NAME.sub(rename, syntax.strip_annotations(text)))
        encoded.sources.append(text)
    encoded.entities = told.entities(logical)
    for iri in sorted(encoded.entities.get("class", ())):
        encoded.axioms.append(f"Declaration(Class({_NAME.sub(rename, f'<{iri}>')}))")
    return encoded


def _short(token: str, encoded: Encoded) -> str:
    if token[0] == "_" or token.startswith(_RESERVED):
        return token
    number = len(encoded.names)
    encoded.names.append(token[1:-1])
    return f"<e:{number}>" if token[0] == "<" else f'"{number}"'


_RESERVED: Final = tuple(f"<{namespace}" for namespace in grammar.BUILTIN_NAMESPACES)
