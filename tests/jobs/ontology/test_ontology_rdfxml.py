"""RDF/XML as XML has it: line ends, comments and sections inside literals; nothing is passed over."""

from __future__ import annotations

import pytest

from jobs.errors import InvalidOntology
from jobs.ontology import read_document
from jobs.ontology.rdfxml_text import simplify

HEAD = (
    '<?xml version="1.0"?>\n<rdf:RDF xmlns="http://e/" xml:base="http://e/"\n'
    ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">\n'
    '<owl:Ontology rdf:about="o"/><owl:Class rdf:about="A"/>\n'
)


def labels(content: str) -> list[str]:
    """The labels of A in a document with this content of rdfs:label."""
    document = read_document(
        f'{HEAD}<rdf:Description rdf:about="A"><rdfs:label>{content}</rdfs:label></rdf:Description>\n'
        "<!-- the > end <p> -->\n</rdf:RDF>".encode()
    )
    start = "AnnotationAssertion(<http://www.w3.org/2000/01/rdf-schema#label> <http://e/A> "
    return [text[len(start) : -1] for text in document.axioms if text.startswith(start)]


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("a<!-- x -->b", '"ab"'),
        (" <!--x-->a", '" a"'),
        ("a<?p i?>\n", '"a\n"'),
        ("te<![CDATA[<x>&amp;]]>t &gt;", '"te<x>&amp;t >"'),
        ("<![CDATA[x]]>  ", '"x  "'),
        ("a > b<!--\n\n-->", '"a > b"'),
        ("a\r\nb\rc", '"a\nb\nc"'),
        ("a&#13;&#10;b", '"a\r\nb"'),
    ],
)
def test_a_literal_is_all_its_text(content: str, value: str) -> None:
    assert labels(content) == [value]


def test_lines_keep_their_numbers() -> None:
    text = "<a>\n<b>x<!--\n\n-->y</b>\n<!-- z\n--><c/><b><![CDATA[\n]]></b></a>"
    assert simplify(text) == "<a>\n<b>xy</b\n\n>\n<!-- z\n--><c/><b>\n</b></a>"


@pytest.mark.parametrize("parse_type", ["collection", "daml:collection", "Triple", ""])
def test_unknown_parse_types_are_not_passed_over(parse_type: str) -> None:
    body = (
        f'<owl:Class rdf:about="A"><owl:unionOf rdf:parseType="{parse_type}">'
        '<owl:Class rdf:about="B"/></owl:unionOf></owl:Class></rdf:RDF>'
    )
    with pytest.raises(InvalidOntology) as caught:
        read_document((HEAD + body).encode())
    assert caught.value.details["construct"] == "rdf:parseType"
    assert caught.value.details["line"] == 6


def test_the_word_in_a_literal_is_only_text() -> None:
    assert labels("parseType='x' bagID='y'") == ["\"parseType='x' bagID='y'\""]


def test_a_token_beyond_the_parsers_buffer_is_the_documents_fault() -> None:
    with pytest.raises(InvalidOntology, match="longer than 16 MiB"):
        read_document(b"@prefix : <http://e/> .\n#" + b"x" * (17 << 20))


def test_nesting_beyond_any_list_is_refused_at_once() -> None:
    deep = "<owl:Class><rdfs:subClassOf>" * 100_000 + "</rdfs:subClassOf></owl:Class>" * 100_000
    with pytest.raises(InvalidOntology, match="nested more than 20000 deep"):
        read_document(f"{HEAD}{deep}</rdf:RDF>".encode())


def test_a_long_list_may_nest() -> None:
    members = 2_000
    opened = "".join(f'<rdf:rest><rdf:Description><rdf:first rdf:resource="m{n}"/>' for n in range(members))
    body = (
        '<owl:Class rdf:about="A"><owl:oneOf><rdf:Description><rdf:first rdf:resource="m"/>'
        f'{opened}<rdf:rest rdf:resource="http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"/>'
        f"{'</rdf:Description></rdf:rest>' * members}</rdf:Description></owl:oneOf></owl:Class></rdf:RDF>"
    )
    axioms = read_document((HEAD + body).encode()).axioms
    assert any(
        text.startswith("EquivalentClasses") and f"<http://e/m{members - 1}>" in text for text in axioms
    )
