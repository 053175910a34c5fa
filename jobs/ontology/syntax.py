"""The canonical text of an axiom, and what can be asked of it.

An axiom, class expression or annotation is a `str`: OWL 2 functional syntax with full IRIs and
single spaces. Two texts are equal exactly when the structures are equal under the OWL 2
structural specification, for given labels of anonymous individuals:

- operands without order (sets of expressions, annotations, atoms of a rule's body and head, the
  two operands of InverseObjectProperties) are sorted and repeated ones dropped; where fewer
  would remain than the grammar demands, the last one stands twice;
- a plain literal, the same text typed `xsd:string` and the same as `rdf:PlainLiteral` are one
  value, written plain; language tags are lower-case; other lexical forms stay as they are;
- a cardinality restriction filled with owl:Thing (rdfs:Literal) is written without filler.

A literal keeps its line breaks as they are: functional syntax has escapes for the quotation mark
and the backslash only, so any other form would be read as another value by other tools. An axiom
is therefore one line unless a literal in it has several; `document` separates items with this in
mind. Reading never recurses: nesting is bounded by `NESTING_MAX` and then refused by name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology import grammar
from jobs.ontology.literals import CLEAN_LITERAL, INDIVIDUAL, IRI, QUOTED, has_clean_escapes
from jobs.ontology.literals import literal as literal
from jobs.ontology.literals import literal_parts as literal_parts
from jobs.ontology.terms import NESTING_MAX as NESTING_MAX
from jobs.ontology.terms import TOKEN, Terms, finish

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Node = str | tuple["Node", ...]
"""A term: an IRI, literal, number or anonymous individual as text, else (name, operands...)."""

# Shapes whose operands have an order and need no look inside; nine axioms in ten.
ALREADY_CANONICAL: Final = re.compile(
    rf"""(?:Declaration\((?:Class|ObjectProperty|DataProperty|AnnotationProperty|NamedIndividual|Datatype)\({IRI}\)\)
    |AnnotationAssertion\({IRI}\ {INDIVIDUAL}\ (?:{INDIVIDUAL}|{CLEAN_LITERAL})\)
    |(?:SubClassOf|SubObjectPropertyOf|SubDataPropertyOf|SubAnnotationPropertyOf)\({IRI}\ {IRI}\)
    |ClassAssertion\({IRI}\ {INDIVIDUAL}\)
    |ObjectPropertyAssertion\({IRI}\ {INDIVIDUAL}\ {INDIVIDUAL}\)
    |DataPropertyAssertion\({IRI}\ {INDIVIDUAL}\ {CLEAN_LITERAL}\)
    |SubClassOf\({IRI}\ ObjectSomeValuesFrom\({IRI}\ {IRI}\)\)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ANONYMOUS = re.compile(rf'{QUOTED}|(_:[^\s()<>"=,]+)|{IRI}', re.DOTALL)
_ANNOTATION_PREFIX: Final = "Annotation("


# --- The canonical text ---------------------------------------------------------------------------


def canonical(text: str, prefixes: Mapping[str, str] | None = None) -> str:
    """The canonical text of one axiom, expression or annotation.

    Args:
        text: functional syntax; abbreviated IRIs are expanded with `prefixes`.
    Raises:
        InvalidOntology: not one well-formed term; the message says what and names the construct.
    """
    if ALREADY_CANONICAL.fullmatch(text) and ("\\" not in text or has_clean_escapes(text)):
        return text
    terms = Terms(prefixes or {})
    for match in TOKEN.finditer(text):
        terms.take(match.group())
    return terms.single()


# --- Trees ----------------------------------------------------------------------------------------


def parse_axiom(text: str) -> Node:
    """The tree of an axiom, class expression or annotation; raises `InvalidOntology`.

    `("SubClassOf", ("Annotation", "<p>", '"v"'), "<A>", ("ObjectSomeValuesFrom", "<r>", "<B>"))`.
    The two lists of HasKey are nodes named `(keys` and `(data`.
    """
    stack: list[list[Node]] = [[]]
    for token in TOKEN.findall(canonical(text)):
        if token == ")":
            finished = tuple(stack.pop())
            stack[-1].append(finished)
        elif token[-1] == "(" and token[0] != '"':
            name = token[:-1] or ("(data" if any(node[0] == "(keys" for node in stack[-1]) else "(keys")
            stack.append([name])
        else:
            stack[-1].append(token)
    return stack[0][0]


def render(node: Node) -> str:
    """The canonical text of a tree, whatever the order of its operands."""
    if isinstance(node, str):
        return node
    name = _name(node)
    return finish(name, "".join(map(sort_of, node[1:])), [render(operand) for operand in node[1:]])


def sort_of(node: Node) -> str:
    """The sort (see `grammar`) of a term."""
    if isinstance(node, str):
        return "0" if node[0].isdecimal() else node[0]
    return grammar.SORTS[_name(node)]


def entities(node: Node) -> Iterator[tuple[grammar.EntityType, str]]:
    """Every entity of a tree with its type, as often as it occurs, built-in ones included.

    IRIs carry no brackets. Datatypes of typed literals count; annotation subjects and values that
    are IRIs do not, for they name no entity by themselves.
    """
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            if current[0] == '"' and current[-1] == ">":
                yield "datatype", current[current.rindex("<") + 1 : -1]
            continue
        operands = current[1:]
        shape = grammar.shape(_name(current), "".join(map(sort_of, operands)))
        if shape is None:
            raise InvalidOntology(f"{_name(current)} does not take these operands.")
        for place, operand in enumerate(operands):
            if isinstance(operand, str) and operand[0] == "<":
                entity_type = shape.entity_type(place - shape.annotations)
                if entity_type is not None:
                    yield entity_type, operand[1:-1]
            else:
                stack.append(operand)


def _name(node: tuple[Node, ...]) -> str:
    name = node[0]
    assert isinstance(name, str)
    return name


# --- Questions to the text ------------------------------------------------------------------------


def axiom_type(text: str) -> str:
    """The construct's name: `SubClassOf`."""
    return text[: text.index("(")]


def is_logical(text: str) -> bool:
    """Whether the OWL API counts it as logical: neither a declaration nor an annotation axiom."""
    name = axiom_type(text)
    return name != "Declaration" and name not in grammar.ANNOTATION_AXIOM_TYPES


def strip_annotations(text: str) -> str:
    """The same axiom without annotations; the text itself when there are none."""
    start = text.index("(") + 1
    if not text.startswith(_ANNOTATION_PREFIX, start):
        return text
    depth, stop = 0, start
    for match in TOKEN.finditer(text, start):
        token = match.group()
        if depth == 0 and token != _ANNOTATION_PREFIX:
            stop = match.start()
            break
        if token[0] != '"':
            depth += (token[-1] == "(") - (token == ")")
    return text[:start] + text[stop:]


def annotations_of(text: str) -> tuple[str, ...]:
    """The annotations of an axiom or annotation, each as its own canonical text."""
    node = parse_axiom(text)
    return tuple(
        render(operand) for operand in node[1:] if not isinstance(operand, str) and operand[0] == "Annotation"
    )


def anonymous_individuals(text: str) -> frozenset[str]:
    """The labels (`_:x`) of the anonymous individuals in a text."""
    if "_:" not in text:
        return frozenset()
    return frozenset(match.group(1) for match in _ANONYMOUS.finditer(text) if match.group(1))


def rename_anonymous(text: str, names: Mapping[str, str]) -> str:
    """The canonical text with anonymous individuals renamed, literals and IRIs untouched."""
    if "_:" not in text:
        return text
    return canonical(_ANONYMOUS.sub(lambda match: names.get(match.group(), match.group()), text))


def is_builtin(iri: str) -> bool:
    """Whether the IRI lies in one of the reserved vocabularies of OWL 2."""
    return iri.startswith(grammar.BUILTIN_NAMESPACES)


def canonical_axioms(texts: Iterable[str]) -> tuple[str, ...]:
    """Sorted, each once: the order and form of `OntologyDocument.axioms`."""
    return tuple(sorted(set(texts)))
