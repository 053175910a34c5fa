"""The constructs of OWL 2 functional syntax: what each is, and which operands it takes.

One table serves the reader (is this operand allowed here?), the canonical form (which operands
have no order?) and the signature (what kind of entity is the IRI at this place?).

A *sort* is one character saying what a finished term is:
`<` an IRI, `_` an anonymous individual, `"` a literal, `0` a number, `C` a class expression,
`O` an inverse property, `P` a property chain, `R` a data range, `n` an annotation, `a` a rule
atom, `b` and `h` a rule's body and head, `v` a variable, `E` a declared entity, `k` and `d` the
two lists of HasKey, `X` an axiom. The operand sorts of a construct together are a short string,
and its signature a regular expression over such strings.

Source: OWL 2 structural specification and functional-style syntax, second edition; names of rule
constructs as the OWL API writes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

OWL: Final = "http://www.w3.org/2002/07/owl#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
BUILTIN_NAMESPACES: Final = (OWL, RDF, RDFS, XSD)

EntityType = Literal[
    "class", "objectproperty", "dataproperty", "annotationproperty", "namedindividual", "datatype"
]
Order = Literal["fixed", "set", "pair", "facets"]


@dataclass(frozen=True, slots=True)
class _Slot:
    """What may stand at one place: accepted sorts, and the entity type an IRI there has."""

    sorts: str
    entity: EntityType | None = None


_SLOTS: Final[dict[str, _Slot]] = {
    "C": _Slot("<C", "class"),
    "N": _Slot("<", "class"),  # a named class only
    "O": _Slot("<O", "objectproperty"),
    "o": _Slot("<", "objectproperty"),  # a named object property only
    "Q": _Slot("<OP", "objectproperty"),
    "D": _Slot("<", "dataproperty"),
    "A": _Slot("<", "annotationproperty"),
    "R": _Slot("<R", "datatype"),
    "T": _Slot("<", "datatype"),  # a named datatype only
    "I": _Slot("<_", "namedindividual"),
    "J": _Slot("<", "namedindividual"),
    "L": _Slot('"'),
    "S": _Slot("<_"),  # annotation subject
    "V": _Slot('<_"'),  # annotation value
    "#": _Slot("0"),
    "X": _Slot("<"),  # an IRI that names no entity by itself
    "i": _Slot("<_v", "namedindividual"),
    "l": _Slot('"v'),
    "e": _Slot('<_"v'),  # operand of a rule built-in
    "E": _Slot("E"),
    "a": _Slot("a"),
    "b": _Slot("b"),
    "h": _Slot("h"),
    "k": _Slot("k"),
    "d": _Slot("d"),
}

# Signature notation: a letter is one operand, `?` makes it optional, `{C2}` is a set of at least
# two, `[C2]` a list of at least two, `{O=}` an unordered pair, `{FL}` a set of facet-value pairs.
_AXIOMS: Final = {
    "Declaration": "E",
    "SubClassOf": "C C",
    "EquivalentClasses": "{C2}",
    "DisjointClasses": "{C2}",
    "DisjointUnion": "N {C2}",
    "SubObjectPropertyOf": "Q O",
    "EquivalentObjectProperties": "{O2}",
    "DisjointObjectProperties": "{O2}",
    "InverseObjectProperties": "{O=}",
    "ObjectPropertyDomain": "O C",
    "ObjectPropertyRange": "O C",
    "FunctionalObjectProperty": "O",
    "InverseFunctionalObjectProperty": "O",
    "ReflexiveObjectProperty": "O",
    "IrreflexiveObjectProperty": "O",
    "SymmetricObjectProperty": "O",
    "AsymmetricObjectProperty": "O",
    "TransitiveObjectProperty": "O",
    "SubDataPropertyOf": "D D",
    "EquivalentDataProperties": "{D2}",
    "DisjointDataProperties": "{D2}",
    "DataPropertyDomain": "D C",
    "DataPropertyRange": "D R",
    "FunctionalDataProperty": "D",
    "DatatypeDefinition": "T R",
    "HasKey": "C k d",
    "SameIndividual": "{I2}",
    "DifferentIndividuals": "{I2}",
    "ClassAssertion": "C I",
    "ObjectPropertyAssertion": "O I I",
    "NegativeObjectPropertyAssertion": "O I I",
    "DataPropertyAssertion": "D I L",
    "NegativeDataPropertyAssertion": "D I L",
    "AnnotationAssertion": "A S V",
    "SubAnnotationPropertyOf": "A A",
    "AnnotationPropertyDomain": "A X",
    "AnnotationPropertyRange": "A X",
    "DLSafeRule": "b h",
}
_TERMS: Final = {
    "Annotation": ("n", "A V"),
    "Class": ("E", "N"),
    "Datatype": ("E", "T"),
    "ObjectProperty": ("E", "o"),
    "DataProperty": ("E", "D"),
    "AnnotationProperty": ("E", "A"),
    "NamedIndividual": ("E", "J"),
    "ObjectInverseOf": ("O", "o"),
    "ObjectPropertyChain": ("P", "[O2]"),
    "ObjectIntersectionOf": ("C", "{C2}"),
    "ObjectUnionOf": ("C", "{C2}"),
    "ObjectComplementOf": ("C", "C"),
    "ObjectOneOf": ("C", "{I1}"),
    "ObjectSomeValuesFrom": ("C", "O C"),
    "ObjectAllValuesFrom": ("C", "O C"),
    "ObjectHasValue": ("C", "O I"),
    "ObjectHasSelf": ("C", "O"),
    "ObjectMinCardinality": ("C", "# O C?"),
    "ObjectMaxCardinality": ("C", "# O C?"),
    "ObjectExactCardinality": ("C", "# O C?"),
    "DataSomeValuesFrom": ("C", "[D1] R"),
    "DataAllValuesFrom": ("C", "[D1] R"),
    "DataHasValue": ("C", "D L"),
    "DataMinCardinality": ("C", "# D R?"),
    "DataMaxCardinality": ("C", "# D R?"),
    "DataExactCardinality": ("C", "# D R?"),
    "DataIntersectionOf": ("R", "{R2}"),
    "DataUnionOf": ("R", "{R2}"),
    "DataComplementOf": ("R", "R"),
    "DataOneOf": ("R", "{L1}"),
    "DatatypeRestriction": ("R", "T {FL}"),
    "Body": ("b", "{a0}"),
    "Head": ("h", "{a0}"),
    "ClassAtom": ("a", "C i"),
    "DataRangeAtom": ("a", "R l"),
    "ObjectPropertyAtom": ("a", "O i i"),
    "DataPropertyAtom": ("a", "D i l"),
    "BuiltInAtom": ("a", "X [e0]"),
    "SameIndividualAtom": ("a", "i i"),
    "DifferentIndividualsAtom": ("a", "i i"),
    "Variable": ("v", "X"),
    # The two bracketed lists of HasKey; the reader gives them these names.
    "(keys": ("k", "{O0}"),
    "(data": ("d", "{D0}"),
}
SIGNATURES: Final = {**_AXIOMS, **{name: signature for name, (_, signature) in _TERMS.items()}}
SORTS: Final = {**dict.fromkeys(_AXIOMS, "X"), **{name: sort for name, (sort, _) in _TERMS.items()}}
AXIOM_TYPES: Final = frozenset(_AXIOMS)
ANNOTATION_AXIOM_TYPES: Final = frozenset(
    {"AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"}
)
DEFAULT_FILLERS: Final = {
    **{f"Object{how}Cardinality": f"<{OWL}Thing>" for how in ("Min", "Max", "Exact")},
    **{f"Data{how}Cardinality": f"<{RDFS}Literal>" for how in ("Min", "Max", "Exact")},
}
"""Constructs whose third operand, when it is this, says nothing and is left out."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the operands of one construct fall into place."""

    annotations: int
    """How many leading operands are annotations."""
    start: int
    stop: int
    """The operands whose order is free, as a slice."""
    order: Order
    minimum: int
    slots: str
    """One slot letter per operand after the annotations."""

    def entity_type(self, operand: int) -> EntityType | None:
        """What an IRI at this operand (counted after the annotations) names."""
        return entity_type_of_slot(self.slots[operand])


