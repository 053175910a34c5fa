"""Which axioms stand on one side only, exactly.

Each axiom written on one side is looked for in the other side's *normalised* set, which has an
unannotated declaration for every entity of its signature: serializers may or may not write them
(W 4.3). Texts are canonical, so a set difference is the whole comparison; only what differs is
taken apart, and the shared axioms are searched only for entities that something differing names.
What needs one document alone (`prepared`) is made while the other one is still being read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from jobs.ontology import syntax
from jobs.reasoners import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


@dataclass(frozen=True, slots=True)
class Prepared:
    """The right document, made ready to be compared."""

    document: OntologyDocument
    texts: frozenset[str]
    mentions: Counter[str]
    """How often each IRI stands between brackets in the axioms, literals included."""


def prepared(document: OntologyDocument) -> Prepared:
    """Make a right document ready."""
    return Prepared(document, frozenset(document.axioms), _mentions(document.axioms))


def compare(left: OntologyDocument, right: Prepared) -> Changes:
    """Compare two documents; the result is exact, whatever limits a report sets."""
    shared = set(left.axioms)
    only_left = sorted(shared - right.texts)
    only_right = sorted(right.texts - shared)
    shared.difference_update(only_left)
    annotated = [text for text in shared if "(Annotation(" in text]
    differing = ([*only_left, *left.annotations], [*only_right, *right.document.annotations])
    one, other = _sides(*differing, shared, _shared_mentions(right.mentions, only_right))
    added = tuple(_without_implied(only_right, one))
    removed = tuple(_without_implied(only_left, other))
    return Changes(
        added=added,
        removed=removed,
        implied_added=len(only_right) - len(added),
        implied_removed=len(only_left) - len(removed),
        logical_added=_new_logic(added, only_left, shared, annotated),
        logical_removed=_new_logic(removed, only_right, shared, annotated),
        reannotated=tuple(_reannotated(removed, added)),
        entities_added=_unknown(other, one),
        entities_removed=_unknown(one, other),
        on_both_sides=frozenset((one.iris() | one.subjects) & (other.iris() | other.subjects)),
    )


def _shared_mentions(all_mentions: Counter[str], only_right: list[str]) -> Callable[[str], bool]:
    """Whether an IRI stands in any axiom of the right document that the left one has, too."""
    gone = _mentions(only_right)
    return lambda iri: all_mentions[iri] > gone[iri]


def _mentions(texts: Iterable[str]) -> Counter[str]:
    return Counter(_IRI.findall("\n".join(texts)))


# --- Entities -------------------------------------------------------------------------------------


def _sides(
    only_left: list[str], only_right: list[str], shared: set[str], is_mentioned: Callable[[str], bool]
) -> tuple[Side, Side]:
    """Args: is_mentioned: whether an IRI stands in any shared axiom."""
    one, other = _side(only_left), _side(only_right)
    uncertain = one.entities ^ other.entities
    annotated = one.subjects ^ other.subjects
    possible = uncertain | {(kind, iri) for iri in annotated for kind in _DECLARED}
    declared = {entity for entity in possible if _declaration(entity) in shared}
    one.entities |= declared
    other.entities |= declared
    uncertain -= declared
    # A built-in entity is no news on either side; that it is used matters only to its own declaration.
    built_in = {each for each in uncertain if syntax.is_builtin(each[1])}
    written = {*only_left, *only_right}
    used = {each for each in built_in if _declaration(each) in written and _uses(shared, each)}
    one.entities |= used
    other.entities |= used
    iris = {iri for _, iri in uncertain - built_in} | (annotated - {iri for _, iri in declared})
    iris = set(filter(is_mentioned, iris))
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


def _uses(texts: Iterable[str], entity: Entity) -> bool:
    """Whether any of the texts is about the entity; looks no further than the first."""
    name = f"<{entity[1]}>"
    return any(name in text and entity in signature.entities(text) for text in texts)


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


def _new_logic(
    texts: Iterable[str], other_only: list[str], shared: set[str], annotated: list[str]
) -> tuple[str, ...]:
    """The logical content of the texts that the other side does not have under any annotation.

    Args:
        annotated: those of the shared texts in which any annotation stands.
    """
    wanted = {syntax.strip_annotations(text) for text in texts if syntax.is_logical(text)}
    wanted -= shared
    if not wanted:
        return ()
    wanted -= {syntax.strip_annotations(text) for text in other_only if syntax.is_logical(text)}
    tails = {text[-_TAIL:] for text in wanted}
    for text in annotated:
        if text[-_TAIL:] in tails:
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
