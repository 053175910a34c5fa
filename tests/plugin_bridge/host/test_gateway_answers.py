"""What comes over a gateway's port and is no answer: the window is told so, and goes on."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.errors import HostUnavailable
from plugin_bridge.host import gateway
from plugin_bridge.host.address import GatewayAddress
from plugin_bridge.host.answers import members_of, number_of
from plugin_bridge.host.events import EventFeed, HostClosing
from plugin_bridge.host.gateway import GatewayClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import ByteStream

    from plugin_bridge.host.events import HostEvent

pytestmark = pytest.mark.anyio
TRUSTED = b"!yv\n"
CLOSED = b'!ys{"ok": true, "events": [], "cursor": 0, "lost": false, "closed": true}\n'
NO_ANSWER = {
    "nothing": b"\n",
    "no value": b"!ys\n",
    "no line end": b'!ys{"ok": true, "revision": 1, "closing": false}',
    "no type": b"!y\n",
    "void": b"!yv\n",
    "a reference": b"!yro1\n",
    "an error with a reference": b"!xro1\n",
    "a bad number": b"!yixx\n",
    "a bad decimal": b"!yDxx\n",
    "an unknown type": b"!yQ\n",
    "another protocol": b"HTTP/1.1 200 OK\r\n",
    "no UTF-8": b"!ys\xff\xfe\n",
    "no JSON": b"!ysno JSON\n",
    "a list": b"!ys[]\n",
    "a list nested without end": b"!ys" + b"[" * 200_000 + b"\n",
    "an object without its members": b'!ys{"ok": true}\n',
    "members of other types": b'!ys{"ok": true, "revision": 1.5, "cursor": NaN, "events": 5}\n',
    "a number too long to read": b'!ys{"ok": true, "revision": ' + b"9" * 6_000 + b"}\n",
    "half a character": b'!ys{"ok": false, "code": "\\\\ud800", "message": "\\\\ud800"}\n',
}


@asynccontextmanager
async def client_at(*answers: bytes) -> AsyncIterator[GatewayClient]:
    """A client of a port that gives these answers in turn, the last one again and again."""
    left = list(answers)

    async def answer(stream: ByteStream) -> None:
        async with stream:
            said = b""
            while True:
                try:
                    said += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    return
                if said.startswith(b"A\n") and said.count(b"\n") >= 2:
                    said = b""
                    await stream.send(TRUSTED)
                elif said.endswith(b"\ne\n"):
                    said = b""
                    answered = left.pop(0) if len(left) > 1 else left[0]
                    await stream.send(answered)
                    if not answered.endswith(b"\n"):
                        return

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    address = GatewayAddress(
        address="127.0.0.1", port=port, token="t", window_id="w", directory=Path("/nowhere")
    )
    client = GatewayClient(address)
    with anyio.fail_after(30):
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, answer)
            try:
                yield client
            finally:
                await client.aclose()
                tasks.cancel_scope.cancel()
    assert client._control._limiter.borrowed_tokens == 0, "a thread is left"


@pytest.mark.parametrize("answer", NO_ANSWER.values(), ids=NO_ANSWER)
async def test_what_is_no_answer_is_an_editor_that_does_not_answer(answer: bytes) -> None:
    async with client_at(answer) as client:
        with pytest.raises(HostUnavailable) as told:
            await client.revision()
        str(told.value).encode()  # it can be written


@pytest.mark.parametrize("answer", NO_ANSWER.values(), ids=NO_ANSWER)
async def test_events_are_asked_for_again_after_what_is_no_answer(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugin_bridge.host.events.RETRY_S", 0)
    told: list[HostEvent] = []
    async with client_at(answer, CLOSED) as client:
        feed = EventFeed(client, told.append)
        await feed.run()
        feed.close()
    assert told == [HostClosing()]


async def test_a_line_without_an_end_is_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "ANSWER_BYTES", 1_000)
    long = b'!ys{"ok": true, "revision": 1, "x": "' + b"x" * 10_000 + b'"}\n'
    async with client_at(long) as client:
        with pytest.raises(HostUnavailable):
            await client.revision()


def test_a_member_that_is_not_there_is_no_defect_of_ours() -> None:
    answer = members_of('{"ok": true, "manifest": {"revision": "1"}}')
    manifest = answer["manifest"]
    assert isinstance(manifest, dict)
    for look in (
        lambda: answer["title"],
        lambda: manifest["title"],
        lambda: number_of(answer, "n"),
        lambda: number_of(manifest, "revision"),
    ):
        with pytest.raises(HostUnavailable):
            look()
