"""A diff that is started before its job: handed over, given up, and failing in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.digests import byte_digest
from jobs.errors import InvalidOntology
from jobs.ontology import load_capture, read_document, write_capture
from jobs.operations.handover import CAPTURED, announce
from jobs.workers.pool import WorkerPool, open_worker_pool
from plugin_bridge.capture.ahead import DiffAhead, left_inputs
from plugin_bridge.files.confined import copy_confined
from plugin_bridge.files.roots import ProjectRoot
from plugin_bridge.host.values import CaptureFile

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio
ONE = b"Ontology(<http://example.org/t> Declaration(Class(<http://example.org/t#Cup>)))"


def ahead_of(pool: WorkerPool, tmp_path: Path, right: bytes) -> DiffAhead:
    project, private, folder = tmp_path / "of-the-user", tmp_path / "of-the-window", tmp_path / "ahead"
    for each in (project, private, folder):
        each.mkdir()
    (project / "right.ofn").write_bytes(right)
    with ProjectRoot.open(project) as root:
        copied = copy_confined(root, "right.ofn", into_dir=private)
    return DiffAhead(pool, copied, 5, folder)


def left_in(tmp_path: Path, name: str = "left.ofn", content: bytes = ONE) -> CaptureFile:
    path = tmp_path / name
    write_capture(read_document(content), path)
    assert load_capture(path).axioms
    return CaptureFile(path=path, sha256=byte_digest(path.read_bytes()))


async def unheard(_: object) -> None:
    return


async def test_a_diff_waits_for_its_left_document_and_tells_its_result(tmp_path: Path) -> None:
    heard: list[object] = []

    async def listen(progress: object) -> None:
        heard.append(progress)

    async with open_worker_pool() as pool, anyio.create_task_group() as tasks:
        ahead = ahead_of(pool, tmp_path, ONE)
        tasks.start_soon(ahead.run)
        result = await ahead.finish(left_in(tmp_path), listen)
    assert isinstance(result.value, dict)
    assert result.value["identical"] is True
    assert heard
    ahead.release()
    assert not (tmp_path / "ahead").exists()


@pytest.mark.parametrize("is_outdated", [False, True])
async def test_the_left_document_comes_from_the_capture_and_is_the_one_of_the_job(
    tmp_path: Path, is_outdated: bool
) -> None:
    """The stage may take a capture before its job exists; one that was made anew is compared anew."""
    folder = tmp_path / "capture"
    folder.mkdir()
    captured = left_in(tmp_path, "captured.ofn", ONE.replace(b"Cup", b"Jug") if is_outdated else ONE)
    async with open_worker_pool() as pool, anyio.create_task_group() as tasks:
        ahead = ahead_of(pool, tmp_path, ONE)
        ahead.watch(tmp_path / "capture that moved")
        ahead.watch(folder)
        tasks.start_soon(ahead.run)
        announce(folder / CAPTURED, left_inputs(captured))
        with anyio.fail_after(20):
            result = await ahead.finish(left_in(tmp_path), unheard)
    assert isinstance(result.value, dict)
    assert result.value["identical"] is True
    (report,) = result.artifacts
    assert (report.path.parent.name == "again") is is_outdated
    ahead.release()
    assert not (tmp_path / "ahead").exists()


async def test_a_capture_that_ended_without_a_word_is_handed_over(tmp_path: Path) -> None:
    async with open_worker_pool() as pool, anyio.create_task_group() as tasks:
        ahead = ahead_of(pool, tmp_path, ONE)
        ahead.watch(tmp_path / "nothing here")
        tasks.start_soon(ahead.run)
        with anyio.fail_after(20):
            result = await ahead.finish(left_in(tmp_path), unheard)
    assert isinstance(result.value, dict)
    assert result.value["identical"] is True


async def test_an_unreadable_right_document_is_the_error_of_the_job(tmp_path: Path) -> None:
    async with open_worker_pool() as pool, anyio.create_task_group() as tasks:
        ahead = ahead_of(pool, tmp_path, b"<html></html>")
        tasks.start_soon(ahead.run)
        with pytest.raises(InvalidOntology, match="HTML"):
            await ahead.finish(left_in(tmp_path), unheard)


@pytest.mark.parametrize("gives_up", ["the job", "the capture"])
async def test_who_gives_up_ends_the_process_that_waits(tmp_path: Path, gives_up: str) -> None:
    async with open_worker_pool() as pool:
        ahead = ahead_of(pool, tmp_path, ONE)
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ahead.run)
                await anyio.wait_all_tasks_blocked()
                if gives_up == "the capture":
                    ahead.release()
                    return
                absent = CaptureFile(path=tmp_path / "absent", sha256=byte_digest(b""))
                with anyio.CancelScope() as scope:
                    scope.cancel()
                    await ahead.finish(absent, unheard)
                assert scope.cancelled_caught
