"""The diff stage on small documents: every key of its report, and its counts at any limit."""

from __future__ import annotations

import hashlib
import json
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from operations_support import EX, axioms_of, diff, diff_files, document, run, stored

from jobs.errors import ExecutionFailed, InvalidOntology
from jobs.ontology import read_document
from jobs.ontology.document import capture_bytes, semantic_fingerprint
from jobs.operations.semantic_diff.categories import categories

if TYPE_CHECKING:
    from pathlib import Path

KEYS = {
    "mode",
    "include_imports",
    "right_document_unresolved_imports",
    "ontology_id",
    "imports",
    "ontology_annotations",
    "entities",
    "rename_candidates",
    "annotation_changes",
    "asserted_axioms",
    "compatibility",
    "identical",
}
OLD = document(
    "Declaration(Class(:Cup))",
    "Declaration(Class(:Mug))",
    "SubClassOf(:Mug :Cup)",
    'AnnotationAssertion(rdfs:label :Cup "cup"@en)',
    'AnnotationAssertion(rdfs:label :Mug "mug")',
)


def test_equal_documents_have_no_difference(tmp_path: Path) -> None:
    summary, report = diff(OLD, OLD, tmp_path)
    assert summary == {
        "kind": "semantic_diff",
        "identical": True,
        "compatibility": "metadata_only",
        "added_axioms": 0,
        "removed_axioms": 0,
    }
    assert report.keys() >= KEYS
    assert (report["mode"], report["include_imports"]) == ("asserted", False)
    assert report["compatibility"]["policy_driven"] is False
    assert report["compatibility"]["anonymous_individual_churn"] is False
    assert report["asserted_axioms"]["added"] == {"count": 0, "groups": {}, "truncated": False}


def test_a_renamed_class_is_a_candidate_and_breaking(tmp_path: Path) -> None:
    new = document(
        "Declaration(Class(:Beaker))",
        "Declaration(Class(:Cup))",
        "SubClassOf(:Beaker :Cup)",
        'AnnotationAssertion(rdfs:label :Cup "cup"@en)',
        'AnnotationAssertion(rdfs:label :Beaker "mug")',
    )
    summary, report = diff(OLD, new, tmp_path)
    assert report["rename_candidates"] == [
        {
            "from": f"{EX}Mug",
            "to": f"{EX}Beaker",
            "entity_type": "class",
            "evidence": "unique_exact_rdfs_label",
        }
    ]
    assert report["entities"]["added"]["class"] == [f"{EX}Beaker"]
    assert report["entities"]["removed"] == {
        "class": [f"{EX}Mug"],
        "objectproperty": [],
        "dataproperty": [],
        "annotationproperty": [],
        "namedindividual": [],
        "datatype": [],
        "count": 1,
    }
    assert summary["compatibility"] == "potentially_breaking"
    assert report["labels"][f"{EX}Mug"] == "mug"
    assert report["annotation_changes"] == []  # neither is on both sides


def test_a_label_that_two_new_classes_share_is_no_candidate(tmp_path: Path) -> None:
    new = document(
        "Declaration(Class(:A))",
        "Declaration(Class(:B))",
        'AnnotationAssertion(rdfs:label :A "mug")',
        'AnnotationAssertion(rdfs:label :B "mug")',
    )
    _, report = diff(OLD, new, tmp_path)
    assert report["rename_candidates"] == []


def test_a_language_change_is_metadata_with_its_category(tmp_path: Path) -> None:
    new = replace(
        OLD,
        axioms=document(*[text.replace("@en", "@de") for text in OLD.axioms]).axioms,
    )
    summary, report = diff(OLD, new, tmp_path)
    assert (summary["compatibility"], summary["identical"]) == ("metadata_only", False)
    (row,) = report["annotation_changes"]
    assert row["focus_iri"] == f"{EX}Cup"
    assert row["added"] == ['Annotation(<http://www.w3.org/2000/01/rdf-schema#label> "cup"@de)']
    assert row["categories"] == ["label_or_synonym"]
    (shown,) = report["asserted_axioms"]["added"]["groups"]["AnnotationAssertion"]
    assert shown["affected_iris"] == [f"{EX}Cup"]


