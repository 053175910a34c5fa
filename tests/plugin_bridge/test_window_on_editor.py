# ruff: noqa: ASYNC240 - nothing else runs on this loop while a test reads its files
"""A whole window on a live editor: jobs, what edits do to their results, and an editor that goes away."""

from __future__ import annotations

import sys
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.errors import HostUnavailable, PolicyRequired
from jobs.reasoners.profiles import resolve
from plugin_bridge.settings import WindowSettings
from plugin_bridge.window import open_window
from tests.support.headless_host import headless_host, run_host
from tests.support.live_window import HARBOUR, ROOT, Driver, Gate, small, window_on
from tests.support.process_table import children_of
from tests.support.window_fixtures import anyio_backend, places

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.support.headless_host import HeadlessHost
    from tests.support.live_window import Places

__all__ = ["anyio_backend", "places"]
pytestmark = [pytest.mark.anyio, pytest.mark.java]


@asynccontextmanager
async def window_on_editor(
    document: Path, *options: object, **settings: object
) -> AsyncIterator[tuple[HeadlessHost, Driver]]:
    """A window in this process on a host of its own; afterwards nothing of either is left."""
    async with headless_host(document, *options) as host:
        with anyio.fail_after(100):
            async with open_window(WindowSettings(gateway=host.address, **settings)) as window:  # type: ignore[arg-type]
                yield host, Driver(window)
            assert host.directory() == []


@pytest.fixture
def document(places: Places) -> Path:
    path = places.project / "document.ofn"
    path.write_text(small("SubClassOf(:A :B)", "SubClassOf(:B :C)"))
    return path


async def classified(window: Driver, key: str = "k") -> dict[str, object]:
    started = await window.start("classification", {}, key)
    job = await window.ended(started["job"]["job_id"])  # type: ignore[index]
    assert job["state"] == "succeeded", job
    return job


async def test_an_editor_s_ontology_is_classified_as_its_document_is(places: Places) -> None:
    document = HARBOUR / "harbour-2.0.ofn"
    async with window_on_editor(document, "--reasoner", "elk-0.4.3", profile="pyelk-0.2.1") as (_, window):
        live = await classified(window)
        described = await window.call("describe_window", {})
        assert (described["title"], described["session_revision"]) == ("harbour-2.0.ofn", 1)
        assert described["ontology"]["format"] == "functional"  # type: ignore[index]
        assert window.window.materialization_axioms_max == 500
    async with window_on(document, profile="pyelk-0.2.1") as window:
        plain = await classified(window)
    left, right = (job["result"] for job in (live, plain))
    assert left["current"] is right["current"] is True  # type: ignore[index]
    said = [{**result["structured"], "report_artifact_id": None} for result in (left, right)]  # type: ignore[index]
    assert said[0] == said[1]
    assert places.left() == []


async def test_a_result_knows_of_edits_and_of_their_undo(document: Path) -> None:
    async with window_on_editor(document, profile="pyelk-0.2.1") as (host, window):
        gate = Gate(window.window)

        async def run(key: str, *edits: str) -> object:
            started = await window.start("classification", {}, key)
            with anyio.fail_after(30):
                await gate.arrived.wait()
            for edit in edits:
                await (host.do("undo") if edit == "undo" else host.add(edit))
            gate.opened.set()
            job = await window.ended(started["job"]["job_id"])  # type: ignore[index]
            gate.arrived, gate.opened = anyio.Event(), anyio.Event()
            assert job["state"] == "succeeded", job
            return job["result"]["current"]  # type: ignore[index]

        assert await run("unmoved") is True
        assert await run("edited", "SubClassOf(<urn:a> <urn:b>)") is False
        assert await run("edited and undone", "SubClassOf(<urn:c> <urn:d>)", "undo") is True


async def test_the_selected_reasoner_is_the_one_that_runs(document: Path) -> None:
    async with window_on_editor(document, "--reasoner", "elk-0.4.3") as (host, window):

        async def profile_id() -> object:
            return (await window.call("describe_window", {}))["reasoner"]["profile_id"]  # type: ignore[index]

        assert await profile_id() == "elk-0.4.3"
        job = await classified(window, "elk")
        assert job["input_identity"]["reasoner_digest"] == resolve("elk-0.4.3").profile_key  # type: ignore[index]
        await host.do("select", reasoner="hermit-1.4.3.456")
        assert await profile_id() == "hermit-1.4.3.456"
        assert await window.code_of("classification", {}, "elk") == "idempotency_conflict"

        gate = Gate(window.window)
        started = await window.start("classification", {}, "hermit")
        with anyio.fail_after(60):
            await gate.arrived.wait()
        await host.do("select", reasoner="elk-0.4.3")
        gate.opened.set()
        job = await window.ended(started["job"]["job_id"])  # type: ignore[index]
        result = job["result"]
        assert (result["current"], result["changed_inputs"]) == (False, ["reasoner_digest"])  # type: ignore[index]


