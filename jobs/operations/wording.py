"""An axiom as a line that people read: Manchester-like words, labels in place of IRIs.

Only for reading: no program should parse it. What an author may have put anything into (labels, literals,
the ends of IRIs) passes through the two functions that the caller gives, so that each kind of text can be
made safe where it goes; every other character is ours.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar, syntax

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jobs.ontology.syntax import Node

_BETWEEN: Final = {
    "SubClassOf": "SubClassOf",
    "EquivalentClasses": "EquivalentTo",
    "DisjointClasses": "DisjointWith",
    "SubObjectPropertyOf": "SubPropertyOf",
    "SubDataPropertyOf": "SubPropertyOf",
    "SubAnnotationPropertyOf": "SubPropertyOf",
    "EquivalentObjectProperties": "EquivalentTo",
    "EquivalentDataProperties": "EquivalentTo",
    "DisjointObjectProperties": "DisjointWith",
    "DisjointDataProperties": "DisjointWith",
    "InverseObjectProperties": "InverseOf",
    "ObjectPropertyDomain": "Domain",
    "ObjectPropertyRange": "Range",
    "DataPropertyDomain": "Domain",
    "DataPropertyRange": "Range",
    "AnnotationPropertyDomain": "Domain",
    "AnnotationPropertyRange": "Range",
    "DatatypeDefinition": "EquivalentTo",
    "SameIndividual": "SameAs",
    "DifferentIndividuals": "DifferentFrom",
}
"""Axioms of two or more operands, with the word that stands between them."""
_MANY: Final = {"DisjointWith": "are pairwise disjoint", "DifferentFrom": "are pairwise different"}
"""What is said of more than two, where the word between two would be misread."""
_AFTER: Final = {
    "FunctionalObjectProperty": "Functional",
    "FunctionalDataProperty": "Functional",
    "InverseFunctionalObjectProperty": "InverseFunctional",
    "ReflexiveObjectProperty": "Reflexive",
    "IrreflexiveObjectProperty": "Irreflexive",
    "SymmetricObjectProperty": "Symmetric",
    "AsymmetricObjectProperty": "Asymmetric",
    "TransitiveObjectProperty": "Transitive",
}
_JOINED: Final = {"IntersectionOf": "and", "UnionOf": "or"}
_RESTRICTED: Final = {
    "SomeValuesFrom": "some",
    "AllValuesFrom": "only",
    "HasValue": "value",
    "MinCardinality": "min",
    "MaxCardinality": "max",
    "ExactCardinality": "exactly",
}
_KIND: Final = re.compile(r"(?:Object|Data)(?=[A-Z])")
_FACETS: Final = {
    "minInclusive": ">=",
    "maxInclusive": "<=",
    "minExclusive": ">",
    "maxExclusive": "<",
}
_BUILT_IN: Final = {grammar.OWL: "owl:", grammar.RDFS: "rdfs:", grammar.RDF: "rdf:", grammar.XSD: "xsd:"}
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")
_LOCAL: Final = re.compile(r"[^/#:]+\Z")


class Wording:
    """Words for axioms.

    Args:
        name: how an entity is written, by its IRI.
        literal: how a literal is written, by its canonical text.
    """

    def __init__(self, name: Callable[[str], str], literal: Callable[[str], str]) -> None:
        self._name = name
        self._literal = literal

    def axiom(self, text: str) -> str:
        """One line for one canonical axiom; its annotations are left out."""
        node = syntax.parse_axiom(syntax.strip_annotations(text))
        assert not isinstance(node, str)
        kind, operands = str(node[0]), node[1:]
        match kind:
            case "ClassAssertion":
                return f"{self._term(operands[1])} Type {self._term(operands[0])}"
            case "ObjectPropertyAssertion" | "DataPropertyAssertion" | "AnnotationAssertion":
                return self._triple(operands)
            case "NegativeObjectPropertyAssertion" | "NegativeDataPropertyAssertion":
                return f"not ({self._triple(operands)})"
            case _ if kind in _AFTER:
                return f"{self._term(operands[0])} {_AFTER[kind]}"
            case _ if kind in _BETWEEN:
                return self._between(_BETWEEN[kind], operands)
            case _:
                return self._functional(node)

    def _triple(self, operands: tuple[Node, ...]) -> str:
        prop, subject, value = operands
        return f"{self._term(subject)} {self._term(prop)} {self._term(value)}"

    def _between(self, word: str, operands: tuple[Node, ...]) -> str:
        if len(operands) > 2 and word in _MANY:
            return f"{', '.join(map(self._term, operands))} {_MANY[word]}"
        return f" {word} ".join(self._inner(each, is_alone=True) for each in operands)

    def _inner(self, node: Node, *, is_alone: bool = False) -> str:
        """A term inside another one: in brackets unless it is a single word or needs none there."""
        told = self._term(node)
        is_plain = isinstance(node, str) or node[0] in ("ObjectOneOf", "DataOneOf", "DatatypeRestriction")
        return told if is_plain or is_alone else f"({told})"

    def _term(self, node: Node) -> str:
        if isinstance(node, str):
            if node[0] == "<":
                return self._name(node[1:-1])
            return self._literal(node) if node[0] == '"' else node
        kind, operands = str(node[0]), node[1:]
        short = _KIND.sub("", kind, count=1)
        if short in _JOINED:
            return f" {_JOINED[short]} ".join(map(self._inner, operands))
        if short in _RESTRICTED and isinstance(operands[0], str) and operands[0].isdecimal():
            number, prop, *filler = operands
            told = f"{self._inner(prop)} {_RESTRICTED[short]} {number}"
            return f"{told} {self._inner(filler[0])}" if filler else told
        if short in _RESTRICTED and len(operands) == 2:
            return f"{self._inner(operands[0])} {_RESTRICTED[short]} {self._inner(operands[1])}"
        match short:
            case "ComplementOf":
                return f"not {self._inner(operands[0])}"
            case "HasSelf":
                return f"{self._inner(operands[0])} Self"
            case "OneOf":
                return "{" + ", ".join(map(self._term, operands)) + "}"
            case "InverseOf":
                return f"inverse {self._inner(operands[0])}"
            case "PropertyChain" | "ObjectPropertyChain":
                return " o ".join(map(self._inner, operands))
            case "DatatypeRestriction":
                return self._restricted(operands)
            case _:
                return self._functional(node)

    def _restricted(self, operands: tuple[Node, ...]) -> str:
        pairs = zip(operands[1::2], operands[2::2], strict=True)
        told = [f"{_FACETS.get(name := _local(str(facet)), name)} {self._term(of)}" for facet, of in pairs]
        return f"{self._term(operands[0])} with {' and '.join(told)}"

    def _functional(self, node: tuple[Node, ...]) -> str:
        """What has no words of its own: as it is written, with names."""
        return f"{str(node[0]).lstrip('(')}({', '.join(map(self._term, node[1:]))})"


def plain(labels: Mapping[str, str]) -> Wording:
    """Words for a terminal or a report: labels and literals on one line, whatever they hold.

    Entities that share a label are told apart by the ends of their IRIs.
    """
    shared = Counter(map(one_line, labels.values()))

    def name(iri: str) -> str:
        told = name_of(iri, labels)
        return f"{told} ({short_name(iri)})" if shared[one_line(labels.get(iri, ""))] > 1 else told

    return Wording(name, literal)


def literal(text: str) -> str:
    """A canonical literal on one line, with the usual prefix for its datatype."""
    value, language, datatype = syntax.literal_parts(text)
    kind = f"@{language}" if language else f"^^{short_name(datatype)}" if datatype else ""
    return f'"{one_line(value)}"{kind}'


def name_of(iri: str, labels: Mapping[str, str]) -> str:
    """The label, in quotation marks where it is no single word; else the end of the IRI."""
    label = one_line(labels.get(iri, ""))
    if label:
        return f"'{label}'" if re.search(r"\W", label) else label
    return short_name(iri)


def short_name(iri: str) -> str:
    """The end of an IRI that people know it by; the usual prefix of a built-in one."""
    for namespace, prefix in _BUILT_IN.items():
        if iri.startswith(namespace):
            return prefix + iri[len(namespace) :]
    return _local(iri)


def one_line(text: str) -> str:
    """The text with every run of line breaks, blanks and control characters as one blank."""
    return _CONTROL.sub(" ", text).strip()


def _local(iri: str) -> str:
    found = _LOCAL.search(iri.strip("<>").rstrip("/#"))
    return one_line(found.group() if found else iri)
