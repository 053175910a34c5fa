"""The shared case folders and real ontologies, as loads."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jobs.errors import InvalidOntology
from jobs.ontology import read_catalog, read_closure, read_document, semantic_fingerprint
from jobs.ontology.document import capture_bytes
from jobs.ontology.index import index_entities
from jobs.ontology.syntax import axiom_type, canonical, is_logical, parse_axiom, strip_annotations

if TYPE_CHECKING:
    from jobs.ontology.closure import Closure
    from jobs.ontology.document import OntologyDocument

SHARED = Path(__file__).parents[4] / "shared"
needs_cases = pytest.mark.skipif(not (SHARED / "cases").is_dir(), reason="the shared cases are not here")
needs_data = pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="the shared data are not here")


def folder(number: str) -> Path:
    return next((SHARED / "cases").glob(f"{number}-*"))


def load(number: str, name: str) -> OntologyDocument:
    return read_document((folder(number) / name).read_bytes(), name=name)


def expected(number: str, step: int | None = None) -> dict[str, Any]:
    case = json.loads((folder(number) / "case.json").read_text("utf-8"))
    found = case["expect"] if step is None else case["steps"][step]["expect"]
    assert isinstance(found, dict)
    return found


def prefixed(text: str, document: OntologyDocument) -> str:
    from jobs.ontology import grammar

    standard = {"rdfs": grammar.RDFS, "xsd": grammar.XSD, "owl": grammar.OWL, "rdf": grammar.RDF}
    return canonical(text, {**standard, **document.prefixes})


def superclasses(document: OntologyDocument, iri: str) -> list[str]:
    nodes = [parse_axiom(text) for text in document.axioms if axiom_type(text) == "SubClassOf"]
    return [str(node[-1])[1:-1] for node in nodes if node[-2] == f"<{iri}>" and isinstance(node[-1], str)]


@needs_cases
def test_case_01_anonymous_individuals_are_kept_and_equal() -> None:
    left, right = load("01", "left.ttl"), load("01", "right.ttl")
    wanted = expected("01", 1)
    assert len(left.axioms) == wanted["axiom_count"]
    assert sum(map(is_logical, left.axioms)) == wanted["logical_axiom_count"]
    assert left == right
    assert left.anonymous_exact


@needs_cases
@pytest.mark.parametrize("number", ["02", "03"])
def test_cases_02_and_03_differ_exactly_as_stated(number: str) -> None:
    suffix = "ofn" if number == "02" else "ttl"
    left, right = load(number, f"left.{suffix}"), load(number, f"right.{suffix}")
    added, removed = set(right.axioms) - set(left.axioms), set(left.axioms) - set(right.axioms)
    wanted = expected(number)
    assert added == {prefixed(text, left) for text in wanted["added"]}
    assert removed == {prefixed(text, left) for text in wanted["removed"]}
    assert {strip_annotations(text) for text in added if is_logical(text)} == {
        strip_annotations(text) for text in removed if is_logical(text)
    }


@needs_cases
def test_case_13_byte_order_mark_and_line_ends_do_not_leak() -> None:
    document = load("13", "input.owl")
    wanted = expected("13")
    assert document.iri == wanted["ontology_iri"]
    assert len(document.axioms) == wanted["axiom_count"]
    assert sum(map(is_logical, document.axioms)) == wanted["logical_axiom_count"]
    for iri, parents in wanted["superclasses"].items():
        assert superclasses(document, iri) == parents
    labels = index_entities(document).labels
    for iri, label in wanted["label"].items():
        text, _, language = label.partition("@")
        assert labels[iri] == ((text, language),)


@needs_cases
@pytest.mark.parametrize("number", ["14", "15"])
def test_cases_14_and_15_are_refused_by_name(number: str) -> None:
    started = time.monotonic()
    with pytest.raises(InvalidOntology) as refused:
        load(number, "input.owl")
    assert any(name in refused.value.message for name in expected(number)["error"]["names_any"])
    assert time.monotonic() - started < 5


@needs_cases
def test_case_16_rules_keep_their_annotations() -> None:
    document = load("16", "input.ofn")
    assert len(document.axioms) == 7
    (rule,) = [text for text in document.axioms if axiom_type(text) == "DLSafeRule"]
    assert rule.count("Annotation(") == 2


@needs_cases
def test_case_18_reads_what_is_inconsistent() -> None:
    document = load("18", "input.ttl")
    assert superclasses(document, "http://www.w3.org/2002/07/owl#Thing") == [
        "http://www.w3.org/2002/07/owl#Nothing"
    ]


@needs_cases
def test_case_20_keeps_an_iri_with_a_stray_percent_sign() -> None:
    document = load("20", "input.ttl")
    (wanted, *_) = expected("20")["any_of"]
    assert len(document.axioms) == wanted["each_export_reloads_with_axiom_count"]
    again = read_document(capture_bytes(document))
    for iri in wanted["each_export_keeps_iri"]:
        assert iri in index_entities(again).signature["class"]


def closure(number: str, name: str) -> Closure:
    root = folder(number)

    def opener(path: str) -> bytes:
        return (root / path).read_bytes()

    found = root / "catalog-v001.xml"
    catalogs = [read_catalog(found.read_bytes(), opener=opener)] if found.exists() else []
    return read_closure((root / name).read_bytes(), opener, name=name, path=name, catalogs=catalogs)


@needs_cases
def test_case_05_an_import_by_version_is_found_whatever_iri_it_states() -> None:
    found = closure("05", "main.ttl")
    wanted = expected("05")
    assert len(found.members) - 1 == wanted["imports_loaded"]
    assert found.missing == ()
    assert found.members[1].document.iri == "http://example.org/base.owl"
    assert found.members[1].path == "local/base-core.ttl"
    texts = found.axioms()
    assert "SubClassOf(<http://example.org/base#Shrub> <http://example.org/base#Plant>)" in texts


@needs_cases
@pytest.mark.parametrize("start", ["one.ttl", "two.ttl"])
def test_case_19_cyclic_imports_end_and_share_declarations(start: str) -> None:
    found = closure("19", start)
    wanted = expected("19")
    assert len(found.members) == wanted["imports_closure_size"]
    assert len(found.edges) == 2
    assert found.missing == ()
    kinds = {axiom_type(text) for text in found.axioms()}
    assert {"ObjectPropertyAssertion", "DataPropertyAssertion"} <= kinds
    assert "AnnotationAssertion" not in kinds
    assert all(not member.document.warnings for member in found.members)
    declared = [text for text in found.axioms() if axiom_type(text) == "Declaration"]
    for iri, kind in wanted["property_kinds"].items():
        assert [text for text in declared if iri in text] == [f"Declaration({kind}(<{iri}>))"]


@needs_cases
def test_case_24_a_missing_import_is_named() -> None:
    found = closure("24", "input.ttl")
    assert found.missing == ("http://example.invalid/furniture.owl",)
    assert len(found.members) == 1


@needs_cases
def test_case_12_obo_is_refused_with_a_way_out() -> None:
    with pytest.raises(InvalidOntology, match="OBO"):
        load("12", "input.obo")


# --- Real ontologies ------------------------------------------------------------------------------


@needs_data
def test_uberon_module_is_read_whole() -> None:
    document = read_document((SHARED / "data" / "uberon-module.owl").read_bytes())
    assert (len(document.axioms), sum(map(is_logical, document.axioms))) == (1213, 99)


@needs_data
def test_pato_releases_differ_as_stated() -> None:
    left, right = (
        read_document((SHARED / "data" / name).read_bytes())
        for name in ("pato-2024-03.owl.gz", "pato-2025-05.owl.gz")
    )
    added, removed = set(right.axioms) - set(left.axioms), set(left.axioms) - set(right.axioms)
    header_added = set(right.annotations) - set(left.annotations)
    header_removed = set(left.annotations) - set(right.annotations)
    assert (len(added), len(removed)) == (219, 95)
    assert (len(header_added), len(header_removed)) == (1, 1)
    # ROBOT prints the ontology's identity as one more line on each side.
    assert left.iri == right.iri
    assert left.version_iri != right.version_iri
    assert (len(added) + len(header_added) + 1, len(removed) + len(header_removed) + 1) == (221, 97)


@needs_data
def test_pato_read_by_another_library_is_the_same() -> None:
    pyhornedowl = pytest.importorskip("pyhornedowl")
    data = gzip.decompress((SHARED / "data" / "pato-2025-05.owl.gz").read_bytes())
    other = pyhornedowl.open_ontology_from_string(data.decode(), "owl").save_to_string("ofn")
    ours = read_document(data)
    assert semantic_fingerprint(read_document(other.encode())) == semantic_fingerprint(ours)


@needs_data
def test_pato_is_read_quickly() -> None:
    data = (SHARED / "data" / "pato-2025-05.owl.gz").read_bytes()
    started = time.process_time()
    read_document(data)
    assert time.process_time() - started < 2.0  # 0.25 s when nothing else runs; a bound against decay
