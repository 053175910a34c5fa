"""Small ontologies that keep a reasoner busy: quick to make and to load, slow to classify.

The live probe cancels a reasoner at work on one of them; on trivial input a stop proves nothing.
Alone on a core of 2024 they run for half a minute and more.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from jobs.reasoners.java_profiles import ELK_4, ELK_6, HERMIT
from jobs.reasoners.python_profiles import PYELK, STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMESPACE: Final = "urn:hard-case:"


def existential_circle(size: int = 500) -> tuple[str, ...]:
    """Inside OWL 2 EL: classes in two circles of a transitive property, so that each reaches each.

    The links grow with the square of the size and the joins of links with its cube.
    """
    axioms = [f"TransitiveObjectProperty(<{_NAMESPACE}p>)"]
    for number in range(size):
        for target in ((number + 1) % size, (number * 7 + 3) % size):
            axioms.append(
                f"SubClassOf({_class(number)} ObjectSomeValuesFrom(<{_NAMESPACE}p> {_class(target)}))"
            )
    return tuple(sorted(set(axioms)))


def told_layers(layers: int = 240, width: int = 30) -> tuple[str, ...]:
    """A deep told hierarchy: each class lies below all classes of the layer above, and below the first.

    To see that the told first class is implied, all ways up from every class are walked.
    """
    axioms = set[str]()
    for number in range(width, layers * width):
        above = number // width * width - width
        for target in (0, *range(above, above + width)):
            axioms.add(f"SubClassOf({_class(number)} {_class(target)})")
    return tuple(sorted(axioms))


def pigeons(holes: int = 9, classes: int = 12) -> tuple[str, ...]:
    """In OWL 2 DL: more pigeons than holes, so that a tableau tries one assignment after the other.

    Each class says that `holes + 1` different neighbours share the given number of holes: a union for each
    pigeon, a disjointness for each pair; several classes, so that no single test is the whole work.
    """
    axioms: list[str] = []
    for number in range(classes):
        name = f"{number}p"
        for pigeon in range(holes + 1):
            places = " ".join(_class(f"{name}{pigeon}h{hole}") for hole in range(holes))
            axioms.append(f"SubClassOf({_class(name)} ObjectUnionOf({places}))")
            for other in range(pigeon):
                axioms += [
                    f"DisjointClasses({_class(f'{name}{other}h{hole}')} {_class(f'{name}{pigeon}h{hole}')})"
                    for hole in range(holes)
                ]
    return tuple(sorted(axioms))


CASES: Final[dict[str, Callable[[], tuple[str, ...]]]] = {
    STRUCTURAL: told_layers,
    PYELK: existential_circle,
    ELK_4: partial(existential_circle, 1500),
    ELK_6: partial(existential_circle, 3500),
    HERMIT: pigeons,
}
"""The hard case of each profile."""


def _class(number: int | str) -> str:
    return f"<{_NAMESPACE}c{number}>"
