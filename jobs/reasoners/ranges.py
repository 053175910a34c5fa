"""Where a range and a property chain break what OWL 2 EL demands of them together.

Outside that restriction EL reasoners miss consequences, and ELK 0.4.3 does so without a word. So it is
looked for in the axioms. Source: OWL 2 Profiles, 2.2.6.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from jobs.ontology import syntax
from jobs.reasoners import told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_T = TypeVar("_T")

RANGE: Final = "ObjectPropertyRange"
CHAIN: Final = "ObjectPropertyChain"
_RELEVANT: Final = (f"{RANGE}(", "SubObjectPropertyOf(", "EquivalentObjectProperties(")


def needless(axioms: Sequence[str]) -> frozenset[str]:
    """The range axioms without which the same follows: what they say of each filler is told of it anyway.

    A range acts on the fillers of existential restrictions alone, where no chain breaks the restriction
    above and nothing else (a fact, a reflexive property, an inverse) makes a successor.
    """
    stated = [text for text in axioms if text.startswith(f"{RANGE}(")]
    if not stated or breaks_restriction(axioms) or any(map(_MAKES_SUCCESSORS.search, axioms)):
        return frozenset()
    above = _property_links(axioms)
    supers: dict[str, set[str]] = {}
    for name, expression in told.class_axioms(axioms):
        supers.setdefault(name, set()).update(told.named_conjuncts(expression))
    fillers = list(_fillers(axioms))
    found = set()
    for text in stated:
        tree = syntax.parse_axiom(syntax.strip_annotations(text))
        prop, value = tree[1], tree[2]
        if isinstance(value, str) and all(
            value[1:-1] in _reachable(set(told.named_conjuncts(filler)), supers)
            for used, filler in fillers
            if prop in _reachable({used}, above)
        ):
            found.add(text)
    return frozenset(found)


_MAKES_SUCCESSORS: Final = re.compile(
    r"\AObjectPropertyAssertion\(|\AReflexiveObjectProperty\(|\bObjectHasSelf\(|\bObjectHasValue\(|\bObjectInverseOf\("
    r"|\AInverseObjectProperties\(|\ASymmetricObjectProperty\("
)


def _fillers(axioms: Iterable[str]) -> Iterator[tuple[syntax.Node, syntax.Node]]:
    """Each (property, filler) of an existential restriction, wherever it stands."""
    for text in axioms:
        if "ObjectSomeValuesFrom(" not in text or text.startswith("Annotation"):
            continue
        waiting: list[syntax.Node] = [syntax.parse_axiom(syntax.strip_annotations(text))]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                continue
            if node[0] == "ObjectSomeValuesFrom":
                yield node[1], node[2]
            waiting.extend(node[1:])


def _property_links(axioms: Iterable[str]) -> dict[syntax.Node, set[syntax.Node]]:
    """The told superproperties of each property, one step up."""
    above: dict[syntax.Node, set[syntax.Node]] = {}
    for text in axioms:
        if text.startswith(("SubObjectPropertyOf(", "EquivalentObjectProperties(")):
            tree = syntax.parse_axiom(syntax.strip_annotations(text))
            if tree[0] == "EquivalentObjectProperties":
                for each in tree[1:]:
                    above.setdefault(each, set()).update(tree[1:])
            else:
                above.setdefault(tree[1], set()).add(tree[2])
    return above


def _reachable(start: set[_T], above: Mapping[_T, set[_T]]) -> set[_T]:
    seen, waiting = set(start), list(start)
    while waiting:
        new = above.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def breaks_restriction(axioms: Iterable[str]) -> bool:
    """Whether a chain leads to a property with a range that the chain's last property need not have.

    A property imposes the ranges of all its told superproperties. If it is the head of a chain, the
    chain's last property must impose them as well.
    """
    own: dict[syntax.Node, set[syntax.Node]] = {}
    above: dict[syntax.Node, set[syntax.Node]] = {}
    chains: list[tuple[syntax.Node, syntax.Node]] = []
    for text in axioms:
        if not text.startswith(_RELEVANT):
            continue
        tree = syntax.parse_axiom(syntax.strip_annotations(text))
        name, operands = tree[0], tree[1:]
        if name == RANGE:
            own.setdefault(operands[0], set()).add(operands[1])
        elif name == "EquivalentObjectProperties":
            for each in operands:
                above.setdefault(each, set()).update(other for other in operands if other != each)
        elif isinstance(operands[0], str):
            above.setdefault(operands[0], set()).add(operands[1])
        elif operands[0][0] == CHAIN:
            chains.append((operands[0][-1], operands[1]))
    if not own:
        return False
    return any(not _imposed(head, own, above) <= _imposed(last, own, above) for last, head in chains)


def _imposed(
    start: syntax.Node,
    own: dict[syntax.Node, set[syntax.Node]],
    above: dict[syntax.Node, set[syntax.Node]],
) -> set[syntax.Node]:
    seen, waiting = {start}, [start]
    found: set[syntax.Node] = set()
    while waiting:
        each = waiting.pop()
        found |= own.get(each, set())
        new = above.get(each, set()) - seen
        seen |= new
        waiting += new
    return found
