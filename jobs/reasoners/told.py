"""What is written down about named classes: no inference, only reading.

Shared by the structural reasoner (the told hierarchy is its answer) and by the report of every
other one (which unsatisfiable classes merely follow from another).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.ontology import syntax
from jobs.reasoners import signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMED_SUBCLASS = re.compile(r"SubClassOf\(<([^<>]*)> <([^<>]*)>\)")
_EXISTENTIAL: Final = frozenset({"ObjectSomeValuesFrom", "ObjectMinCardinality", "ObjectExactCardinality"})


def class_axioms(axioms: Iterable[str]) -> Iterator[tuple[str, syntax.Node]]:
    """Each (named class, expression above it) of SubClassOf and EquivalentClasses axioms."""
    for text in axioms:
        if not text.startswith(("SubClassOf(", "EquivalentClasses(")):
            continue
        if match := _NAMED_SUBCLASS.fullmatch(text):
            yield match.group(1), f"<{match.group(2)}>"
            continue
        tree = syntax.parse_axiom(syntax.strip_annotations(text))
        operands = tree[1:]
        if tree[0] == "SubClassOf":
            if isinstance(operands[0], str):
                yield operands[0][1:-1], operands[1]
            continue
        for operand in operands:
            if isinstance(operand, str):
                yield from ((operand[1:-1], other) for other in operands if other != operand)


def named_conjuncts(expression: syntax.Node) -> Iterator[str]:
    """The named classes that the expression says, conjunct by conjunct."""
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node[1:-1]
        elif node[0] == "ObjectIntersectionOf":
            stack.extend(node[1:])


def needed_classes(expression: syntax.Node) -> Iterator[str]:
    """The named classes that must have an instance for the expression to have one."""
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if node[0] == "<":
                yield node[1:-1]
        elif node[0] == "ObjectIntersectionOf":
            stack.extend(node[1:])
        elif node[0] in _EXISTENTIAL and node[1] != "0":
            stack.append(node[-1] if node[0] == "ObjectSomeValuesFrom" or len(node) == 4 else "_:any")


def classes(axioms: Iterable[str]) -> set[str]:
    """Every named class of the axioms, built-in ones included."""
    return entities(axioms).get("class", set())


def entities(axioms: Iterable[str]) -> dict[str, set[str]]:
    """The entities of the axioms by kind (`class`, `objectproperty`, …), built-in ones included."""
    found: dict[str, set[str]] = {}
    relevant = (text for text in axioms if not text.startswith("Annotation"))
    for kind, iri in signature.signature(relevant):
        found.setdefault(kind, set()).add(iri)
    return found
