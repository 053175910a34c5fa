"""What kind of entity an IRI is: by declaration here, by declaration elsewhere, or by guess.

A guess is what the OWL API does where nothing is declared; each is recorded, so that a closure
can read the document again once an import declares the IRI, and people are told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.ontology import vocabulary as v
from jobs.ontology.vocabulary import owl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.grammar import EntityType

_LETTERS: Final[dict[EntityType, str]] = {
    "class": "C",
    "datatype": "T",
    "objectproperty": "O",
    "dataproperty": "D",
    "annotationproperty": "A",
    "namedindividual": "I",
}
_BUILTIN: Final = {
    **dict.fromkeys(v.ANNOTATION_PROPERTIES, "A"),
    owl("topObjectProperty"): "O",
    owl("bottomObjectProperty"): "O",
    owl("topDataProperty"): "D",
    owl("bottomDataProperty"): "D",
    owl("Thing"): "C",
    owl("Nothing"): "C",
}
_NAMES: Final = {"O": "an object property", "D": "a data property", "A": "an annotation property"}


class Kinds:
    """Kinds of IRIs as strings of letters (`C`, `T`, `O`, `D`, `A`, `I`), bracketed IRIs as keys."""

    def __init__(self, external: Mapping[str, frozenset[EntityType]] | None) -> None:
        self._kinds: dict[str, str] = dict(_BUILTIN)
        for iri, types in (external or {}).items():
            for entity_type in types:
                self.add(f"<{iri}>", _LETTERS[entity_type])
        self.guessed: dict[str, str] = {}
        self._punned: set[str] = set()

    def add(self, term: str, letter: str) -> None:
        """Record a declaration."""
        known = self._kinds.get(term, "")
        if letter not in known:
            self._kinds[term] = known + letter

    def of(self, term: str) -> str:
        """The declared kinds; empty when there are none."""
        return self._kinds.get(term, "")

    def annotating(self) -> frozenset[str]:
        """What is an annotation property and nothing else."""
        return frozenset(term for term, letters in self._kinds.items() if letters == "A")

    def declared(self, term: str) -> str:
        """The kinds without guesses."""
        return "" if term in self.guessed else self.of(term)

    def is_only_datatype(self, term: str) -> bool:
        """Declared as a datatype and not as a class."""
        kinds = self.of(term)
        return "T" in kinds and "C" not in kinds

    def property_kind(self, term: str, *, literal: bool | None = None) -> str:
        """`O`, `D` or `A` for a property; an annotation property where nothing tells.

        `literal` says whether the value is one, which decides between kinds of a punned property.
        """
        if term[0] != "<":
            return "O"
        kinds = self.of(term)
        if "A" in kinds and ("O" in kinds or "D" in kinds):
            self._punned.add(term)
        if literal is not None and "O" in kinds and "D" in kinds:
            return "D" if literal else "O"
        for letter in "ODA":
            if letter in kinds:
                if letter == "O" and literal and "A" in kinds:
                    continue
                return letter
        self.guess(term, "A")
        return "A"

    def guess(self, term: str, letter: str) -> None:
        """Note that a kind was chosen without a declaration."""
        self.guessed.setdefault(term, letter)

    def warnings(self) -> list[str]:
        """One sentence for every kind of guess."""
        found = []
        for letter, name in _NAMES.items():
            terms = sorted(term for term, guess in self.guessed.items() if guess == letter)
            if terms:
                more = f" and {len(terms) - 5} more" if len(terms) > 5 else ""
                found.append(f"Not declared, read as {name}: {', '.join(terms[:5])}{more}.")
        if self._punned:
            names = ", ".join(sorted(self._punned)[:5])
            found.append(
                f"Both an annotation property and another kind, so statements may be either: {names}."
            )
        return found
