"""A task group for blocks that callers look through."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import TaskGroup


@asynccontextmanager
async def open_tasks() -> AsyncIterator[TaskGroup]:
    """A task group whose lone error leaves it as itself.

    The tasks are ours and do not raise; an error almost always comes from the caller's
    own block, who need not know that there are groups around it. Several errors stay a group.
    """
    lone: BaseException | None = None
    try:
        async with anyio.create_task_group() as tasks:
            yield tasks
    except BaseExceptionGroup as group:
        lone = group
        while isinstance(lone, BaseExceptionGroup) and len(lone.exceptions) == 1:
            (lone,) = lone.exceptions
        if lone is group:
            raise
    if lone is not None:
        raise lone  # out here, so that its own cause and context stay as they were
