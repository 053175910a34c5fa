"""The document value, its capture file and fingerprints."""

from __future__ import annotations

import dataclasses
import os
import pickle
from typing import TYPE_CHECKING

import ontology_strategies as strategies
import pyhornedowl
import pyowl_core
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ontology_strategies import examples

from jobs.errors import InvalidOntology
from jobs.ontology import document as documents
from jobs.ontology.document import OntologyDocument
from jobs.ontology.syntax import literal

if TYPE_CHECKING:
    from pathlib import Path

SMALL = OntologyDocument(
    iri="http://e/o",
    version_iri=None,
    imports=("http://e/i",),
    annotations=(),
    axioms=('AnnotationAssertion(<http://e/p> <http://e/a> "two\nlines)\n(\\"")', "SubClassOf(<a> <b>)"),
    prefixes={"e": "http://e/"},
    format="turtle",
    reader="rdf-mapping",
    warnings=("a remark",),
)


@given(strategies.documents())
@examples(75)
def test_capture_keeps_everything(document: OntologyDocument) -> None:
    assert documents.parse_capture(documents.capture_bytes(document)) == document


def test_capture_file_is_private_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "capture.ofn"
    documents.write_capture(SMALL, path)
    documents.write_capture(SMALL, path)
    assert documents.load_capture(path) == SMALL
    assert [entry.name for entry in tmp_path.iterdir()] == ["capture.ofn"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("cut", [0, 5, 60, -2, -30])
def test_damaged_capture_is_refused(cut: int) -> None:
    with pytest.raises(InvalidOntology):
        documents.parse_capture(documents.capture_bytes(SMALL)[:cut])


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\\n\r')))
@examples(50)
def test_other_readers_take_the_same_literal_from_a_capture(value: str) -> None:
    """Line breaks, quotation marks and backslashes arrive unaltered in two independent readers."""
    axiom = f"AnnotationAssertion(<http://e/p> <http://e/a> {literal(value)})"
    written = documents.capture_bytes(dataclasses.replace(SMALL, axioms=(axiom,), imports=()))
    (found,) = pyowl_core.parse_document(written, format="functional").axioms
    assert found.value.lexical_form == value
    horned = pyhornedowl.open_ontology_from_string(written.decode(), "ofn")
    (component,) = [entry.component for entry in horned.get_components() if hasattr(entry.component, "ann")]
    assert component.ann.av.literal == value


def test_fingerprints_depend_on_what_they_promise() -> None:
    semantic = documents.semantic_fingerprint
    other_form = dataclasses.replace(SMALL, format="rdfxml", prefixes={}, reader="x", warnings=())
    assert semantic(other_form) == semantic(SMALL)
    assert semantic(dataclasses.replace(SMALL, iri=None)) != semantic(SMALL)
    assert semantic(dataclasses.replace(SMALL, imports=(), annotations=SMALL.imports)) != semantic(SMALL)
    assert semantic(dataclasses.replace(SMALL, axioms=SMALL.axioms[:1])) != semantic(SMALL)
    whole = documents.document_fingerprint
    assert whole(SMALL, "file:a") != whole(other_form, "file:a")
    assert whole(SMALL, "file:a") != whole(SMALL, "file:b")
    assert whole(SMALL, "file:a", "lock") != whole(SMALL, "file:a")
    closure = documents.closure_fingerprint
    assert closure([("a", "1"), ("b", "2")]) == closure([("b", "2"), ("a", "1")])
    assert closure([("a", "1")]) != closure([("a1", "")])


def test_document_travels_between_processes() -> None:
    assert pickle.loads(pickle.dumps(SMALL)) == SMALL
