"""What a computation may say of itself, and how often it is heard (W 2.4, 10.3)."""

from __future__ import annotations

import re
from typing import Final

from jobs import limits
from jobs.kernel.lifecycle import MESSAGES

_PHASE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_RESERVED: Final = MESSAGES.keys() - {"running"}


def check_progress(phase: str, message: str) -> None:
    """Refuse progress that no descriptor could show.

    Raises:
        ValueError: a phase of the wrong form or of the lifecycle, a blank message, or one above
            1024 UTF-8 bytes: a programming error of the computation.
    """
    if _PHASE.fullmatch(phase) is None or phase in _RESERVED:
        raise ValueError("progress phase must match [a-z][a-z0-9_]{0,63} and be none of the lifecycle")
    if not message.strip():
        raise ValueError("progress message must not be blank")
    if len(message.encode("utf-8")) > limits.PROGRESS_MESSAGE_BYTES:
        raise ValueError(f"progress message must keep to {limits.PROGRESS_MESSAGE_BYTES} UTF-8 bytes")


class Throttle:
    """Lets at most so many updates a second through; the newest waiting one wins."""

    def __init__(self, per_s: float) -> None:
        self._gap_s = 1.0 / per_s
        self._free_at = float("-inf")
        self._newest: tuple[str, str] | None = None

    def offer(self, phase: str, message: str) -> None:
        """Put the newest words in place of any that wait."""
        self._newest = (phase, message)

    def wait_s(self, now_s: float) -> float | None:
        """How long until the waiting words may pass: 0 at once, None when none wait."""
        return None if self._newest is None else max(0.0, self._free_at - now_s)

    def take(self, now_s: float) -> tuple[str, str] | None:
        """The waiting words; the next may pass a gap later."""
        newest, self._newest = self._newest, None
        if newest is not None:
            self._free_at = now_s + self._gap_s
        return newest
