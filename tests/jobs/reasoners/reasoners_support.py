"""Small ontologies in short notation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.ontology import grammar
from jobs.ontology.syntax import canonical, canonical_axioms

if TYPE_CHECKING:
    from jobs.reasoners.taxonomy import Taxonomy

EX = "http://example.org/r#"
PREFIXES = {"": EX, "owl": grammar.OWL, "rdfs": grammar.RDFS, "xsd": grammar.XSD}


def axioms(*texts: str) -> tuple[str, ...]:
    return canonical_axioms(canonical(text, PREFIXES) for text in texts)


def quiet(phase: str, message: str, fraction: float | None) -> None:
    assert phase in ("loading", "reasoning", "classifying")
    assert message
    assert fraction is None or 0 <= fraction <= 1


def short(iri: str) -> str:
    return iri.removeprefix(EX).removeprefix(grammar.OWL)


def hierarchy(taxonomy: Taxonomy | None) -> dict[str, list[str]]:
    """By the members of each node, joined with `=`, the members of its parents; without the bottom."""
    assert taxonomy is not None
    names = ["=".join(map(short, members)) for members in taxonomy.nodes]
    return {
        name: [names[parent] for parent in taxonomy.parents[node]]
        for node, name in enumerate(names)
        if node != taxonomy.bottom
    }


def ancestors(taxonomy: Taxonomy | None, iri: str) -> set[str]:
    """Every class above or equal to one, as its node's members."""
    assert taxonomy is not None
    start = next(node for node, members in enumerate(taxonomy.nodes) if iri in members)
    found, queue = {start}, [start]
    while queue:
        for parent in taxonomy.parents[queue.pop()]:
            if parent not in found:
                found.add(parent)
                queue.append(parent)
    return {each for node in found for each in taxonomy.nodes[node]}
