"""Which axioms stand on one side only, exactly.

Each axiom written on one side is looked for in the other side's *normalised* set, which has an
unannotated declaration for every entity of its signature: serializers may or may not write them
(W 4.3). Texts are canonical, so a set difference is the whole comparison; only what differs is
taken apart, and the shared axioms are searched only for entities that something differing names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from jobs.ontology import syntax
from jobs.reasoners import signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jobs.ontology.document import OntologyDocument
    from jobs.ontology.grammar import EntityType
    from jobs.reasoners.signature import Entity

_IRI = re.compile(r"<([^<>]*)>")
_DECLARED: Final[dict[EntityType, str]] = {
    "class": "Class",
    "objectproperty": "ObjectProperty",
    "dataproperty": "DataProperty",
    "annotationproperty": "AnnotationProperty",
    "namedindividual": "NamedIndividual",
    "datatype": "Datatype",
}
_TAIL: Final = 40  # characters: enough to tell most axioms apart, ours


@dataclass(slots=True)
class Side:
    """What one document says of the entities that something differing names.

    Complete for those; of others it says nothing.
    """

    entities: set[Entity] = field(default_factory=set)
    subjects: set[str] = field(default_factory=set)
    """IRIs that annotations are about."""

    def iris(self) -> set[str]:
        """The IRIs of its entities."""
        return {iri for _, iri in self.entities}


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The differing axioms, sorted, and both sides' entities as far as they matter."""

    added: tuple[str, ...]
    """Only in the right document."""
    removed: tuple[str, ...]
    """Only in the left one."""
    implied_added: int
    """Plain declarations only in the right document that the left one's signature implies."""
    implied_removed: int
    logical_added: tuple[str, ...]
    """Logical axioms, without annotations, that the left document does not state at all."""
    logical_removed: tuple[str, ...]
    reannotated: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    """(axiom without annotations, its removed forms, its added forms)."""
    entities_added: frozenset[Entity]
    """Without the built-in ones."""
    entities_removed: frozenset[Entity]
    on_both_sides: frozenset[str]
    """IRIs of entities or annotation subjects of both documents, as far as something differing names them."""


def compare(left: OntologyDocument, right: OntologyDocument) -> Changes:
    """Compare two documents; the result is exact, whatever limits a report sets."""
    shared = set(left.axioms)
    only_right = [text for text in right.axioms if text not in shared]
    shared.intersection_update(right.axioms)
    only_left = [text for text in left.axioms if text not in shared]
    one, other = _sides([*only_left, *left.annotations], [*only_right, *right.annotations], shared)
    added = tuple(_without_implied(only_right, one))
    removed = tuple(_without_implied(only_left, other))
    return Changes(
        added=added,
        removed=removed,
        implied_added=len(only_right) - len(added),
        implied_removed=len(only_left) - len(removed),
        logical_added=_new_logic(added, only_left, shared),
        logical_removed=_new_logic(removed, only_right, shared),
        reannotated=tuple(_reannotated(removed, added)),
        entities_added=_unknown(other, one),
        entities_removed=_unknown(one, other),
        on_both_sides=frozenset((one.iris() | one.subjects) & (other.iris() | other.subjects)),
    )


# --- Entities -------------------------------------------------------------------------------------


def _sides(only_left: list[str], only_right: list[str], shared: set[str]) -> tuple[Side, Side]:
    one, other = _side(only_left), _side(only_right)
    uncertain = one.entities ^ other.entities
    annotated = one.subjects ^ other.subjects
    possible = uncertain | {(kind, iri) for iri in annotated for kind in _DECLARED}
    declared = {entity for entity in possible if _declaration(entity) in shared}
    one.entities |= declared
    other.entities |= declared
    iris = {iri for _, iri in uncertain - declared} | (annotated - {iri for _, iri in declared})
    if iris:
        common = _side(_naming(iris, shared))
        one.entities |= common.entities
        other.entities |= common.entities
        one.subjects |= common.subjects
        other.subjects |= common.subjects
    return one, other


def _side(texts: Iterable[str]) -> Side:
    side = Side()
    for text in texts:
        side.entities.update(signature.entities(text))
        subject = signature.annotation_subject(text)
        if subject is not None:
            side.subjects.add(subject)
    return side


def _naming(iris: set[str], texts: Iterable[str]) -> Iterator[str]:
    """The texts in which one of the IRIs stands, perhaps only inside a literal."""
    for text in texts:
        if not iris.isdisjoint(_IRI.findall(text)):
            yield text


def _unknown(mine: Side, theirs: Side) -> frozenset[Entity]:
    """Entities of one side that the other does not speak of.

    An IRI that is only annotated on the other side has no type of its own there: it is what this
    side says it is.
    """
    their_iris = theirs.iris()
    return frozenset(
        entity
        for entity in mine.entities - theirs.entities
        if not syntax.is_builtin(entity[1]) and (entity[1] in their_iris or entity[1] not in theirs.subjects)
    )


def _declaration(entity: Entity) -> str:
    return f"Declaration({_DECLARED[entity[0]]}(<{entity[1]}>))"


def _without_implied(only: list[str], other: Side) -> Iterator[str]:
    """Leave out plain declarations of entities that the other side's signature has."""
    implied = {_declaration(entity) for entity in other.entities}
    return (text for text in only if text not in implied)


# --- Axioms and their annotations -----------------------------------------------------------------


def _new_logic(texts: Iterable[str], other_only: list[str], shared: set[str]) -> tuple[str, ...]:
    """The logical content of the texts that the other side does not have under any annotation."""
    wanted = {syntax.strip_annotations(text) for text in texts if syntax.is_logical(text)}
    wanted -= shared
    if not wanted:
        return ()
    wanted -= {syntax.strip_annotations(text) for text in other_only if syntax.is_logical(text)}
    tails = {text[-_TAIL:] for text in wanted}
    for text in shared:
        if text[-_TAIL:] in tails and "(Annotation(" in text:
            wanted.discard(syntax.strip_annotations(text))
    return tuple(sorted(wanted))


def _reannotated(
    removed: Iterable[str], added: Iterable[str]
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Axioms that are on both sides but for their annotations."""
    before, after = _by_content(removed), _by_content(added)
    for content in sorted(before.keys() & after.keys()):
        yield content, tuple(before[content]), tuple(after[content])


def _by_content(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        found[syntax.strip_annotations(text)].append(text)
    return found
