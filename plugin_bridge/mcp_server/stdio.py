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
from mcp_types import JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from mcp_types.jsonrpc import ErrorData
from pydantic import ValidationError

from plugin_bridge.mcp_server import wire
from plugin_bridge.mcp_server.pipes import LongLine, read_lines, standard_pipes, write_all

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel.server import Server

_AHEAD: Final = 16  # messages read or written ahead of the other side


async def serve_stdio(server: Server[dict[str, Any]]) -> None:
    """Serve one client until it closes its end or the caller cancels."""
    async with _transport() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


@asynccontextmanager
async def _transport() -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
]:
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](_AHEAD)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](_AHEAD)
    answers = outgoing.clone()
    with standard_pipes() as (stdin, stdout):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, stdin, to_server, answers)
            tasks.start_soon(_write, stdout, from_server)
            yield incoming, outgoing
            tasks.cancel_scope.cancel()  # the reader may wait for a client that never leaves


async def _read(
    stdin: int,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    answers: MemoryObjectSendStream[SessionMessage],
) -> None:
    async with to_server, answers:
        async for line in read_lines(stdin, wire.MESSAGE_BYTES):
            message = _parsed(line)
            try:
                if isinstance(message, wire.Rejection):
                    await answers.send(SessionMessage(_rejection(message)))
                elif message is not None:
                    await to_server.send(SessionMessage(message))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the server side has ended


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


async def _write(stdout: int, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with from_server:
        async for sent in from_server:
            text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await write_all(stdout, text.encode() + b"\n")
            except OSError:
                return  # the client has gone; the server sees it as the end of its stream