def test_plain_and_typed_strings_are_one_value(tmp_path: Path) -> None:
    typed = document(
        *OLD.axioms[:-1], 'AnnotationAssertion(rdfs:label :Mug "mug"^^xsd:string)', *OLD.axioms[-1:]
    )
    assert diff(OLD, typed, tmp_path)[0]["identical"] is True


def test_a_declaration_that_the_signature_implies_is_no_difference(tmp_path: Path) -> None:
    bare = replace(OLD, axioms=tuple(text for text in OLD.axioms if "Declaration" not in text))
    for name, left, right in (("there", OLD, bare), ("back", bare, OLD)):
        summary, report = diff(left, right, tmp_path / name)
        assert summary["identical"] is True
        assert sum(report["implied_declarations"].values()) == 2


def test_a_declaration_of_an_entity_used_nowhere_else_is_a_difference(tmp_path: Path) -> None:
    more = document(*OLD.axioms, "Declaration(Class(:Bowl))")
    summary, report = diff(OLD, more, tmp_path)
    assert (summary["added_axioms"], summary["compatibility"]) == (1, "non_breaking")
    assert report["entities"]["added"]["count"] == 1


def test_an_annotated_declaration_is_an_axiom_of_its_own(tmp_path: Path) -> None:
    bare = [text for text in OLD.axioms if text != f"Declaration(Class(<{EX}Cup>))"]
    marked = document(*bare, 'Declaration(Annotation(rdfs:comment "reviewed") Class(:Cup))')
    summary, _ = diff(OLD, marked, tmp_path)
    assert (summary["added_axioms"], summary["removed_axioms"]) == (1, 0)


def test_an_iri_that_is_only_annotated_keeps_the_type_of_the_other_side(tmp_path: Path) -> None:
    left = document("Declaration(Class(:Cup))", 'AnnotationAssertion(rdfs:label :Cup "cup")')
    right = document('AnnotationAssertion(rdfs:label :Cup "cup")')
    summary, report = diff(left, right, tmp_path)
    assert summary["removed_axioms"] == 1  # nothing implies the declaration
    assert report["entities"]["removed"]["count"] == 0
    punned = document(*left.axioms, "Declaration(NamedIndividual(:Cup))")
    assert diff(left, punned, tmp_path / "pun")[1]["entities"]["added"]["namedindividual"] == [f"{EX}Cup"]


def test_built_in_entities_are_not_listed(tmp_path: Path) -> None:
    right = document(
        *OLD.axioms, "SubClassOf(:Cup owl:Thing)", 'AnnotationAssertion(rdfs:comment :Cup "1"^^xsd:integer)'
    )
    _, report = diff(OLD, right, tmp_path)
    assert report["entities"]["added"]["count"] == 0


def test_only_annotations_changed_is_told_apart_from_logic(tmp_path: Path) -> None:
    marked = document(*OLD.axioms[:-1], 'SubClassOf(Annotation(rdfs:comment "sure") :Mug :Cup)')
    summary, report = diff(OLD, marked, tmp_path)
    assert (summary["added_axioms"], summary["removed_axioms"]) == (1, 1)
    assert (report["logical_added"], report["logical_removed"]) == (0, 0)
    assert summary["compatibility"] == "metadata_only"
    assert report["annotation_only_changes"]["count"] == 1
    # The bare axiom is still there under another annotation, so dropping it takes no logic away.
    twice = document(*OLD.axioms, 'SubClassOf(Annotation(rdfs:comment "sure") :Mug :Cup)')
    assert diff(twice, marked, tmp_path / "twice")[1]["logical_removed"] == 0


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"version_iri": "http://example.org/t/2"}, "ontology_id"),
        ({"imports": ("http://example.org/other",)}, "imports"),
    ],
)
def test_identity_and_imports_break(changed: dict[str, Any], key: str, tmp_path: Path) -> None:
    summary, report = diff(OLD, replace(OLD, **changed), tmp_path)
    assert report[key]["changed"]
    assert (summary["compatibility"], summary["identical"]) == ("potentially_breaking", False)
    assert (summary["added_axioms"], summary["removed_axioms"]) == (0, 0)


