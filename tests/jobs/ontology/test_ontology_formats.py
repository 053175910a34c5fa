"""Bytes to text and syntax: every kind of bad input gets a clear error."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ontology_strategies import examples

from jobs.errors import InvalidOntology
from jobs.ontology import read_document
from jobs.ontology.formats import recognise

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SAMPLES = {
    "rdfxml": f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:owl="{OWL}">\n<owl:Class rdf:about="http://e/Ä"/>\n</rdf:RDF>',
    "turtle": f"<http://e/Ä> a <{OWL}Class> .",
    "owlxml": f'<Ontology xmlns="{OWL}">\n<Declaration><Class IRI="http://e/Ä"/></Declaration>\n</Ontology>',
    "functional": "Ontology(\nDeclaration(Class(<http://e/Ä>))\n)",
    "manchester": "Ontology:\n\nClass: <http://e/Ä>\n",
}
WANTED = ("Declaration(Class(<http://e/Ä>))",)


def refused(data: bytes) -> InvalidOntology:
    with pytest.raises(InvalidOntology) as caught:
        read_document(data)
    return caught.value


@pytest.mark.parametrize("syntax", SAMPLES)
@pytest.mark.parametrize("form", ["plain", "bom", "utf16", "crlf", "gzip", "gzip members", "leading space"])
def test_every_syntax_in_every_wrapping(syntax: str, form: str) -> None:
    text = SAMPLES[syntax]
    data = {
        "plain": text.encode(),
        "bom": b"\xef\xbb\xbf" + text.encode(),
        "utf16": text.encode("utf-16"),
        "crlf": text.replace("\n", "\r\n").encode(),
        "gzip": gzip.compress(text.encode()),
        "gzip members": gzip.compress(text[:9].encode()) + gzip.compress(text[9:].encode()),
        "leading space": b"\n  " + text.encode(),
    }[form]
    document = read_document(data)
    assert document.axioms == WANTED
    assert document.format == syntax


@pytest.mark.parametrize(
    ("data", "about"),
    [
        (b"", "empty"),
        (b" \n# only a comment\n", "nothing to read"),
        (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "HTML"),
        (b"\n<HTML><head></head></HTML>", "HTML"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>", "HTML"),
        (b"<?xml version='1.0'?><feed xmlns='http://e'/>", "'feed'"),
        (b"<?xml version='1.0'?>", "cut off"),
        (json.dumps({"graphs": []}).encode(), "JSON"),
        (b'[ {"@id": "x"} ]', "JSON"),
        (b"format-version: 1.2\nontology: x\n\n[Term]\nid: X:1\n", "OBO"),
        (b"PK\x03\x04rest", "ZIP"),
        (bz2.compress(b"x"), "bzip2"),
        (gzip.compress(b"x" * 999)[:-9], "cut off"),
        (gzip.compress(b"x")[:-3] + b"abc", "damaged"),
        (gzip.compress(gzip.compress(b"x")), "another gzip"),
        (gzip.compress(b"PK\x03\x04"), "ZIP"),
        (gzip.compress(b""), "empty file"),
        (gzip.compress(bytes(200 * 1024 * 1024)), "unpacks to more"),
        (gzip.compress(SAMPLES["turtle"].encode()) + b"tail", "other data"),
        (b"Ontology(\n\x00)", "Line 2"),
        (b"Ontology(\n\xff\xff)", "Line 2"),
        (b"\xff\xfe\x00\x00" + "Ontology()".encode("utf-32-le")[:-1], "UTF-32"),
        (b"<?xml version='1.0' encoding='ebcdic-cp-us'?><a/>", "encoding"),
        (b"Some words about ontologies", "no ontology syntax"),
        (b"%PDF-1.4", "no ontology syntax"),
        (random.Random(1).randbytes(5000), "Line"),
    ],
)
def test_bad_bytes_are_refused_by_name(data: bytes, about: str) -> None:
    assert about in refused(data).message


@pytest.mark.parametrize("syntax", ["rdfxml", "owlxml"])
def test_truncated_xml_is_an_error_with_a_line(syntax: str) -> None:
    data = SAMPLES[syntax].encode()
    for cut in range(1, len(data)):
        error = refused(data[:cut])
        if b">" in data[:cut]:
            assert "line" in error.details, (cut, error.message)


@pytest.mark.parametrize(
    ("doctype", "about"),
    [
        ('<!DOCTYPE r SYSTEM "http://e/x.dtd">', "external"),
        ('<!DOCTYPE r PUBLIC "a" "http://e/x.dtd">', "external"),
        ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "external"),
        ('<!DOCTYPE r [<!ENTITY % x "y"> %x;]>', "entity"),
        ('<!DOCTYPE r [<!ENTITY x "<a/>">]>', "markup"),
        ('<!DOCTYPE r [<!ENTITY x "&y;"><!ENTITY y "&x;">]>', "entity"),
        (
            "<!DOCTYPE r [" + "".join(f'<!ENTITY x{n} "{"a" * 60_000}">' for n in range(1)) + "]>",
            "beyond the bound",
        ),
        ('<!DOCTYPE r [<!ATTLIST r a CDATA "x">]>', "attributes"),
        ('<!DOCTYPE r [<!ENTITY y "z">]>', "not declared"),
        ("<!DOCTYPE r [", "not closed"),
    ],
)
def test_entities_beyond_the_simple_ones_are_refused(doctype: str, about: str) -> None:
    reference = "&x0;" * 600 if about == "beyond the bound" else "&x;"
    text = f'{doctype}\n<rdf:RDF xmlns:rdf="{RDF}">{reference}</rdf:RDF>'
    assert about in refused(text.encode()).message


@given(st.sampled_from(sorted(SAMPLES)), st.binary(max_size=4), st.integers(0, 200), st.integers(0, 40))
@examples(200)
def test_mutated_bytes_never_end_otherwise_than_by_a_clear_error(
    syntax: str, inserted: bytes, at: int, removed: int
) -> None:
    data = SAMPLES[syntax].encode()
    at = min(at, len(data))
    try:
        read_document(data[:at] + inserted + data[at + removed :])
    except InvalidOntology:
        return


@given(st.binary(max_size=300))
@examples(100)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_document(data)
    except InvalidOntology:
        return


def test_turtle_that_begins_with_an_iri_is_not_taken_for_xml() -> None:
    assert recognise(b"<urn:x> a <urn:y> .").format == "turtle"
    assert recognise(b"[] a <urn:y> .").format == "turtle"
    assert recognise(b"PREFIX : <urn:y>\n:a a :b .").format == "turtle"


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 300_000 + "<urn:x> a <urn:y> .",
        "<urn:x> a <urn:y> ." + "\n" * 300_000,
        "Ontology(" + " " * 300_000 + ")",
        "Ontology(" + "\n#" * 100_000 + "\n)",
        f'<!DOCTYPE r [<!ENTITY x "y">]>\n<rdf:RDF xmlns:rdf="{RDF}">' + "<!--" * 50_000,
        "<!DOCTYPE r [" + "<!--" * 50_000,
        "<!--" * 50_000,
        "Ontology(" + '"' * 100_001,
        "Ontology(" + "a" * 300_000,
        "Ontology: <http://e/o>\n" + "\n" * 200_000,
        "[" * 100_000,
        "<urn:x> <urn:y> " + "(" * 100_000,
    ],
)
def test_hostile_texts_cost_linear_time(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(InvalidOntology):
        read_document(text.encode())
    assert time.process_time() - started < 5
