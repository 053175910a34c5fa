"""MCP over streamable HTTP: one socket on loopback, for callers with a token (decision 34).

uvicorn runs inside our task group: it neither takes signals nor outlives `serve_http`. Legacy
sessions and modern requests share the path `/mcp`; answers are event streams where the generation
allows, since progress would be lost in plain JSON answers.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from plugin_bridge.mcp_server import wire
from plugin_bridge.mcp_server.http_connections import CONNECTIONS, REQUEST_S, UNREAD_S, bounded_protocol
from plugin_bridge.mcp_server.http_door import CALLS, PATH, Door

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyio.abc import TaskStatus
    from mcp.server.lowlevel.server import Server

    from plugin_bridge.access import AccessTable

logger = logging.getLogger(__name__)

HEADER_BYTES: Final = 16 * 1024  # ours
LEGACY_SESSIONS: Final = 256  # ours
LEGACY_IDLE_S: Final = 30 * 60.0  # as the SDK
KEEP_ALIVE_S: Final = 30
STOP_S: Final = 10.0  # the longest a stop may take; its parts sum up to less
_BACKLOG: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """Where to listen and how much to take.

    `allowed_hosts` are further `Host` values, for a name that leads here; `allow_remote` lets the
    socket listen beyond this machine.
    """

    host: str = "127.0.0.1"
    port: int = 0
    allow_remote: bool = False
    allowed_hosts: tuple[str, ...] = ()
    connections: int = CONNECTIONS
    calls: int = CALLS
    request_s: float = REQUEST_S
    unread_s: float = UNREAD_S


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundAddress:
    """Where the server really listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The address of the MCP endpoint."""
        return f"http://{_bracketed(self.host)}:{self.port}{PATH}"


async def serve_http(
    server: Server[dict[str, Any]],
    access: AccessTable,
    settings: HttpSettings,
    *,
    task_status: TaskStatus[BoundAddress] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until cancelled; the stop is graceful and takes at most `STOP_S`.

    Reports the bound address when the socket accepts.

    Raises:
        ValueError: the address is not on this machine and `allow_remote` is false.
        OSError: the address cannot be bound.
    """
    bound = _bind(settings)
    host, port = bound.getsockname()[:2]
    address = BoundAddress(host=host, port=port)
    manager = StreamableHTTPSessionManager(
        server,
        max_request_body_size=wire.MESSAGE_BYTES,
        max_sessions=LEGACY_SESSIONS,
        session_idle_timeout=LEGACY_IDLE_S,
    )
    door = Door(manager.handle_request, access, _hosts(address, settings), settings.calls)
    listener = _Listener(_config(door, settings))
    async with manager.run(), anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, listener, bound)
        try:
            await listener.ready.wait()
            logger.info("http.listening", extra={"port": port})
            task_status.started(address)
            await anyio.sleep_forever()
        finally:
            with anyio.move_on_after(STOP_S, shield=True):
                await door.close()
                listener.should_exit = True
                await listener.ended.wait()
            tasks.cancel_scope.cancel()


class _Listener(uvicorn.Server):
    """uvicorn without its hands on our signals, which says when it listens and when it is done."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()
        self.ended = anyio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none: the window's owner decides what a signal means."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start and say so."""
        await super().startup(sockets)
        self.ready.set()


async def _listen(listener: _Listener, bound: socket.socket) -> None:
    # Shielded: a cancellation is answered by `should_exit`, which lets connections end in order.
    with anyio.CancelScope(shield=True):
        try:
            await listener.serve(sockets=[bound])
        finally:
            listener.ended.set()


def _config(door: Door, settings: HttpSettings) -> uvicorn.Config:
    return uvicorn.Config(
        door,
        http=bounded_protocol(settings.connections, settings.request_s, settings.unread_s),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=HEADER_BYTES,
    )


def _bind(settings: HttpSettings) -> socket.socket:
    host = "127.0.0.1" if settings.host == "localhost" else settings.host
    try:
        address = ipaddress.ip_address(host)
    except ValueError as error:
        raise ValueError("the host to listen on must be localhost or an IP address") from error
    if not address.is_loopback and not settings.allow_remote:
        raise ValueError(
            f"{host} is reachable from other machines; listening there must be allowed explicitly"
        )
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    bound = socket.create_server((host, settings.port), family=family, backlog=_BACKLOG)
    bound.setblocking(False)
    # asyncio switches Nagle's algorithm off only on sockets that name their protocol; with it on,
    # the body of every answer waits 40 ms for the acknowledgement of its head.
    return socket.socket(bound.family, bound.type, socket.IPPROTO_TCP, fileno=bound.detach())


def _hosts(address: BoundAddress, settings: HttpSettings) -> frozenset[str]:
    """What callers may have typed to come here; a page behind a foreign name has typed another."""
    names = {_bracketed(address.host), "localhost", *settings.allowed_hosts}
    bare = {name for name in settings.allowed_hosts if ":" in name}
    return frozenset(f"{name}:{address.port}".lower() for name in names) | frozenset(bare)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
