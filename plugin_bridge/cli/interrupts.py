"""Ctrl-C and SIGTERM as a cancellation from outside.

The loop's own answer to SIGINT cancels the main task in the middle of whatever it awaits, shielded
or not. Here the signal cancels a scope, so every shield holds and every block ends in order. Where
the loop takes no signals (Windows) its own answer remains.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, TypeVar

import anyio

from jobs.tasks import open_tasks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

T = TypeVar("T")


def take_sigterm_as_ctrl_c() -> None:
    """Let SIGTERM end a command as Ctrl-C does also before its loop runs, and where the loop takes none."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


async def until_interrupted(work: Callable[[], Awaitable[T]]) -> T:
    """The result of the work, which a signal cancels; a repeated signal changes nothing.

    Raises:
        KeyboardInterrupt: a signal came before the work was done.
    """
    if sys.platform == "win32":
        return await work()
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with open_tasks() as tasks:
            interrupted = anyio.CancelScope()
            tasks.start_soon(_cancel_on_signal, signals, interrupted)
            with interrupted:
                result = await work()
            tasks.cancel_scope.cancel()  # only now: a second signal is still taken while blocks end
    if interrupted.cancelled_caught:
        raise KeyboardInterrupt
    return result


async def _cancel_on_signal(signals: AsyncIterator[signal.Signals], scope: anyio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()
