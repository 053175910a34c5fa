"""Which unsatisfiable classes are a cause, and which only follow from another.

A class follows from another unsatisfiable one if the axioms say outright that it lies below it,
or that each of its instances needs one of that class. Classes that follow from each other in a
circle count together. This is a reading of the axioms, not a justification: a class that follows
from another may have a fault of its own as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.reasoners import told
from jobs.reasoners.taxonomy import components

if TYPE_CHECKING:
    from collections.abc import Iterable


def split_unsatisfiable(
    unsatisfiable: tuple[str, ...], axioms: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The unsatisfiable classes as (roots, derived), both sorted."""
    if not unsatisfiable:
        return (), ()
    place = {iri: number for number, iri in enumerate(unsatisfiable)}
    needs: list[set[int]] = [set() for _ in unsatisfiable]
    for name, expression in told.class_axioms(axioms):
        if name in place:
            needed = place.keys() & set(told.needed_classes(expression))
            needs[place[name]].update(place[each] for each in needed)
    edges = [sorted(found) for found in needs]
    component = components(edges)
    derived = {
        component[vertex]
        for vertex, targets in enumerate(edges)
        for target in targets
        if component[target] != component[vertex]
    }
    roots = tuple(iri for iri, number in place.items() if component[number] not in derived)
    return roots, tuple(iri for iri, number in place.items() if component[number] in derived)
