"""What a live host tells by itself: events, long-polled by one task and handed on in order.

The poll runs in the gateway's own thread. The stream is bounded; when nobody reads it, the oldest
events stay, later ones are dropped, and the reader is told so by `EventsLost` as soon as it reads again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio

from jobs.errors import HostUnavailable
from plugin_bridge.host.answers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from anyio.streams.memory import MemoryObjectReceiveStream

    from plugin_bridge.host.gateway import GatewayClient

_PENDING_MAX: Final = 1_000  # as many as the host keeps
RETRY_S: Final = 0.4
"""Between two polls of a host that does not answer (ours)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionMoved:
    """The ontology was edited, or another one is active now; only the newest is told."""

    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureMoved:
    """A capture entered a state."""

    capture_id: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonerSelected:
    """Another reasoner is selected, or its settings changed; the next capture says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested:
    """A person asked in the editor to cancel a job."""

    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostClosing:
    """The window is on its way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsLost:
    """Some events before the next one were not delivered: look at the state itself."""


HostEvent = RevisionMoved | CaptureMoved | ReasonerSelected | CancelRequested | HostClosing | EventsLost


class EventFeed:
    """The events of one host.

    Args:
        on_event: sees each event first, at once; must not wait.
        on_silence: called when a poll failed; awaits whatever it wants to find out.
    """

    def __init__(self, client: GatewayClient, on_event: Callable[[HostEvent], None]) -> None:
        self._client = client
        self._on_event = on_event
        self._send, self.stream = anyio.create_memory_object_stream[HostEvent](_PENDING_MAX)
        self._has_dropped = False

    stream: MemoryObjectReceiveStream[HostEvent]
    """For one reader; ends when the host closes."""

    async def run(self) -> None:
        """Poll until the host closes its end."""
        cursor = 0
        with self._send:
            while True:
                try:
                    answer = await self._client.await_events(cursor)
                    is_lost, rows, is_closed = answer["lost"], answer["events"], answer["closed"]
                    cursor = number_of(answer, "cursor")
                except HostUnavailable:
                    await anyio.sleep(RETRY_S)
                    continue
                if is_lost:
                    self._tell(EventsLost())
                for row in rows if isinstance(rows, list) else ():
                    event = _event(row)
                    if event is not None:
                        self._tell(event)
                if is_closed:
                    self._tell(HostClosing())
                    return

    def _tell(self, event: HostEvent) -> None:
        self._on_event(event)
        try:
            if self._has_dropped:
                self._send.send_nowait(EventsLost())
                self._has_dropped = False
            self._send.send_nowait(event)
        except anyio.WouldBlock:
            self._has_dropped = True

    def close(self) -> None:
        """Close the reader's end, if nobody else did."""
        self.stream.close()


def _event(row: Mapping[str, object]) -> HostEvent | None:
    """One event; None for a type that a later version of the contract may add."""
    match row:
        case {"type": "revision", "revision": int(revision)}:
            return RevisionMoved(revision=revision)
        case {"type": "capture", "capture_id": str(capture_id), "state": str(state)}:
            return CaptureMoved(capture_id=capture_id, state=state)
        case {"type": "reasoner"}:
            return ReasonerSelected()
        case {"type": "cancel_requested", "job_id": str(job_id)}:
            return CancelRequested(job_id=job_id)
        case {"type": "closing"}:
            return HostClosing()
        case _:
            return None
