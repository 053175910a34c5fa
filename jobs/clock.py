"""Time as an argument: one small Protocol, and the one spelling of a timestamp on the wire.

Waiting is not here: waits go through anyio, whose clock a test can move.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time of day, in UTC. It may step backwards; the kernel absorbs that (W 2.7)."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


def rfc3339(at: datetime) -> str:
    """The moment in UTC with six digits of a second and `Z`: always 27 characters."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse_rfc3339(text: str) -> datetime:
    """Read what `rfc3339` writes, and nothing else.

    Raises:
        ValueError: any other spelling.
    """
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
