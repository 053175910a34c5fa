"""The gate in front of one grant: many calls pass, one revocation closes it for ever (W 1.6).

It is the reader-writer lock of the contract in the one form that is needed here: the writer never
gives the lock back, because a revocation is permanent. So a waiting writer needs no queue, new
readers are refused instead of parked, and no reader can starve it.

Invariants: once `close` was called no `shared` block is entered; when `drained` returns True, none
is running either.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from jobs.errors import AuthorizationRevoked

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

logger = logging.getLogger(__name__)

POLITE_S: Final = 5.0  # ours: a call may finish its body and audit record
FORCED_S: Final = 5.0  # ours: a cancelled call may unwind


class Gate:
    """One grant's shared side for calls and closing side for its revocation."""

    def __init__(self) -> None:
        self._holders: set[anyio.CancelScope] = set()
        self._closed = anyio.Event()
        self._idle = anyio.Event()

    @property
    def is_closed(self) -> bool:
        """Whether the grant is revoked."""
        return self._closed.is_set()

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        """Hold the shared side for the block.

        Raises:
            AuthorizationRevoked: the gate is closed, or was closed and the block outlived its grace.
        """
        if self.is_closed:
            raise AuthorizationRevoked
        with anyio.CancelScope() as scope:
            self._holders.add(scope)
            try:
                yield
            finally:
                self._holders.discard(scope)
                if not self._holders and self._closed.is_set():
                    self._idle.set()
        if scope.cancelled_caught:
            raise AuthorizationRevoked

    def close(self) -> None:
        """Refuse every further `shared` block; repeating it changes nothing."""
        self._closed.set()
        if not self._holders:
            self._idle.set()

    async def wait_closed(self) -> None:
        """Wait for the revocation; long-lived streams end with it."""
        await self._closed.wait()

    async def drained(self, polite_s: float = POLITE_S, forced_s: float = FORCED_S) -> bool:
        """Wait until no block is running; after `polite_s` the running ones are cancelled.

        Returns:
            False when even a cancelled block did not end within `forced_s`; that is logged.
        """
        with anyio.move_on_after(polite_s):
            await self._idle.wait()
        if self._idle.is_set():
            return True
        for scope in tuple(self._holders):
            scope.cancel()
        with anyio.move_on_after(forced_s):
            await self._idle.wait()
        if not self._idle.is_set():
            logger.error("access.lease_stuck", extra={"holders": len(self._holders)})
        return self._idle.is_set()
