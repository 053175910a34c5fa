"""Errors of the functional, OWL/XML and Manchester readers, and the entity index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ontology_strategies as strategies
import pytest
from hypothesis import given
from ontology_strategies import examples

from jobs.errors import InvalidOntology
from jobs.ontology import grammar, index_entities, read_document
from jobs.ontology.syntax import entities, parse_axiom

if TYPE_CHECKING:
    from jobs.ontology.document import OntologyDocument

OWL = grammar.OWL


def refused(text: str) -> InvalidOntology:
    with pytest.raises(InvalidOntology) as caught:
        read_document(text.encode())
    return caught.value


@pytest.mark.parametrize(
    ("text", "about", "line"),
    [
        ("Ontology(\nSubClassOf(:A :B)\n)", "':'", 2),
        ("Prefix(:=<http://e/>)\nOntology(<http://e/o>\nSubClassOf(:A :B)", "')' was expected", 3),
        ("Prefix(:=<http://e/>)\nOntology(<http://e/o>\nSubClassOf(:A", "not closed", 3),
        ("Prefix(:=<http://e/>)\nOntology(\nSubClassOf(:A :B))\n)", "after the end", 4),
        ("Ontology(\n\nSuperClassOf(<a> <b>))", "SuperClassOf", 3),
        ("Ontology(<a> <b> <c>)", "two IRIs", 1),
        ("Ontology(\nClass(<a>))", "axiom is due", 2),
        ('Ontology(\nDeclaration(Class(<a>))\nAnnotation(<p> "x"))', "axiom is due", 3),
        ("Prefix(:<http://e/>)\nOntology()", "'='", 1),
        ("Ontology(\nImport(<a> <b>))", "one IRI", 2),
        ('Ontology(\nAnnotationAssertion(<p> <a> "open))', "iteral", 2),
        ("Ontology(\n" + "SubClassOf(<a> " + "ObjectComplementOf(" * 10_000, "nested", 2),
        ("Ontology(\nDGRule(<a>))", "DGRule", 2),
        ("Ontology(\nSubClassOf(<a> ObjectMinCardinality(\u0663 <r>)))", "Unexpected", 2),
    ],
)
def test_functional_syntax_errors_have_line_and_reason(text: str, about: str, line: int) -> None:
    error = refused(text)
    assert about in error.message
    assert error.details["line"] == line
    assert error.details["format"] == "functional"


def xml(body: str) -> str:
    return f'<Ontology xmlns="{OWL}" xml:base="http://e/o">\n{body}\n</Ontology>'


@pytest.mark.parametrize(
    ("body", "about"),
    [
        ("<SubClassOf><Class IRI='#A'/></SubClassOf>", "SubClassOf does not take"),
        ("<SubClassOf>words</SubClassOf>", "words"),
        ("<Fnord/>", "Fnord"),
        ("<Class IRI='#A'/>", "axiom is due"),
        ("<Declaration><Class/></Declaration>", "without IRI"),
        ("<Declaration><Class abbreviatedIRI='z:A'/></Declaration>", "z:A"),
        ("<Declaration><Class IRI=':A'/></Declaration>", "abbreviatedIRI"),
        ("<Declaration><Class xmlns='http://other/' IRI='#A'/></Declaration>", "namespace"),
        ("<SubClassOf><Class IRI='#A'/><ObjectMinCardinality cardinality='-1'/></SubClassOf>", "no number"),
        ("<SubClassOf><Class IRI='#A'/>" + "<ObjectComplementOf>" * 300 + "</SubClassOf>", "mismatched"),
    ],
)
def test_owl_xml_errors_have_a_line(body: str, about: str) -> None:
    error = refused(xml(body))
    assert about in error.message
    assert error.details["line"] == 2


def test_owl_xml_nesting_is_bounded() -> None:
    deep = "<ObjectComplementOf>" * 10_000 + "<Class IRI='#A'/>" + "</ObjectComplementOf>" * 10_000
    assert "nested" in refused(xml(f"<SubClassOf><Class IRI='#A'/>{deep}</SubClassOf>")).message


def test_owl_xml_forms() -> None:
    text = xml(
        '<Prefix name="e" IRI="http://e/"/><Import>http://e/i</Import>'
        '<Annotation><AnnotationProperty abbreviatedIRI="rdfs:label"/>'
        '<Literal xml:lang="EN"> a\n b </Literal></Annotation>'
        '<SubClassOf><Class abbreviatedIRI="e:A"/><Class IRI="#B"/></SubClassOf>'
        '<AnnotationAssertion><AnnotationProperty IRI="#p"/><AbbreviatedIRI>e:A</AbbreviatedIRI>'
        f'<Literal datatypeIRI="{grammar.RDF}PlainLiteral">x</Literal></AnnotationAssertion>'
    )
    document = read_document(text.encode())
    assert document.imports == ("http://e/i",)
    assert document.annotations == (f'Annotation(<{grammar.RDFS}label> " a\n b "@en)',)
    assert document.axioms == (
        'AnnotationAssertion(<http://e/o#p> <http://e/A> "x")',
        "SubClassOf(<http://e/A> <http://e/o#B>)",
    )


MANCHESTER = """Prefix: : <http://e/>
Prefix: rdfs: <http://www.w3.org/2000/01/rdf-schema#>
Ontology: <http://e/o> <http://e/v>
Import: <http://e/i>
Annotations: rdfs:comment "c"@en
ObjectProperty: :r
DataProperty: :d
Class: :B
Class: :A
    Annotations: Annotations: rdfs:comment "why" rdfs:label "A"
    SubClassOf: :r some (:B and (:d value 1.5f)), not :B, inverse :r only {:i}
