"""Calls over the gateway: what can be called, how each call is bounded, and how the client ends."""

from __future__ import annotations

import json
import logging
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from jobs.errors import HostUnavailable, InvalidRequest
from plugin_bridge.host.address import CONTRACT
from plugin_bridge.host.events import CancelRequested, EventFeed, HostClosing, ReasonerSelected, RevisionMoved
from plugin_bridge.host.gateway import GatewayClient
from tests.support.headless_host import headless_host, run_host
from tests.support.live_window import small

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.support.headless_host import HeadlessHost
    from tests.support.live_window import Places

pytestmark = [pytest.mark.anyio, pytest.mark.java]
SOON_S = 5.0


@pytest.fixture
async def host(places: Places) -> AsyncIterator[HeadlessHost]:
    path = places.project / "document.ofn"
    path.write_text(small("SubClassOf(:A :B)"))
    async with headless_host(path) as host:
        yield host


@asynccontextmanager
async def client_of(host: HeadlessHost, **changes: object) -> AsyncIterator[GatewayClient]:
    client = GatewayClient(replace(host.address, **changes))  # type: ignore[arg-type]
    try:
        yield client
    finally:
        with anyio.fail_after(SOON_S):
            await client.aclose()
        assert client._control._limiter.borrowed_tokens == 0, "a thread is left"
        assert client._control._connection is client._events._connection is client._beat._connection is None


