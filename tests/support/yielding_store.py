"""A memory store that waits, to bring the interleavings of a store on a thread into the tests."""

from __future__ import annotations

import random
from typing import Any

import anyio.lowlevel

from jobs import MemoryStore


class YieldingStore(MemoryStore):
    """Gives way some turns before and behind every operation, as a database on a thread does."""

    def __init__(self, seed: int = 0, most: int = 1) -> None:
        super().__init__()
        self._random, self._most = random.Random(seed), most

    def __getattribute__(self, name: str) -> Any:
        method = super().__getattribute__(name)
        if name.startswith("_"):
            return method

        async def yielding(*arguments: Any) -> Any:
            await self._give_way()
            result = await method(*arguments)
            await self._give_way()
            return result

        return yielding

    async def _give_way(self) -> None:
        for _ in range(self._random.randint(min(1, self._most), self._most)):
            await anyio.lowlevel.checkpoint()
