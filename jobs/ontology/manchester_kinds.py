"""What Manchester syntax leaves to the declarations: whether a property is about objects or data.

`hasAge min 1`, `hasAge only (Adult or xsd:integer)` and `xsd:integer(?x)` look the same for both
kinds. The library decides by the filler alone, so a restriction of a declared data property came
out as one of an object property. Here each such place is decided by what is declared, in the
document or in what it imports; what nothing declares stays as it was and is reported as guessed.

Source: OWL 2 Manchester syntax, section 2 (a property's kind comes from its declaration).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology import grammar
from jobs.ontology.syntax import parse_axiom, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.document import OntologyDocument
    from jobs.ontology.grammar import EntityType
    from jobs.ontology.syntax import Node

_AMBIGUOUS: Final = re.compile(
    r"Object(?:SomeValuesFrom|AllValuesFrom|HasValue|HasSelf|(?:Min|Max|Exact)Cardinality|PropertyAtom)\("
    r"|ClassAtom\(|HasKey\(|(?:Equivalent|Disjoint)ObjectProperties\("
)
_QUANTIFIED: Final = frozenset({"ObjectSomeValuesFrom", "ObjectAllValuesFrom"})
_COUNTED: Final = frozenset({"ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"})
_PROPERTY_AXIOMS: Final = frozenset({"EquivalentObjectProperties", "DisjointObjectProperties"})
_RANGES: Final = {
    "ObjectUnionOf": "DataUnionOf",
    "ObjectIntersectionOf": "DataIntersectionOf",
    "ObjectComplementOf": "DataComplementOf",
}


def settle_kinds(
    document: OntologyDocument,
    declared: Mapping[str, frozenset[EntityType]],
    external: Mapping[str, frozenset[EntityType]],
) -> tuple[OntologyDocument, frozenset[str]]:
    """The document with every kind as declared, and the IRIs whose kind nothing tells.

    Args:
        declared: what the document declares; `external` what its imports declare.
    Raises:
        InvalidOntology: a data property stands where only an object property may.
    """
    decider = _Decider(declared, external)
    axioms = (decider.axiom(text) if _AMBIGUOUS.search(text) else text for text in document.axioms)
    return replace(document, axioms=tuple(sorted(set(axioms)))), frozenset(decider.guessed)


class _Decider:
    """Rebuilds axioms, innermost first."""

    def __init__(
        self,
        declared: Mapping[str, frozenset[EntityType]],
        external: Mapping[str, frozenset[EntityType]],
    ) -> None:
        self._declared = declared
        self._external = external
        self.guessed: set[str] = set()

    def axiom(self, text: str) -> str:
        """The canonical text of an axiom with its kinds decided."""
        return render(self._settled(parse_axiom(text)))

    def _settled(self, node: Node) -> Node:
        if isinstance(node, str):
            return node
        name, *operands = node
        assert isinstance(name, str)
        return self._decided(name, [self._settled(operand) for operand in operands])

    def _decided(self, name: str, operands: list[Node]) -> Node:
        if name in _QUANTIFIED and self._is_data(operands[0]):
            return (_as_data(name), operands[0], *(_as_range(operand) for operand in operands[1:]))
        if name in _COUNTED and self._is_data(operands[1]):
            return (_as_data(name), *operands[:2], *(_as_range(operand) for operand in operands[2:]))
        if name in ("ObjectHasValue", "ObjectHasSelf") and self._is_data(operands[0]):
            raise _misplaced(f"The data property {operands[0]} with an individual as value")
        if name == "ObjectPropertyAtom" and self._is_data(operands[0]):
            return ("DataPropertyAtom", *operands)
        if name == "ClassAtom" and self._is_datatype(operands[0]):
            return ("DataRangeAtom", *operands)
        if name in _PROPERTY_AXIOMS:
            members = [operand for operand in operands if isinstance(operand, str)]
            if members and all([self._is_data(member) for member in members]):
                return (_as_data(name), *operands)
        if name == "HasKey":
            return self._key(operands)
        return (name, *operands)

    def _key(self, operands: list[Node]) -> Node:
        *before, objects, data = operands
        assert isinstance(objects, tuple)
        assert isinstance(data, tuple)
        moved = [member for member in objects[1:] if self._is_data(member)]
        kept = [member for member in objects[1:] if member not in moved]
        return ("HasKey", *before, ("(keys", *kept), (*data, *moved))

    def _is_data(self, term: Node) -> bool:
        kinds = self._kinds(term)
        return "dataproperty" in kinds and "objectproperty" not in kinds

    def _is_datatype(self, term: Node) -> bool:
        if isinstance(term, tuple):
            return term[0] in _RANGES.values()
        kinds = self._kinds(term)
        return "class" not in kinds and ("datatype" in kinds or term.startswith(grammar.XSD, 1))

    def _kinds(self, term: Node) -> frozenset[EntityType]:
        if not isinstance(term, str):
            return frozenset()
        iri = term[1:-1]
        own = self._declared.get(iri, frozenset())
        if not own:
            self.guessed.add(iri)
        return own or self._external.get(iri, frozenset())


def _as_data(name: str) -> str:
    return name.replace("Object", "Data")


def _as_range(filler: Node) -> Node:
    """A filler that was taken for a class expression, as the data range that it is."""
    if isinstance(filler, str):
        return filler
    name = filler[0]
    assert isinstance(name, str)
    if name.startswith("Data"):
        return filler
    if name not in _RANGES:
        raise _misplaced(f"{name} as the range of a data property")
    return (_RANGES[name], *(_as_range(operand) for operand in filler[1:]))


def _misplaced(what: str) -> InvalidOntology:
    return InvalidOntology(
        f"{what}, which OWL 2 does not have.", details={"format": "manchester", "construct": "restriction"}
    )
