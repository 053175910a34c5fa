"""Catalogs and import closures."""

from __future__ import annotations

import pytest

from jobs.errors import InvalidOntology, SnapshotTooLarge
from jobs.ontology.catalog import Catalog, confine, read_catalog
from jobs.ontology.closure import read_closure

OWL = "http://www.w3.org/2002/07/owl#"


def catalog(body: str, folder: str = "", files: dict[str, bytes] | None = None) -> Catalog:
    text = f'<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">{body}</catalog>'
    return read_catalog(text.encode(), folder=folder, opener=opener(files or {}))


def opener(files: dict[str, bytes]) -> object:
    def open_file(path: str) -> bytes:
        try:
            return files[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    return open_file


def ontology(iri: str, *imports: str, version: str = "", extra: str = "") -> bytes:
    imported = "".join(f"Import(<{each}>)\n" for each in imports)
    return f"Ontology(<{iri}> {version}\n{imported}{extra})".encode()


def test_catalog_forms_that_editors_write() -> None:
    found = catalog(
        '<group id="Folder Repository, directory=, recursive=true, version=2" prefer="public" xml:base="">'
        '<uri id="a" name="http://e/a" uri="my%20files/a.owl"/>'
        '<uri name="http://e/b" uri="../shared/b.owl"/></group>'
        '<group xml:base="sub/"><uri name="http://e/c" uri="c.owl"/></group>'
        '<rewriteURI uriStartString="http://e/d/" rewritePrefix="d/"/>'
        '<rewriteURI uriStartString="http://e/d/special/" rewritePrefix="special/"/>'
        '<uri name="http://e/a" uri="second.owl"/><public publicId="x" uri="y"/>',
        folder="onto",
    )
    assert found.find("http://e/a") == "onto/my files/a.owl"
    assert found.find("http://e/b") == "shared/b.owl"
    assert found.find("http://e/c") == "onto/sub/c.owl"
    assert found.find("http://e/d/x.owl") == "onto/d/x.owl"
    assert found.find("http://e/d/special/x.owl") == "onto/special/x.owl"
    assert found.find("http://e/other") is None
    assert found.ignored == ()


@pytest.mark.parametrize(
    "reference",
    [
        "../out.owl",
        "a/../../out.owl",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://e/x",
        "%2e%2e/out",
        "C:/x",
        "a%00b",
        "..\\out.owl",
        "//server/share",
    ],
)
def test_entries_that_leave_the_project_are_ignored_with_a_reason(reference: str) -> None:
    found = catalog(f'<uri name="http://e/a" uri="{reference}"/>')
    assert found.find("http://e/a") is None
    assert len(found.ignored) == 1
    assert confine(reference, "")[1]


def test_rewrites_are_confined_too() -> None:
    found = catalog('<rewriteURI uriStartString="http://e/" rewritePrefix="d/"/>')
    assert found.find("http://e/../../secret") is None


def test_chained_catalogs_end() -> None:
    inner = (
        b'<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="http://e/x" uri="x.owl"/>'
        b'<nextCatalog catalog="../sub/next.xml"/><nextCatalog catalog="gone.xml"/></catalog>'
    )
    found = catalog('<nextCatalog catalog="sub/next.xml"/>', files={"sub/next.xml": inner})
    assert found.find("http://e/x") == "sub/x.owl"
    assert any("gone.xml" in reason for reason in found.ignored)


def test_a_broken_catalog_is_refused() -> None:
    with pytest.raises(InvalidOntology):
        read_catalog(b"<catalog>")


FILES = {
    "a.ofn": ontology("http://e/a", "http://e/b", "http://e/missing"),
    "b.ofn": ontology("http://e/b", "http://e/a", "http://e/c/1"),
    "c.ofn": ontology("http://e/c", version="<http://e/c/2>"),
}
CATALOG = Catalog(
    entries=(
        ("http://e/a", "a.ofn"),
        ("http://e/b", "b.ofn"),
        ("http://e/c/1", "c.ofn"),
        ("http://e/gone", "gone"),
    )
)


def test_closure_is_walked_once() -> None:
    found = read_closure(FILES["a.ofn"], opener(FILES), path="a.ofn", catalogs=[CATALOG])
    assert [member.key for member in found.members] == ["http://e/a", "http://e/b", "http://e/c http://e/c/2"]
    assert found.missing == ("http://e/missing",)
    assert {(edge.importer, edge.iri, edge.member) for edge in found.edges} >= {
        ("http://e/b", "http://e/a", "http://e/a"),
        ("http://e/a", "http://e/missing", None),
    }
    again = read_closure(FILES["a.ofn"], opener(FILES), path="a.ofn", catalogs=[CATALOG])
    assert again.fingerprint() == found.fingerprint()


def test_root_without_a_path_is_not_read_twice() -> None:
    found = read_closure(FILES["a.ofn"], opener(FILES), catalogs=[])
    assert found.missing == ("http://e/b", "http://e/missing")
    self_import = ontology("http://e/a", "http://e/a")
    assert len(read_closure(self_import, opener({}), catalogs=[]).members) == 1


def test_a_broken_import_is_named() -> None:
    files = {**FILES, "b.ofn": b"Ontology("}
    with pytest.raises(InvalidOntology, match=r"b\.ofn"):
        read_closure(FILES["a.ofn"], opener(files), path="a.ofn", catalogs=[CATALOG])


def test_closure_has_a_bound() -> None:
    axioms = "".join(f"Declaration(Class(<http://e/C{n}>))" for n in range(5))
    with pytest.raises(SnapshotTooLarge):
        read_closure(ontology("http://e/a", extra=axioms), opener({}), axioms_max=4)


def test_anonymous_individuals_of_members_stay_apart() -> None:
    said = 'AnnotationAssertion(<http://e/p> _:x "same")'
    files = {"b.ofn": ontology("http://e/b", extra=said)}
    found = read_closure(ontology("http://e/a", "http://e/b", extra=said), opener(files), catalogs=[CATALOG])
    assert len(found.axioms()) == 2
