"""Annotations on axioms and on annotations, out of owl:Axiom and owl:Annotation nodes.

A node names the triple that it annotates; several nodes for one triple are several axioms.
Source: OWL 2 mapping to RDF graphs, second edition, sections 2.2, 2.3 and 3.2.2 (table 17).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.ontology import vocabulary as v
from jobs.ontology.rdf_nodes import one
from jobs.ontology.triples import Misfit
from jobs.ontology.vocabulary import short

if TYPE_CHECKING:
    from jobs.ontology.rdf_kinds import Kinds
    from jobs.ontology.triples import Description, Graph, Triple

_DEPTH_MAX: Final = 50
"""Deepest nesting of annotations on annotations (ours)."""


class Annotations:
    """Hands out annotations by the triple that they are on."""

    def __init__(self, graph: Graph, kinds: Kinds) -> None:
        self._graph = graph
        self._kinds = kinds
        self._empty = 0
        self._named: list[str] = []
        self.waiting: dict[Triple, list[str]] = {}
        """Nodes whose triple was not met yet, by the triple."""

    def collect(self) -> None:
        """Index the nodes; raises `Misfit` for one that does not name its triple."""
        annotating = {v.AXIOM, v.ANNOTATION}
        for term, node in self._graph.nodes.items():
            types = node.get(v.TYPE)
            if types is None or annotating.isdisjoint(types):
                continue
            if len(types) > 1:
                what = short(types[0])
                raise Misfit(f"{what} that is also of another type", construct=what, terms=tuple(types))
            del node[v.TYPE]
            if term[0] == "<":
                self._named.append(term)
            key = _triple(node, types[0])
            if key[0][0] == '"' or key[1][0] != "<":
                what = short(types[0])
                raise Misfit(f"{what} about what is no triple", construct=what, terms=(key[0], key[1]))
            self.waiting.setdefault(key, []).append(term)

    def sets_on(self, triple: Triple) -> list[list[str]] | None:
        """Each set of annotations on a triple, taken; None when there are none."""
        nodes = self.waiting.pop(triple, None) if self.waiting else None
        if nodes is None:
            return None
        found = [self.at(node) for node in nodes]
        self._empty += sum(not annotations for annotations in found)
        return found

    def at(self, term: str) -> list[str]:
        """The annotations written at a node, taken out of it, sorted."""
        node = self._graph.nodes[term]
        for predicate in node:
            if predicate.startswith((v.OWL, v.RDF), 1) and "A" not in self._kinds.of(predicate):
                raise Misfit(
                    f"{short(predicate)} is not expected on an annotated axiom",
                    construct=short(predicate),
                    terms=(predicate,),
                )
        return self._inside(term, 0)

    def on(self, subject: str, predicate: str, value: str, depth: int = 0) -> list[str]:
        """The annotation that one triple states, once for each set of annotations on it."""
        nodes = self.waiting.pop((subject, predicate, value), None) if self.waiting else None
        if nodes is None:
            return [f"Annotation({predicate} {value})"]
        if depth > _DEPTH_MAX:
            raise Misfit(
                f"Annotations of annotations are nested more than {_DEPTH_MAX} deep",
                construct="owl:Annotation",
            )
        found = []
        for node in nodes:
            inner = self._inside(node, depth + 1)
            self._empty += not inner
            found.append(f"Annotation({' '.join([*inner, f'{predicate} {value}'])})")
        return found

    def _inside(self, term: str, depth: int) -> list[str]:
        node = self._graph.nodes[term]
        if len(node) == 1:  # as most do, with one value
            ((predicate, values),) = node.items()
            if len(values) == 1:
                found = self.on(term, predicate, values[0], depth)
                node.clear()
                return found if len(found) == 1 else sorted(set(found))
        texts = {
            text
            for predicate, values in node.items()
            for value in values
            for text in self.on(term, predicate, value, depth)
        }
        node.clear()
        return sorted(texts)

    def warnings(self) -> list[str]:
        """What was read but says nothing."""
        found = [f"An axiom named {term}: OWL 2 does not keep names of axioms." for term in self._named]
        if self._empty:
            found.append(f"{self._empty} owl:Axiom or owl:Annotation nodes carry no annotation.")
        return found


def _triple(node: Description, node_type: str) -> Triple:
    """The triple that a node annotates, taken out of it."""
    try:
        (source,), (prop,), (target,) = node[v.SOURCE], node[v.PROPERTY], node[v.TARGET]
    except (KeyError, ValueError):  # one is missing, or there are several: say which
        what = short(node_type)
        try:
            return one(node, v.SOURCE, what), one(node, v.PROPERTY, what), one(node, v.TARGET, what)
        except Misfit as misfit:
            misfit.terms = (*(value for values in node.values() for value in values), v.AXIOM)
            raise
    del node[v.SOURCE], node[v.PROPERTY], node[v.TARGET]
    return source, prop, target
