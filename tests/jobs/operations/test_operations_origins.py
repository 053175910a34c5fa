"""Which document an axiom comes from, and what such a document is called."""

from __future__ import annotations

import pytest
from operations_support import document

from jobs.ontology.closure import join_closure
from jobs.operations.origins import Document, Origins, encoded

ROOT = Document(path="main.ofn", iri="http://example.org/t", version_iri=None)


def test_axioms_of_several_documents_keep_all_of_them() -> None:
    main = document("SubClassOf(:A :B)", "SubClassOf(:A :C)", "ClassAssertion(:A _:x)", imports=("u:1",))
    other = document("SubClassOf(:A :C)", "SubClassOf(:A :D)", "ClassAssertion(:A _:x)", iri="u:1")
    closure = join_closure([(main, "main.ofn", [("u:1", 1)]), (other, "lib/other.ofn", [])])
    axioms = closure.axioms()
    origins = Origins(axioms, encoded(closure, axioms, closure.said_by()), ROOT)
    assert [each.name for each in origins.documents] == ["main.ofn", "lib/other.ofn"]
    found = {text.rpartition("#")[2][:-2]: origins.of(text) for text in axioms if "_:" not in text}
    assert found == {"B": (0,), "C": (0, 1), "D": (1,)}
    individuals = [origins.of(text) for text in axioms if "_:" in text]
    assert sorted(individuals) == [(0,), (1,)]  # of the same label, and two all the same
    assert origins.of("ClassAssertion(<http://example.org/t#A> _:genid7)") == (0, 1)
    assert origins.of("SubClassOf(<u:x> <u:y>)") == ()


def test_without_imports_everything_comes_from_the_root() -> None:
    origins = Origins((), None, ROOT)
    assert (origins.documents, origins.of("anything")) == ((ROOT,), (0,))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("lib/a b.ofn", "lib/a b.ofn"),
        (None, "u:1"),
        ("file:/home/someone/a%20b.owl", "a b.owl"),
        ("file:///C:/Users/someone/x.owl", "x.owl"),
        ("https://example.org/x/y.owl", "y.owl"),
    ],
)
def test_no_path_outside_the_project_is_told(path: str | None, name: str) -> None:
    assert Document(path=path, iri="u:1", version_iri=None).name == name


def test_a_document_without_anything_has_a_name_too() -> None:
    assert Document(path=None, iri=None, version_iri=None).name == "a document without IRI"
