# ruff: noqa: ASYNC110, ASYNC240 - a test looks at the state and the files of another process
"""A live host: what it captures, how edits move it, and what is said when it is gone or frozen."""

from __future__ import annotations

import gzip
import os
import shutil
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs import limits
from jobs.errors import ExecutionFailed, HostUnavailable, InvalidOntology, SnapshotTooLarge
from jobs.ontology import load_capture
from jobs.workers.pool import open_worker_pool
from plugin_bridge.host.document import DocumentHost
from plugin_bridge.host.gateway import GatewayClient
from plugin_bridge.host.live import open_live_host
from tests.support.headless_host import headless_host
from tests.support.live_window import HARBOUR, SHARED, small

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from jobs.workers.pool import WorkerPool
    from plugin_bridge.host.live import LiveHost
    from plugin_bridge.host.values import OntologyCapture
    from tests.support.headless_host import HeadlessHost
    from tests.support.live_window import Places

pytestmark = [pytest.mark.anyio, pytest.mark.java]
SEEN_S = 2.0
"""A dead or frozen host is known by then (the issue)."""
EQUAL = (
    "ontology_iri",
    "version_iri",
    "axiom_count",
    "logical_axiom_count",
    "closure_axiom_count",
    "imports",
    "imports_loaded",
    "imports_missing",
    "semantic_fingerprint",
    "closure_fingerprint",
)
"""What a capture says of an ontology whichever host it came from."""


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    async with open_worker_pool() as pool:
        yield pool


@asynccontextmanager
async def live_host(
    pool: WorkerPool, document: Path, *options: object
) -> AsyncIterator[tuple[HeadlessHost, LiveHost]]:
    """A JVM on a document, and a live host on the JVM; afterwards no capture of it is left."""
    async with headless_host(document, *options) as host:
        client = GatewayClient(host.address)
        try:
            async with open_live_host(
                client,
                pool,
                title="?",
                directory=host.address.directory,
                import_root=document.parent,
            ) as live:
                yield host, live
        finally:
            with anyio.fail_after(5):
                await client.aclose()
            assert client._control._limiter.borrowed_tokens == 0, "a thread is left"
            assert host.directory() == []


