"""The MCP face on a real loopback socket over the fake window, and two ways to talk to it."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from jobs.descriptor import describe
from plugin_bridge.access import AccessTable, RequestRecord
from plugin_bridge.mcp_server.http import BoundAddress, HttpSettings, serve_http
from plugin_bridge.mcp_server.server import build_server, session_of_request
from plugin_bridge.mcp_server.tools import ToolCalls
from tests.support.fake_window import FakeWindow

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from mcp.server.lowlevel.server import Server

TOKEN = "a-token-of-the-window-itself"
MODERN = "2026-07-28"


class ListAudit:
    """Keeps the records."""

    def __init__(self) -> None:
        self.records: list[RequestRecord] = []

    def record(self, record: RequestRecord) -> None:
        self.records.append(record)


@dataclass(frozen=True)
class Reply:
    """A raw HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        return json.loads(self.body)


@dataclass(frozen=True)
class Face:
    """A running server and what stands behind it."""

    address: BoundAddress
    access: AccessTable
    window: FakeWindow
    audit: ListAudit
    server: Server[dict[str, Any]]

    @asynccontextmanager
    async def client(self, token: str = TOKEN, mode: str = "auto") -> AsyncIterator[Client]:
        """The SDK's own client over HTTP."""
        headers = {"authorization": f"Bearer {token}"}
        async with create_mcp_http_client(headers) as http:
            transport = streamable_http_client(self.address.url, http_client=http)
            async with Client(transport, mode=mode) as connected:
                yield connected

    async def send(self, raw: bytes) -> bytes:
        """Raw bytes over a fresh connection; everything that comes back until it closes."""
        async with await anyio.connect_tcp(self.address.host, self.address.port) as stream:
            await stream.send(raw)
            received = b""
            try:
                while True:
                    received += await stream.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return received

    async def request(self, raw: bytes) -> Reply:
        """Like `send`, read as one HTTP answer."""
        head, _, body = (await self.send(raw)).partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        return Reply(status=int(first.split()[1]), headers=headers, body=body)

    async def post(self, body: bytes, **headers: str) -> Reply:
        """One POST; keywords replace or add headers (`_` for `-`), None leaves one out."""
        return await self.request(self.post_bytes(body, **headers))

    def post_bytes(self, body: bytes, **headers: str | None) -> bytes:
        """The bytes of one POST that asks for the connection to be closed."""
        all_headers = {
            "host": f"127.0.0.1:{self.address.port}",
            "authorization": f"Bearer {TOKEN}",
            "content_type": "application/json",
            "accept": "application/json, text/event-stream",
            "content_length": str(len(body)),
            "connection": "close",
            **headers,
        }
        lines = [
            f"{key.replace('_', '-')}: {value}" for key, value in all_headers.items() if value is not None
        ]
        return ("POST /mcp HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode() + body

    async def call(self, tool: str, arguments: object, token: str = TOKEN, **headers: str) -> Reply:
        """One modern `tools/call`."""
        modern = {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": tool}
        modern["authorization"] = f"Bearer {token}"
        return await self.post(call_body(tool, arguments), **{**modern, **headers})


def call_body(tool: str, arguments: object, request_id: int = 1) -> bytes:
    """A modern `tools/call` message."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}).encode()


@asynccontextmanager
async def http_face(window: FakeWindow | None = None, **settings: object) -> AsyncIterator[Face]:
    """A server on a random port of loopback; everything is gone when the block ends."""
    window = window or FakeWindow()
    audit = ListAudit()
    access = AccessTable(window.workspace_id, window.clock, window.cancel_where)
    access.add_static_token(TOKEN)
    calls = ToolCalls(window, access, audit, window.clock, describe)
    server = build_server(calls, session_of_request, "0.0.0")
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            address = await tasks.start(serve_http, server, access, HttpSettings(**settings))
            yield Face(address=address, access=access, window=window, audit=audit, server=server)
            tasks.cancel_scope.cancel()
