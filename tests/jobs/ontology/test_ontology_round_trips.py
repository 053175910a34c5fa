"""Random documents, written in every syntax by other hands and read back equal."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import ontology_strategies as strategies
import ontology_writers as writers
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jobs.errors import InvalidOntology
from jobs.ontology.anonymous import label_anonymous
from jobs.ontology.document import OntologyDocument, capture_bytes
from jobs.ontology.reading import read_document
from jobs.ontology.syntax import annotations_of, axiom_type, parse_axiom, strip_annotations

if TYPE_CHECKING:
    import random

EQUIVALENCES = frozenset(
    {"EquivalentClasses", "EquivalentObjectProperties", "EquivalentDataProperties", "SameIndividual"}
)
chances = st.randoms(use_true_random=False)


def same(found: OntologyDocument, meant: OntologyDocument) -> bool:
    """Whether two documents say the same; the message shows what differs."""
    expected = label_anonymous(meant)
    for name in ("iri", "version_iri", "imports", "annotations"):
        assert getattr(found, name) == getattr(expected, name)
    assert set(found.axioms) - set(expected.axioms) == set(expected.axioms) - set(found.axioms)
    return found.anonymous_exact


def has_rdf_form(axiom: str) -> bool:
    """Whether RDF can say it so that it is read back alike (standard, section 2 and 3)."""
    node = parse_axiom(axiom)
    name = axiom_type(axiom)
    args = [part for part in node[1:] if part[0] != "Annotation"]
    inverses = [part for part in args if part[0] == "ObjectInverseOf"]
    if name in EQUIVALENCES and len(args) > 2:
        return False  # several are written pair by pair
    if name == "InverseObjectProperties":
        return not inverses  # a blank node with two inverses says nothing
    if name == "ObjectPropertyAssertion" and inverses:
        return False  # is written as its inverse
    if name == "HasKey":
        return len(args[1]) + len(args[2]) > 2
    if "EquivalentClasses" in name and all(part[0] == "D" for part in args):
        return False
    if name == "AnnotationAssertion":
        return str(args[1]) != "<http://example.org/g>"
    return True


def is_ambiguous(texts: tuple[str, ...]) -> bool:
    """Whether something stands with and without annotations, which one triple cannot show."""
    groups: dict[object, set[bool]] = {}
    inner = []
    for text in texts:
        annotations = annotations_of(text)
        groups.setdefault(strip_annotations(text), set()).add(bool(annotations))
        inner.append(annotations)
    return any(len(found) > 1 for found in groups.values()) or any(map(is_ambiguous, inner))


rdf_axioms = strategies.axioms.filter(has_rdf_form)


@given(strategies.documents(), chances)
@settings(max_examples=120)
def test_functional_syntax_round_trip(document: OntologyDocument, chance: random.Random) -> None:
    assert same(read_document(capture_bytes(document)), document)
    assert same(read_document(writers.prefixed_functional(document, chance)), document)


@given(strategies.documents())
@settings(max_examples=150)
def test_owl_xml_round_trip(document: OntologyDocument) -> None:
    assert same(read_document(writers.owl_xml(document)), document)


@pytest.mark.parametrize("syntax", ["turtle", "rdfxml"])
@given(strategies.documents(rdf_axioms), chances)
@settings(max_examples=250)
def test_rdf_round_trip(syntax: str, document: OntologyDocument, chance: random.Random) -> None:
    assume(not is_ambiguous(document.axioms) and not is_ambiguous(document.annotations))
    triples = writers.shuffled(writers.TripleWriter().document(document), chance)
    assume(syntax == "turtle" or all("\r" not in value for _, _, value in triples))
    assert same(read_document(writers.as_rdf(triples, syntax)), document)


@given(strategies.documents(rdf_axioms), st.data())
@settings(max_examples=250)
def test_no_triple_is_lost_without_a_word(document: OntologyDocument, data: st.DataObject) -> None:
    """Leave out any one triple: the document reads differently, is refused, or carries another warning."""
    triples = list(dict.fromkeys(writers.TripleWriter().document(document)))
    whole = read_document(writers.n_triples(triples).encode())
    victim = data.draw(st.integers(0, len(triples) - 1))
    left = [*triples[:victim], *triples[victim + 1 :]]
    assume(left)
    # The marker that a node is a list, class or rule variable says nothing that its use does not say.
    silent = triples[victim][1] == writers.TYPE and triples[victim][0][0] == "_"
    try:
        found = read_document(writers.n_triples(left).encode())
    except InvalidOntology:
        return
    assert silent or found != dataclasses.replace(whole, prefixes=found.prefixes)
