"""Documents in functional syntax, read strictly and with line numbers.

This reader is ours rather than a library's because it must keep every construct exactly (data
ranges over several properties, empty keys, several annotations) and say the line of an error; it
is also faster, since most axioms need one match.

Source: OWL 2 functional-style syntax; comments, `Prefix` anywhere before `Ontology`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology import grammar
from jobs.ontology.abbreviated import read_usual
from jobs.ontology.document import OntologyDocument
from jobs.ontology.literals import has_clean_escapes
from jobs.ontology.syntax import ALREADY_CANONICAL
from jobs.ontology.terms import TOKEN, Terms

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE: Final = re.compile(r"(?:\s+|#[^\n]*)*")
_STANDARD_PREFIXES: Final = {
    "owl": grammar.OWL,
    "rdf": grammar.RDF,
    "rdfs": grammar.RDFS,
    "xsd": grammar.XSD,
}
"""Predeclared by the standard (structural specification, 2.4, table 2)."""


def read_functional(text: str) -> OntologyDocument:
    """The document; raises `InvalidOntology` with `line` and `construct`."""
    return _Reader(text).document()


class _Reader:
    """A cursor over the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._prefixes: dict[str, str] = dict(_STANDARD_PREFIXES)
        self._declared: dict[str, str] = {}

    def document(self) -> OntologyDocument:
        """Read the whole text."""
        try:
            self._read_prefixes()
            self._expect("Ontology(")
            identity = self._iris()
            if len(identity) > 2:
                raise InvalidOntology("An ontology has at most two IRIs.", details={"construct": "Ontology"})
            imports, annotations, axioms = self._read_items()
            self._read_end()
        except InvalidOntology as error:
            raise self._with_line(error) from None
        return OntologyDocument(
            iri=identity[0] if identity else None,
            version_iri=identity[1] if len(identity) > 1 else None,
            imports=tuple(sorted(imports)),
            annotations=tuple(sorted(annotations)),
            axioms=tuple(sorted(axioms)),
            prefixes=self._declared,
            format="functional",
            reader="functional",
        )

    # --- Pieces ---

    def _next(self) -> str:
        """The next token; the empty string at the end."""
        self._skip()
        match = TOKEN.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return re.sub(r"\s+\($", "(", match.group())

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        if match is not None:
            self._at = match.end()

    def _peek(self) -> str:
        self._skip()
        at = self._at
        token = self._next()
        self._at = at
        return token

    def _expect(self, token: str) -> None:
        self._skip()
        at = self._at
        found = self._next()
        if found != token:
            self._at = at
            what = f"{found[:40]!r}" if found else "the end of the file"
            raise InvalidOntology(f"{token!r} was expected, not {what}.", details={"construct": "Ontology"})

    def _read_prefixes(self) -> None:
        while self._peek() == "Prefix(":
            self._next()
            name = self._next()
            self._expect("=")
            iri = self._next()
            if not name.endswith(":") or not iri.startswith("<") or len(iri) < 2:
                raise InvalidOntology("Malformed prefix declaration.", details={"construct": "Prefix"})
            self._expect(")")
            self._declared[name[:-1]] = self._prefixes[name[:-1]] = iri[1:-1]

    def _iris(self) -> list[str]:
        """The IRIs that stand next; abbreviated ones are expanded."""
        found = []
        terms = Terms(self._prefixes)
        while (token := self._peek()) and (token[0] == "<" or (":" in token and token[0] not in '"_(#')):
            if token[-1] == "(" or token == "<":
                break
            self._next()
            found.append((token if token[0] == "<" else terms.expand(token))[1:-1])
        return found

    def _read_items(self) -> tuple[set[str], set[str], set[str]]:
        imports: set[str] = set()
        annotations: set[str] = set()
        axioms: set[str] = set()
        while (token := self._peek()) == "Import(":
            self._next()
            iris = self._iris()
            if len(iris) != 1:
                raise InvalidOntology("An import is one IRI.", details={"construct": "Import"})
            self._expect(")")
            imports.add(iris[0])
        del token
        for sort, text in self._terms():
            if sort == "X":
                axioms.add(text)
            elif sort == "n" and not axioms:
                annotations.add(text)
            else:
                raise InvalidOntology(
                    f"{text[:80]} stands where an axiom is due.", details={"construct": text.split("(")[0]}
                )
        return imports, annotations, axioms

    def _terms(self) -> Iterator[tuple[str, str]]:
        """Every top-level term up to the closing bracket."""
        text, space, fast = self._text, _SPACE, ALREADY_CANONICAL
        machine = Terms(self._prefixes)
        while True:
            match = space.match(text, self._at)
            self._at = at = match.end() if match else self._at
            match = fast.match(text, at)
            if match is not None:
                found = match.group()
                if "\\" not in found or has_clean_escapes(found):
                    self._at = match.end()
                    yield "X", found
                    continue
            usual = read_usual(text, at, machine)
            if usual is not None:
                found, self._at = usual
                yield "X", found
                continue
            if text.startswith(")", at) or at >= len(text):
                return
            yield self._one_term(machine)

    def _one_term(self, machine: Terms) -> tuple[str, str]:
        start = self._at
        for match in TOKEN.finditer(self._text, start):
            self._at = match.start()
            machine.take(match.group())
            if machine.done:
                self._at = match.end()
                return machine.done.pop()
        self._at = start
        raise InvalidOntology(
            f"{machine.construct or 'Ontology'}( is not closed: the file ends too early.",
            details={"construct": machine.construct or "Ontology"},
        )

    def _read_end(self) -> None:
        self._expect(")")
        self._skip()
        if self._at < len(self._text):
            raise InvalidOntology(
                f"Text after the end of the ontology: {self._next()[:40]!r}.",
                details={"construct": "Ontology"},
            )

    def _with_line(self, error: InvalidOntology) -> InvalidOntology:
        line = self._text.count("\n", 0, self._at) + 1
        return InvalidOntology(
            f"Line {line}: {error.message}", details={**error.details, "line": line, "format": "functional"}
        )