class Captures:
    """Captures of a test, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0

    def new_folder(self) -> Path:
        self._number += 1
        folder = self._folder / f"captured-{self._number}"
        folder.mkdir()
        return folder

    async def of(self, host: LiveHost | DocumentHost) -> OntologyCapture:
        with anyio.fail_after(60):
            return await host.capture(self.new_folder())


@pytest.fixture
def captures(tmp_path: Path) -> Captures:
    return Captures(tmp_path)


def said(capture: OntologyCapture) -> dict[str, object]:
    return {name: getattr(capture, name) for name in EQUAL}


# --- What a capture says --------------------------------------------------------------------------


def case(name: str, file: str) -> Path:
    return SHARED / "cases" / name / file


def unpacked(name: str, folder: Path) -> Path:
    path = folder / name.removesuffix(".gz")
    with gzip.open(SHARED / "data" / name) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    return path


REAL = [
    HARBOUR / "harbour-1.0.ttl",
    HARBOUR / "harbour-2.0.ofn",
    case("01-diff-anon-individuals-identical", "left.ttl"),
    case("02-diff-annotation-on-axiom", "left.ofn"),
    case("03-diff-string-datatype-and-language", "left.ttl"),
    case("05-import-by-version-iri-via-catalog", "main.ttl"),
    case("13-rdfxml-with-bom-and-crlf", "input.owl"),
    case("16-rename-class-inside-annotated-rule", "input.ofn"),
    case("19-cyclic-imports", "one.ttl"),
    case("19-cyclic-imports", "two.ttl"),
    case("24-missing-import-not-hidden", "input.ttl"),
]


@pytest.mark.parametrize("document", REAL, ids=lambda path: f"{path.parent.name[:20]}-{path.name}")
async def test_a_live_capture_says_what_the_document_s_says(
    document: Path, pool: WorkerPool, captures: Captures
) -> None:
    if not document.exists():
        pytest.skip("the shared cases are not here")
    async with live_host(pool, document) as (_, live):
        found = await captures.of(live)
        expected = await captures.of(DocumentHost(pool, document, import_root=document.parent))
        assert said(found) == said(expected)
        assert load_capture(found.closure.path).axioms == load_capture(expected.closure.path).axioms
        assert (found.reader, found.reasoner, live.title) == ("owlapi", None, document.name)


async def test_a_published_ontology_is_captured_whole(
    places: Places, pool: WorkerPool, captures: Captures
) -> None:
    if not SHARED.exists():
        pytest.skip("the shared data is not here")
    document = unpacked("pato-2025-05.owl.gz", places.project)
    async with live_host(pool, document) as (_, live):
        found = await captures.of(live)
    assert said(found) == said(await captures.of(DocumentHost(pool, document, import_root=places.project)))


ODD = [
    r'AnnotationAssertion(<urn:note> <urn:a> "two' + "\n" + r'lines \"and\" a \\ backslash, 𝄞")',
    'DataPropertyAssertion(<urn:d> <urn:i> "01"^^<http://www.w3.org/2001/XMLSchema#integer>)',
    "ClassAssertion(<urn:A> _:x)",
    "ObjectPropertyAssertion(<urn:p> _:x _:y)",
    "SubObjectPropertyOf(ObjectPropertyChain(<urn:p> ObjectInverseOf(<urn:q>)) <urn:p>)",
    'SubClassOf(Annotation(<urn:note> "why"@en-GB) <urn:A> ObjectMinCardinality(2 <urn:p> <urn:B>))',
    "HasKey(<urn:A> (<urn:p>) (<urn:d>))",
    "DatatypeDefinition(<urn:t> DatatypeRestriction(xsd:integer xsd:minInclusive"
    ' "3"^^<http://www.w3.org/2001/XMLSchema#integer>))',
    "DLSafeRule(Body(ClassAtom(<urn:A> Variable(<urn:v>))) Head(ClassAtom(<urn:B> Variable(<urn:v>))))",
    "DisjointUnion(<urn:A> <urn:B> <urn:C>)",
    "Declaration(AnnotationProperty(<urn:note>))",
]


async def test_nothing_is_declared_that_the_ontology_does_not_declare(
    places: Places, pool: WorkerPool, captures: Captures
) -> None:
    document = places.project / "odd.ofn"
    document.write_text(
        "Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)\nOntology(<urn:odd> <urn:odd/1>\n"
        'Annotation(<urn:note> "of the ontology")\n' + "\n".join(ODD) + "\n)\n",
        encoding="utf-8",
    )
    async with live_host(pool, document) as (_, live):
        found = await captures.of(live)
    assert found.axiom_count == len(ODD)
    assert said(found) == said(await captures.of(DocumentHost(pool, document, import_root=places.project)))


@pytest.mark.parametrize("folder", ["with space", "per%cent %20", "Käse & 漢字", "back\\slash"])
async def test_odd_paths_are_found_by_the_catalog_and_named_alike(
    folder: str, places: Places, pool: WorkerPool, captures: Captures
) -> None:
    inside = places.project / folder
    inside.mkdir()
    document = inside / "my document.ofn"
    document.write_text(small("SubClassOf(:A :B)", imports=("urn:other", "urn:gone")))
    (inside / "other document.ofn").write_text("Ontology(\nSubClassOf(<urn:x> <urn:y>)\n)")
    (inside / "catalog-v001.xml").write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<uri name="urn:other" uri="other%20document.ofn"/><uri name="urn:gone" uri="../../etc/passwd"/>'
        "</catalog>"
    )
    async with live_host(pool, document, "--reasoner", "hermit-1.4.3.456") as (_, live):
        found = await captures.of(live)
        expected = await captures.of(DocumentHost(pool, document, import_root=inside))
    assert said(found) == said(expected)
    assert (found.imports_loaded, found.imports_missing) == (("urn:other",), ("urn:gone",))
    assert found.reasoner is not None
    assert found.reasoner.factory_class == "org.semanticweb.HermiT.ReasonerFactory"


async def test_an_anonymous_ontology_is_known_by_its_document(
    places: Places, pool: WorkerPool, captures: Captures
) -> None:
    document = places.project / "anonymous.ofn"
    document.write_text("Ontology(\nSubClassOf(<urn:x> <urn:y>)\nClassAssertion(<urn:x> _:a)\n)")
    async with live_host(pool, document) as (_, live):
        found = await captures.of(live)
    assert found.ontology_iri is None
    assert said(found) == said(await captures.of(DocumentHost(pool, document, import_root=places.project)))


# --- Edits ----------------------------------------------------------------------------------------


@pytest.fixture
def document(places: Places) -> Path:
    path = places.project / "document.ofn"
    path.write_text(small("SubClassOf(:A :B)"))
    return path


async def test_an_edit_changes_the_capture_and_its_undo_restores_it(
    document: Path, pool: WorkerPool, captures: Captures
) -> None:
    async with live_host(pool, document, "--reasoner", "elk-0.4.3") as (host, live):
        first = await captures.of(live)
        await host.add("SubClassOf(<urn:undeclared> <urn:either>)")
        second = await captures.of(live)
        await host.do("undo")
        third = await captures.of(live)
        await host.do("select", reasoner="none")
        assert (await captures.of(live)).reasoner is None
        await host.do("reload")
        assert await live.revision() == 4
    assert [each.revision for each in (first, second, third)] == [1, 2, 3]
    assert [each.axiom_count for each in (first, second, third)] == [1, 2, 1]
    assert said(first) == said(third) != said(second)
    assert first.document_fingerprint == third.document_fingerprint
    assert first.reasoner is not None
    assert (first.reasoner.name, first.reasoner.version, first.reasoner.buffering) == (
        "ELK 0.4.3",
        "0.4.3",
        "buffering",
    )


async def test_no_capture_mixes_two_edits(document: Path, pool: WorkerPool, captures: Captures) -> None:
    """Each edit adds a pair of axioms; a capture has whole pairs, as many as its revision says."""
    async with live_host(pool, document) as (host, live):
        edits = 0
        is_over = False

        async def edit() -> None:
            nonlocal edits
            while not is_over:
                edits += 1
                pair = [f"SubClassOf(<urn:a{edits}> <urn:{side}{edits}>)" for side in ("left", "right")]
                await host.do("apply", add=pair)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(edit)
            taken = [await captures.of(live) for _ in range(12)]
            is_over = True
        for each in taken:
            assert each.axiom_count == 1 + 2 * (each.revision - 1)
        assert edits > 12, "nothing was edited meanwhile"


async def test_a_capture_waits_behind_a_busy_model_thread(
    document: Path, pool: WorkerPool, captures: Captures
) -> None:
    async with live_host(pool, document) as (host, live):
        await host.do("busy", ms=1_500)
        assert await live.revision() == 1
        assert (await captures.of(live)).axiom_count == 1


# --- Refusals -------------------------------------------------------------------------------------


async def test_a_closure_above_the_bound_is_refused(
    document: Path, pool: WorkerPool, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CLOSURE_AXIOMS", 1)
    async with live_host(pool, document) as (host, live):
        await captures.of(live)
        await host.add("SubClassOf(<urn:a> <urn:b>)")
        with pytest.raises(SnapshotTooLarge) as told:
            await captures.of(live)
        assert (told.value.details["axioms"], told.value.details["maximum"]) == (2, 1)


async def test_text_that_is_not_unicode_is_refused_and_not_repaired(
    document: Path, pool: WorkerPool, captures: Captures
) -> None:
    async with live_host(pool, document) as (host, live):
        await host.add('AnnotationAssertion(<urn:note> <urn:a> "half a character: \ud800")')
        with pytest.raises(InvalidOntology, match="not Unicode"):
            await captures.of(live)
        await host.do("undo")
        await captures.of(live)


async def test_files_that_were_altered_are_not_believed(
    document: Path, pool: WorkerPool, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with live_host(pool, document) as (_, live):
        manifest_of = live._manifest

        async def altered(capture_id: str) -> dict[str, object]:
            manifest = await manifest_of(capture_id)
            (live._directory / capture_id / "0.ofn").write_text("Ontology()")
            return manifest

        monkeypatch.setattr(live, "_manifest", altered)
        with pytest.raises(ExecutionFailed) as told:
            await captures.of(live)
        assert told.value.details["failure_type"] == "digest_mismatch"


async def test_captured_files_are_private(
    document: Path, pool: WorkerPool, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    async with live_host(pool, document) as (_, live):
        manifest_of = live._manifest

        async def looked_at(capture_id: str) -> dict[str, object]:
            manifest = await manifest_of(capture_id)
            folder = live._directory / capture_id
            modes.extend(
                os.stat(path).st_mode & 0o777 for path in (live._directory, folder, folder / "0.ofn")
            )
            return manifest

        monkeypatch.setattr(live, "_manifest", looked_at)
        await captures.of(live)
    assert modes == [0o700, 0o700, 0o600]


async def test_a_cancelled_capture_leaves_no_file(
    document: Path, pool: WorkerPool, captures: Captures
) -> None:
    async with live_host(pool, document) as (host, live):
        await host.do("busy", ms=1_000)
        with anyio.move_on_after(0.3) as scope:
            await live.capture(captures.new_folder())
        assert scope.cancelled_caught
        await captures.of(live)  # queued behind the cancelled one


# --- A host that is gone --------------------------------------------------------------------------


async def seen_after(live: LiveHost) -> float:
    """How long until the host is known not to be there."""
    begun = time.monotonic()
    with anyio.fail_after(10):
        while live.is_there:
            await anyio.sleep(0.01)
    return time.monotonic() - begun


async def refused_at_once(live: LiveHost) -> None:
    begun = time.monotonic()
    for call in (live.revision, live.describe):
        with pytest.raises(HostUnavailable):
            await call()
    assert time.monotonic() - begun < 0.5


async def test_a_killed_host_is_a_state_and_not_a_hang(document: Path, pool: WorkerPool) -> None:
    async with live_host(pool, document) as (host, live):
        await live.revision()
        await host.kill()
        assert await seen_after(live) < SEEN_S
        await refused_at_once(live)
        shutil.rmtree(host.address.directory)
        host.address.directory.mkdir()


async def test_a_frozen_host_is_seen_and_comes_back(
    document: Path, pool: WorkerPool, captures: Captures
) -> None:
    async with live_host(pool, document) as (host, live):
        await live.revision()
        host.freeze()
        assert await seen_after(live) < SEEN_S
        await refused_at_once(live)
        host.thaw()
        with anyio.fail_after(10):
            while not live.is_there:
                await anyio.sleep(0.05)
        await host.add("SubClassOf(<urn:a> <urn:b>)")
        assert await live.revision() == 2
        assert (await captures.of(live)).axiom_count == 2


@pytest.mark.parametrize("end", ["kill", "freeze"])
async def test_a_capture_of_a_host_that_dies_is_refused_in_time(
    end: str, document: Path, pool: WorkerPool, captures: Captures
) -> None:
    async with live_host(pool, document) as (host, live):
        await host.do("hang")
        took: list[float] = []

        async def capture() -> None:
            with pytest.raises(HostUnavailable):
                await captures.of(live)
            took.append(time.monotonic())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(capture)
            await anyio.sleep(0.3)  # let it begin to wait; nothing depends on it
            begun = time.monotonic()
            if end == "kill":
                await host.kill()
            else:
                host.freeze()
        assert took[0] - begun < SEEN_S + 1
        if end == "kill":
            shutil.rmtree(host.address.directory)
            host.address.directory.mkdir()


async def test_a_state_that_is_not_of_the_contract_is_not_waited_for(
    document: Path, pool: WorkerPool, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with live_host(pool, document) as (_, live):

        async def asleep(_: str) -> dict[str, object]:
            return {"state": "asleep", "manifest": None}

        monkeypatch.setattr(live._client, "capture_status", asleep)
        with pytest.raises(HostUnavailable, match="shape"):
            await captures.of(live)


async def test_a_closing_host_says_so(document: Path, pool: WorkerPool) -> None:
    async with live_host(pool, document) as (host, live):
        await host.do("close")
        assert await seen_after(live) < SEEN_S
        with pytest.raises(HostUnavailable):
            await live.revision()
        with anyio.fail_after(10):
            await host.process.wait()
        host.address.directory.mkdir()