async def test_a_host_says_who_it_is(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        hello = await client.hello()
        assert (hello["contract"], hello["host"]) == (CONTRACT, "headless")
        assert (hello["window_id"], hello["pid"]) == (host.address.window_id, host.process.pid)
        assert await client.revision() == (1, False)
        description = await client.describe()
        assert (description["title"], description["format"]) == ("document.ofn", "functional")
        assert (description["reasoner"], description["dirty"], description["axiom_count"]) == (None, False, 1)


async def test_another_contract_is_told_with_both_numbers(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        with pytest.raises(HostUnavailable, match="install-plugin") as told:
            await client._control.call("hello", CONTRACT + 1, within_s=SOON_S)
        assert told.value.details["host"] == CONTRACT
        assert told.value.details["backend"] == CONTRACT + 1


async def test_a_wrong_token_is_refused_and_no_token_is_ever_logged(
    host: HeadlessHost, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with client_of(host, token="wrong" * 8) as client:
        with pytest.raises(HostUnavailable):
            await client.hello()
    async with client_of(host) as client:
        await client.hello()
    assert host.address.token not in repr(host.address)
    for record in caplog.records:
        assert host.address.token not in record.getMessage()
        assert "wrong" * 8 not in record.getMessage()


async def test_nothing_but_the_contract_can_be_reached(host: HeadlessHost) -> None:
    def try_all() -> list[object]:
        gateway = JavaGateway(
            gateway_parameters=GatewayParameters(
                address=host.address.address, port=host.address.port, auth_token=host.address.token
            )
        )
        entry = gateway.entry_point
        attempts = [
            lambda: gateway.jvm.java.lang.System.exit(3),
            lambda: gateway.jvm.java.util.ArrayList(),
            lambda: gateway.new_array(gateway.jvm.int, 2),
            lambda: gateway.help(entry, display=False),
            lambda: dir(entry),
            lambda: entry.getClass(),
            lambda: entry.hashCode(),
            lambda: entry.hello("1"),
            lambda: entry.hello(),
            lambda: entry.hello(1 << 40),
            lambda: entry.startCapture(None),
        ]
        found: list[object] = []
        for attempt in attempts:
            try:
                found.append(attempt())
            except Py4JError as error:
                found.append(error)
        gateway.close()
        gateway.shutdown()
        return found

    for answer in await anyio.to_thread.run_sync(try_all):
        if isinstance(answer, Py4JError):
            assert "\tat " not in str(answer), "a stack trace crossed"
        elif isinstance(answer, str):
            assert json.loads(answer)["code"] == "invalid_request"
        else:
            assert answer in (None, [])
    async with client_of(host) as client:
        assert await client.revision() == (1, False), "the shutdown was not refused"


async def test_a_capture_cannot_leave_the_directory(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        for folder in ("", ".", "..", "../x", "capture-../x", "capture-a/b", "C:x", "capture-A", "capture-"):
            with pytest.raises(InvalidRequest):
                await client.start_capture(folder, 10)
        with pytest.raises(InvalidRequest):
            await client.start_capture("capture-a", 0)
        with pytest.raises(InvalidRequest):
            await client.capture_status("capture-a")
        await client.cancel_capture("capture-a")
    assert host.directory() == []


async def test_a_busy_model_thread_does_not_hold_up_the_heartbeat(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        await client.revision()
        await host.do("hang")
        for _ in range(20):
            assert await client.revision() == (1, False)  # within BEAT_S, or it raises
        with pytest.raises(HostUnavailable, match="busy"):
            await client.describe()


async def test_a_cancelled_call_and_a_closed_client_leave_at_once(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        cursor = (await client.await_events(0))["cursor"]
        assert isinstance(cursor, int)
        begun = time.monotonic()
        with anyio.move_on_after(0.2):
            await client.await_events(cursor)
        assert time.monotonic() - begun < SOON_S

        async def poll() -> None:
            with pytest.raises(HostUnavailable):
                await client.await_events(cursor)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(poll)
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(SOON_S):
                await client.aclose()
        assert await client.revision() == (1, False), "a later call connects anew"


async def test_the_first_call_after_the_host_was_given_up_reaches_it(host: HeadlessHost) -> None:
    """A beat that comes late cuts all lines; the editor that is back a moment later is not refused."""
    async with client_of(host) as client:
        await client.hello()
        client.give_up()
        assert (await client.hello())["window_id"] == host.address.window_id


async def test_closing_a_frozen_host_s_client_does_not_block(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        await client.revision()
        host.freeze()
        begun = time.monotonic()
        with pytest.raises(HostUnavailable):
            await client.revision()
        await client.aclose()
        assert time.monotonic() - begun < SOON_S


async def test_events_arrive_in_order_and_revisions_merge(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        cursor = (await client.await_events(0))["cursor"]
        await host.add("SubClassOf(<urn:a> <urn:b>)")
        await host.do("undo")
        await host.do("select", reasoner="hermit-1.4.3.456")
        await host.do("cancel_job", job_id="j1")
        answer = await client.await_events(int(str(cursor)))
        rows = answer["events"]
        assert isinstance(rows, list)
        assert [each["type"] for each in rows] == ["revision", "reasoner", "cancel_requested"]
        assert rows[0]["revision"] == 3
        assert (answer["lost"], answer["closed"]) == (False, False)
        assert (await client.await_events(0))["lost"] is False, "a merged event is not a lost one"


async def test_the_feed_ends_when_the_host_closes(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        feed = EventFeed(client, lambda _: None)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(feed.run)
            with anyio.fail_after(SOON_S), feed.stream:
                assert isinstance(await feed.stream.receive(), RevisionMoved)
                await host.do("select", reasoner="none")
                assert await feed.stream.receive() == ReasonerSelected()
                await host.do("cancel_job", job_id="j")
                assert await feed.stream.receive() == CancelRequested(job_id="j")
                await host.do("close")
                assert await feed.stream.receive() == HostClosing()
            tasks.cancel_scope.cancel()


async def test_too_many_events_are_said_to_be_lost(host: HeadlessHost) -> None:
    async with client_of(host) as client:
        for number in range(1_100):
            await host.tell("cancel_job", job_id=str(number))
        for _ in range(1_100):
            await host.line()
        answer = await client.await_events(0)
        rows = answer["events"]
        assert isinstance(rows, list)
        assert (len(rows), answer["lost"], answer["cursor"]) == (1_000, True, rows[-1]["sequence"])
        assert rows[-1]["job_id"] == "1099"


def test_the_host_ends_with_its_standard_input(places: Places, tmp_path: Path) -> None:
    document = places.project / "document.ofn"
    document.write_text(small("SubClassOf(:A :B)"))
    directory = tmp_path / "captures"
    directory.mkdir(0o700)
    with run_host(document, "--directory", directory) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    assert not directory.exists()
