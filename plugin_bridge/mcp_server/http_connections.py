"""Bounds on connections, below HTTP: how many, how slow, how long unread.

uvicorn bounds none of these for a connection that has not finished its first request, so a handful
of clients that send or read a byte a minute could hold the window's descriptors for ever.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

CONNECTIONS: Final = 256  # ours; one assistant needs one to three
REQUEST_S: Final = 30.0  # ours: a request must be complete this long after its first byte
UNREAD_S: Final = 30.0  # ours: an answer must be read on this long after the client stopped reading
LINGER_S: Final = 1.0
_BUSY_BODY: Final = b'{"error":"Too many connections; try again in a second."}'
BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_BUSY_BODY)
) + _BUSY_BODY


class BoundedProtocol(H11Protocol):
    """One connection that is refused when there are too many and dropped when it is too slow."""

    connections_max = CONNECTIONS
    request_s = REQUEST_S
    unread_s = UNREAD_S
    _lingering: set[BoundedProtocol]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._receiving: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Take the connection, or tell it that there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_max:
            self._refuse()
        else:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._lingering.discard(self)
        self._cancel("_receiving")
        self._cancel("_unread")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Hand the bytes on and look whether the request is complete."""
        if self._is_refused:
            return
        super().data_received(data)
        if self._is_receiving():
            self._await_request()
        else:
            self._cancel("_receiving")

    def on_response_complete(self) -> None:
        """Look again: a pipelined or half-read request may still be coming in."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.conn.their_state is h11.SEND_BODY:
            self._await_request()

    def pause_writing(self) -> None:
        """The client does not read: it has so long to go on."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.unread_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._cancel("_unread")

    def _is_receiving(self) -> bool:
        """Whether a request has begun and not ended."""
        state = self.conn.their_state
        return state is h11.SEND_BODY or (state is h11.IDLE and bool(self.conn.trailing_data[0]))

    def _await_request(self) -> None:
        """Start the clock of one request; bytes that trickle in do not restart it."""
        if self._receiving is None:
            self._receiving = self.loop.call_later(self.request_s, self.transport.abort)

    def _refuse(self) -> None:
        """Answer 503 and linger a second: closing at once could destroy the answer on its way."""
        self._is_refused = True
        self.connections.discard(self)
        if len(self._lingering) >= LINGERING:
            self.transport.abort()
            return
        self._lingering.add(self)
        self.transport.write(BUSY)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._receiving = self.loop.call_later(LINGER_S, self.transport.abort)

    def _cancel(self, name: str) -> None:
        timer: asyncio.TimerHandle | None = getattr(self, name)
        if timer is not None:
            timer.cancel()
            setattr(self, name, None)


def bounded_protocol(
    connections: int = CONNECTIONS, request_s: float = REQUEST_S, unread_s: float = UNREAD_S
) -> type[BoundedProtocol]:
    """The protocol class of one server, with its own bounds and its own lingering connections."""
    return type(
        "Bounded",
        (BoundedProtocol,),
        {
            "connections_max": connections,
            "request_s": request_s,
            "unread_s": unread_s,
            "_lingering": set(),
        },
    )


def _descriptors() -> int:
    """How many files this process may open; where the system does not say, a modest guess."""
    if sys.platform == "win32":
        return 2048
    import resource

    return max(256, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 16_384))


LINGERING: Final = _descriptors() // 4
"""Refused connections that may wait for their client to read the answer; beyond, they are reset."""
