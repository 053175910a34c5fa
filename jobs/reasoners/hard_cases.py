"""Small ontologies that keep a reasoner busy: quick to make and to load, slow to classify.

The live probe cancels a reasoner at work on one of them; on trivial input a stop proves nothing.
Alone on a core of 2024 they run for half a minute and more.
"""

from __future__ import annotations

from typing import Final

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


def _class(number: int) -> str:
    return f"<{_NAMESPACE}c{number}>"