Individual: :i
    Facts: :r _:x, not :d "no"
"""


def test_manchester_syntax() -> None:
    document = read_document(MANCHESTER.encode())
    assert (document.iri, document.version_iri, document.imports) == (
        "http://e/o",
        "http://e/v",
        ("http://e/i",),
    )
    assert document.prefixes == {"": "http://e/", "rdfs": grammar.RDFS}
    body = "\n".join(document.axioms)
    assert '"1.5"^^<http://www.w3.org/2001/XMLSchema#float>' in body
    assert "ObjectPropertyAssertion(<http://e/r> <http://e/i> _:c14n0)" in body
    assert len(document.axioms) == 11


def test_manchester_errors() -> None:
    error = refused(MANCHESTER + "\nClass: :C\n    SubClassOf: :r some some :B\n")
    assert error.details["line"] == 16
    assert refused("Ontology: <http://e/o>\nClass: z:A\n").details["line"] == 2
    for deep in ("(" * 10_000 + ":B" + ")" * 10_000, "not " * 10_000 + ":B", ":r some " * 10_000 + ":B"):
        assert refused(f"{MANCHESTER}Class: :C\n SubClassOf: {deep}\n").code == "invalid_ontology"


# --- Index ----------------------------------------------------------------------------------------


@given(strategies.documents())
@examples(75)
def test_index_equals_the_signature_of_all_trees(document: OntologyDocument) -> None:
    index = index_entities(document)
    wanted = {
        pair for text in (*document.annotations, *document.axioms) for pair in entities(parse_axiom(text))
    }
    assert {(kind, iri) for kind, iris in index.signature.items() for iri in iris} == wanted
    labels = {
        str(node[-2])[1:-1]
        for text in document.axioms
        if (node := parse_axiom(text))[0] == "AnnotationAssertion"
        and node[-3] == f"<{grammar.RDFS}label>"
        and str(node[-1]).startswith('"')
        and str(node[-2]).startswith("<")
    }
    assert set(index.labels) == labels


def test_index_answers() -> None:
    text = f"""Prefix(:=<http://e/>)
Ontology(
Declaration(Class(:A)) Declaration(NamedIndividual(:A))
AnnotationAssertion(rdfs:label :A "Ah"@de) AnnotationAssertion(rdfs:label :A "A"@en)
AnnotationAssertion(Annotation(Annotation(:q "x") :p "y") rdfs:label :B "bee")
AnnotationAssertion(owl:deprecated :B "true"^^xsd:boolean)
SubClassOf(:A owl:Thing)
AnnotationAssertion(:p <{OWL}Thing> "1"^^:odd)
)"""
    index = index_entities(read_document(text.encode()))
    assert index.types_of("http://e/A") == ("class", "namedindividual")
    assert index.label_of("http://e/A") == "A"
    assert index.name_of("http://e/B") == "bee"
    assert index.name_of("http://e/x#last") == "last"
    assert index.deprecated == {"http://e/B"}
    assert index.annotation_subjects == {"http://e/A", "http://e/B", f"{OWL}Thing"}
    assert index.own("class") == {"http://e/A"}
    assert "http://e/q" in index.signature["annotationproperty"]
    assert "http://e/odd" in index.signature["datatype"]
