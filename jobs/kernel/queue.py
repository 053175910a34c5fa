"""The waiting line: first come first served within a principal, principals in turn (W 7.4)."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs.errors import QueueFull

if TYPE_CHECKING:
    from jobs.digests import Digest
    from jobs.values import JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One entry; `workers` is how many jobs may run at once in the eyes of its policy."""

    job_id: JobId
    principal: Digest
    workers: int


class FairQueue:
    """Entries in the order they will be taken.

    Invariant: a principal that has just been served goes behind the others that wait. The head is
    never overtaken, also when its policy makes it wait for a free machine, so nobody starves.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._lines: OrderedDict[Digest, deque[Waiting]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def push(self, entry: Waiting) -> None:
        """Put an entry at the end of its principal's line.

        Raises:
            QueueFull: no place is left; admission should have seen that (`job_queue_full`).
        """
        if self._size >= self._capacity:
            raise QueueFull("The queue of this window is full. Try again when a job has finished.")
        self._lines.setdefault(entry.principal, deque()).append(entry)
        self._size += 1

    def take(self, *, running: int, slots: int) -> Waiting | None:
        """Take the next entry if a worker may start it now."""
        if not self._lines:
            return None
        principal, line = next(iter(self._lines.items()))
        if running >= min(slots, line[0].workers):
            return None
        entry = line.popleft()
        self._size -= 1
        if line:
            self._lines.move_to_end(principal)
        else:
            del self._lines[principal]
        return entry

    def remove(self, job_id: JobId) -> bool:
        """Take an entry out of the middle; whether it was there."""
        for principal, line in self._lines.items():
            for entry in line:
                if entry.job_id == job_id:
                    line.remove(entry)
                    self._size -= 1
                    if not line:
                        del self._lines[principal]
                    return True
        return False
