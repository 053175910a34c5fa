"""Job events as JSON Lines in owner-only files, rotated by size and dropped by age and number (W 10.2).

Every backend writes files of its own in a folder that may be shared by several, so no two processes
ever append to one file; age and number are kept for the folder as a whole. The folder lies outside
any project; who builds the window says where. Blocking work runs in a thread, one at a time.
"""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs import limits
from jobs.clock import Clock, SystemClock

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.audit import JobEvent

logger = logging.getLogger(__name__)

_SUFFIX: Final = ".jsonl"
_APPEND: Final = (
    os.O_APPEND | os.O_CREAT | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_DAY_S: Final = 86_400


class RotatingFileSink:
    """An `AuditSink` into files `<name>-<number>.jsonl`, mode 0600.

    Args:
        folder: made owner-only if absent.
        name: unlike any other backend's, for example its workspace id.
        retention_days, max_file_bytes, max_files: the policy's `audit` block (W 4.6).
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        retention_days: int = limits.AUDIT_RETENTION_DAYS,
        max_file_bytes: int = limits.AUDIT_FILE_BYTES,
        max_files: int = limits.AUDIT_FILES,
        clock: Clock | None = None,
    ) -> None:
        self._folder, self._name = folder, name
        self._retention_days, self._max_file_bytes = retention_days, max_file_bytes
        self._max_files = max_files
        self._clock = clock or SystemClock()
        self._number = 0
        self._is_ready = False
        self._one = anyio.CapacityLimiter(1)

    async def deliver(self, event: JobEvent) -> None:
        """Append one event as one line.

        Raises:
            OSError: it could not be written; the file still ends with a whole line.
        """
        await self.append(_line(event))

    async def append(self, line: bytes) -> None:
        """Append one whole line of any kind: the calls of tools are kept beside the events of jobs.

        Raises:
            OSError: it could not be written; the file still ends with a whole line.
        """
        await to_thread.run_sync(self._append, line, limiter=self._one)

    def _append(self, line: bytes) -> None:
        if not self._is_ready:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._prune()
            self._is_ready = True
        if self._size() + len(line) > self._max_file_bytes and self._size() > 0:
            self._number += 1
            self._prune()
        descriptor = os.open(self._current, _APPEND, 0o600)
        try:
            before = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, line)
            except OSError:
                os.ftruncate(descriptor, before)  # no half line is left behind
                raise
        finally:
            os.close(descriptor)

    @property
    def _current(self) -> Path:
        return self._folder / f"{self._name}-{self._number:06d}{_SUFFIX}"

    def _size(self) -> int:
        try:
            return self._current.stat().st_size
        except FileNotFoundError:
            return 0

    def _prune(self) -> None:
        """Remove what is too old, then the oldest beyond the number, leaving room for the current file."""
        oldest_s = self._clock.now().timestamp() - self._retention_days * _DAY_S
        others = [path for path in self._folder.glob(f"*{_SUFFIX}") if path != self._current]
        newest_first = sorted(((_changed_s(path), path) for path in others), reverse=True)
        for place, (changed_s, path) in enumerate(newest_first, start=2):
            if changed_s < oldest_s or place > self._max_files:
                try:
                    path.unlink(missing_ok=True)
                except OSError as problem:
                    logger.error("audit.not_pruned", extra={"errno": problem.errno})


def _line(event: JobEvent) -> bytes:
    """One row: the operation, its outcome, the state for those who need more, and the event itself.

    A cancelled job is stored with outcome `succeeded`: readers must look at `job_state`.
    """
    row = {
        "operation": event.operation,
        "outcome": event.outcome,
        "summary": {"job_state": event.state.value},
        "event": event.as_json(),
    }
    return json.dumps(row, separators=(",", ":"), ensure_ascii=True).encode("ascii") + b"\n"


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another backend has just pruned it
        return 0.0


def _write_all(descriptor: int, line: bytes) -> None:
    while line:
        line = line[os.write(descriptor, line) :]
