"""Captures: what they say of a document, how imports are found, and that no link leads outside."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from operations_support import capture, run

from jobs import limits
from jobs.errors import InputChanged, InvalidOntology, SnapshotTooLarge
from jobs.ontology import document_fingerprint, read_document, semantic_fingerprint
from jobs.ontology.document import load_capture
from jobs.operations import opener
from jobs.operations.opener import ConfinedOpener, components, read_regular

if TYPE_CHECKING:
    from pathlib import Path

ROOT = """Prefix(:=<http://example.org/t#>)
Ontology(<http://example.org/t> <http://example.org/t/1>
Import(<http://example.org/base>)
Declaration(Class(:A))
SubClassOf(:A :B)
ClassAssertion(:A _:x)
)
"""
BASE = """Prefix(:=<http://example.org/t#>)
Ontology(<http://example.org/base>
SubClassOf(:B :C)
ClassAssertion(:B _:x)
)
"""
CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<uri name="http://example.org/base" uri="{}"/></catalog>"""

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links and FIFOs are POSIX here")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "main.ofn").write_text(ROOT)
    (folder / "base.ofn").write_text(BASE)
    (folder / "catalog-v001.xml").write_text(CATALOG.format("base.ofn"))
    return folder


def value_of(path: Path, folder: Path) -> dict[str, Any]:
    value = capture(path, folder).value
    assert isinstance(value, dict)
    return value


def test_a_capture_says_what_the_window_needs(project: Path, tmp_path: Path) -> None:
    result = capture(project / "main.ofn", tmp_path / "work")
    value: Any = result.value
    found = read_document(ROOT.encode(), name="main.ofn")
    assert value == {
        "document_path": "main.ofn",
        "ontology_iri": "http://example.org/t",
        "version_iri": "http://example.org/t/1",
        "format": "functional",
        "reader": value["reader"],
        "imports": ["http://example.org/base"],
        "imports_loaded": ["http://example.org/base"],
        "imports_missing": [],
        "closure_size": 2,
        "axiom_count": 3,
        "logical_axiom_count": 2,
        "closure_axiom_count": 5,
        "semantic_fingerprint": semantic_fingerprint(found),
        "document_fingerprint": document_fingerprint(found, (project / "main.ofn").as_uri()),
        "closure_fingerprint": value["closure_fingerprint"],
        "warnings": [],
        "sources": [{"path": "base.ofn", "sha256": hashlib.sha256(BASE.encode()).hexdigest()}],
    }
    files = {each.name: each.path for each in result.artifacts}
    assert load_capture(files["root.ofn"]).axioms == found.axioms
    closure = load_capture(files["closure.ofn"]).axioms
    assert len([text for text in closure if "_:" in text]) == 2  # individuals of two documents stay two
    assert files["root.ofn"].stat().st_mode & 0o077 == 0


def test_a_document_without_imports_is_its_own_closure(project: Path, tmp_path: Path) -> None:
    result = capture(project / "base.ofn", tmp_path / "work")
    one, other = result.artifacts
    assert (one.name, other.name) == ("root.ofn", "closure.ofn")
    assert one.path == other.path


def test_compressed_documents_are_captured(project: Path, tmp_path: Path) -> None:
    (project / "base.ofn.gz").write_bytes(gzip.compress(BASE.encode()))
    assert value_of(project / "base.ofn.gz", tmp_path / "work")["axiom_count"] == 2


@pytest.mark.req("W-20")
def test_the_document_must_be_the_bytes_that_were_copied(project: Path, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="not the one that was captured"):
        run(
            "capture_document",
            tmp_path / "work",
            path=str(project / "main.ofn"),
            sha256=hashlib.sha256(b"").hexdigest(),
            name="main.ofn",
            document_iri=None,
            folder=str(project),
            root=str(project),
            catalogs=[],
        )


def test_a_missing_import_is_named(project: Path, tmp_path: Path) -> None:
    (project / "base.ofn").unlink()
    result = capture(project / "main.ofn", tmp_path / "work")
    value: Any = result.value
    assert (value["imports_missing"], value["closure_size"]) == (["http://example.org/base"], 1)
    assert "http://example.org/base" in value["warnings"][0]
    root, closure = (load_capture(each.path) for each in result.artifacts)
    assert (root.imports, closure.imports) == (("http://example.org/base",), ())
    assert closure.axioms == root.axioms


def test_a_broken_import_or_catalog_is_named(project: Path, tmp_path: Path) -> None:
    (project / "base.ofn").write_text("Ontology(")
    with pytest.raises(InvalidOntology, match=r"base\.ofn"):
        capture(project / "main.ofn", tmp_path / "one")
    (project / "catalog-v001.xml").write_text("<catalog")
    with pytest.raises(InvalidOntology, match=r"catalog-v001\.xml"):
        capture(project / "main.ofn", tmp_path / "two")


@posix_only
@pytest.mark.req("W-38")
def test_imports_never_come_through_a_link_or_from_outside(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.ofn"
    secret.write_text(BASE)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "base.ofn").write_text(BASE)
    (project / "link.ofn").symlink_to(secret)
    (project / "folder").symlink_to(outside)
    os.mkfifo(project / "pipe.ofn")
    for number, reference in enumerate(
        ("link.ofn", "folder/base.ofn", "pipe.ofn", "../secret.ofn", str(secret), secret.as_uri(), ".")
    ):
        (project / "catalog-v001.xml").write_text(CATALOG.format(reference))
        value = value_of(project / "main.ofn", tmp_path / f"work{number}")
        assert value["imports_missing"] == ["http://example.org/base"]
        assert all(source["sha256"] is None for source in value["sources"])


@pytest.mark.parametrize(("bound", "fits"), [(4, False), (5, True)])
def test_a_closure_above_its_bound_is_refused(
    bound: int, fits: bool, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CLOSURE_AXIOMS", bound)
    if fits:
        assert value_of(project / "main.ofn", tmp_path / "work")["closure_axiom_count"] == 5
        return
    with pytest.raises(SnapshotTooLarge):
        capture(project / "main.ofn", tmp_path / "work")


# --- The opener -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/", "a//b", "../a", "a/..", "./a", "a\0b", "a\\b", "/etc/hostname"])
def test_paths_that_could_lead_elsewhere_are_no_paths(path: str) -> None:
    with pytest.raises(OSError, match="not a plain relative path"):
        components(path)


@posix_only
@pytest.mark.parametrize("has_dir_fd", [True, False])
def test_both_ways_of_opening_refuse_links(
    has_dir_fd: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opener, "_HAS_DIR_FD", has_dir_fd)
    (project / "inner").mkdir()
    (project / "inner" / "file").write_bytes(b"x")
    (project / "link").symlink_to(project / "inner")
    (project / "inner" / "other").symlink_to(project / "inner" / "file")
    open_file = ConfinedOpener(project)
    assert open_file("inner/file") == b"x"
    assert open_file.opened == {"inner/file": hashlib.sha256(b"x").hexdigest()}
    for path in ("link/file", "inner/other", "inner", "none", "inner/file/deeper"):
        with pytest.raises(OSError, match=r"\[Errno"):
            open_file(path)
        assert open_file.opened[path] is None


def test_files_are_bounded_and_must_hold_still(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "file").write_bytes(b"12345")
    assert ConfinedOpener(project, max_bytes=5)("file") == b"12345"
    with pytest.raises(SnapshotTooLarge):
        ConfinedOpener(project, max_bytes=4)("file")
    descriptor = os.open(project / "file", os.O_RDONLY)
    real = os.fstat
    calls = []

    def growing(fd: int) -> os.stat_result:
        calls.append(fd)
        if len(calls) == 1:
            found = real(fd)
            (project / "file").write_bytes(b"123456")
            return found
        return real(fd)

    monkeypatch.setattr(os, "fstat", growing)
    with pytest.raises(InputChanged):
        read_regular(descriptor, "file", 100)
