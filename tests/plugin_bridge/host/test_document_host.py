# ruff: noqa: ASYNC240 - nothing else runs on this loop while a test edits its files
"""A document on disk as host: its revision follows every file that its closure depends on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from jobs.errors import HostUnavailable, InputChanged, InvalidOntology, SnapshotTooLarge
from jobs.workers.contract import WorkerLimits
from jobs.workers.pool import open_worker_pool
from plugin_bridge.host.document import DocumentHost
from tests.support.live_window import small

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from jobs.workers.pool import WorkerPool
    from tests.support.live_window import Places

pytestmark = pytest.mark.anyio
IMPORTED = "https://example.org/imported"
CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<uri name="https://example.org/imported" uri="{}"/></catalog>"""


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    async with open_worker_pool(WorkerLimits()) as pool:
        yield pool


@pytest.fixture
def document(places: Places) -> Path:
    path = places.project / "document.ofn"
    path.write_text(small("SubClassOf(:A :B)", imports=(IMPORTED,)))
    return path


def host_on(pool: WorkerPool, document: Path, catalog: Path | None = None) -> DocumentHost:
    return DocumentHost(pool, document, import_root=document.parent, catalog=catalog)


async def captured(host: DocumentHost, tmp_path: Path, name: str):  # type: ignore[no-untyped-def]
    into = tmp_path / name
    into.mkdir()
    return await host.capture(into)


async def test_the_revision_moves_with_each_file_that_matters(
    pool: WorkerPool, document: Path, tmp_path: Path
) -> None:
    host, folder = host_on(pool, document), document.parent
    assert await host.revision() == 1
    assert (await captured(host, tmp_path, "1")).imports_missing == (IMPORTED,)
    (folder / "catalog-v001.xml").write_text(CATALOG.format("imported.ofn"))
    assert await host.revision() == 2
    assert (await captured(host, tmp_path, "2")).imports_missing == (IMPORTED,)
    (folder / "imported.ofn").write_text(small("SubClassOf(:C :D)", iri=IMPORTED))
    assert await host.revision() == 3
    first = await captured(host, tmp_path, "3")
    assert (first.revision, first.imports_loaded, first.closure_axiom_count) == (3, (IMPORTED,), 2)
    (folder / "unrelated.ofn").write_text("x")
    assert await host.revision() == 3
    (folder / "imported.ofn").write_text(small("SubClassOf(:C :E)", iri=IMPORTED))
    assert await host.revision() == 4
    second = await captured(host, tmp_path, "4")
    assert second.closure_fingerprint != first.closure_fingerprint
    assert second.semantic_fingerprint == first.semantic_fingerprint
    (folder / "imported.ofn").unlink()
    assert await host.revision() == 5
    os.utime(document)
    assert await host.revision() == 6
    assert await host.revision() == 6


async def test_a_catalog_behind_a_link_is_watched_where_it_leads(
    pool: WorkerPool, document: Path, tmp_path: Path
) -> None:
    target = tmp_path / "shared-catalog.xml"
    target.write_text(CATALOG.format("nothing.ofn"))
    (document.parent / "catalog-v001.xml").symlink_to(target)
    (document.parent / "imported.ofn").write_text(small(iri=IMPORTED))
    host = host_on(pool, document)
    assert (await captured(host, tmp_path, "1")).imports_missing == (IMPORTED,)
    target.write_text(CATALOG.format("imported.ofn"))
    assert await host.revision() == 2
    assert (await captured(host, tmp_path, "2")).imports_loaded == (IMPORTED,)


async def test_the_catalog_beside_comes_before_the_one_that_was_named(
    pool: WorkerPool, document: Path, tmp_path: Path
) -> None:
    for name in ("beside", "named"):
        (document.parent / f"{name}.ofn").write_text(small(f"SubClassOf(:C :{name})", iri=IMPORTED))
    named = document.parent / "other.xml"
    named.write_text(CATALOG.format("named.ofn"))
    host = host_on(pool, document, named)
    alone = await captured(host, tmp_path, "1")
    assert b"#named>" in alone.closure.path.read_bytes()
    (document.parent / "catalog-v001.xml").write_text(CATALOG.format("beside.ofn"))
    both = await captured(host, tmp_path, "2")
    assert b"#beside>" in both.closure.path.read_bytes()
    assert b"#named>" not in both.closure.path.read_bytes()


async def test_imports_are_read_inside_the_project_only(
    pool: WorkerPool, document: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.ofn"
    outside.write_text(small("SubClassOf(:Secret :Thing)", iri=IMPORTED))
    (document.parent / "link.ofn").symlink_to(outside)
    host = host_on(pool, document)
    for number, target in enumerate(("../outside.ofn", str(outside), outside.as_uri(), "link.ofn")):
        (document.parent / "catalog-v001.xml").write_text(CATALOG.format(target))
        found = await captured(host, tmp_path, str(number))
        assert found.imports_missing == (IMPORTED,)
        assert b"Secret" not in found.closure.path.read_bytes()


async def test_what_keeps_a_document_from_being_read_has_its_own_code(
    pool: WorkerPool, document: Path, tmp_path: Path
) -> None:
    host = host_on(pool, document)
    document.write_text("nonsense")
    with pytest.raises(InvalidOntology, match=r"document\.ofn"):
        await captured(host, tmp_path, "1")
    document.unlink()
    with pytest.raises(HostUnavailable) as gone:
        await captured(host, tmp_path, "2")
    assert gone.value.details["reason"] == "missing"
    with document.open("wb") as file:
        file.truncate(600 * 1024 * 1024)
    with pytest.raises(SnapshotTooLarge):
        await captured(host, tmp_path, "3")
    document.unlink()
    document.parent.rename(tmp_path / "moved")
    with pytest.raises(HostUnavailable):
        await captured(host, tmp_path, "4")


async def test_a_copy_of_the_document_does_not_stay(pool: WorkerPool, document: Path, tmp_path: Path) -> None:
    await captured(host_on(pool, document), tmp_path, "1")
    left = {each.name for each in (tmp_path / "1").iterdir()}
    assert "root.ofn" in left
    assert left <= {"root.ofn", "root.json", "closure.ofn"}


@pytest.mark.req("W-20")
async def test_an_edit_while_the_worker_reads_is_noticed(
    pool: WorkerPool, document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = pool.execute

    async def edited(call, **options):  # type: ignore[no-untyped-def]
        result = await execute(call, **options)
        document.write_text(small("SubClassOf(:A :Edited)"))
        return result

    monkeypatch.setattr(pool, "execute", edited)
    with pytest.raises(InputChanged):
        await captured(host_on(pool, document), tmp_path, "1")
