"""Calls into the host over Py4J: the one room that knows that library.

Every call runs in a thread of the gateway's own, on one of three connections: the heartbeat's, the
events' long poll, and all else. Each has a socket timeout; and when a caller is cancelled, or the
whole gateway is given up, the socket is shut down under the thread, which then ends at once. So
nothing here outlasts its caller, whatever the host does.

Py4J's connection and its text protocol are used, its gateway object is not: that would look
classes up, collect references and close under locks that a blocked reader holds. An answer is one line
of text within a bound; whatever else comes over the port is no answer, and never more than that.
"""

from __future__ import annotations

import json
import logging
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import checkpoint_if_cancelled
from py4j.java_gateway import GatewayConnection, GatewayParameters
from py4j.protocol import (
    CALL_COMMAND_NAME,
    ENTRY_POINT_OBJECT_ID,
    Py4JAuthenticationError,
    Py4JError,
    get_command_part,
    unescape_new_line,
)

from jobs.errors import HostUnavailable
from jobs.tasks import open_tasks
from plugin_bridge.host.address import CONTRACT
from plugin_bridge.host.answers import members_of, number_of

if TYPE_CHECKING:
    from jobs.values import Json
    from plugin_bridge.host.address import GatewayAddress

logger = logging.getLogger(__name__)
# Py4J logs each command, the one with the token among them, and each lost connection with a trace.
logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)

BEAT_S: Final = 1.2
"""How long the host may take to tell its revision; it never waits for anything to do so (ours)."""
CALL_S: Final = 4.0
"""Other calls may wait a second for the editor's model thread (ours)."""
POLL_MS: Final = 20_000
"""One long poll; the host caps it at 25 s."""
_POLL_SLACK_S: Final = 5.0
_CLOSE_S: Final = 0.5
ANSWER_BYTES: Final = 64 << 20
"""More than the manifest of any closure takes; what writes on without end is not the host (ours)."""
_TEXT: Final = b"!ys"
"""How Py4J begins an answer that is a text, as every answer of the contract is."""


class GatewayClient:
    """One backend's connections to its host; made by who owns the window, ended with `aclose`."""

    def __init__(self, address: GatewayAddress) -> None:
        limiter = CapacityLimiter(3)
        self._beat = _Line(address, limiter)
        self._events = _Line(address, limiter)
        self._control = _Line(address, limiter)

    async def hello(self) -> Json:
        """Shake hands; `host`, `host_version`, `java`, `window_id` and `pid` of the host.

        Raises:
            HostUnavailable: it does not answer, or speaks another version.
        """
        return await self._control.call("hello", CONTRACT, within_s=CALL_S)

    async def revision(self) -> tuple[int, bool]:
        """The session revision, 0 before an ontology is ready; and whether the host is closing."""
        answer = await self._beat.call("revision", within_s=BEAT_S)
        return number_of(answer, "revision"), bool(answer.get("closing"))

    async def describe(self) -> Json:
        """Title, IRIs, format, reasoner and size of the active ontology."""
        return await self._control.call("describe", within_s=CALL_S)

    async def start_capture(self, capture_id: str, max_axioms: int) -> None:
        """Begin a capture into the folder of this name below the host's directory."""
        request = json.dumps({"folder": capture_id, "max_axioms": max_axioms})
        await self._control.call("startCapture", request, within_s=CALL_S)

    async def capture_status(self, capture_id: str) -> Json:
        """`state`, and in the end `manifest` or `error`."""
        return await self._control.call("captureStatus", capture_id, within_s=CALL_S)

    async def cancel_capture(self, capture_id: str) -> None:
        """Give a capture back, in whatever state; the host deletes its files."""
        await self._control.call("cancelCapture", capture_id, within_s=CALL_S)

    async def await_events(self, cursor: int, timeout_ms: int = POLL_MS) -> Json:
        """Wait for events after a cursor: `events`, `cursor`, `lost`, `closed`."""
        within_s = timeout_ms / 1000 + _POLL_SLACK_S
        return await self._events.call("awaitEvents", cursor, timeout_ms, within_s=within_s)

    def give_up(self) -> None:
        """End every call under way now: the host does not answer."""
        for line in (self._beat, self._events, self._control):
            line.abort()

    async def aclose(self, reason: str = "the backend is leaving") -> None:
        """Say goodbye if the host listens, and close; takes half a second at most."""
        with anyio.CancelScope(shield=True):
            self._events.abort()
            with suppress(HostUnavailable):
                await self._control.call("close", reason, within_s=_CLOSE_S)
            for line in (self._beat, self._events, self._control):
                await line.aclose()


