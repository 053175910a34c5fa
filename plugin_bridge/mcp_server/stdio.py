"""MCP on the process's own pipes: protocol on stdin and stdout, everything else on stderr.

The SDK's stdio transport reads with a blocking call in a thread, which keeps a closing window
waiting for one more line, and stays silent on a line it cannot parse. This one waits on the
descriptors, so it can be cancelled at any moment, bounds a line, and answers every line.

Invariant: while serving, descriptor 0 is the null device and descriptor 1 is stderr, so a stray
print or a child process can neither eat nor forge protocol.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from mcp_types.jsonrpc import ErrorData
from pydantic import ValidationError

from plugin_bridge.mcp_server import wire
from plugin_bridge.mcp_server.pipes import LongLine, read_lines, standard_pipes, write_all

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel.server import Server

    Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
    ToServer = MemoryObjectSendStream[SessionMessage | Exception]
    Outgoing = MemoryObjectSendStream[SessionMessage]

_AHEAD: Final = 16  # messages read or written ahead of the other side
CALLS: Final = 128  # ours: requests being served at once, as over HTTP
DRAIN_S: Final = 5.0  # ours: what calls and answers get to end after the client's last line


async def serve_stdio(server: Server[dict[str, Any]]) -> None:
    """Serve one client until it closes its end or the caller cancels."""
    async with _transport() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


@asynccontextmanager
async def _transport() -> AsyncIterator[tuple[Incoming, Outgoing]]:
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](_AHEAD)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](_AHEAD)
    answers = outgoing.clone()
    open_calls = _OpenCalls()
    with standard_pipes() as (stdin, stdout):
        async with anyio.create_task_group() as writing, anyio.create_task_group() as reading:
            reading.start_soon(_read, stdin, to_server, answers, open_calls)
            writing.start_soon(_write, stdout, from_server, open_calls)
            yield incoming, outgoing
            reading.cancel_scope.cancel()  # it may wait for a client that never leaves
            writing.cancel_scope.deadline = anyio.current_time() + DRAIN_S


class _OpenCalls:
    """Requests that were read and not answered: at most `CALLS` at once, and served before the end.

    Beyond the bound no further line is read, so a flood waits in the client's pipe and not in our
    memory. Without the second rule `serve FILE < requests` would lose answers: the SDK cancels what
    is under way as soon as its input ends.
    """

    def __init__(self) -> None:
        self._ids: set[int | str] = set()
        self._none = anyio.Event()
        self._room = anyio.Event()
        self._is_last = False

    async def wait_for_room(self) -> None:
        """Wait until another request may be read."""
        while len(self._ids) >= CALLS and not self._none.is_set():
            self._room = anyio.Event()
            await self._room.wait()

    def note_read(self, message: JSONRPCMessage) -> None:
        """A request opens a call; its cancellation by the client closes it without an answer."""
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            if isinstance(cancelled, int | str):
                self._close(cancelled)

    def note_written(self, message: JSONRPCMessage) -> None:
        """An answer closes its call."""
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._close(message.id)

    def abandon(self) -> None:
        """Nobody reads answers any more."""
        self._none.set()
        self._room.set()

    async def drained(self) -> None:
        """Wait until every call is closed, at most `DRAIN_S`."""
        self._is_last = True
        if self._ids:
            with anyio.move_on_after(DRAIN_S):
                await self._none.wait()

    def _close(self, request_id: int | str) -> None:
        self._ids.discard(request_id)
        self._room.set()
        if self._is_last and not self._ids:
            self._none.set()


async def _read(stdin: int, to_server: ToServer, answers: Outgoing, open_calls: _OpenCalls) -> None:
    async with to_server, answers:
        async for line in read_lines(stdin, wire.MESSAGE_BYTES):
            message = _parsed(line)
            try:
                if isinstance(message, wire.Rejection):
                    await answers.send(SessionMessage(_rejection(message)))
                elif message is not None:
                    await open_calls.wait_for_room()
                    open_calls.note_read(message)
                    await to_server.send(SessionMessage(message))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the server side has ended
        await open_calls.drained()


def _parsed(line: bytes | LongLine) -> JSONRPCMessage | wire.Rejection | None:
    """The message of one line, None for a blank line."""
    if isinstance(line, LongLine):
        return wire.too_large()
    if not line.strip():
        return None
    rejection = wire.inspect(line)
    if rejection is not None:
        return rejection
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return wire.unparsed(line)


def _rejection(rejected: wire.Rejection) -> JSONRPCError:
    error = ErrorData.model_validate(rejected.error())
    return JSONRPCError(jsonrpc="2.0", id=rejected.request_id, error=error)


async def _write(
    stdout: int, from_server: MemoryObjectReceiveStream[SessionMessage], open_calls: _OpenCalls
) -> None:
    async with from_server:
        async for sent in from_server:
            text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await write_all(stdout, text.encode() + b"\n")
            except OSError:
                open_calls.abandon()  # the client has gone; the server sees it as the end of its stream
                return
            open_calls.note_written(sent.message)
