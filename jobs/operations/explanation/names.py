"""Which class a person means: by IRI, by a label, or by the end of its IRI.

A name is never guessed. The first of these ways that finds anything decides, and it must find one class
only: the full IRI; a prefixed name of the document; the exact label or end of an IRI; the same in any
case. What is not found is refused with the names that look most like it.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from jobs.errors import EntityUnresolved, clip_utf8
from jobs.operations import labels
from jobs.operations.wording import one_line, short_name
from jobs.reasoners import told
from jobs.reasoners.taxonomy import NOTHING, THING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from jobs.ontology.document import OntologyDocument

CANDIDATES: Final = 8
"""How many classes an error lists (ours)."""
_NAME_BYTES: Final = 200
_KIND_WORDS: Final = {
    "objectproperty": "an object property",
    "dataproperty": "a data property",
    "annotationproperty": "an annotation property",
    "namedindividual": "an individual",
    "datatype": "a datatype",
}


class ClassNames:
    """The names of the classes of one captured closure."""

    def __init__(self, closure: OntologyDocument) -> None:
        self._entities = told.entities(closure.axioms)
        self._classes = frozenset(self._entities.get("class", set())) | {THING, NOTHING}
        self._prefixes = closure.prefixes
        self._axioms = closure.axioms
        self._labels: dict[str, set[str]] | None = None

    def find(self, name: str) -> str:
        """The IRI of the one class that is meant.

        Raises:
            EntityUnresolved: none or several (`entity_unresolved`); candidates are in the details.
        """
        text = one_line(name)
        bare = text[1:-1] if text[:1] == "<" and text[-1:] == ">" else text
        if bare in self._classes:
            return bare
        self._refuse_other_kind(bare, text)
        if bare == text:
            for found in self._meant(text):
                if len(found) == 1:
                    return found[0]
                if found:
                    raise self._ambiguous(text, found)
        raise self._unknown(text)

    def _meant(self, text: str) -> Iterable[list[str]]:
        """The classes of each way in turn, sorted."""
        prefix, colon, local = text.partition(":")
        if colon and prefix in self._prefixes:
            yield sorted({self._prefixes[prefix] + local} & self._classes)
        yield self._named(lambda each: each == text)
        # As people write identifiers of OBO ontologies, whose IRIs end in PATO_0000001.
        yield self._named(lambda each: each == text.replace(":", "_", 1))
        folded = text.casefold()
        yield self._named(lambda each: each.casefold() == folded)

    def _named(self, is_it: Callable[[str], bool]) -> list[str]:
        return sorted({iri for iri, name in self._names() if is_it(name)})

    def _names(self) -> set[tuple[str, str]]:
        found = {(iri, short_name(iri)) for iri in self._classes}
        for iri, texts in self._all_labels().items():
            if iri in self._classes:
                found.update((iri, one_line(each)) for each in texts)
        return found

    def _all_labels(self) -> Mapping[str, set[str]]:
        if self._labels is None:
            self._labels = labels.all_labels(self._axioms)
        return self._labels

    # --- Refusals ---------------------------------------------------------------------------------

    def _refuse_other_kind(self, iri: str, name: str) -> None:
        for kind, iris in self._entities.items():
            if iri in iris and kind in _KIND_WORDS:
                raise EntityUnresolved(
                    f"{_clipped(name)} is {_KIND_WORDS[kind]}; only classes can be explained.",
                    details={"name": _clipped(name), "reason": "not_a_class"},
                )

    def _ambiguous(self, name: str, found: list[str]) -> EntityUnresolved:
        shown = self._shown(found)
        more = f" and {len(found) - CANDIDATES} more" if len(found) > CANDIDATES else ""
        return EntityUnresolved(
            f"{len(found)} classes are named '{_clipped(name)}'. Give the IRI of one: "
            f"{'; '.join(shown)}{more}.",
            details={
                "name": _clipped(name),
                "reason": "ambiguous",
                "candidates": [_clipped(each) for each in found[:CANDIDATES]],
                "candidate_count": len(found),
            },
        )

    def _unknown(self, name: str) -> EntityUnresolved:
        near = self._nearest(name.strip("<>"))
        hint = f" Close to it: {'; '.join(self._shown(near))}." if near else ""
        return EntityUnresolved(
            f"No class of the ontology or its imports is named '{_clipped(name)}'.{hint}",
            details={
                "name": _clipped(name),
                "reason": "unknown",
                "candidates": [_clipped(each) for each in near],
            },
        )

    def _nearest(self, name: str) -> list[str]:
        by_name: dict[str, set[str]] = {}
        for iri, each in self._names():
            by_name.setdefault(each.casefold(), set()).add(iri)
        wanted = (short_name(name) if "/" in name else name).casefold()
        close = difflib.get_close_matches(wanted, sorted(by_name), n=CANDIDATES)
        return list(dict.fromkeys(iri for each in close for iri in sorted(by_name[each])))[:CANDIDATES]

    def _shown(self, iris: list[str]) -> list[str]:
        shown = iris[:CANDIDATES]
        found = labels.labels(self._axioms, shown)
        return [
            f"{_clipped(iri)} ('{_clipped(one_line(found[iri]))}')" if iri in found else _clipped(iri)
            for iri in shown
        ]


def _clipped(text: str) -> str:
    return clip_utf8(text, _NAME_BYTES)
