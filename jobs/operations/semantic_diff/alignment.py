"""Anonymous individuals of two documents, named so that what is said alike gets one name.

A document's own labels number its individuals through, so one more of them shifts all later
numbers. For a comparison each group of individuals that share axioms is named by a digest of all
that is said of the group: an untouched group has one name on both sides, whatever else changed.
Equal groups within a document are numbered; they are interchangeable.

Individuals of groups that did change are then paired by how much is said of both, so that one
changed statement does not make all statements about its individual differ. Names carry no meaning,
so every such pairing gives a correct comparison; a better one gives a shorter one. Nothing here
depends on which document is the left one.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from jobs.ontology.syntax import anonymous_individuals, canonical_axioms, rename_anonymous

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.document import OntologyDocument

    Mentions = dict[str, frozenset[str]]
    """The individuals of each text that mentions any."""

PAIRED_MAX: Final = 1_000
"""Individuals of changed groups, on either side, up to which pairs are looked for (ours)."""
_DIGEST_CHARACTERS: Final = 16


@dataclass(frozen=True, slots=True)
class Named:
    """A document whose anonymous individuals have names for comparison, and where they stand."""

    document: OntologyDocument
    mentions: Mentions


def align(left: Named, right: Named) -> tuple[OntologyDocument, OntologyDocument]:
    """Both documents with their anonymous individuals named for comparison with each other."""
    mine, theirs = left.mentions, right.mentions
    pairs = _pairs(
        {text: found for text, found in mine.items() if text not in theirs},
        {text: found for text, found in theirs.items() if text not in mine},
    )
    if not pairs:
        return left.document, right.document
    names = {label: f"_:p{min(pair)[2:]}" for pair in pairs for label in pair}
    return _renamed(left.document, mine, names), _renamed(right.document, theirs, names)


def _mentions(document: OntologyDocument) -> Mentions:
    items = [*document.annotations, *document.axioms]
    return {text: found for text in items if "_:" in text and (found := anonymous_individuals(text))}


def _renamed(document: OntologyDocument, mentions: Mentions, names: Mapping[str, str]) -> OntologyDocument:
    renamed = {text: rename_anonymous(text, names) for text in mentions}
    return replace(
        document,
        annotations=canonical_axioms(renamed.get(text, text) for text in document.annotations),
        axioms=canonical_axioms(renamed.get(text, text) for text in document.axioms),
    )


# --- Whole groups ---------------------------------------------------------------------------------


def by_content(document: OntologyDocument) -> Named:
    """The document with each of its groups named by what is said of the group."""
    mentions = _mentions(document)
    if not mentions:
        return Named(document, mentions)
    names: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for members, texts in _groups(mentions):
        # The document's labels are canonical in their order within a group; only their numbers are not.
        local = {label: f"_:n{place}" for place, label in enumerate(sorted(members, key=_by_number))}
        content = sorted(rename_anonymous(text, local) for text in texts)
        digest = hashlib.sha256("\n".join(content).encode("utf-8", "surrogatepass")).hexdigest()
        group = f"_:g{digest[:_DIGEST_CHARACTERS]}"
        suffix = f"x{seen[group]}" if seen[group] else ""
        seen[group] += 1
        names.update({label: f"{group}{suffix}{mine[2:]}" for label, mine in local.items()})
    renamed = _renamed(document, mentions, names)
    return Named(renamed, _mentions(renamed))


def _groups(mentions: Mentions) -> list[tuple[set[str], list[str]]]:
    """Individuals connected by axioms, with these axioms; in the order of their first labels."""
    leader: dict[str, str] = {}

    def find(label: str) -> str:
        while leader.setdefault(label, label) != label:
            leader[label] = label = leader[leader[label]]
        return label

    for found in mentions.values():
        first, *others = sorted(found, key=_by_number)
        for other in others:
            leader[find(other)] = find(first)
    members: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, list[str]] = defaultdict(list)
    for text, found in mentions.items():
        group = find(next(iter(found)))
        members[group] |= found
        texts[group].append(text)
    order = sorted(members, key=lambda group: min(map(_by_number, members[group])))
    return [(members[group], texts[group]) for group in order]


def _by_number(label: str) -> tuple[int, str]:
    """Labels in the order they were given out: `_:c14n2` before `_:c14n10`."""
    return len(label), label


# --- Individuals of changed groups ----------------------------------------------------------------


def _pairs(left: Mentions, right: Mentions) -> list[tuple[str, str]]:
    """Pairs of individuals that most is said of alike, the best first, each individual once."""
    mine, theirs = _said(left), _said(right)
    if max(len(mine), len(theirs)) > PAIRED_MAX or mine.keys() & theirs.keys():
        return []  # one renaming serves both documents, so a name must mean one individual
    shared: Counter[tuple[str, str]] = Counter()
    speaking_of: dict[str, list[str]] = defaultdict(list)
    for label, said in mine.items():
        for statement in said:
            speaking_of[statement].append(label)
    for label, said in theirs.items():
        for statement, count in said.items():
            for other in speaking_of.get(statement, ()):
                shared[other, label] += min(count, mine[other][statement])
    pairs, taken = [], set[str]()
    for pair in sorted(shared, key=lambda pair: (-shared[pair], min(pair), max(pair))):
        if taken.isdisjoint(pair):
            taken.update(pair)
            pairs.append(pair)
    return pairs


def _said(mentions: Mentions) -> dict[str, Counter[str]]:
    """What is said of each individual: its texts, in which it is `_:me` and every other `_:other`."""
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for text, found in mentions.items():
        for label in found:
            names = dict.fromkeys(found, "_:other") | {label: "_:me"}
            said[label][rename_anonymous(text, names)] += 1
    return said
