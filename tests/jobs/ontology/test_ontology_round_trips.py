"""Random documents, written in every syntax by other hands and read back equal."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING

import ontology_strategies as strategies
import ontology_writers as writers
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ontology_strategies import examples

from jobs.errors import InvalidOntology
from jobs.ontology import grammar
from jobs.ontology.anonymous import label_anonymous
from jobs.ontology.document import OntologyDocument, capture_bytes
from jobs.ontology.functional import read_functional
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
@examples(60)
def test_functional_syntax_round_trip(document: OntologyDocument, chance: random.Random) -> None:
    assert same(read_document(capture_bytes(document)), document)
    assert same(read_document(writers.prefixed_functional(document, chance)), document)


def another_library_takes(axiom: str) -> bool:
    """py-horned-owl has no restrictions on several data properties, loses annotations of HasKey, and more."""
    nary = re.search(r"Data(?:Some|All)ValuesFrom\(<[^>]*> <[^>]*> [<D]", axiom) is not None
    return not nary and not axiom.startswith(("HasKey(", "DLSafeRule(", "InverseObjectProperties("))


@given(strategies.axioms.filter(another_library_takes))
@examples(300)
def test_another_library_reads_the_same_axiom_from_a_capture(axiom: str) -> None:
    pyhornedowl = pytest.importorskip("pyhornedowl")
    text = f"Ontology(<http://example.org/g>\n{axiom}\n)\n"
    written = pyhornedowl.open_ontology_from_string(text, "ofn").save_to_string("ofn")
    assert read_functional(written).axioms == (axiom,)


@given(strategies.documents())
@examples(75)
def test_owl_xml_round_trip(document: OntologyDocument) -> None:
    assert same(read_document(writers.owl_xml(document)), document)


@pytest.mark.parametrize("syntax", ["turtle", "rdfxml"])
@given(strategies.documents(rdf_axioms), chances)
@examples(125)
def test_rdf_round_trip(syntax: str, document: OntologyDocument, chance: random.Random) -> None:
    assume(not is_ambiguous(document.axioms) and not is_ambiguous(document.annotations))
    triples = writers.shuffled(writers.TripleWriter().document(document), chance)
    assume(syntax == "turtle" or all("\r" not in value for _, _, value in triples))
    assert same(read_document(writers.as_rdf(triples, syntax)), document)


@given(strategies.documents(rdf_axioms), st.data())
@examples(125)
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


VOCABULARY = [
    *(
        f"<{grammar.OWL}{name}>"
        for name in ("Class", "Restriction", "Axiom", "inverseOf", "onProperty", "sameAs")
    ),
    *(
        f"<{grammar.OWL}{name}>"
        for name in ("someValuesFrom", "unionOf", "members", "equivalentClass", "hasKey")
    ),
    *(f"<{grammar.RDFS}{name}>" for name in ("subClassOf", "subPropertyOf", "domain", "range", "label")),
    *(f"<{grammar.RDF}{name}>" for name in ("type", "first", "rest", "nil")),
    *(f"<{strategies.EX}{name}>" for name in ("C0", "r0", "d0", "a0", "i0", "new")),
    '"text"',
]
SYMMETRIC = frozenset(
    f"<{grammar.OWL}{name}>"
    for name in (
        "sameAs",
        "differentFrom",
        "inverseOf",
        "equivalentClass",
        "disjointWith",
        "equivalentProperty",
    )
)


def account(triples: list[writers.Triple]) -> tuple[set[tuple[str, ...]], Counter[str]]:
    """What a reading must keep: ground triples as a set, the others by predicate."""
    distinct = set(triples)
    ground = {
        (*sorted((s, o)), p) if p in SYMMETRIC else (s, p, o)
        for s, p, o in distinct
        if s[0] != "_" and o[0] != "_"
    }
    return ground, Counter(p for s, p, o in distinct if s[0] == "_" or o[0] == "_")


@given(strategies.documents(rdf_axioms), st.data())
@examples(100)
def test_a_graph_with_one_wrong_triple_is_refused_or_kept_whole(
    document: OntologyDocument, data: st.DataObject
) -> None:
    """Put any term at any place: what is read without a warning, written again, accounts for every triple."""
    triples = list(dict.fromkeys(writers.TripleWriter(pairs=True).document(document)))
    victim = data.draw(st.integers(0, len(triples) - 1))
    place = data.draw(st.integers(0, 2))
    blanks = sorted({term for triple in triples for term in triple if term[0] == "_"})
    term = data.draw(
        st.sampled_from([*VOCABULARY, *blanks[:8]] if place else [*VOCABULARY[-7:-1], *blanks[:8]])
    )
    assume(place != 1 or term[0] == "<")
    changed = list(triples[victim])
    changed[place] = term
    triples[victim] = (changed[0], changed[1], changed[2])
    try:
        found = read_document(writers.n_triples(triples).encode())
    except InvalidOntology:
        return
    if found.warnings:
        return
    assume(not is_ambiguous(found.axioms))
    inverses = {s: o for s, p, o in triples if p == f"<{grammar.OWL}inverseOf>" and s[0] == "_"}
    firsts = Counter(inverses.get(o, o) for s, p, o in triples if p == f"<{grammar.RDF}first>")
    assume(max(firsts.values(), default=0) < 2)  # a set written with repetitions comes back without
    kept = account([*writers.TripleWriter(pairs=True).document(found)])
    meant = account(triples)
    assert kept[0] >= meant[0]
    # Written again, shared nodes stand several times, and types that go without saying are said.
    lost = {predicate for predicate, count in meant[1].items() if kept[1][predicate] < count}
    assert not lost


soup_names = st.sampled_from([term for term in VOCABULARY if term[0] == "<"])
soup_blanks = st.sampled_from(["_:a", "_:b", "_:c"])
soup_triples = st.tuples(soup_names | soup_blanks, soup_names, soup_names | soup_blanks | st.just('"text"'))


@given(st.lists(soup_triples, min_size=1, max_size=8))
@examples(400)
def test_any_soup_of_triples_is_read_or_refused(triples: list[writers.Triple]) -> None:
    try:
        found = read_document(writers.n_triples(triples).encode())
    except InvalidOntology:
        return
    assert label_anonymous(found) == found
    assert read_document(capture_bytes(found)).axioms == found.axioms
