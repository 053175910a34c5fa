"""Axioms that have a node of their own: n-ary disjointness, negative assertions and rules.

Source: OWL 2 mapping to RDF graphs, second edition, section 3.2.5 (table 16); the SWRL submission,
section 5, for rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.ontology import vocabulary as v
from jobs.ontology.rdf_nodes import one
from jobs.ontology.triples import Misfit
from jobs.ontology.vocabulary import owl, short, swrl

if TYPE_CHECKING:
    from jobs.ontology.rdf_axioms import Part
    from jobs.ontology.rdf_kinds import Kinds
    from jobs.ontology.rdf_terms import Expressions
    from jobs.ontology.triples import Description, Graph

_DIFFERENT: Final = owl("AllDifferent")
_CLASSES: Final = owl("AllDisjointClasses")
_PROPERTIES: Final = owl("AllDisjointProperties")
_NEGATIVE: Final = owl("NegativePropertyAssertion")
_RULE: Final = swrl("Imp")
NODE_AXIOMS: Final = frozenset({_DIFFERENT, _CLASSES, _PROPERTIES, _NEGATIVE, _RULE})
_FIRST_ARGUMENT: Final = swrl("argument1")
_SECOND_ARGUMENT: Final = swrl("argument2")


class NodeAxioms:
    """Reads the axioms whose type stands at the node itself."""

    def __init__(self, graph: Graph, expressions: Expressions, kinds: Kinds, variables: set[str]) -> None:
        self._graph = graph
        self._terms = expressions
        self._kinds = kinds
        self._variables = variables
        self.used_variables: set[str] = set()

    def of(self, node: Description, node_type: str) -> Part:
        """The axiom of a node; what stays in the node are its annotations."""
        node[v.TYPE].remove(node_type)
        if not node[v.TYPE]:
            del node[v.TYPE]
        match node_type:
            case _ if node_type == _DIFFERENT:
                return "DifferentIndividuals", _set(
                    map(self._terms.individual, self._members(node, node_type))
                )
            case _ if node_type == _CLASSES:
                return "DisjointClasses", _set(
                    map(self._terms.class_expression, self._members(node, node_type))
                )
            case _ if node_type == _PROPERTIES:
                return self._disjoint_properties(self._members(node, node_type))
            case _ if node_type == _NEGATIVE:
                return self._negative(node)
            case _:
                return self._rule(node)

    def _members(self, node: Description, node_type: str) -> tuple[str, ...]:
        legacy = owl("distinctMembers")
        predicate = legacy if legacy in node and node_type == _DIFFERENT else owl("members")
        members = self._terms.items(one(node, predicate, short(node_type)))
        if not members:
            raise Misfit(f"{short(node_type)} of nothing", construct=short(node_type))
        return members

    def _disjoint_properties(self, members: tuple[str, ...]) -> Part:
        data = [term for term in members if "D" in self._kinds.of(term) and "O" not in self._kinds.of(term)]
        if len(data) == len(members):
            return "DisjointDataProperties", _set(data)
        if data:
            raise Misfit(
                "owl:AllDisjointProperties mixes object and data properties",
                construct="owl:AllDisjointProperties",
                terms=tuple(data),
            )
        for term in members:
            if term[0] == "<" and "O" not in self._kinds.of(term):
                self._kinds.guess(term, "O")
        return "DisjointObjectProperties", _set(map(self._terms.object_property, members))

    def _negative(self, node: Description) -> Part:
        what = "owl:NegativePropertyAssertion"
        source = self._terms.individual(one(node, owl("sourceIndividual"), what))
        target_property = one(node, owl("assertionProperty"), what)
        if owl("targetValue") in node:
            value = self._terms.value(one(node, owl("targetValue"), what))
            return (
                "NegativeDataPropertyAssertion",
                f"{self._terms.data_property(target_property)} {source} {value}",
            )
        target = self._terms.individual(one(node, owl("targetIndividual"), what))
        return (
            "NegativeObjectPropertyAssertion",
            f"{self._terms.object_property(target_property)} {source} {target}",
        )

    # --- Rules ---

    def _rule(self, node: Description) -> Part:
        body = self._terms.items(one(node, swrl("body"), "swrl:Imp"))
        head = self._terms.items(one(node, swrl("head"), "swrl:Imp"))
        return "DLSafeRule", f"Body({self._atoms(body)}) Head({self._atoms(head)})"

    def _atoms(self, terms: tuple[str, ...]) -> str:
        return " ".join(sorted({self._atom(term) for term in terms}))

    def _atom(self, term: str) -> str:
        node = self._graph.nodes.get(term, {})
        types = [found for found in node.get(v.TYPE, []) if found.startswith(v.SWRL, 1)]
        if len(types) != 1:
            raise Misfit(f"{self._graph.describe(term)} is not a rule atom", construct="swrl:Imp")
        if len(node[v.TYPE]) != 1:
            raise Misfit("A rule atom that is also of another type", construct="swrl:Imp")
        del node[v.TYPE]
        name = short(types[0])
        match name:
            case "swrl:ClassAtom":
                described = self._terms.class_expression(one(node, swrl("classPredicate"), name))
                return f"ClassAtom({described} {self._individual(node, _FIRST_ARGUMENT, name)})"
            case "swrl:DataRangeAtom":
                described = self._terms.data_range(one(node, swrl("dataRange"), name))
                return f"DataRangeAtom({described} {self._value(one(node, _FIRST_ARGUMENT, name))})"
            case "swrl:IndividualPropertyAtom":
                described = self._terms.object_property(one(node, swrl("propertyPredicate"), name))
                return f"ObjectPropertyAtom({described} {self._two_individuals(node, name)})"
            case "swrl:DatavaluedPropertyAtom":
                described = self._terms.data_property(one(node, swrl("propertyPredicate"), name))
                first = self._individual(node, _FIRST_ARGUMENT, name)
                return (
                    f"DataPropertyAtom({described} {first} {self._value(one(node, _SECOND_ARGUMENT, name))})"
                )
            case "swrl:SameIndividualAtom" | "swrl:DifferentIndividualsAtom":
                return f"{name[5:]}({self._two_individuals(node, name)})"
            case "swrl:BuiltinAtom":
                return self._builtin(node, name)
            case _:
                raise Misfit(f"Unknown rule atom {name}", construct=name)

    def _builtin(self, node: Description, name: str) -> str:
        builtin = one(node, swrl("builtin"), name)
        arguments = self._terms.items(one(node, swrl("arguments"), name))
        return f"BuiltInAtom({' '.join([builtin, *map(self._argument, arguments)])})"

    def _two_individuals(self, node: Description, name: str) -> str:
        first = self._individual(node, _FIRST_ARGUMENT, name)
        return f"{first} {self._individual(node, _SECOND_ARGUMENT, name)}"

    def _individual(self, node: Description, predicate: str, name: str) -> str:
        return self._terms.individual(self._argument(one(node, predicate, name)))

    def _value(self, term: str) -> str:
        text = self._argument(term)
        return text if text.startswith("Variable(") else self._terms.value(text)

    def _argument(self, term: str) -> str:
        if term in self._variables:
            self.used_variables.add(term)
            return f"Variable({term})"
        return term


def _set(texts: object) -> str:
    members = sorted(set(texts))  # type: ignore[call-overload]  # any iterable of texts
    return " ".join(members * 2 if len(members) == 1 else members)
