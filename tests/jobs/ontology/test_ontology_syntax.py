"""The canonical axiom text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ontology_strategies as strategies
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ontology_strategies import examples

from jobs.errors import InvalidOntology
from jobs.ontology import grammar, syntax
from jobs.ontology.syntax import canonical, entities, parse_axiom, render, strip_annotations

if TYPE_CHECKING:
    import random

PREFIXES = {"": "http://e/", "xsd": grammar.XSD, "rdf": grammar.RDF, "owl": grammar.OWL, "rdfs": grammar.RDFS}


def c(text: str) -> str:
    return canonical(text, PREFIXES)


@given(strategies.axioms)
@examples(150)
def test_canonical_text_is_a_fixed_point_of_reading_and_writing(axiom: str) -> None:
    assert canonical(axiom) == axiom
    assert render(parse_axiom(axiom)) == axiom


@given(strategies.axioms, st.randoms(use_true_random=False))
@examples(100)
def test_order_of_operands_without_order_does_not_matter(axiom: str, chance: random.Random) -> None:
    assert render(shuffled(parse_axiom(axiom), chance)) == axiom


def shuffled(node: syntax.Node, chance: random.Random) -> syntax.Node:
    if isinstance(node, str):
        return node
    operands = [shuffled(operand, chance) for operand in node[1:]]
    name = str(node[0])
    shape = grammar.shape(name, "".join(map(syntax.sort_of, operands)))
    assert shape is not None
    if shape.order in ("set", "pair"):
        part = operands[shape.start : shape.stop]
        chance.shuffle(part)
        operands[shape.start : shape.stop] = part
    head = operands[: shape.annotations]
    chance.shuffle(head)
    return (name, *head, *operands[shape.annotations :])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('Annotation(:p "x"^^xsd:string)', 'Annotation(<http://e/p> "x")'),
        ('Annotation(:p "x@en-GB"^^rdf:PlainLiteral)', 'Annotation(<http://e/p> "x"@en-gb)'),
        ('Annotation(:p "x@"^^rdf:PlainLiteral)', 'Annotation(<http://e/p> "x")'),
        ('Annotation(:p "x" @EN)', 'Annotation(<http://e/p> "x"@en)'),
        ('Annotation(:p "07"^^xsd:integer)', f'Annotation(<http://e/p> "07"^^<{grammar.XSD}integer>)'),
        ('Annotation(:p "a\\nb")', 'Annotation(<http://e/p> "a\\\\nb")'),
        ("EquivalentClasses(:B :A :B)", "EquivalentClasses(<http://e/A> <http://e/B>)"),
        ("EquivalentClasses(:B :B)", "EquivalentClasses(<http://e/B> <http://e/B>)"),
        ("ObjectMinCardinality(02 :r owl:Thing)", "ObjectMinCardinality(2 <http://e/r>)"),
        ("DataMinCardinality(2 :d rdfs:Literal)", "DataMinCardinality(2 <http://e/d>)"),
        ("HasKey(:A () (:b :a))", "HasKey(<http://e/A> () (<http://e/a> <http://e/b>))"),
        ("InverseObjectProperties(:s :r)", "InverseObjectProperties(<http://e/r> <http://e/s>)"),
        ("SubClassOf( :A # why\n :B )", "SubClassOf(<http://e/A> <http://e/B>)"),
        (
            "SubObjectPropertyOf(ObjectPropertyChain(:s :r) :t)",
            "SubObjectPropertyOf(ObjectPropertyChain(<http://e/s> <http://e/r>) <http://e/t>)",
        ),
    ],
)
def test_spellings_of_one_value_become_one_text(written: str, meant: str) -> None:
    assert c(written) == meant
    assert canonical(meant) == meant


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("SubClassOf(:A", "not closed"),
        ("SubClassOf(:A :B))", "nothing is open"),
        ("SubClassOf(:A :B) :C", "One term"),
        ("SuperClassOf(:A :B)", "'SuperClassOf'"),
        ('SubClassOf(:A "x")', "SubClassOf does not take"),
        ("SubClassOf(other:A :B)", "'other:'"),
        ('SubClassOf(:A "x)', "literal"),
        ("ClassAssertion(:A (:b))", "Unexpected '('"),
        ("ObjectIntersectionOf()", "ObjectIntersectionOf does not take"),
        ("DatatypeRestriction(xsd:int xsd:minInclusive)", "DatatypeRestriction does not take"),
        ("", "One term"),
    ],
)
def test_malformed_text_is_refused_by_name(text: str, about: str) -> None:
    with pytest.raises(InvalidOntology, match="(?s)" + about.replace("(", r"\(")):
        c(text)


def test_deep_nesting_is_a_clear_error() -> None:
    with pytest.raises(InvalidOntology, match="nested more than 200 deep in ObjectComplementOf"):
        canonical("ObjectComplementOf(" * 10_000 + "<a>" + ")" * 10_000)
    fine = "ObjectComplementOf(" * 200 + "<a>" + ")" * 200
    assert render(parse_axiom(canonical(fine))) == fine
    assert list(entities(parse_axiom(fine))) == [("class", "a")]


def test_entities_are_typed_by_their_place() -> None:
    found = set(
        entities(
            parse_axiom(
                c(
                    'SubClassOf(Annotation(:p "1"^^xsd:int) :A DataSomeValuesFrom(:d DatatypeRestriction('
                    'xsd:integer xsd:minInclusive "1"^^xsd:integer)))'
                )
            )
        )
    )
    assert found == {
        ("annotationproperty", "http://e/p"),
        ("datatype", f"{grammar.XSD}int"),
        ("class", "http://e/A"),
        ("dataproperty", "http://e/d"),
        ("datatype", f"{grammar.XSD}integer"),
    }


def test_annotations_can_be_taken_off() -> None:
    text = c('SubClassOf(Annotation(Annotation(:q ")") :p "a(") Annotation(:p :x) :A :B)')
    assert strip_annotations(text) == "SubClassOf(<http://e/A> <http://e/B>)"
    assert len(syntax.annotations_of(text)) == 2
    assert strip_annotations(c("SubClassOf(:A :B)")) == "SubClassOf(<http://e/A> <http://e/B>)"


def test_anonymous_individuals_are_found_and_renamed_outside_literals() -> None:
    text = c('AnnotationAssertion(:p _:b "_:b (" )')
    assert syntax.anonymous_individuals(text) == {"_:b"}
    assert syntax.rename_anonymous(text, {"_:b": "_:c"}) == 'AnnotationAssertion(<http://e/p> _:c "_:b (")'


def test_logical_axioms_are_those_the_owl_api_counts() -> None:
    assert syntax.is_logical("SubClassOf(<a> <b>)")
    assert not syntax.is_logical("Declaration(Class(<a>))")
    assert not syntax.is_logical("SubAnnotationPropertyOf(<a> <b>)")
    assert syntax.axiom_type("SubClassOf(<a> <b>)") == "SubClassOf"
