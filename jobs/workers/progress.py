"""Progress of a running stage, on its way out of the worker: rate-limited, the newest wins."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from jobs import limits
from jobs.errors import clip_utf8

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobs.workers.frames import Frame

_INTERVAL_S = 1 / limits.PROGRESS_UPDATES_PER_S


class ProgressReporter:
    """The `Reporter` of a stage.

    A report goes out at once when the last one is old enough or the phase is new (the first
    `limits.PROGRESS_AUDIT_EVENTS` phases: native code may be about to hold the interpreter lock
    for long). Any other waits for its turn, and a newer one takes its place.
    """

    def __init__(self, send: Callable[[Frame], None], cancelled: threading.Event) -> None:
        self._send = send
        self._cancelled = cancelled
        self._lock = threading.Lock()
        self._waiting: Frame | None = None
        self._timer: threading.Timer | None = None
        self._sent_at = -_INTERVAL_S
        self._phase: str | None = None
        self._phases_left = limits.PROGRESS_AUDIT_EVENTS
        self._is_closed = False

    @property
    def is_cancelled(self) -> bool:
        """Whether the host asked for a stop."""
        return self._cancelled.is_set()

    def progress(self, phase: str, message: str, fraction: float | None = None) -> None:
        """Report; a fraction outside 0..1 (NaN too) is left out, long text is cut."""
        is_usable = fraction is not None and 0 <= fraction <= 1
        frame: Frame = {
            "type": "progress",
            "phase": clip_utf8(phase, limits.PROGRESS_MESSAGE_BYTES),
            "message": clip_utf8(message, limits.PROGRESS_MESSAGE_BYTES),
            "fraction": fraction if is_usable else None,
        }
        with self._lock:
            wait_s = self._sent_at + _INTERVAL_S - time.monotonic()
            if wait_s <= 0 or self._is_new_phase(phase):
                self._send_now(frame)
                return
            self._waiting = frame
            if self._timer is None:
                self._timer = threading.Timer(wait_s, self._flush)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """Nothing more: the answer follows, and no report may come after it."""
        with self._lock:
            if self._waiting is not None:
                self._send_now(self._waiting)
            self._is_closed = True

    def _is_new_phase(self, phase: str) -> bool:
        if phase == self._phase or self._phases_left <= 0:
            return False
        self._phases_left -= 1
        return True

    def _flush(self) -> None:
        with self._lock:
            self._timer = None
            if self._waiting is not None:
                self._send_now(self._waiting)

    def _send_now(self, frame: Frame) -> None:
        """Send under the lock, so that reports leave in the order they were made."""
        if self._is_closed:
            return
        self._waiting = None
        self._phase = str(frame["phase"])
        self._sent_at = time.monotonic()
        self._send(frame)
