"""Terms out of tokens: the machine that checks operands and puts those without order in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology import grammar
from jobs.ontology.literals import IRI, LITERAL, PNAME, QUOTED, canonical_literal

if TYPE_CHECKING:
    from collections.abc import Mapping

NESTING_MAX: Final = 200
"""Deepest nesting of terms that is read; real ontologies stay below 50 (ours)."""

TOKEN: Final = re.compile(
    rf"""[A-Za-z]+\s*\(                     # the start of a construct
    |{IRI}
    |{QUOTED}(?:\s*@\s*[A-Za-z0-9-]+|\s*\^\^\s*(?:{IRI}|{PNAME}))?
    |_:[^\s()<>"=,]+
    |{PNAME}
    |[0-9]+(?![^\s()<>"=,])
    |[()=]
    |\#[^\n]*
    |\S                                     # anything else: the reader says what is wrong
    """,
    re.VERBOSE | re.DOTALL,
)


class Terms:
    """A stack machine that turns tokens into canonical terms, innermost first.

    Feed tokens to `take`; every term finished at the top level is in `done` as (sort, text).
    The caller adds line numbers to errors, so it keeps the positions.
    """

    __slots__ = ("_iris", "_names", "_open", "_prefixes", "_sorts", "_texts", "done")

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._iris: dict[str, str] = {}
        self._open: list[tuple[list[str], list[str]]] = []
        self._names: list[str] = []
        self._sorts: list[str] = []
        self._texts: list[str] = []
        self.done: list[tuple[str, str]] = []

    @property
    def depth(self) -> int:
        """How many constructs are open."""
        return len(self._names)

    @property
    def construct(self) -> str | None:
        """The innermost open construct, for messages."""
        return self._names[-1].replace("(", "HasKey ") if self._names else None

    def take(self, token: str) -> None:
        """Add one token of `TOKEN`; raise `InvalidOntology` when nothing can come of it."""
        first = token[0]
        if token == ")":
            self._close()
        elif first == "<":
            self._add("<", token)
        elif first == '"':
            self._add('"', self._literal(token))
        elif first == "#":
            return
        elif token[-1] == "(":
            self._begin(token[:-1].rstrip())
        elif token.startswith("_:"):
            self._add("_", token)
        elif ":" in token:
            self._add("<", self.expand(token))
        elif token.isascii() and token.isdecimal():
            self._add("0", token.lstrip("0") or "0")
        else:
            raise InvalidOntology(f"Unexpected {token!r}{self._where()}.", details=self._details())

    def single(self) -> str:
        """The one finished term; anything else is an error."""
        if self._names:
            raise InvalidOntology(
                f"{self.construct}( is not closed: the text ends too early.", details=self._details()
            )
        if len(self.done) != 1:
            raise InvalidOntology(f"One term was expected, not {len(self.done)}.")
        return self.done[0][1]

    def expand(self, name: str) -> str:
        """The full IRI, in angle brackets, of an abbreviated one."""
        known = self._iris.get(name)
        if known is not None:
            return known
        prefix, _, local = name.partition(":")
        base = self._prefixes.get(prefix)
        if base is None:
            raise InvalidOntology(
                f"The prefix {prefix + ':'!r} of {name!r} is not declared.", details=self._details()
            )
        self._iris[name] = iri = f"<{base}{local}>"
        return iri

    def name(self, token: str) -> str:
        """The canonical text of an IRI, an abbreviated one or an anonymous individual."""
        known = self._iris.get(token)
        if known is not None:
            return known
        return token if token[0] == "<" or token.startswith("_:") else self.expand(token)

    def value(self, token: str) -> str:
        """The canonical text of what an annotation says: a literal, or as `name`."""
        if token[0] != '"':
            return self.name(token)
        return token if token[-1] == '"' and "\\" not in token else self._literal(token)

    def _literal(self, token: str) -> str:
        match = LITERAL.fullmatch(token)
        if match is None:
            raise InvalidOntology(f"Malformed literal{self._where()}.", details=self._details())
        quoted, language, datatype = match.groups()
        if datatype is not None and datatype[0] != "<":
            datatype = self.expand(datatype)
        return canonical_literal(quoted, language, datatype)

    def _begin(self, name: str) -> None:
        if not name:
            name = "(keys" if "k" not in self._sorts else "(data"
            if not self._names or self._names[-1] != "HasKey":
                raise InvalidOntology(f"Unexpected '('{self._where()}.", details=self._details())
        elif name not in grammar.SORTS:
            raise InvalidOntology(
                f"Unknown construct {name!r}: it is not part of OWL 2 functional syntax.",
                details={"construct": name},
            )
        if len(self._names) >= NESTING_MAX:
            raise InvalidOntology(
                f"Terms are nested more than {NESTING_MAX} deep{self._where()}.", details=self._details()
            )
        self._names.append(name)
        self._open.append((self._sorts, self._texts))
        self._sorts, self._texts = [], []

    def _close(self) -> None:
        if not self._names:
            raise InvalidOntology("Unexpected ')': nothing is open here.")
        text = finish(self._names[-1], "".join(self._sorts), self._texts)
        name = self._names.pop()
        self._sorts, self._texts = self._open.pop()
        self._add(grammar.SORTS[name], text)

    def _add(self, sort: str, text: str) -> None:
        if self._names:
            self._sorts.append(sort)
            self._texts.append(text)
        else:
            self.done.append((sort, text))

    def _where(self) -> str:
        return f" in {self.construct}" if self._names else ""

    def _details(self) -> dict[str, object]:
        return {"construct": self.construct} if self._names else {}


def finish(name: str, sorts: str, texts: list[str]) -> str:
    """The canonical text of a construct from canonical operands; `sorts` has one letter for each.

    Raises:
        InvalidOntology: the operands do not fit the construct.
    """
    shape = grammar.shape(name, sorts)
    if shape is None:
        raise InvalidOntology(
            f"{name.replace('(', 'HasKey ')} does not take these operands: {_summary(texts)}",
            details={"construct": name.replace("(", "HasKey ")},
        )
    if shape.annotations > 1:
        texts[: shape.annotations] = sorted(set(texts[: shape.annotations]))
    offset = len(sorts) - len(texts)  # repeated annotations are gone by now
    if shape.order != "fixed":
        part = slice(shape.start - offset, shape.stop - offset)
        texts[part] = _without_order(texts[part], shape)
    elif name in grammar.DEFAULT_FILLERS and len(texts) == 3 and texts[2] == grammar.DEFAULT_FILLERS[name]:
        del texts[2]
    inner = " ".join(texts)
    return f"({inner})" if name[0] == "(" else f"{name}({inner})"


def _without_order(texts: list[str], shape: grammar.Shape) -> list[str]:
    match shape.order:
        case "pair":
            return sorted(texts)
        case "facets":
            return [text for pair in sorted(set(zip(texts[::2], texts[1::2], strict=True))) for text in pair]
        case _:
            members = sorted(set(texts))
            return members * 2 if len(members) == 1 and shape.minimum == 2 else members


def _summary(texts: list[str]) -> str:
    shown = " ".join(text if len(text) <= 80 else text[:77] + "..." for text in texts[:6])
    return f"({shown}{' ...' if len(texts) > 6 else ''})."
