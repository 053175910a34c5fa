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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Node = str | tuple["Node", ...]
"""A term: an IRI, literal, number or anonymous individual as text, else (name, operands...)."""

NESTING_MAX: Final = 200
"""Deepest nesting of terms that is read; real ontologies stay below 50 (ours)."""

_STRING: Final = f"<{grammar.XSD}string>"
_PLAIN: Final = f"<{grammar.RDF}PlainLiteral>"
_IRI = r'<[^<>"\x00-\x1f]*>'
_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_PNAME = r'[^\s()<>"=#@^,:]*:[^\s()<>"=,]*'
TOKEN: Final = re.compile(
    rf"""[A-Za-z]+\s*\(                     # the start of a construct
    |{_IRI}
    |{_QUOTED}(?:\s*@\s*[A-Za-z0-9-]+|\s*\^\^\s*(?:{_IRI}|{_PNAME}))?
    |_:[^\s()<>"=,]+
    |{_PNAME}
    |[0-9]+(?![^\s()<>"=,])
    |[()=]
    |\#[^\n]*
    |\S                                     # anything else: the reader says what is wrong
    """,
    re.VERBOSE | re.DOTALL,
)
_INDIVIDUAL = rf'(?:{_IRI}|_:[^\s()<>"=,]+)'
_CLEAN_LITERAL = rf"{_QUOTED}(?:@[a-z0-9-]+|\^\^(?!{re.escape(_STRING)}|{re.escape(_PLAIN)}){_IRI})?"
_CLEAN_BODY = re.compile(r'[^\\]*(?:\\["\\][^\\]*)*', re.DOTALL)
# Shapes whose operands have an order and need no look inside; nine axioms in ten.
ALREADY_CANONICAL: Final = re.compile(
    rf"""(?:Declaration\((?:Class|ObjectProperty|DataProperty|AnnotationProperty|NamedIndividual|Datatype)\({_IRI}\)\)
    |AnnotationAssertion\({_IRI}\ {_INDIVIDUAL}\ (?:{_INDIVIDUAL}|{_CLEAN_LITERAL})\)
    |(?:SubClassOf|SubObjectPropertyOf|SubDataPropertyOf|SubAnnotationPropertyOf)\({_IRI}\ {_IRI}\)
    |ClassAssertion\({_IRI}\ {_INDIVIDUAL}\)
    |ObjectPropertyAssertion\({_IRI}\ {_INDIVIDUAL}\ {_INDIVIDUAL}\)
    |DataPropertyAssertion\({_IRI}\ {_INDIVIDUAL}\ {_CLEAN_LITERAL}\)
    |SubClassOf\({_IRI}\ ObjectSomeValuesFrom\({_IRI}\ {_IRI}\)\)
    )""",
    re.VERBOSE | re.DOTALL,
)
_LITERAL = re.compile(rf"({_QUOTED})(?:\s*@\s*([A-Za-z0-9-]+)|\s*\^\^\s*(.+))?", re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_ANONYMOUS = re.compile(rf'{_QUOTED}|(_:[^\s()<>"=,]+)|{_IRI}', re.DOTALL)
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


class Terms:
    """A stack machine that turns tokens into canonical terms, innermost first.

    Feed tokens to `take`; every term finished at the top level is in `done` as (sort, text).
    The caller adds line numbers to errors, so it keeps the positions.
    """

    __slots__ = ("_iris", "_names", "_open", "_prefixes", "_sorts", "_texts", "done")

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._iris: dict[str, str] = {}
        self._open: list[tuple[list[str], list[str]]] = []
        self._names: list[str] = []
        self._sorts: list[str] = []
        self._texts: list[str] = []
        self.done: list[tuple[str, str]] = []

    @property
    def depth(self) -> int:
        """How many constructs are open."""
        return len(self._names)

    @property
    def construct(self) -> str | None:
        """The innermost open construct, for messages."""
        return self._names[-1].replace("(", "HasKey ") if self._names else None

    def take(self, token: str) -> None:
        """Add one token of `TOKEN`; raise `InvalidOntology` when nothing can come of it."""
        first = token[0]
        if token == ")":
            self._close()
        elif first == "<":
            self._add("<", token)
        elif first == '"':
            self._add('"', self._literal(token))
        elif first == "#":
            return
        elif token[-1] == "(":
            self._begin(token[:-1].rstrip())
        elif token.startswith("_:"):
            self._add("_", token)
        elif ":" in token:
            self._add("<", self.expand(token))
        elif token.isdecimal():
            self._add("0", token.lstrip("0") or "0")
        else:
            raise InvalidOntology(f"Unexpected {token!r}{self._where()}.", details=self._details())

    def single(self) -> str:
        """The one finished term; anything else is an error."""
        if self._names:
            raise InvalidOntology(
                f"{self.construct}( is not closed: the text ends too early.", details=self._details()
            )
        if len(self.done) != 1:
            raise InvalidOntology(f"One term was expected, not {len(self.done)}.")
        return self.done[0][1]

    def expand(self, name: str) -> str:
        """The full IRI, in angle brackets, of an abbreviated one."""
        known = self._iris.get(name)
        if known is not None:
            return known
        prefix, _, local = name.partition(":")
        base = self._prefixes.get(prefix)
        if base is None:
            raise InvalidOntology(
                f"The prefix {prefix + ':'!r} of {name!r} is not declared.", details=self._details()
            )
        self._iris[name] = iri = f"<{base}{local}>"
        return iri

    def _literal(self, token: str) -> str:
        match = _LITERAL.fullmatch(token)
        if match is None:
            raise InvalidOntology(f"Malformed literal{self._where()}.", details=self._details())
        quoted, language, datatype = match.groups()
        if datatype is not None and datatype[0] != "<":
            datatype = self.expand(datatype)
        return _canonical_literal(quoted, language, datatype)

    def _begin(self, name: str) -> None:
        if not name:
            name = "(keys" if "k" not in self._sorts else "(data"
            if not self._names or self._names[-1] != "HasKey":
                raise InvalidOntology(f"Unexpected '('{self._where()}.", details=self._details())
        elif name not in grammar.SORTS:
            raise InvalidOntology(
                f"Unknown construct {name!r}: it is not part of OWL 2 functional syntax.",
                details={"construct": name},
            )
        if len(self._names) >= NESTING_MAX:
            raise InvalidOntology(
                f"Terms are nested more than {NESTING_MAX} deep{self._where()}.", details=self._details()
            )
        self._names.append(name)
        self._open.append((self._sorts, self._texts))
        self._sorts, self._texts = [], []

    def _close(self) -> None:
        if not self._names:
            raise InvalidOntology("Unexpected ')': nothing is open here.")
        text = finish(self._names[-1], "".join(self._sorts), self._texts)
        name = self._names.pop()
        self._sorts, self._texts = self._open.pop()
        self._add(grammar.SORTS[name], text)

    def _add(self, sort: str, text: str) -> None:
        if self._names:
            self._sorts.append(sort)
            self._texts.append(text)
        else:
            self.done.append((sort, text))

    def _where(self) -> str:
        return f" in {self.construct}" if self._names else ""

    def _details(self) -> dict[str, object]:
        return {"construct": self.construct} if self._names else {}


def finish(name: str, sorts: str, texts: list[str]) -> str:
    """The canonical text of a construct from canonical operands; `sorts` has one letter for each.

    Raises:
        InvalidOntology: the operands do not fit the construct.
    """
    shape = grammar.shape(name, sorts)
    if shape is None:
        raise InvalidOntology(
            f"{name.replace('(', 'HasKey ')} does not take these operands: {_summary(texts)}",
            details={"construct": name.replace("(", "HasKey ")},
        )
    if shape.annotations > 1:
        texts[: shape.annotations] = sorted(set(texts[: shape.annotations]))
    offset = len(sorts) - len(texts)  # repeated annotations are gone by now
    if shape.order != "fixed":
        part = slice(shape.start - offset, shape.stop - offset)
        texts[part] = _without_order(texts[part], shape)
    elif name in grammar.DEFAULT_FILLERS and len(texts) == 3 and texts[2] == grammar.DEFAULT_FILLERS[name]:
        del texts[2]
    inner = " ".join(texts)
    return f"({inner})" if name[0] == "(" else f"{name}({inner})"


def _without_order(texts: list[str], shape: grammar.Shape) -> list[str]:
    match shape.order:
        case "pair":
            return sorted(texts)
        case "facets":
            return [text for pair in sorted(set(zip(texts[::2], texts[1::2], strict=True))) for text in pair]
        case _:
            members = sorted(set(texts))
            return members * 2 if len(members) == 1 and shape.minimum == 2 else members


def _summary(texts: list[str]) -> str:
    shown = " ".join(text if len(text) <= 80 else text[:77] + "..." for text in texts[:6])
    return f"({shown}{' ...' if len(texts) > 6 else ''})."


# --- Literals -------------------------------------------------------------------------------------


def literal(value: str, language: str | None = None, datatype: str | None = None) -> str:
    """The canonical text of a literal from its value; `datatype` is a bare IRI."""
    quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _canonical_literal(quoted, language, f"<{datatype}>" if datatype else None)


def literal_parts(text: str) -> tuple[str, str | None, str | None]:
    """Value, language and datatype IRI of a canonical literal; the last is None for a plain one."""
    match = _LITERAL.fullmatch(text)
    if match is None:
        raise ValueError("not a literal")
    quoted, language, datatype = match.groups()
    return _ESCAPE.sub(r"\1", quoted[1:-1]), language, datatype[1:-1] if datatype else None


def _canonical_literal(quoted: str, language: str | None, datatype: str | None) -> str:
    if "\\" in quoted and not _CLEAN_BODY.fullmatch(quoted, 1, len(quoted) - 1):
        # A backslash before another character stands for itself, as the OWL API reads it.
        value = _ESCAPE.sub(r"\1", quoted[1:-1])
        quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if language:
        return f"{quoted}@{language.lower()}"
    if datatype is None or datatype == _STRING:
        return quoted
    if datatype == _PLAIN:
        body, mark, tag = quoted[1:-1].rpartition("@")
        if not mark:
            return quoted
        return f'"{body}"@{tag.lower()}' if tag else f'"{body}"'
    return f"{quoted}^^{datatype}"


def has_clean_escapes(text: str) -> bool:
    """Whether every backslash in a text is part of one of the two escapes."""
    return _CLEAN_BODY.fullmatch(text) is not None


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