def test_header_annotations_are_metadata(tmp_path: Path) -> None:
    right = replace(OLD, annotations=document(annotations=['Annotation(rdfs:comment "2")']).annotations)
    summary, report = diff(OLD, right, tmp_path)
    assert (summary["compatibility"], summary["identical"]) == ("metadata_only", False)
    assert report["ontology_annotations"]["changed"]


def test_the_right_document_is_identified_as_it_was_read(tmp_path: Path) -> None:
    left = document("ClassAssertion(:Bowl _:c14n0)", "ClassAssertion(:Cup _:c14n1)")
    right = tmp_path / "right.ofn"
    right.write_bytes(capture_bytes(document("ClassAssertion(:Cup _:c14n0)")))
    (tmp_path / "left.ofn").write_bytes(capture_bytes(left))
    _, report = diff_files(tmp_path / "left.ofn", right, tmp_path / "work-files")
    found = semantic_fingerprint(read_document(right.read_bytes(), name="right.ofn"))
    assert report["right_document"]["semantic_fingerprint"] == found


def test_two_anonymous_ontologies_have_equal_ids(tmp_path: Path) -> None:
    nameless = replace(OLD, iri=None)
    assert diff(nameless, nameless, tmp_path)[1]["ontology_id"]["changed"] is False


@pytest.mark.req("W-40")
def test_imports_of_the_right_document_are_listed_and_stay_closed(tmp_path: Path) -> None:
    (tmp_path / "beside.ofn").write_text("this would not parse")
    right = replace(OLD, imports=("http://example.org/z", (tmp_path / "beside.ofn").as_uri()))
    _, report = diff(OLD, right, tmp_path)
    assert report["right_document_unresolved_imports"] == sorted(right.imports)


@pytest.mark.req("W-39")
def test_a_diff_opens_no_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    right = replace(OLD, imports=("http://example.org/z",))
    assert diff(OLD, right, tmp_path)[0]["identical"] is False


# --- Anonymous individuals ------------------------------------------------------------------------


def test_an_unrelated_new_anonymous_individual_causes_no_churn(tmp_path: Path) -> None:
    left = document("ClassAssertion(:Cup _:c14n0)", "ObjectPropertyAssertion(:on :shelf _:c14n0)")
    right = document(
        "ClassAssertion(:Bowl _:c14n0)",
        "ClassAssertion(:Cup _:c14n1)",
        "ObjectPropertyAssertion(:on :shelf _:c14n1)",
    )
    summary, report = diff(left, right, tmp_path)
    assert (summary["added_axioms"], summary["removed_axioms"]) == (1, 0)
    assert report["compatibility"]["anonymous_individual_churn"] is True


def test_one_changed_statement_does_not_make_all_of_its_individual_differ(tmp_path: Path) -> None:
    shared = [
        "ClassAssertion(:Cup _:c14n0)",
        "ObjectPropertyAssertion(:on :shelf _:c14n0)",
        "ObjectPropertyAssertion(:beside _:c14n0 _:c14n1)",
        "ClassAssertion(:Bowl _:c14n1)",
    ]
    left = document(*shared, 'DataPropertyAssertion(:colour _:c14n0 "red")')
    right = document(*shared, 'DataPropertyAssertion(:colour _:c14n0 "blue")')
    summary, report = diff(left, right, tmp_path)
    assert (summary["added_axioms"], summary["removed_axioms"]) == (1, 1)
    assert report["compatibility"]["anonymous_individual_churn"] is True


