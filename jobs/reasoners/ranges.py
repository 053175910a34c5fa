"""Where a range and a property chain break what OWL 2 EL demands of them together.

Outside that restriction EL reasoners miss consequences, and ELK 0.4.3 does so without a word. So it is
looked for in the axioms. Source: OWL 2 Profiles, 2.2.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.ontology import syntax

if TYPE_CHECKING:
    from collections.abc import Iterable

RANGE: Final = "ObjectPropertyRange"
CHAIN: Final = "ObjectPropertyChain"
_RELEVANT: Final = (f"{RANGE}(", "SubObjectPropertyOf(", "EquivalentObjectProperties(")


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
