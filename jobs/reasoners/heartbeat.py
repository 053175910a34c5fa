"""Progress while native code runs: one thread that says how long it has been going on."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobs.reasoners.structural import Say

INTERVAL_S: Final = 1.0  # ours


@contextmanager
def heartbeat(say: Say, phase: str, message: str) -> Iterator[None]:
    """Report at once and every second until the block ends; the thread is gone by then."""
    ended = threading.Event()
    started_at = monotonic()

    def beat() -> None:
        while not ended.wait(INTERVAL_S):
            say(phase, f"{message}: {monotonic() - started_at:.0f} s so far", None)

    say(phase, message, None)
    thread = threading.Thread(target=beat, name="heartbeat")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