def test_equal_groups_are_interchangeable(tmp_path: Path) -> None:
    two = document("ClassAssertion(:Cup _:c14n0)", "ClassAssertion(:Cup _:c14n1)")
    three = document(*two.axioms, "ClassAssertion(:Cup _:c14n2)")
    assert diff(two, two, tmp_path / "a")[0]["identical"] is True
    assert diff(two, three, tmp_path / "b")[0]["added_axioms"] == 1


def test_labels_that_could_not_be_matched_are_called_local(tmp_path: Path) -> None:
    left = replace(document("ClassAssertion(:Cup _:a)"), anonymous_exact=False)
    right = replace(document("ClassAssertion(:Bowl _:a)"), anonymous_exact=False)
    caveat = diff(left, right, tmp_path)[1]["compatibility"]["caveat"]
    assert "may be false" in caveat


# --- Limits ---------------------------------------------------------------------------------------


def test_counts_are_exact_at_every_limit(tmp_path: Path) -> None:
    left = document(*(f"Declaration(Class(:A{number}))" for number in range(7)))
    right = document(
        *(f"Declaration(Class(:B{number}))" for number in range(5)),
        *(f'AnnotationAssertion(rdfs:label :B{number} "b{number}")' for number in range(5)),
    )
    for limit in (0, 1, 5, 7, 10, 11):
        summary, report = diff(left, right, tmp_path, limit)
        sides = report["asserted_axioms"]
        assert (summary["added_axioms"], summary["removed_axioms"]) == (10, 7)
        assert (sides["added"]["count"], sides["removed"]["count"]) == (10, 7)
        assert len(axioms_of(sides["added"])) == min(limit, 10)
        assert axioms_of(sides["removed"]) == list(left.axioms[:limit])
        assert (sides["added"]["truncated"], sides["removed"]["truncated"]) == (limit < 10, limit < 7)
        assert (report["entities"]["added"]["count"], report["entities"]["removed"]["count"]) == (5, 7)
        assert len(report["entities"]["removed"]["class"]) == min(limit, 7)
        assert report["entities_truncated"] is (limit < 7)


def test_annotation_changes_say_when_they_are_cut(tmp_path: Path) -> None:
    names = [f"Declaration(Class(:A{number}))" for number in range(3)]
    right = document(*names, *(f'AnnotationAssertion(rdfs:label :A{number} "a")' for number in range(3)))
    for limit in (0, 2, 3):
        _, report = diff(document(*names), right, tmp_path, limit)
        assert len(report["annotation_changes"]) == min(limit, 3)
        assert report["annotation_changes_count"] == 3
        assert report["annotation_changes_truncated"] is (limit < 3)


def test_reports_are_byte_equal_from_run_to_run(tmp_path: Path) -> None:
    right = document(*OLD.axioms[2:], "SubClassOf(:Cup :Vessel)")
    diff(OLD, right, tmp_path / "one")
    diff(OLD, right, tmp_path / "two")
    one, two = sorted(tmp_path.glob("*/work*/report.json"))
    assert one.read_bytes() == two.read_bytes()


def test_500_000_axioms_a_side(tmp_path: Path) -> None:
    """W 12 item 10, counts only: 500,000 axioms a side, every second one changed."""
    shared = tuple(f"Declaration(Class(<{EX}C{number:06}>))" for number in range(250_000))
    old = tuple(f"SubClassOf(<{EX}C{number:06}> <{EX}C000001>)" for number in range(250_000))
    new = tuple(f"SubClassOf(<{EX}C{number:06}> <{EX}C000002>)" for number in range(250_000))
    left = replace(OLD, axioms=tuple(sorted(shared + old)))
    summary, _ = diff(left, replace(OLD, axioms=tuple(sorted(shared + new))), tmp_path, limit=0)
    assert (summary["added_axioms"], summary["removed_axioms"]) == (250_000, 250_000)


# --- Inputs ---------------------------------------------------------------------------------------


