"""Manchester syntax: what only declarations decide, and what the library would lose."""

from __future__ import annotations

import pytest

from jobs.errors import InvalidOntology
from jobs.ontology import read_closure, read_document
from jobs.ontology.catalog import Catalog

PREFIXES = "Prefix: : <http://e/>\nPrefix: xsd: <http://www.w3.org/2001/XMLSchema#>\nOntology: <http://e/o>\n"
DECLARED = "ObjectProperty: :r\nDataProperty: :d\nDataProperty: :e\nDatatype: :t\nClass: :A\nClass: :B\n"
FUNCTIONAL = (
    "Prefix(:=<http://e/>)\nPrefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)\nOntology(<http://e/o>\n"
    "Declaration(ObjectProperty(:r)) Declaration(DataProperty(:d)) Declaration(DataProperty(:e))"
    "Declaration(Datatype(:t)) Declaration(Class(:A)) Declaration(Class(:B))\n"
)


@pytest.mark.parametrize(
    ("manchester", "functional"),
    [
        ("Class: :A\n SubClassOf: :d min 2", "SubClassOf(:A DataMinCardinality(2 :d))"),
        ("Class: :A\n SubClassOf: :d exactly 1", "SubClassOf(:A DataExactCardinality(1 :d))"),
        ("Class: :A\n SubClassOf: :r max 1", "SubClassOf(:A ObjectMaxCardinality(1 :r))"),
        (
            "Class: :A\n SubClassOf: :r some (:d only (:t or not xsd:int))",
            "SubClassOf(:A ObjectSomeValuesFrom(:r DataAllValuesFrom(:d "
            "DataUnionOf(:t DataComplementOf(xsd:int)))))",
        ),
        ("Class: :A\n HasKey: :d, :r", "HasKey(:A (:r) (:d))"),
        ("EquivalentProperties: :d, :e", "EquivalentDataProperties(:d :e)"),
        (
            "DataProperty: :d\n Range: integer[> 5] or string",
            "DataPropertyRange(:d DataUnionOf(xsd:string DatatypeRestriction(xsd:integer "
            'xsd:minExclusive "5"^^xsd:integer)))',
        ),
        (
            "Rule: xsd:int(?<http://e/x>) -> :A(?<http://e/x>)",
            "DLSafeRule(Body(DataRangeAtom(xsd:int Variable(:x))) Head(ClassAtom(:A Variable(:x))))",
        ),
        ("Individual: :i\n Facts: :d 1.5f", 'DataPropertyAssertion(:d :i "1.5"^^xsd:float)'),
        (
            'Individual: :i\n Facts: :d "an integer, a string <x> #"',
            'DataPropertyAssertion(:d :i "an integer, a string <x> #")',
        ),
    ],
)
def test_kinds_come_from_declarations(manchester: str, functional: str) -> None:
    got = read_document((PREFIXES + DECLARED + manchester + "\n").encode())
    individual = "Declaration(NamedIndividual(:i))" if "Individual:" in manchester else ""
    expected = read_document((FUNCTIONAL + individual + functional + "\n)").encode())
    assert got.axioms == expected.axioms


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Class: :A\n SubClassOf: :d value :x", "individual as value"),
        ("Class: :A\n SubClassOf: :d some (:r some :B)", "range of a data property"),
        ('Class: :A\n HasKey: Annotations: :p "x" :r', "annotations on HasKey"),
    ],
)
def test_what_cannot_be_kept_is_refused(text: str, about: str) -> None:
    with pytest.raises(InvalidOntology, match=about):
        read_document((PREFIXES + DECLARED + "AnnotationProperty: :p\n" + text + "\n").encode())


def test_kinds_come_from_imports_too() -> None:
    root = PREFIXES + "Import: <http://e/base>\nClass: :A\n SubClassOf: :d min 2\n"
    files = {"base.ofn": b"Ontology(<http://e/base> Declaration(DataProperty(<http://e/d>)))"}
    catalog = Catalog(entries=(("http://e/base", "base.ofn"),))
    closure = read_closure(root.encode(), lambda path: files[path], catalogs=(catalog,))
    assert "SubClassOf(<http://e/A> DataMinCardinality(2 <http://e/d>))" in closure.root.axioms
