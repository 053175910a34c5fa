"""RDF documents as triples, split into what is stated of names and what is written at blank nodes.

Terms are strings: `<iri>`, `_:label`, or a literal in its canonical text. pyoxigraph parses; it
gives no positions for triples, so the line of a term is looked for in the source afterwards.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from jobs.errors import InvalidOntology
from jobs.ontology.literals import literal
from jobs.ontology.vocabulary import ANNOTATION, AXIOM, LIST, SHORT_NAMES, TYPE, owl, short, swrl

if TYPE_CHECKING:
    from collections.abc import Iterator

RdfFormat = Literal["rdfxml", "turtle", "ntriples"]
Triple = tuple[str, str, str]
Description = dict[str, list[str]]
"""Predicates of one subject and their objects."""

STRUCTURES: Final = frozenset(
    {
        AXIOM,
        ANNOTATION,
        LIST,
        *map(owl, ("AllDisjointClasses", "AllDisjointProperties", "AllDifferent")),
        *map(owl, ("NegativePropertyAssertion", "Restriction")),
        *map(swrl, ("Imp", "AtomList", "ClassAtom", "IndividualPropertyAtom", "DatavaluedPropertyAtom")),
        *map(swrl, ("DataRangeAtom", "BuiltinAtom", "SameIndividualAtom", "DifferentIndividualsAtom")),
    }
)
"""Types of nodes that stand for syntax, even when someone gave them an IRI."""

_PIECE_BYTES: Final = 1 << 20
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SINGLE: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?', re.DOTALL)
_IRI = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^<>"\x00-\x1f]*')


class Misfit(Exception):
    """The graph is not the image of an ontology; the door adds the line and makes it an error."""

    def __init__(self, message: str, *, construct: str, terms: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.construct = construct
        self.terms = terms


@dataclass(slots=True)
class Graph:
    """The triples of one document; readers take out of `nodes` what they have understood."""

    types: list[tuple[str, str]] = field(default_factory=list)
    """`rdf:type` of named subjects."""
    facts: list[Triple] = field(default_factory=list)
    """All else with a named subject."""
    nodes: dict[str, Description] = field(default_factory=dict)
    """Blank nodes, and names of a type in `STRUCTURES`."""

    def describe(self, term: str) -> str:
        """A term for a message: a blank node by some of what is said of it."""
        if term[0] != "_":
            return short(term) if len(term) < 200 else term[:197] + "..."
        said = [
            f"{short(predicate)} {short(value) if value[0] != '_' else '[...]'}"
            for predicate, values in self.nodes.get(term, {}).items()
            for value in values
        ]
        return f"[ {'; '.join(said[:3])[:200]} ]" if said else "an empty blank node"


def read_graph(data: bytes, rdf_format: RdfFormat) -> Graph:
    """Parse a document without entities or byte order mark; raises `InvalidOntology` with the line."""
    graph = Graph()
    structures: set[str] = set()
    types: dict[tuple[str, str], None] = {}
    facts: dict[Triple, None] = {}
    nodes = graph.nodes
    for triple in _triples(data, rdf_format):
        subject, predicate, value = triple
        if subject[0] == "_":
            if (node := nodes.get(subject)) is None:
                nodes[subject] = {predicate: [value]}
            elif predicate in node:
                node[predicate].append(value)
            else:
                node[predicate] = [value]
        elif predicate == TYPE:
            types[subject, value] = None
            if value in STRUCTURES:
                structures.add(subject)
        else:
            facts[triple] = None
    graph.types, graph.facts = list(types), list(facts)
    if structures:
        _move_to_nodes(graph, structures)
    for node in graph.nodes.values():
        for predicate, values in node.items():
            if len(values) > 1:
                node[predicate] = list(dict.fromkeys(values))
    return graph


def _move_to_nodes(graph: Graph, names: set[str]) -> None:
    moved = [(subject, TYPE, value) for subject, value in graph.types if subject in names]
    moved += [triple for triple in graph.facts if triple[0] in names]
    graph.types = [pair for pair in graph.types if pair[0] not in names]
    graph.facts = [triple for triple in graph.facts if triple[0] not in names]
    for subject, predicate, value in moved:
        graph.nodes.setdefault(subject, {}).setdefault(predicate, []).append(value)


def _triples(data: bytes, rdf_format: RdfFormat) -> Iterator[Triple]:
    """Every triple as terms; one that the document repeats may come again."""
    import pyoxigraph as ox

    syntax = {
        "rdfxml": ox.RdfFormat.RDF_XML,
        "turtle": ox.RdfFormat.TURTLE,
        "ntriples": ox.RdfFormat.N_TRIPLES,
    }[rdf_format]
    try:
        lines = ox.serialize(ox.parse(data, format=syntax), format=ox.RdfFormat.N_TRIPLES)
    except MemoryError as error:
        raise _too_long(error, rdf_format) from None
    except (SyntaxError, ValueError) as error:
        if "IRI" not in str(error):
            raise _syntax_error(error, rdf_format) from None
    else:
        assert lines is not None
        yield from _split_lines(lines)
        return
    # An IRI that the strict parser refuses: the OWL API takes most of them, so they are looked at one by one.
    try:
        parsed = list(ox.parse(data, format=syntax, lenient=True))
    except MemoryError as error:
        raise _too_long(error, rdf_format) from None
    except (SyntaxError, ValueError) as error:
        raise _syntax_error(error, rdf_format) from None
    for quad in parsed:
        triple = (_term(quad.subject), _term(quad.predicate), _term(quad.object))
        for term in triple:
            _check_iri(term)
        yield triple


def _split_lines(lines: bytes) -> Iterator[Triple]:
    """The terms of N-Triples; each name is one object, which keeps large graphs small."""
    known: dict[str, str] = {}
    name = known.setdefault
    last = ""
    for some in _pieces(lines):
        for line in some.decode("utf-8").split("\n"):
            subject, predicate, value = line.split(" ", 2)
            value = value[:-2]  # without the full stop
            if value[0] == '"':
                if value[-1] != '"' or "\\" in value:
                    value = _literal(value)
            elif value[1] == "<" or subject[1] == "<":
                raise Misfit("RDF 1.2 triple terms are not part of OWL 2.", construct="triple term")
            else:
                value = name(value, value)
            if subject != last:  # most often it is the same as before
                last = name(subject, subject)
            yield last, name(predicate, predicate), value


def _pieces(lines: bytes) -> Iterator[bytes]:
    """Whole lines, the last line end of each piece left out. Decoded at once, all would be there twice."""
    start = 0
    while start < len(lines):
        stop = lines.rfind(b"\n", start, start + _PIECE_BYTES)
        if stop < 0:  # one line longer than a piece
            stop = lines.find(b"\n", start)
        stop = stop if stop >= 0 else len(lines)
        yield lines[start:stop]
        start = stop + 1


def _literal(text: str) -> str:
    match = _LITERAL.fullmatch(text)
    if match is None:
        raise Misfit(f"The literal {text[:80]} is not part of OWL 2.", construct="literal", terms=(text,))
    value, language, datatype = match.groups()
    if language and "--" in language:
        raise Misfit("Directions of RDF 1.2 literals are not part of OWL 2.", construct="literal")
    if "\\" in value:
        value = _ESCAPE.sub(_unescaped, value)
    return literal(value, language, datatype)


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    return chr(int(code, 16)) if code else _SINGLE[match.group(3)]


def _term(term: object) -> str:
    import pyoxigraph as ox

    match term:
        case ox.NamedNode():
            return f"<{term.value}>"
        case ox.BlankNode():
            return f"_:{term.value}"
        case ox.Literal() if term.direction is None:
            return literal(term.value, term.language, None if term.language else term.datatype.value)
        case _:
            raise Misfit("RDF 1.2 terms are not part of OWL 2.", construct="triple term")


def _check_iri(term: str) -> None:
    if term[0] == "<" and not _IRI.fullmatch(term, 1, len(term) - 1):
        relative = ":" not in term
        hint = "is relative and the document names no base" if relative else "is not an IRI"
        raise Misfit(f"{term} {hint}.", construct="IRI", terms=(term,))


def _too_long(error: MemoryError, rdf_format: str) -> Exception:
    """The parser holds one token in a bounded buffer, and says so as if memory had run out."""
    if "buffer" not in str(error):
        return error
    return InvalidOntology(
        f"Not readable as {rdf_format}: a literal, IRI or comment is longer than 16 MiB.",
        details={"format": rdf_format},
    )


def _syntax_error(error: Exception, rdf_format: str) -> InvalidOntology:
    line = getattr(error, "lineno", None)
    reason = re.sub(r"^Parser error at line \d+ (?:column|between columns)[^:]*: ", "", str(error))
    reason = re.sub(r" \(line \d+\)$", "", reason)
    where = f"Line {line}: " if line else ""
    details: dict[str, object] = {"format": rdf_format}
    if line:
        details["line"] = line
    return InvalidOntology(f"{where}not readable as {rdf_format}: {reason}.", details=details)


def find_line(source: str, terms: tuple[str, ...]) -> int | None:
    """The first line that mentions one of the terms, by full text or last part; None when not found."""
    for term in terms:
        for needle in _needles(term):
            match = re.search(re.escape(needle) + r"(?![\w-])", source)
            if match is not None:
                return source.count("\n", 0, match.start()) + 1
    return None


def _needles(term: str) -> list[str]:
    """How a term may be written, the surest form first."""
    if term[0] == "<":
        iri = term[1:-1]
        for namespace, prefix in SHORT_NAMES.items():
            if iri.startswith(namespace):
                return [f"{prefix}:{iri[len(namespace) :]}", iri]
        local = re.split(r"[#/]", iri)[-1]
        return [f'"{iri}"', f"<{iri}>", *([f'"#{local}"', f":{local}"] if local else []), iri]
    if term[0] == '"':
        value = term[1 : term.rindex('"')]
        return [f'"{value}"', f"'{value}'", f">{value}<", *([value] if len(value) > 7 else [])]
    return []
