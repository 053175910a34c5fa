"""Reading what a live host wrote: digests, names that cannot leave the folder, members in one order."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from operations_support import run

from jobs.errors import ExecutionFailed, InvalidOntology
from jobs.ontology import load_capture
from jobs.operations import capture_gateway

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.workers.contract import StageResult

Row = dict[str, object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "written"
    path.mkdir()
    return path


def member(folder: Path, name: str, *axioms: str, iri: str | None = None, **more: object) -> Row:
    """A written member and its row."""
    head = "Ontology(" if iri is None else f"Ontology(<{iri}>"
    data = "\n".join([head, *axioms, ")", ""]).encode()
    (folder / name).write_bytes(data)
    row: Row = {"ontology_iri": iri, "version_iri": None, "document_iri": None, "imports": [], "prefixes": {}}
    return row | {"file": name, "sha256": hashlib.sha256(data).hexdigest(), "format": "turtle"} | more


def read(folder: Path, *rows: Row, root: str | None = None) -> StageResult:
    into = folder.parent / f"into-{len(list(folder.parent.iterdir()))}"
    return run("capture_gateway", into, folder=str(folder), title="the title", root=root, members=list(rows))


def test_imports_and_prefixes_are_those_of_the_manifest(folder: Path) -> None:
    row = member(folder, "0.ofn", "SubClassOf(<urn:a> <urn:b>)", iri="urn:o", prefixes={"x": "urn:x:"})
    row["imports"] = [{"iri": "urn:gone", "member": None}]
    result = read(folder, row)
    value = result.value
    assert isinstance(value, dict)
    assert (value["imports"], value["imports_missing"], value["format"]) == (
        ["urn:gone"],
        ["urn:gone"],
        "turtle",
    )
    document = load_capture(result.artifacts[0].path)
    assert (document.imports, dict(document.prefixes), document.reader) == (
        ("urn:gone",),
        {"x": "urn:x:"},
        "owlapi",
    )


def test_the_host_s_order_of_members_does_not_matter(folder: Path) -> None:
    def rows(first: int, second: int) -> list[Row]:
        root = member(folder, "0.ofn", iri="urn:root")
        root["imports"] = [{"iri": "urn:2", "member": second}, {"iri": "urn:1", "member": first}]
        others = {
            place: member(
                folder, f"{place}.ofn", f"ClassAssertion(<urn:c{number}> _:same)", iri=f"urn:{number}"
            )
            for number, place in ((1, first), (2, second))
        }
        return [root, others[1], others[2]]

    one, other = (read(folder, *rows(*places)) for places in ((1, 2), (2, 1)))
    assert isinstance(one.value, dict)
    assert isinstance(other.value, dict)
    assert one.value == other.value
    assert one.artifacts[1].sha256 == other.artifacts[1].sha256
    assert one.value["closure_axiom_count"] == 2, "anonymous individuals of two members stay apart"


@pytest.mark.parametrize(
    ("document_iri", "root", "path"),
    [
        ("file:///home/a%20b/x.ofn", "/home/a b", "x.ofn"),
        ("file:///home/p/sub/x.ofn", "/home/p", "sub/x.ofn"),
        ("file:///home/pq/x.ofn", "/home/p", "file:///home/pq/x.ofn"),
        ("file:///C:/my%20project/x.ofn", "C:/my project", "x.ofn"),
        ("https://example.org/x", "/home/p", "https://example.org/x"),
        ("file:///home/p/x.ofn", None, "file:///home/p/x.ofn"),
        (None, "/home/p", None),
    ],
)
def test_a_member_s_path_is_below_the_root(
    document_iri: str | None, root: str | None, path: str | None
) -> None:
    assert capture_gateway._path({"document_iri": document_iri}, root) == path


@pytest.mark.parametrize("name", ["../0.ofn", "/etc/passwd", "a/b", ""])
def test_a_file_name_cannot_leave_the_folder(name: str, folder: Path) -> None:
    with pytest.raises(ExecutionFailed):
        read(folder, {**member(folder, "0.ofn"), "file": name})


def test_another_file_than_was_written_is_refused(folder: Path) -> None:
    row = member(folder, "0.ofn")
    (folder / "0.ofn").write_text("Ontology()")
    with pytest.raises(ExecutionFailed) as told:
        read(folder, row)
    assert told.value.details["failure_type"] == "digest_mismatch"


def test_a_fault_names_the_ontology_and_not_a_private_file(folder: Path) -> None:
    with pytest.raises(InvalidOntology, match="the title: Line 2"):
        read(folder, member(folder, "0.ofn", "ObjectOneOf()"))
    with pytest.raises(ExecutionFailed):
        read(folder)
