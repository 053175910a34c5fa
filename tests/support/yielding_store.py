"""A memory store that waits, to bring the interleavings of a store on a thread into the tests."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel

from jobs import MemoryStore


class YieldingStore(MemoryStore):
    """Gives way before and behind every operation, as a database on a thread does."""

    def __getattribute__(self, name: str) -> Any:
        method = super().__getattribute__(name)
        if name.startswith("_"):
            return method

        async def yielding(*arguments: Any) -> Any:
            await anyio.lowlevel.checkpoint()
            result = await method(*arguments)
            await anyio.lowlevel.checkpoint()
            return result

        return yielding