async def test_a_reasoner_is_proven_as_it_is_selected(document: Path) -> None:
    async with window_on_editor(document) as (host, window):
        await host.do("select", reasoner="hermit-1.4.3.456")
        with anyio.fail_after(60):
            while True:
                reasoner = (await window.call("describe_window", {}))["reasoner"]
                if reasoner["profile_id"] == "hermit-1.4.3.456" and reasoner["probe"] is not None:  # type: ignore[index]
                    break
                await anyio.sleep(0.1)


async def test_a_diff_against_a_file_sees_unsaved_edits(document: Path, places: Places) -> None:
    (places.project / "saved.ofn").write_text(document.read_text())
    async with window_on_editor(document) as (host, window):
        for key, edit, is_identical in (
            ("saved", None, True),
            ("edited", "SubClassOf(<urn:a> <urn:b>)", False),
        ):
            if edit is not None:
                await host.add(edit)
            started = await window.start("semantic_diff", {"right_document": "saved.ofn"}, key)
            job = await window.ended(started["job"]["job_id"])  # type: ignore[index]
            assert job["state"] == "succeeded", job
            assert job["result"]["structured"]["identical"] is is_identical  # type: ignore[index]


async def test_an_edit_between_two_starts_is_a_conflict_of_their_key(document: Path) -> None:
    async with window_on_editor(document, profile="pyelk-0.2.1") as (host, window):
        await classified(window, "same")
        await host.add("SubClassOf(<urn:a> <urn:b>)")
        assert await window.code_of("classification", {}, "same") == "idempotency_conflict"


@pytest.mark.parametrize("end", ["kill", "freeze"])
async def test_a_window_whose_editor_is_gone_says_so_and_closes(
    end: str, document: Path, places: Places
) -> None:
    async with headless_host(document) as host:
        async with open_window(WindowSettings(gateway=host.address, profile="pyelk-0.2.1")) as window:
            driver = Driver(window)
            await classified(driver)
            if end == "kill":
                await host.kill()
            else:
                host.freeze()
            begun = time.monotonic()
            assert await driver.code_of("classification", {}, "later") == "host_unavailable"
            assert time.monotonic() - begun < 2.5
            (job,) = await driver.jobs()
            assert job["state"] == "succeeded", "what was computed stays readable"
            begun = time.monotonic()
        assert time.monotonic() - begun < 5
    assert places.left() == []
    assert places.processes() == []


async def test_a_window_without_a_local_folder_starts_no_job(document: Path) -> None:
    async with headless_host(document) as host:
        settings = WindowSettings(gateway=host.address)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("plugin_bridge.host.origin._local_file", lambda _: None)
            async with open_window(settings) as window:
                driver = Driver(window)
                assert await driver.code_of("classification", {}) == "job_policy_required"
                with pytest.raises(PolicyRequired, match="Save the document"):
                    await driver.call("describe_window", {})
                assert await driver.jobs() == []


async def test_a_window_opens_when_the_editor_has_loaded(document: Path) -> None:
    async with headless_host(document, loaded=False) as host:
        async with open_window(WindowSettings(gateway=host.address)) as window:
            assert window.title == "document.ofn"


async def test_a_window_is_not_opened_on_an_editor_that_is_gone(document: Path, places: Places) -> None:
    async with headless_host(document) as host:
        await host.kill()
        with pytest.raises(HostUnavailable):
            async with open_window(WindowSettings(gateway=host.address)):
                raise AssertionError("it opened")
    assert places.left() == []


BACKEND = """
import sys, anyio
from plugin_bridge.host.address import GatewayAddress
from plugin_bridge.host.gateway import GatewayClient

async def main():
    client = GatewayClient(GatewayAddress.parse(sys.stdin.buffer.readline()))
    hello = await client.hello()
    await client.aclose()
    print(hello["host"], flush=True)
    sys.stdin.buffer.read()  # the lifeline
    print("over", flush=True)

anyio.run(main)
"""


def test_a_spawned_backend_is_told_of_the_gateway_and_ends_with_the_host(document: Path) -> None:
    with run_host(document, "--spawn-backend", sys.executable, "-c", BACKEND) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        assert b"headless\n" in lines
        (backend,) = children_of(process.pid)
        process.stdin.close()
        assert process.stdout.read().endswith(b"over\n")
        assert process.wait(timeout=30) == 0
        assert backend not in children_of(process.pid)
    assert ROOT.exists()
