"""The axioms that nine in ten are, read by one match each: the usual shapes, with abbreviated IRIs.

A shape stands here only if its operands have an order and need no look inside, so that expanding the
names and literals gives the canonical text. Whatever does not match is left to the term machine, which
also says what is wrong with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.ontology.literals import IRI, PNAME, QUOTED

if TYPE_CHECKING:
    from jobs.ontology.terms import Terms

_NAME: Final = rf"(?!_:)(?:{IRI}|{PNAME})"
_INDIVIDUAL: Final = rf"(?:{IRI}|{PNAME})"  # the pattern of names takes `_:x`, too
_VALUE: Final = rf"(?:{QUOTED}(?:@[A-Za-z0-9-]+|\^\^(?:{IRI}|{PNAME}))?|{_INDIVIDUAL})"
_KINDS: Final = "Class|ObjectProperty|DataProperty|AnnotationProperty|NamedIndividual|Datatype"
_ORDERED: Final = "SubClassOf|SubObjectPropertyOf|SubDataPropertyOf|SubAnnotationPropertyOf"

_SHAPES: Final = re.compile(
    rf"""AnnotationAssertion\((?:Annotation\(({_NAME})\ ({_VALUE})\)\ )?
        ({_NAME})\ ({_INDIVIDUAL})\ ({_VALUE})\)(?P<note>)
    |Declaration\(({_KINDS})\(({_NAME})\)\)(?P<declaration>)
    |({_ORDERED})\(({_NAME})\ ({_NAME})\)(?P<pair>)
    |SubClassOf\(({_NAME})\ ObjectSomeValuesFrom\(({_NAME})\ ({_NAME})\)\)(?P<some>)
    |ClassAssertion\(({_NAME})\ ({_INDIVIDUAL})\)(?P<type>)
    |ObjectPropertyAssertion\(({_NAME})\ ({_INDIVIDUAL})\ ({_INDIVIDUAL})\)(?P<fact>)
    """,
    re.VERBOSE | re.DOTALL,
)


def read_usual(text: str, at: int, machine: Terms) -> tuple[str, int] | None:
    """The canonical text of the axiom at a place and where it ends; None when it has another shape.

    Raises:
        InvalidOntology: a prefix is not declared.
    """
    match = _SHAPES.match(text, at)
    if match is None:
        return None
    name, value = machine.name, machine.value
    groups = match.groups()
    match match.lastgroup:
        case "note":
            prop, said, predicate, subject, stated = groups[:5]
            inner = f"Annotation({name(prop)} {value(said)}) " if prop else ""
            found = f"AnnotationAssertion({inner}{name(predicate)} {name(subject)} {value(stated)})"
        case "declaration":
            found = f"Declaration({groups[6]}({name(groups[7])}))"
        case "pair":
            found = f"{groups[9]}({name(groups[10])} {name(groups[11])})"
        case "some":
            inner = f"ObjectSomeValuesFrom({name(groups[14])} {name(groups[15])})"
            found = f"SubClassOf({name(groups[13])} {inner})"
        case "type":
            found = f"ClassAssertion({name(groups[17])} {name(groups[18])})"
        case _:
            found = f"ObjectPropertyAssertion({name(groups[20])} {name(groups[21])} {name(groups[22])})"
    return found, match.end()
