"""One capture per revision: shared, released once by each, gone with the last one who needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.digests import Digest
from jobs.errors import HostUnavailable, InputChanged, InvalidOntology
from plugin_bridge.capture.shelf import CaptureShelf
from plugin_bridge.host.values import CaptureFile, OntologyCapture

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.anyio
ZERO = Digest("sha256:" + "0" * 64)


class Host:
    """A host whose revision the test moves, and whose captures it can hold or fail."""

    title = "host"

    def __init__(self) -> None:
        self.now, self.captures = 1, 0
        self.failures: list[Exception] = []
        self.begun, self.may_end = anyio.Event(), anyio.Event()
        self.may_end.set()

    async def revision(self) -> int:
        return self.now

    async def capture(self, into: Path) -> OntologyCapture:
        self.captures += 1
        revision = self.now
        self.begun.set()
        (into / "root.ofn").write_bytes(b"")
        await self.may_end.wait()
        if self.failures:
            raise self.failures.pop(0)
        file = CaptureFile(path=into / "root.ofn", sha256=ZERO)
        return OntologyCapture(
            revision=revision,
            ontology_iri=None,
            version_iri=None,
            format="functional",
            reader="test",
            axiom_count=0,
            logical_axiom_count=0,
            closure_axiom_count=0,
            imports=(),
            imports_loaded=(),
            imports_missing=(),
            semantic_fingerprint=ZERO,
            document_fingerprint=ZERO,
            closure_fingerprint=ZERO,
            root=file,
            closure=file,
            warnings=(),
        )


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
async def shelf(host: Host, tmp_path: Path) -> AsyncIterator[CaptureShelf]:
    async with anyio.create_task_group() as tasks:
        yield CaptureShelf(host, lambda: new_folder(tmp_path), tasks)
        tasks.cancel_scope.cancel()


def new_folder(parent: Path) -> Path:
    folder = parent / f"capture-{len(list(parent.iterdir()))}"
    while folder.exists():
        folder = folder.with_name(folder.name + "x")
    folder.mkdir()
    return folder


def folders(tmp_path: Path) -> int:
    return len(list(tmp_path.glob("capture-*")))


async def test_holders_of_one_revision_share_a_capture(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    host.may_end = anyio.Event()
    holds = []

    async def hold() -> None:
        holds.append(await shelf.hold())

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(hold)
        await host.begun.wait()
        host.may_end.set()
    assert host.captures == 1
    assert len({id(each.ontology) for each in holds}) == 1
    for each in holds:
        each.release()
        each.release()
    assert folders(tmp_path) == 1  # the newest stays for the next caller
    assert (await shelf.hold()).ontology is holds[0].ontology


async def test_an_outdated_capture_lives_as_long_as_its_holders(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    first, again = await shelf.hold(), await shelf.hold()
    host.now = 2
    second = await shelf.hold()
    assert (first.ontology.revision, second.ontology.revision) == (1, 2)
    assert folders(tmp_path) == 2
    first.release()
    first.release()
    assert first.ontology.root.path.exists()
    again.release()
    assert not first.ontology.root.path.exists()
    assert second.ontology.root.path.exists()
    second.release()
    assert folders(tmp_path) == 1  # the newest stays for the next caller


async def test_a_caller_who_gives_up_leaves_the_capture_to_the_next_one(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    host.may_end = anyio.Event()
    scope = anyio.CancelScope()

    async def gives_up() -> None:
        with scope:
            await shelf.hold()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(gives_up)
        await host.begun.wait()
        scope.cancel()
    host.may_end.set()
    hold = await shelf.hold()
    assert host.captures == 1
    hold.release()
    assert folders(tmp_path) == 1


async def test_a_capture_that_nobody_waits_for_any_more_goes_with_the_next_revision(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    host.may_end = anyio.Event()
    with anyio.move_on_after(0.05) as waiting:
        await shelf.hold()
    assert waiting.cancelled_caught
    host.may_end.set()
    first = await shelf.hold()
    host.now = 2
    first.release()
    (await shelf.hold()).release()
    assert host.captures == 2
    assert folders(tmp_path) == 1


async def test_a_caller_of_a_newer_revision_is_not_given_the_older_capture_under_way(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    host.may_end = anyio.Event()
    holds: dict[str, int] = {}

    async def hold(name: str) -> None:
        holds[name] = (await shelf.hold()).ontology.revision

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hold, "older")
        await host.begun.wait()
        host.now = 2
        tasks.start_soon(hold, "newer")
        await anyio.wait_all_tasks_blocked()
        host.may_end.set()
    assert holds == {"older": 1, "newer": 2}
    assert host.captures == 2


async def test_an_unforeseen_fault_of_a_capture_meets_its_caller_and_not_the_window(
    host: Host, shelf: CaptureShelf
) -> None:
    host.failures = [KeyError("a defect")]
    with pytest.raises(KeyError):
        await shelf.hold()
    assert (await shelf.hold()).ontology.revision == 1


@pytest.mark.req("W-20")
async def test_an_input_that_moves_once_is_looked_at_again_and_twice_is_refused(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    host.failures = [InputChanged("x")]
    (await shelf.hold()).release()
    assert host.captures == 2
    host.now, host.failures = 2, [InputChanged("x"), InputChanged("x")]
    with pytest.raises(InputChanged):
        await shelf.hold()
    assert folders(tmp_path) == 1  # that of the first revision
    host.failures = []
    assert (await shelf.hold()).ontology.revision == 2
    assert folders(tmp_path) == 1


async def test_a_failed_capture_leaves_nothing_and_is_not_remembered(
    host: Host, shelf: CaptureShelf, tmp_path: Path
) -> None:
    host.failures = [InvalidOntology("x")]
    with pytest.raises(InvalidOntology):
        await shelf.hold()
    assert folders(tmp_path) == 0
    assert (await shelf.hold()).ontology.revision == 1


async def test_revision_zero_is_not_ready_yet(host: Host, shelf: CaptureShelf) -> None:
    host.now = 0
    with pytest.raises(HostUnavailable) as caught:
        await shelf.hold()
    assert caught.value.retryable
    assert host.captures == 0
