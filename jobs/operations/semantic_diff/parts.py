"""The parts of a diff report that are about entities and annotations; counts exact, lists capped."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar, syntax
from jobs.operations import labels
from jobs.operations.semantic_diff import categories
from jobs.reasoners import signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from jobs.operations.semantic_diff.changes import Changes
    from jobs.reasoners.signature import Entity
    from jobs.values import Json

ENTITY_TYPES: Final = (
    "class",
    "objectproperty",
    "dataproperty",
    "annotationproperty",
    "namedindividual",
    "datatype",
)
_ABOUT_PROPERTIES: Final = grammar.ANNOTATION_AXIOM_TYPES - {"AnnotationAssertion"} | {"Declaration"}


def entity_lists(entities: Iterable[Entity], limit: int) -> tuple[Json, bool]:
    """Sorted IRIs by type, at most `limit` of each, and the number of all; whether something was cut."""
    by_type: dict[str, list[str]] = {kind: [] for kind in ENTITY_TYPES}
    for kind, iri in sorted(entities):
        by_type[kind].append(iri)
    lists: Json = {kind: found[:limit] for kind, found in by_type.items()}
    count = sum(map(len, by_type.values()))
    return {**lists, "count": count}, any(len(found) > limit for found in by_type.values())


def rename_candidates(changes: Changes) -> list[Json]:
    """Removed and added entities of one type that share a label which no other such pair shares.

    Evidence only. An entity on one side only has all its labels among the differing axioms.
    """
    before = _holders(changes.entities_removed, labels.label_literals(changes.removed))
    after = _holders(changes.entities_added, labels.label_literals(changes.added))
    forth: dict[Entity, set[Entity]] = defaultdict(set)
    back: dict[Entity, set[Entity]] = defaultdict(set)
    for key in before.keys() & after.keys():
        for old in before[key]:
            forth[old] |= after[key]
        for new in after[key]:
            back[new] |= before[key]
    pairs = [(old, *news) for old, news in sorted(forth.items()) if len(news) == 1]
    return [
        {
            "from": old[1],
            "to": new[1],
            "entity_type": old[0],
            "evidence": "unique_exact_rdfs_label",
        }
        for old, new in pairs
        if len(back[new]) == 1
    ]


def _holders(
    entities: Iterable[Entity], literals: Mapping[str, set[str]]
) -> dict[tuple[str, str], set[Entity]]:
    """Who has a label, by entity type and label (text and language)."""
    found: dict[tuple[str, str], set[Entity]] = defaultdict(set)
    for entity in entities:
        for literal in literals.get(entity[1], ()):
            found[entity[0], literal].add(entity)
    return found


def annotation_changes(changes: Changes, limit: int) -> tuple[list[Json], int, bool]:
    """What is said differently of entities on both sides: rows, their exact number, whether cut.

    Each list of a row is cut at `limit` as well.
    """
    added, removed = _by_focus(changes.added), _by_focus(changes.removed)
    focuses = sorted((added.keys() | removed.keys()) & changes.on_both_sides)
    rows: list[Json] = []
    is_cut = len(focuses) > limit
    for focus in focuses[:limit]:
        new, old = added.get(focus, []), removed.get(focus, [])
        is_cut = is_cut or len(new) > limit or len(old) > limit
        found = {each for text in (*new, *old) for each in categories.categories(*_annotation(text))}
        rows.append(
            {
                "focus_iri": focus,
                "added": [as_annotation(text) for text in new[:limit]],
                "removed": [as_annotation(text) for text in old[:limit]],
                "categories": [each for each in categories.ORDER if each in found],
            }
        )
    return rows, len(focuses), is_cut


def as_annotation(text: str) -> str:
    """What an annotation assertion says, without its subject."""
    tree = syntax.parse_axiom(text)
    operands = list(tree[1:])
    del operands[-2]
    return syntax.render(("Annotation", *operands))


def affected_iris(text: str) -> list[str]:
    """The IRIs an axiom is about, sorted: its entities, without built-in ones, and its subject.

    Annotation properties count only where the axiom is about them: who relabels a class does not
    touch the property.
    """
    about_properties = syntax.axiom_type(text) in _ABOUT_PROPERTIES
    found = {
        iri
        for kind, iri in signature.entities(text)
        if (kind != "annotationproperty" or about_properties) and not syntax.is_builtin(iri)
    }
    subject = signature.annotation_subject(text)
    if subject is not None:
        found.add(subject)
    return sorted(found)


def axiom_groups(texts: Sequence[str], limit: int) -> tuple[Json, list[str]]:
    """`{count, groups, truncated}` of one side, and the IRIs its shown rows mention.

    Logical axioms take the places first: what a limit cuts off should not be what changes meaning.
    """
    ordered = chain(filter(syntax.is_logical, texts), filterfalse(syntax.is_logical, texts))
    groups: dict[str, list[Json]] = {}
    mentioned: list[str] = []
    for text in islice(ordered, limit):
        iris = affected_iris(text)
        mentioned += iris
        groups.setdefault(syntax.axiom_type(text), []).append({"axiom": text, "affected_iris": iris})
    return {"count": len(texts), "groups": groups, "truncated": len(texts) > limit}, mentioned


def reannotated_rows(changes: Changes, limit: int) -> Json:
    """Axioms that differ in their annotations only: the exact number of pairs, and rows."""
    rows = [
        {"axiom": axiom, "removed": list(old[:limit]), "added": list(new[:limit])}
        for axiom, old, new in changes.reannotated[:limit]
    ]
    count = sum(min(len(old), len(new)) for _, old, new in changes.reannotated)
    return {"count": count, "rows": rows, "truncated": len(changes.reannotated) > limit}


def _by_focus(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        subject = signature.annotation_subject(text)
        if subject is not None:
            found[subject].append(text)
    return found


def _annotation(text: str) -> tuple[str, str]:
    """Property IRI and value text of an annotation assertion."""
    operands = _operands(text)
    return operands[0][1:-1], operands[2]


def _operands(text: str) -> list[str]:
    return [node for node in syntax.parse_axiom(text)[1:] if isinstance(node, str)]


def all_labels(documents: Iterable[Sequence[str]], iris: Iterable[str]) -> dict[str, str]:
    """Labels from the first document that has one."""
    wanted = set(iris)
    found: dict[str, str] = {}
    for axioms in documents:
        found.update(labels.labels(axioms, wanted - found.keys()))
    return dict(sorted(found.items()))


def mentioned(rows: Iterable[Json], *keys: str) -> Iterator[str]:
    """The IRIs under some keys of report rows."""
    for row in rows:
        for key in keys:
            value = row[key]
            if isinstance(value, str):
                yield value
