"""What a reasoner answers: hierarchies of named entities and what it leaves undecided.

Invariants of a `Taxonomy`: every entity of its kind stands in exactly one node; nodes and
members are sorted, so that equal hierarchies are equal values whoever computed them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

THING: Final = f"{grammar.OWL}Thing"
NOTHING: Final = f"{grammar.OWL}Nothing"


EXTREMES: Final = {
    "classes": (THING, NOTHING),
    "object_properties": (f"{grammar.OWL}topObjectProperty", f"{grammar.OWL}bottomObjectProperty"),
    "data_properties": (f"{grammar.OWL}topDataProperty", f"{grammar.OWL}bottomDataProperty"),
}
"""The built-in entity above all others of its kind, and the one below them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taxonomy:
    """The hierarchy of named entities of one kind; a node is named by its place in `nodes`."""

    nodes: tuple[tuple[str, ...], ...]
    """Members of each node: IRIs, sorted; the nodes sorted by their members."""
    parents: tuple[tuple[int, ...], ...]
    """Direct parents of each node, sorted. The bottom node has none here: they are all the leaves."""
    top: int
    bottom: int

    def depths(self) -> tuple[int, ...]:
        """Steps of the longest way to the top of each node; the bottom lies one below the deepest."""
        depth = [0] * len(self.nodes)
        for node in self.downwards():
            depth[node] = 1 + max((depth[parent] for parent in self.parents[node]), default=-1)
        depth[self.bottom] = 1 + max(each for node, each in enumerate(depth) if node != self.bottom)
        return tuple(depth)

    def downwards(self) -> list[int]:
        """The nodes so that each follows its parents; without recursion, whatever the depth."""
        children: list[list[int]] = [[] for _ in self.nodes]
        waiting = [len(parents) for parents in self.parents]
        for node, parents in enumerate(self.parents):
            for parent in parents:
                children[parent].append(node)
        order = [node for node, count in enumerate(waiting) if count == 0]
        for node in order:
            for child in children[node]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    order.append(child)
        return order


@dataclass(frozen=True, slots=True, kw_only=True)
class Individuals:
    """The named individuals and their types."""

    nodes: tuple[tuple[str, ...], ...]
    """Individuals that are the same stand in one node: IRIs, sorted; the nodes sorted by their members."""
    types: tuple[tuple[str, ...], ...]
    """Of each node its direct types, one class (the first member) for each group of equivalents; sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run of one reasoner over one closure."""

    is_consistent: bool | None
    """None when this reasoner does not decide it."""
    taxonomy: Taxonomy | None
    """None for an inconsistent ontology: every hierarchy would be true of it."""
    unsatisfiable: tuple[str, ...] = ()
    """Named classes found to have no instance, sorted, without owl:Nothing."""
    incomplete_because: tuple[str, ...] = ()
    """Constructs met that the reasoner does not, or not wholly, interpret; sorted OWL names."""
    incomplete_sections: tuple[str, ...] = ()
    """Hierarchies that the reasoner does not vouch for, though perhaps for the others; sorted."""
    outside_axioms: int = 0
    """Axioms that use one of them."""
    object_properties: Taxonomy | None = None
    """None when the reasoner was not asked, or cannot tell."""
    data_properties: Taxonomy | None = None
    individuals: Individuals | None = None


def make_taxonomy(
    groups: Iterable[Iterable[str]],
    parents_of: Mapping[str, Iterable[str]],
    extremes: tuple[str, str] = (THING, NOTHING),
) -> Taxonomy:
    """Order a hierarchy given by its nodes' members and the direct parents of each node.

    Args:
        groups: members of each node; those of the extremes are added when absent.
        parents_of: by any one member of a node, any one member of each direct parent node.
        extremes: the built-in entities above and below all others.
    """
    members = [tuple(sorted(group)) for group in groups]
    present = {iri for group in members for iri in group}
    members += [(iri,) for iri in extremes if iri not in present]
    members.sort()
    place = {iri: node for node, group in enumerate(members) for iri in group}
    top, bottom = (place[each] for each in extremes)
    parents: list[set[int]] = [set() for _ in members]
    for child, uppers in parents_of.items():
        if place[child] not in (top, bottom):
            parents[place[child]].update(place[upper] for upper in uppers)
    for node, found in enumerate(parents):
        found.discard(node)
        if not found and node not in (top, bottom):
            found.add(top)
    return Taxonomy(
        nodes=tuple(members),
        parents=tuple(tuple(sorted(found)) for found in parents),
        top=top,
        bottom=bottom,
    )


def make_individuals(rows: Iterable[tuple[Iterable[str], Iterable[str]]]) -> Individuals:
    """Order individuals given as (those that are the same, the first member of each direct type)."""
    found = sorted((tuple(sorted(members)), tuple(sorted(types))) for members, types in rows)
    return Individuals(nodes=tuple(each for each, _ in found), types=tuple(each for _, each in found))


def components(edges: Sequence[Sequence[int]]) -> list[int]:
    """Strongly connected components: for each vertex the number of its component.

    Numbers grow against the edges: a component is numbered before those that lead to it.
    Iterative, so that a told chain of 100,000 classes does not end the interpreter's stack.
    """
    number, low, component = [0] * len(edges), [0] * len(edges), [-1] * len(edges)
    counter, found = 0, 0
    path: list[int] = []
    for root in range(len(edges)):
        if number[root]:
            continue
        work = [(root, 0)]
        while work:
            vertex, done = work.pop()
            if done == 0:
                counter += 1
                number[vertex] = low[vertex] = counter
                path.append(vertex)
            for index in range(done, len(edges[vertex])):
                target = edges[vertex][index]
                if not number[target]:
                    work += [(vertex, index + 1), (target, 0)]
                    break
                if component[target] < 0:
                    low[vertex] = min(low[vertex], number[target])
            else:
                if low[vertex] == number[vertex]:
                    while (member := path.pop()) != vertex:
                        component[member] = found
                    component[vertex] = found
                    found += 1
                if work:
                    caller = work[-1][0]
                    low[caller] = min(low[caller], low[vertex])
    return component
