"""The door in front of the SDK's HTTP application: who may come in, and with how much.

Order of checks, cheapest and least telling first: path, Host, Origin, token, method, size, room,
then the body itself. Everything refused here was seen by no other part of the window.

The SDK has checks of its own for some of it; they are left off, so that one place answers.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from plugin_bridge.mcp_server import wire
from plugin_bridge.mcp_server.server import SESSION_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from jobs.values import Json
    from plugin_bridge.access import AccessTable, Session

PATH: Final = "/mcp"
_METHODS: Final = ("POST", "GET", "DELETE")
_ONCE: Final = frozenset({b"host", b"origin", b"authorization", b"mcp-session-id"})
"""Headers that decide who may call: of two, a reader behind this door could take the other one."""
CALLS: Final = 128  # ours: requests being served at once
STREAMS: Final = 64  # ours: standing event streams (GET) at once
DRAIN_S: Final = 2.0  # ours: what a call gets to end when the window closes


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An HTTP answer that ends the request at the door."""

    status: int
    body: Json
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Door:
    """See the module.

    Args:
        hosts: the accepted values of `Host`; an `Origin`, when sent, must be `http://` and one of them.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: AccessTable,
        hosts: frozenset[str],
        calls_max: int = CALLS,
        streams_max: int = STREAMS,
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts
        self._origins = frozenset(f"http://{each}" for each in hosts)
        self._calls_max = calls_max
        self._streams_max = streams_max
        self._calls: set[anyio.CancelScope] = set()
        self._streams: set[anyio.CancelScope] = set()
        self._is_closing = False
        self._idle = anyio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        admitted = self._admit(scope)
        if isinstance(admitted, Refusal):
            await _refuse(admitted, send)
            return
        scope[SESSION_KEY] = admitted
        # The SDK binds its own sessions to the user of the scope: another owner gets 404 for them.
        owner = AccessToken(token="-", client_id=admitted.owner.owner_fingerprint, scopes=[])
        scope["user"] = AuthenticatedUser(owner)
        if scope["method"] == "GET":
            await self._stream(admitted, scope, receive, send)
        else:
            await self._call(scope, receive, send)

    async def close(self, drain_s: float = DRAIN_S) -> None:
        """Refuse what comes, end the streams, let calls under way end, then cancel them."""
        self._is_closing = True
        for scope in tuple(self._streams):
            scope.cancel()
        self._note_idle()
        with anyio.move_on_after(drain_s):
            await self._idle.wait()
        for scope in tuple(self._calls):
            scope.cancel()
        with anyio.move_on_after(drain_s):
            await self._idle.wait()

    # --- Admission --------------------------------------------------------------------------------

    def _admit(self, scope: Scope) -> Session | Refusal:
        """Everything that can be decided from the head of the request."""
        if scope["path"] != PATH:
            return _refusal(404, f"There is nothing here; MCP is served at {PATH}.")
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in _ONCE and name in headers:
                return _refusal(400, f"The header {name.decode()} may stand only once.")
            headers.setdefault(name, value)
        if headers.get(b"host", b"").decode("latin-1").lower() not in self._hosts:
            return _refusal(421, "This window does not answer under that Host.")
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in self._origins:
            return _refusal(403, "Pages of other origins may not call this window.")
        session = self._authenticate(headers.get(b"authorization"))
        if isinstance(session, Refusal):
            return session
        if scope["method"] not in _METHODS:
            allow = ", ".join(_METHODS).encode()
            return _refusal(405, "Use POST, GET or DELETE.", (b"allow", allow))
        return self._has_room(scope["method"], headers) or session

    def _authenticate(self, header: bytes | None) -> Session | Refusal:
        challenge = b'Bearer realm="protege-jobs"'
        if header is None:
            return _refusal(401, "A bearer token is needed.", (b"www-authenticate", challenge))
        scheme, _, token = header.decode("latin-1").partition(" ")
        session = self._access.authenticate(token.strip()) if scheme.lower() == "bearer" else None
        if session is None:
            challenge += b', error="invalid_token"'
            return _refusal(401, "This token is not valid here.", (b"www-authenticate", challenge))
        return session

    def _has_room(self, method: str, headers: dict[bytes, bytes]) -> Refusal | None:
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or len(declared) > 12 or int(declared) > wire.MESSAGE_BYTES:
            return _refusal(413, wire.too_large().message)
        is_stream = method == "GET"
        count, most = (
            (len(self._streams), self._streams_max) if is_stream else (len(self._calls), self._calls_max)
        )
        if self._is_closing or count >= most:
            return _refusal(503, "The window is busy; try again in a second.", (b"retry-after", b"1"))
        return None

    # --- Service ----------------------------------------------------------------------------------

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(send)
        with self._held(self._calls):
            body = await _whole_body(receive)
            if body is None:
                return  # the client has gone
            rejected = wire.inspect(body) if scope["method"] == "POST" else None
            if rejected is not None:
                await _refuse(_of_rejection(rejected), send)
                return
            await self._app(scope, _replayed(body, receive), answer.send)
        await answer.complete()

    async def _stream(self, session: Session, scope: Scope, receive: Receive, send: Send) -> None:
        """A standing stream ends with its client, its grant or the window."""
        answer = _Answer(send)
        with self._held(self._streams):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._cut_when_revoked, session, tasks.cancel_scope)
                await self._app(scope, receive, answer.send)
                tasks.cancel_scope.cancel()
        await answer.complete()

    async def _cut_when_revoked(self, session: Session, stream: anyio.CancelScope) -> None:
        await self._access.wait_revoked(session)
        stream.cancel()

    @contextmanager
    def _held(self, among: set[anyio.CancelScope]) -> Iterator[anyio.CancelScope]:
        with anyio.CancelScope() as scope:
            among.add(scope)
            try:
                yield scope
            finally:
                among.discard(scope)
                self._note_idle()

    def _note_idle(self) -> None:
        if self._is_closing and not self._calls and not self._streams:
            self._idle.set()


class _Answer:
    """Watches one HTTP answer, so that one cut short still ends as HTTP says."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_begun = False
        self._is_complete = False

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on."""
        self._is_begun = True
        self._is_complete = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def complete(self) -> None:
        """End an answer that the application left open, because the door cut it."""
        if not self._is_begun:
            await _refuse(_refusal(503, "The window is closing."), self._send)
        elif not self._is_complete:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


async def _whole_body(receive: Receive) -> bytes | None:
    """The body, cut one byte above the bound; None when the client left before its end."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > wire.MESSAGE_BYTES:
            return bytes(body)  # a chunked body has no declared length; `inspect` refuses this one
        if not message.get("more_body", False):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body again, then whatever else the client does, which is to leave."""
    is_given = False

    async def again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _refusal(status: int, message: str, *headers: tuple[bytes, bytes]) -> Refusal:
    return Refusal(status=status, body={"error": message}, headers=headers)


def _of_rejection(rejected: wire.Rejection) -> Refusal:
    status = 413 if rejected == wire.too_large() else 400
    return Refusal(status=status, body=rejected.body())


async def _refuse(refused: Refusal, send: Send) -> None:
    body = json.dumps(refused.body).encode()
    head = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *refused.headers,
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": head})
    await send({"type": "http.response.body", "body": body})