class _Line:
    """One connection, for one call at a time; made anew after a call that failed."""

    def __init__(self, address: GatewayAddress, limiter: CapacityLimiter) -> None:
        self._address = address
        self._limiter = limiter
        self._turn = anyio.Lock()
        self._connection: Any = None
        self._is_given_up = False

    async def call(self, method: str, *arguments: str | int, within_s: float) -> Json:
        """The answer's members.

        Raises:
            HostUnavailable: no answer in time, no host, or it says so itself.
            InputChanged, InvalidOntology, SnapshotTooLarge, InvalidRequest: the host refused.
        """
        async with self._turn:
            if self._is_given_up:  # between two calls, too: the connection is cut, the host may be back
                await to_thread.run_sync(self._drop, limiter=self._limiter)
            self._is_given_up = False
            is_over = False

            async def end_it_when_due() -> None:
                try:
                    await anyio.sleep(2 * within_s)
                finally:  # due, or the caller was cancelled: either way nobody waits for the thread
                    if not is_over:
                        self.abort()

            async with open_tasks() as tasks:
                tasks.start_soon(end_it_when_due, name="gateway bound")
                try:
                    text = await to_thread.run_sync(
                        self._exchange, _command(method, arguments), within_s, limiter=self._limiter
                    )
                finally:
                    is_over = True
                    tasks.cancel_scope.cancel()
            await checkpoint_if_cancelled()  # the caller's own end is no answer of the host
            if text is None:
                raise HostUnavailable("The editor does not answer. Try again in a moment.")
            return members_of(text)

    def abort(self) -> None:
        """End the call under way, from any task: its thread reads the end of the stream."""
        self._is_given_up = True
        connection = self._connection
        if connection is not None:
            # Not `close`: py4j's waits for the lock of the stream, which the reader holds.
            with suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)

    async def aclose(self) -> None:
        """Close the connection once its call has ended."""
        self.abort()
        async with self._turn:
            self._drop()

    # --- In a thread ------------------------------------------------------------------------------

    def _exchange(self, command: str, within_s: float) -> str | None:
        """The answer in Py4J's words turned to text; None when there is none."""
        try:
            if self._connection is None:
                self._connect(within_s)
            if self._is_given_up:
                raise Py4JError("given up")
            self._connection.socket.settimeout(within_s)
            self._connection.socket.sendall(command.encode())
            # Not `send_command`: it takes a line of any length, and its decoder fails in many ways.
            answer = self._connection.stream.readline(ANSWER_BYTES)
            if not (answer.startswith(_TEXT) and answer.endswith(b"\n")):
                raise Py4JError("no text")
            return str(unescape_new_line(answer[len(_TEXT) : -1].decode()))
        except Py4JAuthenticationError:
            self._connection = None  # py4j has closed it
            logger.error("gateway.token_refused")
        except (Py4JError, OSError, ValueError):
            self._drop()
        return None

    def _connect(self, within_s: float) -> None:
        parameters = GatewayParameters(
            address=self._address.address,
            port=self._address.port,
            auth_token=self._address.token,
            read_timeout=within_s,
        )
        self._connection = GatewayConnection(parameters)
        self._connection.stream = None  # py4j's close needs it, and sets it only when connected
        self._connection.start()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _command(method: str, arguments: tuple[str | int, ...]) -> str:
    parts = "".join(get_command_part(each) for each in arguments)
    return f"{CALL_COMMAND_NAME}{ENTRY_POINT_OBJECT_ID}\n{method}\n{parts}e\n"
