"""Labels of the entities a report mentions, so that people can read it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar, syntax

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from jobs.values import Json

LABEL: Final = f"{grammar.RDFS}label"
_PLAIN: Final = f"AnnotationAssertion(<{LABEL}> <"
_ANNOTATED: Final = "AnnotationAssertion(Annotation("
_ENGLISH: Final = ("en", "en-us", "en-gb")


def labels(axioms: Sequence[str], iris: Iterable[str]) -> dict[str, str]:
    """One label for each IRI that has any: English or without a language first, then by text.

    Args:
        axioms: canonical and sorted, as a document holds them.
    """
    wanted = set(iris)
    annotated = _annotated_labels(axioms, wanted)
    found: dict[str, str] = {}
    for iri in sorted(wanted):
        literals = [*_plain_labels(axioms, iri), *annotated.get(iri, ())]
        if literals:
            found[iri] = min(map(_ranked, literals))[1]
    return found


def every_label(axioms: Sequence[str]) -> dict[str, str]:
    """As `labels`, for every IRI that has one: for who knows only later which it will show."""
    return {iri: min(map(_ranked, literals))[1] for iri, literals in _every_literal(axioms).items()}


def all_labels(axioms: Sequence[str]) -> dict[str, set[str]]:
    """Every label of every IRI, in any language; axioms as for `labels`."""
    return {
        iri: {syntax.literal_parts(each)[0] for each in literals}
        for iri, literals in _every_literal(axioms).items()
    }


def bounded(named: Mapping[str, str], iris: Collection[str], most_characters: int) -> Json:
    """The labels of the IRIs that have one, in their order, as many as fit."""
    result: Json = {}
    size = 0
    for iri in sorted(named.keys() & iris):
        size += len(iri) + len(named[iri])
        if size > most_characters:
            break
        result[iri] = named[iri]
    return result


def _every_literal(axioms: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in range(bisect_left(axioms, _PLAIN), len(axioms)):
        text = axioms[place]
        if not text.startswith(_PLAIN):
            break
        end = text.index(">", len(_PLAIN))
        if text[end + 2] == '"':
            found.setdefault(text[len(_PLAIN) : end], []).append(text[end + 2 : -1])
    for iri, literals in _annotated_labels(axioms, None).items():
        found.setdefault(iri, []).extend(literals)
    return found


def label_literals(axioms: Iterable[str]) -> dict[str, set[str]]:
    """Every label literal of the axioms by subject IRI, annotated assertions included."""
    found: dict[str, set[str]] = {}
    for text in axioms:
        if text.startswith("AnnotationAssertion(") and f"<{LABEL}> <" in text:
            tree = syntax.parse_axiom(syntax.strip_annotations(text))
            prop, subject, value = tree[1], tree[2], tree[3]
            if prop == f"<{LABEL}>" and isinstance(subject, str) and isinstance(value, str):
                if subject[0] == "<" and value[0] == '"':
                    found.setdefault(subject[1:-1], set()).add(value)
    return found


def _plain_labels(axioms: Sequence[str], iri: str) -> list[str]:
    prefix = f"{_PLAIN}{iri}> "
    found = []
    for place in range(bisect_left(axioms, prefix), len(axioms)):
        text = axioms[place]
        if not text.startswith(prefix):
            break
        if text[len(prefix)] == '"':
            found.append(text[len(prefix) : -1])
    return found


def _annotated_labels(axioms: Sequence[str], wanted: set[str] | None) -> dict[str, set[str]]:
    """Labels whose assertion is annotated itself; None wants those of every IRI."""
    start = bisect_left(axioms, _ANNOTATED)
    candidates = []
    for place in range(start, len(axioms)):
        text = axioms[place]
        if not text.startswith(_ANNOTATED):
            break
        if f"<{LABEL}> <" in text:
            candidates.append(text)
    literals = label_literals(candidates)
    return literals if wanted is None else {iri: literals[iri] for iri in literals.keys() & wanted}


def _ranked(literal: str) -> tuple[int, str]:
    value, language, _ = syntax.literal_parts(literal)
    rank = _ENGLISH.index(language) if language in _ENGLISH else len(_ENGLISH) + (language is not None)
    return rank, value
