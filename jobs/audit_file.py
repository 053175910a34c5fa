"""Job events as JSON Lines in owner-only files, rotated by size and dropped by age and number (W 10.2).

The folder lies outside any project; who builds the window says where. Blocking work runs in a thread,
one at a time.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import time
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
    os.O_APPEND | os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_DAY_S: Final = 86_400
_SETTLE_S: Final = 0.01


class RotatingFileSink:
    """An `AuditSink` into files `<name>-<number>.jsonl`, mode 0600, shared by all backends of a project.

    Each line is one appending write, which no other process can split. Every backend moves on to
    the next number when the present file is full, so all meet in the same file without a lock.

    Args:
        folder: made owner-only if absent; one for each project, since the bounds are a project's.
        name: of the series.
        retention_days, max_file_bytes, max_files: the policy's `audit` block (W 4.6).
    """

    def __init__(
        self,
        folder: Path,
        name: str = "audit",
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
        self._number: int | None = None
        self._one = anyio.CapacityLimiter(1)

    async def deliver(self, event: JobEvent) -> None:
        """Append one event as one line.

        Raises:
            OSError: it could not be written; a part that was is closed off by the next line.
        """
        await self.append(_line(event))

    async def append(self, line: bytes) -> None:
        """Append one whole line of any kind: the calls of tools are kept beside the events of jobs.

        Raises:
            OSError: it could not be written; a part that was is closed off by the next line.
        """
        await to_thread.run_sync(self._append, line, limiter=self._one)

    def _append(self, line: bytes) -> None:
        if self._number is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._number = self._newest()
            self._prune()
        while 0 < self._size() and self._size() + len(line) > self._max_file_bytes:
            self._number += 1
            self._prune()
        descriptor = os.open(self._current, _APPEND, 0o600)
        try:
            whole = line if _ends_with_a_line(descriptor) else b"\n" + line
            if os.write(descriptor, whole) != len(whole):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(descriptor)

    @property
    def _current(self) -> Path:
        return self._folder / f"{self._name}-{self._number or 0:06d}{_SUFFIX}"

    def _newest(self) -> int:
        """The highest number of the series; 0 for a new one."""
        stems = (path.stem.rpartition("-") for path in self._folder.glob(f"{self._name}-*{_SUFFIX}"))
        return max(
            (int(number) for name, _, number in stems if name == self._name and number.isdecimal()), default=0
        )

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


def _ends_with_a_line(descriptor: int) -> bool:
    """Whether the file is empty or whole: a full disk may have cut the last line.

    Another backend's line can be seen half written, so an end that still moves is looked at again.
    """
    size = -1
    while (found := os.lseek(descriptor, 0, os.SEEK_END)) != size:
        size = found
        if size == 0 or _byte_at(descriptor, size - 1) == b"\n":
            return True
        time.sleep(_SETTLE_S)
    return False


def _byte_at(descriptor: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)  # not `pread`, which Windows lacks; writes append anyway
    return os.read(descriptor, 1)
