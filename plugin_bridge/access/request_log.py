"""Tool calls as lines of the audit, written behind the calls' backs.

A call, and with it a revocation, never waits for a disk: records go into a bounded line and one
task writes them in order. A full line drops records and says so once per gap, in the log and in the
audit itself.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from jobs import limits
from jobs.clock import rfc3339

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from jobs.values import Json
    from plugin_bridge.access.audit import RequestRecord

logger = logging.getLogger(__name__)

PENDING: Final = limits.AUDIT_PENDING_EVENTS


@asynccontextmanager
async def request_log(append: Callable[[bytes], Awaitable[None]]) -> AsyncIterator[RequestLog]:
    """A log for the length of the block; what was recorded inside it is written before the block ends.

    Args:
        append: keeps one line; it may fail with `OSError`, and gets `limits.AUDIT_DELIVERY_S`.
    """
    log = RequestLog(append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(log.write_on)
        try:
            yield log
        finally:
            with anyio.move_on_after(limits.AUDIT_DELIVERY_S, shield=True):
                await log.flush()
            tasks.cancel_scope.cancel()


class RequestLog:
    """A `RequestAudit` over a line of pending records. Made by `request_log`."""

    def __init__(self, append: Callable[[bytes], Awaitable[None]]) -> None:
        self._append = append
        self._pending: deque[RequestRecord] = deque()
        self._dropped = 0
        self._is_failing = False
        self._more = anyio.Event()
        self._writing = anyio.Lock()

    def record(self, record: RequestRecord) -> None:
        """Take one record without waiting."""
        if len(self._pending) >= PENDING:
            if not self._dropped:
                logger.error("audit.requests_dropped", extra={"operation": record.operation})
            self._dropped += 1
            return
        self._pending.append(record)
        self._more.set()

    async def write_on(self) -> None:
        """Write what comes, until cancelled."""
        while True:
            await self.flush()
            if not self._pending:
                self._more = anyio.Event()
                await self._more.wait()

    async def flush(self) -> None:
        """Write what is pending now. Two callers take turns, so the order holds."""
        async with self._writing:
            while self._pending:
                record, dropped = self._pending.popleft(), self._dropped
                row = _row(record, dropped_after=dropped if not self._pending else 0)
                if not self._pending:
                    self._dropped = 0
                await self._keep(row)

    async def _keep(self, row: Json) -> None:
        line = json.dumps(row, separators=(",", ":")).encode() + b"\n"
        try:
            with anyio.fail_after(limits.AUDIT_DELIVERY_S):
                await self._append(line)
            self._is_failing = False
        except OSError as problem:  # TimeoutError is one too: trouble of the audit touches no call
            if not self._is_failing:  # said once, not at every call
                extra = {"operation": row["operation"], "errno": problem.errno}
                logger.error("audit.request_not_kept", extra=extra)
            self._is_failing = True


def _row(record: RequestRecord, dropped_after: int) -> Json:
    owner = record.owner
    row: Json = {
        "operation": f"tool.{record.operation}",
        "outcome": record.outcome.value,
        "code": record.code,
        "occurred_at": rfc3339(record.occurred_at),
        "workspace_id": owner.workspace_id,
        "owner_fingerprint": owner.owner_fingerprint,
        "principal_fingerprint": owner.principal_fingerprint,
        "client_fingerprint": owner.client_fingerprint,
        "grant_fingerprint": owner.grant_fingerprint,
    }
    return {**row, "dropped_after": dropped_after} if dropped_after else row
