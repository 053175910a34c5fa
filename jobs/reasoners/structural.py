"""The told hierarchy: what the axioms say outright about named classes, closed under nothing else.

A told superclass of a named class is a named class, or a named conjunct of an intersection, on
the right of a SubClassOf axiom or beside the class in an EquivalentClasses axiom; classes told in
a circle form one node; a parent that another parent already implies is left out. The OWL API's
structural reasoner reads the same axioms.

Invariant: no verdict. What is told to lie below owl:Nothing is not shown there, for that would
say that a class has no instance (W 4.1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar
from jobs.reasoners import told
from jobs.reasoners.taxonomy import NOTHING, THING, Outcome, Taxonomy, components, make_taxonomy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Say = Callable[[str, str, float | None], None]
    """Phase, message, fraction: the `progress` of a stage's reporter."""

_REPORT_EVERY: Final = 2_000  # nodes, ours
_CONSTRUCT = re.compile(r"([A-Za-z]+)\(")
_LITERAL = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_READ: Final = frozenset({"SubClassOf", "EquivalentClasses", "ObjectIntersectionOf", "Declaration"})


def classify(axioms: Sequence[str], say: Say) -> Outcome:
    """The told hierarchy of the axioms; `incomplete_because` names what was not looked at."""
    say("loading", "Reading what is told about each class", None)
    names = told.classes(axioms) - {THING, NOTHING}
    ignored, outside_axioms = _not_read(axioms)
    supers: dict[str, set[str]] = {name: set() for name in names}
    supers[THING] = set()
    for name, expression in told.class_axioms(axioms):
        if name != NOTHING:
            supers[name].update(told.named_conjuncts(expression))
    return Outcome(
        is_consistent=None,
        taxonomy=reduced(supers, say),
        incomplete_because=tuple(ignored),
        outside_axioms=outside_axioms,
    )


def reduced(supers: dict[str, set[str]], say: Say) -> Taxonomy:
    """The hierarchy of told superclasses: circles become nodes, implied parents go.

    Args:
        supers: for owl:Thing and every named class but owl:Nothing, its told superclasses.
    """
    names = sorted(supers)
    place = {name: index for index, name in enumerate(names)}
    thing = place[THING]
    edges = [sorted(place[upper] for upper in supers[name] if upper in place) for name in names]
    for index, targets in enumerate(edges):
        if index != thing and thing not in targets:
            targets.append(thing)  # everything is below it, so what is told above it joins it
    component = components(edges)
    groups: list[list[str]] = [[] for _ in range(max(component) + 1)]
    for name, number in zip(names, component, strict=True):
        groups[number].append(name)
    parents = [set[int]() for _ in groups]
    for source, targets in enumerate(edges):
        parents[component[source]].update(component[target] for target in targets)
    first = [group[0] for group in groups]
    direct = _direct(parents, component[thing], say)
    return make_taxonomy(
        groups, {first[node]: [first[up] for up in uppers] for node, uppers in direct.items()}
    )


def _direct(parents: list[set[int]], top: int, say: Say) -> dict[int, list[int]]:
    """Parents that no other parent implies. A parent's number is below that of its children."""
    height = [0] * len(parents)  # steps of the longest way up
    result: dict[int, list[int]] = {}
    for node, uppers in enumerate(parents):
        uppers.discard(node)
        if len(uppers) > 1:
            uppers.discard(top)  # implied by any other; left in, every walk would go all the way up
        height[node] = 1 + max((height[upper] for upper in uppers), default=-1)
        result[node] = sorted(_unimplied(uppers, result, height))
        if node % _REPORT_EVERY == 0:
            say("classifying", f"{node} of {len(parents)} nodes placed", node / len(parents))
    return result


def _unimplied(uppers: set[int], direct: dict[int, list[int]], height: list[int]) -> set[int]:
    """Walk up from every parent, no higher than the highest placed one: who is met is implied."""
    if len(uppers) < 2:
        return uppers
    floor = min(height[upper] for upper in uppers)
    stack = [above for upper in uppers for above in direct[upper]]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if node not in seen and height[node] >= floor:
            seen.add(node)
            stack.extend(direct[node])
    return uppers - seen


def _not_read(axioms: Sequence[str]) -> tuple[list[str], int]:
    """Names of the logical constructs that no told hierarchy can hold, and how many axioms use one."""
    found: set[str] = set()
    count = 0
    for text in axioms:
        name = text[: text.index("(")]
        if name in grammar.ANNOTATION_AXIOM_TYPES or name == "Declaration":
            continue
        body = _LITERAL.sub("", text) if '"' in text else text
        ignored = {each for each in _CONSTRUCT.findall(body) if each not in _READ and each != "Annotation"}
        found |= ignored
        count += bool(ignored)
    return sorted(found), count
