"""The spare: at most one warm process of the kind that was used last (decision 6).

It waits for the next stage on a worker of its kind, gives way to another kind, and is dropped when
nobody has asked for `limits.spare_idle_s`. After the first use the launch's rehearsal, if it has
one, runs once beside the jobs.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from jobs.workers.frames import FrameError

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from jobs.workers.contract import Launch, Rehearsal, WorkerLimits
    from jobs.workers.seats import Seat, Seats

logger = logging.getLogger(__name__)


class Spare:
    """One for each pool."""

    def __init__(self, tasks: TaskGroup, seats: Seats, limits: WorkerLimits) -> None:
        self._tasks = tasks
        self._seats = seats
        self._limits = limits
        self._seat: Seat | None = None
        self._rehearsed: set[tuple[str, ...]] = set()
        self._rehearsing = anyio.Lock()

    @property
    def seat(self) -> Seat | None:
        """The process that waits, or None."""
        return self._seat

    def take(self, launch: Launch) -> Seat | None:
        """The spare, when it is of this launch; it is the caller's then."""
        seat = self._seat
        if seat is None or seat.launch is None or seat.launch.kind != launch.kind:
            return None
        self._seat = None
        return seat

    def rehearse(self, launch: Launch) -> None:
        """Run the launch's rehearsal beside the jobs, once, when it has one."""
        if launch.rehearsal is not None and launch.rehearsal.argv not in self._rehearsed:
            self._rehearsed.add(launch.rehearsal.argv)
            self._tasks.start_soon(self._rehearse, launch, launch.rehearsal)

    def keep(self, launch: Launch) -> None:
        """Have one of this launch wait for the next stage, in place of one of another kind."""
        former = self._seat
        if former is not None and former.launch is not None and former.launch.kind == launch.kind:
            return
        seat = self._seats.new(launch=launch, first={"type": "warm"}, when_gone=self._lose)
        self._seat = seat
        self._tasks.start_soon(self._mind, seat, former)

    def _lose(self, seat: Seat) -> None:
        if self._seat is seat:
            self._seat = None
        seat.claimed.set()  # its minder need not wait any longer

    async def _mind(self, seat: Seat, former: Seat | None) -> None:
        """End the former spare, and this one when its time is over."""
        if former is not None:
            await self._seats.retire(former)
        with anyio.move_on_after(self._limits.spare_idle_s):
            await seat.claimed.wait()
        if self._seat is seat:  # no yield point between this line and the next
            self._seat = None
            await self._seats.retire(seat)

    async def _rehearse(self, launch: Launch, rehearsal: Rehearsal) -> None:
        """Start, warm and leave; one at a time, and only ever a gain or nothing."""
        async with self._rehearsing:
            seat = self._seats.new(
                launch=replace(launch, argv=rehearsal.argv, rehearsal=None),
                first={"type": "warm", "wholly": True},
            )
            seat.claimed.set()
            has_left = False
            try:
                with anyio.move_on_after(self._limits.rehearsal_s):
                    has_left = await self._left(seat)
            finally:
                await self._seats.retire(seat)
                with anyio.CancelScope(shield=True):  # a rename and a few deletions
                    await to_thread.run_sync(_finish, rehearsal, has_left)

    async def _left(self, seat: Seat) -> bool:
        """Whether the process was warm when it was told to leave, and left in order.

        It is asked for an operation that does not exist: the answer comes when it has warmed up.
        """
        await seat.ready.wait()
        if seat.worker is None:
            return False
        order = {"type": "run", "operation": "none", "version": 1, "inputs": {}, "work_dir": ""}
        await seat.worker.send({**order, "memory_bytes": None, "steps_back": True})
        try:
            answer = await seat.worker.receive()
        except FrameError:
            return False
        await seat.worker.end_input()
        await seat.worker.wait_exited()
        return answer is not None and seat.worker.exit_code == 0


def _finish(rehearsal: Rehearsal, has_left: bool) -> None:
    try:
        if has_left:
            rehearsal.finish()
        else:
            logger.info("worker.rehearsal_failed")
    except OSError as error:
        logger.info("worker.rehearsal_lost", extra={"failure_type": type(error).__name__})
    finally:
        rehearsal.discard()