def test_an_unreadable_right_document_is_named_with_its_line(tmp_path: Path) -> None:
    left, right = tmp_path / "left.ofn", tmp_path / "right.ofn"
    left.write_text("Ontology(<http://example.org/t>)")
    right.write_text("Ontology(<http://example.org/t>\nSubClassOf(<a:b>\n)")
    with pytest.raises(InvalidOntology, match=r"right\.ofn") as caught:
        diff_files(left, right, tmp_path)
    assert caught.value.details["document"] == "right_document"
    assert caught.value.details["format"] == "functional"
    assert "line" in caught.value.details
    assert caught.value.retryable is False


def test_a_file_that_is_not_the_captured_one_is_not_used(tmp_path: Path) -> None:
    one = stored(OLD, tmp_path / "left.ofn")
    with pytest.raises(ExecutionFailed, match="not the one that was captured"):
        run(
            "semantic_diff",
            tmp_path / "work",
            left=one["path"],
            left_sha256=hashlib.sha256(b"other").hexdigest(),
            right=one["path"],
            right_sha256=one["sha256"],
            right_name="x",
            limit=1,
        )


def test_a_left_document_that_follows_gives_the_same_report(tmp_path: Path) -> None:
    right = tmp_path / "right.ttl"
    right.write_text("<http://example.org/t#Cup> a <http://www.w3.org/2002/07/owl#Class> .")
    data = {"right": str(right), "right_sha256": hashlib.sha256(right.read_bytes()).hexdigest()}
    one = stored(OLD, tmp_path / "left.ofn")
    left = {"left": one["path"], "left_sha256": one["sha256"]}
    shared = {"right_name": "right.ttl", "limit": 5, **data}
    direct = run("semantic_diff", tmp_path / "direct", **shared, **left)
    announcement = tmp_path / "left.json"
    announcement.write_text(json.dumps(left))
    later = run("semantic_diff", tmp_path / "later", **shared, left_follows=str(announcement))
    assert direct.value == later.value
    assert direct.artifacts[0].path.read_bytes() == later.artifacts[0].path.read_bytes()


# --- Categories -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prop", "value", "expected"),
    [
        ("http://www.w3.org/2000/01/rdf-schema#label", '"cup"', {"label_or_synonym"}),
        ("http://www.w3.org/2000/01/rdf-schema#label", '"obsolete cup"', {"label_or_synonym", "lifecycle"}),
        ("http://www.geneontology.org/formats/oboInOwl#hasExactSynonym", '"c"', {"label_or_synonym"}),
        ("http://www.w3.org/2004/02/skos/core#altLabel", '"c"', {"label_or_synonym"}),
        ("http://purl.obolibrary.org/obo/IAO_0000115", '"A vessel."', {"definition"}),
        ("http://purl.org/dc/terms/creator", '"Ann"', {"provenance"}),
        ("http://purl.org/dc/elements/1.1/source", '"book"', {"provenance"}),
        ("http://www.w3.org/2002/07/owl#deprecated", '"true"', {"lifecycle"}),
        ("http://purl.obolibrary.org/obo/IAO_0100001", "<http://example.org/x>", {"replacement"}),
        ("http://example.org/mine#definitionText", '"x"', {"definition"}),
        ("http://example.org/mine#shoeSize", '"42"', {"other_annotation"}),
        ("http://www.w3.org/2000/01/rdf-schema#comment", '"use instead: bowl"', {"replacement"}),
        ("http://example.org/mine#note", "_:c14n0", {"other_annotation"}),
    ],
)
def test_categories(prop: str, value: str, expected: set[str]) -> None:
    assert categories(prop, value) == expected


def test_a_literal_that_ends_a_line_with_an_escaped_quote_survives_its_capture(tmp_path: Path) -> None:
    quoted = document('AnnotationAssertion(rdfs:comment :Cup "\\"\nand \\\\\n\\"")')
    assert diff(quoted, quoted, tmp_path)[0]["identical"] is True
