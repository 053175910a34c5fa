"""Anonymous individuals of two documents, named so that what is said alike gets one name.

A document's own labels number its individuals through, so one more of them shifts all later
numbers. For a comparison each group of individuals that share axioms is named by a digest of all
that is said of the group: an untouched group has one name on both sides, whatever else changed.
Equal groups within a document are numbered; they are interchangeable.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from jobs.ontology.syntax import anonymous_individuals, canonical_axioms, rename_anonymous

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.document import OntologyDocument

_DIGEST_CHARACTERS: Final = 16


def aligned(document: OntologyDocument) -> OntologyDocument:
    """The document with its anonymous individuals named by content."""
    items = [*document.annotations, *document.axioms]
    mentions = {text: found for text in items if "_:" in text and (found := anonymous_individuals(text))}
    if not mentions:
        return document
    names = _names(mentions)
    renamed = {text: rename_anonymous(text, names) for text in mentions}
    return replace(
        document,
        annotations=canonical_axioms(renamed.get(text, text) for text in document.annotations),
        axioms=canonical_axioms(renamed.get(text, text) for text in document.axioms),
    )


def _names(mentions: Mapping[str, frozenset[str]]) -> dict[str, str]:
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
    return names


def _groups(mentions: Mapping[str, frozenset[str]]) -> list[tuple[set[str], list[str]]]:
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
