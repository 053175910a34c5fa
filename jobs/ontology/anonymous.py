"""Labels of anonymous individuals that depend on what is said of them, not on one parse.

Two documents that differ in labels, order or syntax only get equal texts. Individuals that share
an axiom form a group; groups are independent and small, so each is labelled by itself and equal
groups are interchangeable. Within a group, colours are refined by the axioms that mention an
individual; where several look alike, each is tried and the smallest outcome wins, but two that
lead to one outcome are images of each other and only one is followed.

Source: the idea of RDF Dataset Canonicalization (RDFC-1.0), applied to axioms: class expressions
are trees, so only individuals need labels.
"""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from jobs.ontology.syntax import anonymous_individuals, rename_anonymous

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jobs.ontology.document import OntologyDocument

BUDGET_S: Final = 2.0
"""Time for one document (window jobs contract, 4.3); after it labels depend on the parse."""

Labels = dict[str, str]
_Outcome = tuple[tuple[str, ...], tuple[str, ...]]
"""The group's axioms under its labels, and the individuals in the order of their labels."""


class _OutOfTime(Exception):
    pass


def label_anonymous(
    document: OntologyDocument, *, budget_s: float = BUDGET_S, clock: Callable[[], float] = time.monotonic
) -> OntologyDocument:
    """The document with canonical labels `_:c14n0`, ...; `anonymous_exact` false when time ran out."""
    items = [*document.annotations, *document.axioms]
    mentions = {text: found for text in items if "_:" in text and (found := anonymous_individuals(text))}
    if not mentions:
        return document
    deadline = clock() + budget_s
    exact = True
    outcomes: list[_Outcome] = []
    for group in _groups(mentions):
        try:
            outcomes.append(_Group(group, mentions, lambda: clock() > deadline).outcome())
        except _OutOfTime:
            exact = False
            outcomes.append((tuple(sorted(group)), _in_order(group, mentions)))
    names: Labels = {}
    for _, ordered in sorted(outcomes):
        for label in ordered:
            names[label] = f"_:c14n{len(names)}"
    renamed = {text: rename_anonymous(text, names) for text in mentions}
    return replace(
        document,
        annotations=tuple(sorted(renamed.get(text, text) for text in document.annotations)),
        axioms=tuple(sorted(renamed.get(text, text) for text in document.axioms)),
        anonymous_exact=exact,
    )


def _groups(mentions: dict[str, frozenset[str]]) -> list[list[str]]:
    """The axioms, grouped so that no individual is in two groups."""
    parent: dict[str, str] = {}

    def root(label: str) -> str:
        path = []
        while parent.setdefault(label, label) != label:
            path.append(label)
            label = parent[label]
        for passed in path:
            parent[passed] = label
        return label

    for labels in mentions.values():
        first, *others = labels
        for other in others:
            parent[root(other)] = root(first)
    groups: dict[str, list[str]] = defaultdict(list)
    for text, labels in mentions.items():
        groups[root(next(iter(labels)))].append(text)
    return list(groups.values())


def _in_order(group: Iterable[str], mentions: dict[str, frozenset[str]]) -> tuple[str, ...]:
    return tuple(sorted({label for text in group for label in mentions[text]}))


class _Group:
    """The axioms of one group and the search for its labels."""

    def __init__(
        self, texts: list[str], mentions: dict[str, frozenset[str]], is_late: Callable[[], bool]
    ) -> None:
        self._texts = texts
        self._mentions = mentions
        self._labels = _in_order(texts, mentions)
        self._is_late = is_late

    def outcome(self) -> _Outcome:
        """The smallest outcome."""
        if len(self._labels) == 1:
            return self._leaf({self._labels[0]: ""})
        return self._search(dict.fromkeys(self._labels, ""))

    def _search(self, colours: Labels) -> _Outcome:
        colours = self._refine(colours)
        cell = self._first_cell(colours)
        if cell is None:
            return self._leaf(colours)
        representatives: dict[tuple[str, ...], Labels] = {}
        for label in cell:
            chosen = {**colours, label: colours[label] + "!"}
            representatives.setdefault(self._greedy(chosen)[0], chosen)
        return min(self._search(chosen) for chosen in representatives.values())

    def _greedy(self, colours: Labels) -> _Outcome:
        """Follow the first choice to the end. Equal outcomes prove the choices to be images of each other."""
        while (cell := self._first_cell(colours := self._refine(colours))) is not None:
            colours = {**colours, cell[0]: colours[cell[0]] + "!"}
        return self._leaf(colours)

    def _refine(self, colours: Labels) -> Labels:
        """Tell individuals apart by their axioms until no more can be told apart."""
        count = len(set(colours.values()))
        while count < len(colours):
            seen: dict[str, list[str]] = defaultdict(list)
            for text in self._texts:
                view = {other: f"_:{colours[other] or 'x'}" for other in self._mentions[text]}
                for label in self._mentions[text]:
                    if self._is_late():
                        raise _OutOfTime
                    seen[label].append(rename_anonymous(text, {**view, label: f"_:self{colours[label]}"}))
            colours = {
                label: hashlib.sha256("\n".join([colours[label], *sorted(seen[label])]).encode()).hexdigest()
                for label in colours
            }
            found = len(set(colours.values()))
            if found == count:
                break
            count = found
        return colours

    @staticmethod
    def _first_cell(colours: Labels) -> list[str] | None:
        """The individuals of the smallest colour that several share."""
        cells: dict[str, list[str]] = defaultdict(list)
        for label, colour in colours.items():
            cells[colour].append(label)
        shared = sorted(colour for colour, members in cells.items() if len(members) > 1)
        return cells[shared[0]] if shared else None

    def _leaf(self, colours: Labels) -> _Outcome:
        ordered = tuple(sorted(colours, key=colours.__getitem__))
        names = {label: f"_:c14n{place}" for place, label in enumerate(ordered)}
        return tuple(sorted(rename_anonymous(text, names) for text in self._texts)), ordered
