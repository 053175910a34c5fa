"""What a blank node is, told by its predicates, and how values are taken out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.ontology import vocabulary as v
from jobs.ontology.literals import literal_parts
from jobs.ontology.triples import Misfit
from jobs.ontology.vocabulary import owl, short

if TYPE_CHECKING:
    from jobs.ontology.triples import Description

INTERSECTION: Final = owl("intersectionOf")
UNION: Final = owl("unionOf")
COMPLEMENT: Final = owl("complementOf")
DATA_COMPLEMENT: Final = owl("datatypeComplementOf")
ONE_OF: Final = owl("oneOf")
ON_DATATYPE: Final = owl("onDatatype")
DESCRIPTIONS: Final = {
    predicate: short(predicate)
    for predicate in (
        INTERSECTION,
        UNION,
        COMPLEMENT,
        DATA_COMPLEMENT,
        ONE_OF,
        ON_DATATYPE,
        v.ON_PROPERTY,
        v.ON_PROPERTIES,
    )
}
"""What describes an expression, with its name for messages."""
QUANTIFIERS: Final = {owl("someValuesFrom"): "SomeValuesFrom", owl("allValuesFrom"): "AllValuesFrom"}
CARDINALITIES: Final = {
    owl(name): how
    for how, names in (
        ("Min", ("minCardinality", "minQualifiedCardinality")),
        ("Max", ("maxCardinality", "maxQualifiedCardinality")),
        ("Exact", ("cardinality", "qualifiedCardinality")),
    )
    for name in names
}
HAS_VALUE: Final = owl("hasValue")
HAS_SELF: Final = owl("hasSelf")
RESTRICTIONS: Final = {
    predicate: f"{short(predicate)} restriction"
    for predicate in (*QUANTIFIERS, *CARDINALITIES, HAS_VALUE, HAS_SELF)
}
"""What a restriction says of its values, with its name for messages."""


def is_expression(node: Description) -> bool:
    """Whether a blank node is written as a class expression or data range."""
    return not DESCRIPTIONS.keys().isdisjoint(node)


def is_data_range(node: Description) -> bool:
    """Whether an expression node says of itself that it is a data range."""
    return (
        DATA_COMPLEMENT in node
        or ON_DATATYPE in node
        or not v.DATA_RANGE_TYPES.isdisjoint(node.get(v.TYPE, ()))
    )


def one(node: Description, predicate: str, construct: str) -> str:
    """Take the only value of a predicate out of a node."""
    values = node.pop(predicate, None)
    if values is None:
        raise Misfit(f"{construct} without {short(predicate)}", construct=construct)
    if len(values) > 1:
        raise Misfit(
            f"{construct} with {len(values)} values of {short(predicate)}",
            construct=construct,
            terms=tuple(values),
        )
    return values[0]


def described_by(node: Description, what: str) -> str:
    """The one predicate that describes an expression node."""
    found = [predicate for predicate in node if predicate in DESCRIPTIONS]
    if len(found) != 1:
        names = " and ".join(map(short, found))
        raise Misfit(f"{what} described by {names} at once", construct=what, terms=first_terms(node))
    return found[0]


def take_types(node: Description, expected: frozenset[str], what: str) -> None:
    """Take the types out of a node that stands for syntax; any other type is refused."""
    odd = [term for term in node.pop(v.TYPE, []) if term not in expected]
    if odd and what == "ObjectInverseOf" and all(term in v.CHARACTERISTICS for term in odd):
        node[v.TYPE] = odd  # axioms about the inverse, read with what else is said of it
    elif odd:
        # An expression is no individual, so a type of its own means that something is misread.
        raise Misfit(f"{what} that is also of type {short(odd[0])}", construct=what, terms=tuple(odd))


def as_set(texts: list[str], minimum: int = 1) -> str:
    """Operands without order; one that would be alone where two are due stands twice."""
    members = sorted(set(texts))
    return " ".join(members * 2 if len(members) < minimum else members)


def as_number(term: str, predicate: str) -> str:
    """A cardinality, without leading zeros."""
    value = literal_parts(term)[0].strip().lstrip("+") if term[0] == '"' else ""
    if not (value.isascii() and value.isdecimal()):
        raise Misfit(
            f"{short(predicate)} is {term[:80]}, not a number", construct=short(predicate), terms=(term,)
        )
    return value.lstrip("0") or "0"


def first_terms(node: Description | None) -> tuple[str, ...]:
    """Some named values of a node, by which its line is found."""
    return tuple(value for values in (node or {}).values() for value in values if value[0] != "_")[:3]
