"""RDF graphs: what each construct becomes, what is taken leniently, and what is refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jobs.errors import InvalidOntology
from jobs.ontology import grammar, read_document
from jobs.ontology.syntax import NESTING_MAX, canonical

if TYPE_CHECKING:
    from jobs.ontology.document import OntologyDocument

PREFIXES = {"": "http://e/", "xsd": grammar.XSD, "rdf": grammar.RDF, "owl": grammar.OWL, "rdfs": grammar.RDFS}
HEAD = """@prefix : <http://e/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
"""
ONTOLOGY = "<http://e/o> a owl:Ontology .\n"


def read(body: str, head: str = HEAD + ONTOLOGY) -> OntologyDocument:
    return read_document((head + body).encode())


def axioms(*texts: str) -> set[str]:
    return {canonical(text, PREFIXES) for text in texts}


def logical(document: OntologyDocument) -> set[str]:
    return {text for text in document.axioms if not text.startswith("Declaration(")}


@pytest.mark.parametrize(
    ("body", "meant"),
    [
        # OWL 1 and older habits
        (
            ":A a owl:Class ; owl:intersectionOf ( :B :C ) .",
            "EquivalentClasses(:A ObjectIntersectionOf(:B :C))",
        ),
        (":A owl:oneOf ( :i ) .", "EquivalentClasses(:A ObjectOneOf(:i))"),
        (":A owl:complementOf :B .", "EquivalentClasses(:A ObjectComplementOf(:B))"),
        (":A rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :B ) ] .", "SubClassOf(:A :B)"),
        (":A rdfs:subClassOf [ a owl:Class ; owl:unionOf () ] .", "SubClassOf(:A owl:Nothing)"),
        (":t a rdfs:Datatype ; owl:oneOf ( 1 ) .", 'DatatypeDefinition(:t DataOneOf("1"^^xsd:integer))'),
        (
            ":d a owl:DatatypeProperty ; rdfs:range [ a owl:DataRange ; owl:oneOf ( true ) ] .",
            'DataPropertyRange(:d DataOneOf("true"^^xsd:boolean))',
        ),
        ("[] a owl:AllDifferent ; owl:distinctMembers ( :i :j ) .", "DifferentIndividuals(:i :j)"),
        (":A a owl:DeprecatedClass .", 'AnnotationAssertion(owl:deprecated :A "true"^^xsd:boolean)'),
        (
            ":A rdfs:subClassOf [ a owl:Restriction, owl:Class, rdfs:Class ; owl:onProperty :r ; "
            'owl:minCardinality "01"^^xsd:int ] . :r a owl:ObjectProperty .',
            "SubClassOf(:A ObjectMinCardinality(1 :r))",
        ),
        # blank nodes as individuals, expressions as subjects
        (":i owl:sameAs [] .", None),
        (
            "[ a owl:Class ; owl:unionOf ( :A :B ) ] rdfs:subClassOf :C .",
            "SubClassOf(ObjectUnionOf(:A :B) :C)",
        ),
        (":i a [ a owl:Class ; owl:complementOf :A ] .", "ClassAssertion(ObjectComplementOf(:A) :i)"),
        (
            "[ owl:inverseOf :r ] rdfs:domain :A . :r a owl:ObjectProperty .",
            "ObjectPropertyDomain(ObjectInverseOf(:r) :A)",
        ),
        # kinds of properties
        (":p a owl:AnnotationProperty . :p rdfs:domain :A .", "AnnotationPropertyDomain(:p :A)"),
        (
            ":r a owl:TransitiveProperty . :i :r :j .",
            "TransitiveObjectProperty(:r) ObjectPropertyAssertion(:r :i :j)",
        ),
        (":d a owl:DatatypeProperty . :i :d 'x' .", 'DataPropertyAssertion(:d :i "x")'),
        (":x :undeclared 'x' .", 'AnnotationAssertion(:undeclared :x "x")'),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B ] . "
            ":i :r :j .",
            "SubClassOf(:A ObjectSomeValuesFrom(:r :B)) ObjectPropertyAssertion(:r :i :j)",
        ),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :d ; owl:someValuesFrom xsd:int ] .",
            "SubClassOf(:A DataSomeValuesFrom(:d xsd:int))",
        ),
        (
            ":d a owl:DatatypeProperty ; rdfs:subPropertyOf rdfs:label .",
            "SubAnnotationPropertyOf(:d rdfs:label)",
        ),
        (":p a owl:FunctionalProperty, owl:DatatypeProperty .", "FunctionalDataProperty(:p)"),
        # values that look alike
        (":A rdfs:label 'a'@EN-gb, 'a\\nb\\\\', 'b'^^xsd:string .", None),
        # reification
        (
            ":A rdfs:subClassOf :B . [] a owl:Axiom ; owl:annotatedSource :A ;"
            " owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ; rdfs:comment 'x' .",
            'SubClassOf(Annotation(rdfs:comment "x") :A :B)',
        ),
        (
            ":A rdfs:label 'a' . [] a owl:Axiom ; owl:annotatedSource :A ;"
            " owl:annotatedProperty rdfs:label ; owl:annotatedTarget 'a' ; rdfs:comment 'x' ."
            " [] a owl:Axiom ; owl:annotatedSource :A ;"
            " owl:annotatedProperty rdfs:label ; owl:annotatedTarget 'a' ; rdfs:comment 'y' .",
            'AnnotationAssertion(Annotation(rdfs:comment "x") rdfs:label :A "a")'
            ' AnnotationAssertion(Annotation(rdfs:comment "y") rdfs:label :A "a")',
        ),
        (
            "[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ;"
            " owl:annotatedTarget [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B ] ;"
            " rdfs:comment 'x' . :r a owl:ObjectProperty .",
            'SubClassOf(Annotation(rdfs:comment "x") :A ObjectSomeValuesFrom(:r :B))',
        ),
    ],
)
def test_graph_becomes_axioms(body: str, meant: str | None) -> None:
    found = logical(read(body))
    if meant is None:
        assert found
        return
    parts = meant.replace(") ObjectPropertyAssertion", ")\nObjectPropertyAssertion")
    parts = parts.replace(") AnnotationAssertion(Annotation", ")\nAnnotationAssertion(Annotation")
    assert found == axioms(*parts.split("\n"))


@pytest.mark.parametrize(
    ("body", "names", "line"),
    [
        (
            ":A rdfs:subClassOf [ a owl:Restriction ;\n owl:someValuesFrom :B ] .",
            ["stands where a class expression is due", "owl:someValuesFrom"],
            8,
        ),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ] .",
            ["no restriction of its values"],
            8,
        ),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r, :s ; owl:someValuesFrom :B ] .",
            ["2 values of owl:onProperty"],
            8,
        ),
        (":A rdfs:subClassOf 'text' .", ["literal", "class expression"], 8),
        (":A rdfs:subClassOf [] .", ["class expression is due"], None),
        (":A owl:unionOf ( :B . ", ["turtle"], 8),
        (":A rdfs:subClassOf [ owl:unionOf [ rdf:first :B ] ] .", ["rdf:rest"], None),
        ("_:l rdf:first :B ; rdf:rest _:l . :A rdfs:subClassOf [ owl:unionOf _:l ] .", ["RDF list"], None),
        (
            "_:x a owl:Class ; owl:complementOf _:x . :A rdfs:subClassOf _:x .",
            ["contains itself"],
            None,
        ),
        ("[ a owl:Class ] rdfs:label 'x' .", ["owl:Class", "described no further"], None),
        (":r a owl:ObjectProperty . :i :r 'text' .", ["individual is due"], 8),
        (":d a owl:DatatypeProperty . :i :d :j .", ["literal is due"], 8),
        ("<http://e/o2> a owl:Ontology .", ["2 ontology headers"], 8),
        (":A owl:foo :B .", ["owl:foo"], 8),
        (":A a owl:Fnord .", ["owl:Fnord"], 8),
        ("[] a swrl:Variable .", ["rule variable"], None),
        ("[] a swrl:ClassAtom .", ["swrl:ClassAtom"], 8),
        ("( :A :B ) rdfs:label 'x' .", ["list"], None),
        ("[] a owl:Axiom ; owl:annotatedSource :A ; rdfs:comment 'x' .", ["owl:annotatedProperty"], 8),
        (
            "[] a owl:Axiom ; owl:annotatedSource '5' ; owl:annotatedProperty :p ;"
            " owl:annotatedTarget 'x' ; rdfs:comment 'c' .",
            ["no triple"],
            8,
        ),
        ("[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i .", ["owl:assertionProperty"], None),
        ("[] a owl:AllDisjointClasses .", ["owl:members"], None),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ; owl:maxCardinality 'many' ] .",
            ["many"],
            8,
        ),
        (":x rdfs:label <<( :a :b :c )>> .", ["triple term"], None),
        (":x rdfs:label 'x'@en--ltr .", ["RDF 1.2"], None),
        (
            ":r a owl:ObjectProperty ; owl:equivalentProperty :d . :d a owl:DatatypeProperty .",
            ["different kinds"],
            8,
        ),
        (":x rdfs:label <relative> .", ["relative"], 8),
        (':x rdfs:label <http://e/a"b> .', ["IRI"], 8),
    ],
)
def test_misfit_is_named_with_its_line(body: str, names: list[str], line: int | None) -> None:
    with pytest.raises(InvalidOntology) as refused:
        read(body)
    assert all(name in refused.value.message for name in names), refused.value.message
    assert refused.value.details.get("format") == "turtle"
    if line is not None:
        assert refused.value.details.get("line") == line, refused.value.message


def test_what_is_left_out_is_said() -> None:
    document = read("[ a owl:Class ; owl:unionOf ( :A :B ) ] . :v a swrl:Variable .")
    assert document.axioms == ()
    assert any("1 expressions are part of no axiom" in warning for warning in document.warnings)
    assert any("Variables of no rule" in warning for warning in document.warnings)


def test_guesses_are_said_and_end_with_declarations_elsewhere() -> None:
    body = ":i :r :j ."
    guessed = read(body)
    assert "annotation property: <http://e/r>" in guessed.warnings[0]
    informed = read_document(
        (HEAD + ONTOLOGY + body).encode(), external_types={"http://e/r": frozenset({"objectproperty"})}
    )
    assert informed.warnings == ()
    assert set(informed.axioms) == axioms("ObjectPropertyAssertion(:r :i :j)")


def test_order_of_triples_decides_nothing() -> None:
    one = ":i :r :j . :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B ] ."
    two = ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :B ] . :i :r :j ."
    assert read(one).axioms == read(two).axioms


def test_header_forms() -> None:
    anonymous = read("", HEAD + "[] a owl:Ontology ; rdfs:comment 'x' .")
    assert (anonymous.iri, len(anonymous.annotations)) == (None, 1)
    with pytest.raises(InvalidOntology, match="version IRI without"):
        read("", HEAD + "[] a owl:Ontology ; owl:versionIRI <http://e/v> .")
    none = read(":A a owl:Class .", HEAD)
    assert none.iri is None
    assert "no ontology header" in none.warnings[0]
    habit = read("<http://e/o> owl:imports <http://e/i> . <http://e/i> a owl:Ontology .")
    assert habit.imports == ("http://e/i",)
    assert habit.prefixes["owl"] == grammar.OWL


@pytest.mark.parametrize("opening", ["owl:complementOf ", "owl:unionOf ( :B "])
def test_nesting_is_read_to_its_bound(opening: str) -> None:
    closing = " ) ]" if "(" in opening else " ]"
    fine = ":A rdfs:subClassOf " + f"[ {opening}" * NESTING_MAX + ":B" + closing * NESTING_MAX + " ."
    (axiom,) = logical(read(fine))
    assert axiom.count("Object") == NESTING_MAX
    deep = (
        ":A rdfs:subClassOf " + f"[ {opening}" * (NESTING_MAX + 1) + ":B" + closing * (NESTING_MAX + 1) + " ."
    )
    with pytest.raises(InvalidOntology, match="nested more than"):
        read(deep)


def test_remarks_on_class_expressions_are_kept_with_a_warning() -> None:
    document = read(":A rdfs:subClassOf [ owl:unionOf ( :B :C ) ; rdfs:comment 'why' ] .")
    assert (
        'AnnotationAssertion(<http://www.w3.org/2000/01/rdf-schema#comment> _:c14n0 "why")' in document.axioms
    )
    assert "annotations on class expressions" in document.warnings[0]


def test_deep_nesting_and_long_lists() -> None:
    deep = ":A rdfs:subClassOf " + "[ owl:complementOf " * 10_000 + ":B" + " ]" * 10_000 + " ."
    with pytest.raises(InvalidOntology):
        read(deep)
    long = ":A owl:unionOf ( " + " ".join(f":C{n}" for n in range(20_000)) + " ) ."
    (axiom,) = logical(read(long))
    assert axiom.count("<http://e/C") == 20_000


def test_rdf_xml_habits_of_editors() -> None:
    text = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ <!ENTITY owl "http://www.w3.org/2002/07/owl#" > <!ENTITY e "http://e/" > ]>
<rdf:RDF xmlns="&e;o#" xml:base="http://e/o" xmlns:owl="&owl;" xmlns:e="&e;"
   xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <owl:Ontology rdf:about=""><owl:imports rdf:resource="&e;i"/></owl:Ontology>
  <owl:Class rdf:ID="A"><rdfs:label xml:lang="en">x &lt; y &amp; z</rdfs:label>
    <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="#r"/>
      <owl:someValuesFrom><owl:Class><owl:unionOf rdf:parseType="Collection">
        <owl:Class rdf:about="#B"/><rdf:Description rdf:about="&e;C"/>
      </owl:unionOf></owl:Class></owl:someValuesFrom>
    </owl:Restriction></rdfs:subClassOf></owl:Class>
  <owl:ObjectProperty rdf:about="#r"/>
</rdf:RDF>"""
    document = read_document(text.encode())
    assert document.iri == "http://e/o"
    assert document.prefixes["e"] == "http://e/"
    base = {"": "http://e/o#", "e": "http://e/", "rdfs": grammar.RDFS}
    wanted = "SubClassOf(:A ObjectSomeValuesFrom(:r ObjectUnionOf(:B e:C)))"
    assert canonical(wanted, base) in document.axioms
    assert canonical('AnnotationAssertion(rdfs:label :A "x < y & z"@en)', base) in document.axioms