def entity_type_of_slot(slot: str) -> EntityType | None:
    """The entity type of an IRI in the slot; None where it names no entity or only facets stand."""
    found = _SLOTS.get(slot)
    return found.entity if found else None


@lru_cache(4096)
def shape(name: str, sorts: str) -> Shape | None:
    """How operands of these sorts fit the construct, or None when they do not.

    A document repeats a few dozen shapes thousands of times, hence the cache.
    """
    takes_annotations = SORTS[name] in "Xn"
    annotations = len(sorts) - len(sorts.lstrip("n")) if takes_annotations else 0
    match = _pattern(name).fullmatch(sorts, annotations)
    if match is None:
        return None
    free, order, minimum = _free_part(SIGNATURES[name])
    start, stop = match.span(free) if free else (0, 0)
    return Shape(annotations, start, stop, order, minimum, _slot_letters(name, match))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile("".join(_operand_pattern(operand) for operand in SIGNATURES[name].split()))


def _operand_pattern(operand: str) -> str:
    if operand == "{FL}":
        return '((?:<")+)'
    letter = operand.strip("{}[]")[0]
    accepted = f"[{_SLOTS[letter].sorts}]"
    if operand.endswith("?"):
        return f"({accepted}?)"
    if operand.endswith("=}"):
        return f"({accepted}{{2}})"
    if operand[0] in "{[":
        # A set may come with one operand: what was written twice counts once (`syntax.finish`).
        least = min(int(operand[2]), 1) if operand[0] == "{" else int(operand[2])
        return f"({accepted}{{{least},}})"
    return f"({accepted})"


def _free_part(signature: str) -> tuple[int, Order, int]:
    """Which group of the pattern has no order, how, and how many members it needs."""
    for group, operand in enumerate(signature.split(), start=1):
        if operand == "{FL}":
            return group, "facets", 1
        if operand[0] == "{":
            return (group, "pair", 2) if operand[2] == "=" else (group, "set", int(operand[2]))
    return 0, "fixed", 0


def _slot_letters(name: str, match: re.Match[str]) -> str:
    letters = []
    for group, operand in enumerate(SIGNATURES[name].split(), start=1):
        letters.append(operand.strip("{}[]")[0] * len(match.group(group)))
    return "".join(letters)