FOAF_LIKE = """
:name a rdf:Property, owl:DatatypeProperty ; rdfs:subPropertyOf rdfs:label ; rdfs:domain owl:Thing ;
    rdfs:range rdfs:Literal ; rdfs:isDefinedBy <http://e/o> .
:Person a rdfs:Class, owl:Class ; rdfs:subClassOf :Agent ; owl:disjointWith :Project .
:Agent a rdfs:Class .
:mbox a rdf:Property, owl:InverseFunctionalProperty, owl:ObjectProperty .
:status a rdf:Property ; :term_status "unstable" .
[] rdfs:label "someone" ; a :Person ; :mbox <mailto:x@e> ; :knows [ :name "y" ] .
"""


def test_a_vocabulary_older_than_owl_2_is_read_whole() -> None:
    document = read(FOAF_LIKE)
    found = set(document.axioms)
    assert axioms("Declaration(Class(:Agent))", "Declaration(AnnotationProperty(:status))") <= found
    assert axioms("DisjointClasses(:Person :Project)", "DataPropertyRange(:name rdfs:Literal)") <= found
    assert axioms("InverseFunctionalObjectProperty(:mbox)") <= found
    assert any(text.startswith("ObjectPropertyAssertion(<http://e/mbox> _:c14n") for text in found)
    assert any("different kinds" in warning for warning in document.warnings)
