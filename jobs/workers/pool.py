"""The pool: one process per stage, two kept warm, each ended and reaped after its one job.

A stage runs on a Python worker, or on another kind by its `Launch`; of those at most one waits, warm,
for the next (`spare`). Owns the choice of workers and the conversation of one stage. Queueing, job states and
deadlines belong to the caller, which cancels the scope around `execute`.

Invariants: every process is held by one task of the pool's group; when `execute` returns or raises
its process is gone; when the pool's block has ended all of them are.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from jobs import errors
from jobs.tasks import open_tasks
from jobs.workers import results
from jobs.workers.contract import StageCall, StageResult, StopReport, WorkerLimits
from jobs.workers.diagnosis import diagnosed
from jobs.workers.frames import FrameError
from jobs.workers.lifeline import Lifeline, open_lifeline
from jobs.workers.process import WORKER_COMMAND, WorkerProcess
from jobs.workers.seats import Seat, Seats
from jobs.workers.spare import Spare

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from anyio.abc import TaskGroup

    from jobs.workers.contract import Launch, OnProgress, OnStopped
    from jobs.workers.frames import Frame

logger = logging.getLogger(__name__)

_DEFAULT_LIMITS: Final = WorkerLimits()


@asynccontextmanager
async def open_worker_pool(
    limits: WorkerLimits = _DEFAULT_LIMITS,
    *,
    command: Sequence[str] = WORKER_COMMAND,
    use_death_signal: bool = True,
) -> AsyncIterator[WorkerPool]:
    """Own a pool for the length of the block; nothing is spawned but the guardian until asked for.

    Args:
        command: the worker's entry point; another one only in tests.
        use_death_signal: off only in tests of the guardian's path.
    """
    async with open_lifeline(limits) as lifeline, open_tasks() as tasks:
        pool = WorkerPool(tasks, lifeline, limits, command=command, use_death_signal=use_death_signal)
        try:
            yield pool
        finally:
            pool.close()


class WorkerPool:
    """Made by `open_worker_pool`."""

    def __init__(
        self,
        tasks: TaskGroup,
        lifeline: Lifeline,
        limits: WorkerLimits,
        *,
        command: Sequence[str],
        use_death_signal: bool,
    ) -> None:
        self.lifeline = lifeline
        self._tasks = tasks
        self._limits = limits
        self._seats = Seats(tasks, lifeline, limits, command=command, use_death_signal=use_death_signal)
        self._spare = Spare(tasks, self._seats, limits)
        self._warm_seats: deque[Seat] = deque()
        self._keeps_warm = False
        self._is_closing = False

    def warm(self) -> None:
        """From now on keep `limits.workers` processes ready, and a spare of another kind after its use.

        Call it when the window is usable.
        """
        self._keeps_warm = True
        self._refill()

    def spawn_ahead(self, stages: Sequence[str]) -> None:
        """Spawn one process for each of the next jobs now, once, with its stage imported."""
        for each in stages:
            self._add_seat({"type": "ahead", "operation": each})

    def launch_ahead(self, launch: Launch) -> None:
        """Start the spare now, for the next stage of its kind, in a pool that keeps none as well."""
        if not self._is_closing:
            self._spare.keep(launch)

    def close(self) -> None:
        """Take no more work and end all processes; the pool's block waits for them."""
        self._is_closing = True
        self._tasks.cancel_scope.cancel()

    async def wait_warm(self) -> int:
        """Wait until each warm seat has greeted or failed; the number of ready ones."""
        for seat in tuple(self._warm_seats):
            await seat.ready.wait()
        return sum(seat.ready.is_set() for seat in self._warm_seats)

    async def wait_spare(self) -> int | None:
        """The id of the spare process once it has greeted; None when there is none."""
        if (seat := self._spare.seat) is None:
            return None
        await seat.ready.wait()
        return seat.worker.pid if seat.worker is not None else None

    def guard_directory(self, directory: Path) -> None:
        """Have a private directory deleted should this backend be killed."""
        self.lifeline.guard_directory(directory)

    def release_directory(self, directory: Path) -> None:
        """Take `guard_directory` back, after the directory was deleted in order."""
        self.lifeline.release_directory(directory)

    async def execute(
        self,
        call: StageCall,
        *,
        launch: Launch | None = None,
        on_progress: OnProgress | None = None,
        on_stopped: OnStopped | None = None,
        memory_bytes: int | None = None,
        may_cooperate: bool = True,
    ) -> StageResult:
        """Run one stage in a process of its own; the process is gone when this returns or raises.

        Cancelled, it asks politely, kills the group after `limits.cancel_polite_s`, reaps, and only
        then lets the cancellation go on. The caller sets the deadline.

        Args:
            launch: the worker to run it on; a Python worker by default.
            on_progress: awaited for each report, so it must be quick.
            on_stopped: told how a cancelled stage ended, once it is gone.
            memory_bytes: bound of a Python worker's address space, where the system has one.
            may_cooperate: False for code known not to look at the flag: killed at once (decision 5).
        Raises:
            WorkerLost: the process ended, or broke the wire format, before its result.
            ExecutionFailed: it ended in a way that the launch knows the signs of.
            ResultInvalid: the result or an artifact row does not have its shape.
            SchedulerFailed: the inputs are no JSON, or above the bound of a frame.
            ProtegeJobsError: what the stage raised, as the class its code names.
        """
        order = results.run_order(call, memory_bytes, steps_back=self._limits.steps_back)
        may_be_asked = may_cooperate and (launch is None or launch.may_cooperate)
        worker: WorkerProcess | None = None
        stopping_at: float | None = None
        is_cooperative = False
        try:
            async with self._claimed(launch) as worker:
                try:
                    return await _converse(worker, order, call, on_progress, self._limits)
                except anyio.get_cancelled_exc_class():
                    stopping_at = anyio.current_time()
                    is_cooperative = may_be_asked and await self._ask_to_stop(worker)
                    raise
        except (errors.WorkerLost, errors.ExecutionFailed) as error:
            # Here, since by now the process is reaped and all it said is read.
            raise (diagnosed(error, worker, launch) if worker else error) from None
        finally:
            if on_stopped is not None and stopping_at is not None:
                took_s = anyio.current_time() - stopping_at
                on_stopped(StopReport(is_cooperative=is_cooperative, took_s=took_s))

    @asynccontextmanager
    async def _claimed(self, launch: Launch | None) -> AsyncIterator[WorkerProcess]:
        """A greeted worker for one job: one that waits and lives, else a fresh one."""
        used: Launch | None = None
        try:
            while True:
                async with self._seat_taken(launch) as (seat, has_waited):
                    if seat.worker is not None and seat.is_usable:
                        used = launch
                        yield seat.worker
                        break
                if not has_waited:
                    lost = errors.WorkerLost("A worker process could not be started. Try again later.")
                    raise diagnosed(lost, seat.failed, launch)
        finally:
            self._refill(used)

    @asynccontextmanager
    async def _seat_taken(self, launch: Launch | None) -> AsyncIterator[tuple[Seat, bool]]:
        """A seat of one's own once its worker has greeted or failed, and whether it had waited for us.

        It is empty again after the block.
        """
        if self._is_closing:
            raise errors.WorkerLost("The pool of workers is closing.")
        if launch is None:
            waiting = self._warm_seats.popleft() if self._warm_seats else None
        else:
            waiting = self._spare.take(launch)
        seat = waiting or self._seats.new(launch=launch)
        seat.claimed.set()
        try:
            await seat.ready.wait()
            yield seat, waiting is not None
        finally:
            await self._seats.retire(seat)

    def _add_seat(self, first: Frame) -> None:
        self._warm_seats.append(self._seats.new(first=first, when_gone=self._lose_seat))

    def _lose_seat(self, seat: Seat) -> None:
        if seat in self._warm_seats:
            self._warm_seats.remove(seat)

    def _refill(self, used: Launch | None = None) -> None:
        """Bring the warm seats back to their number, and put a spare in the place of the one used."""
        if not self._keeps_warm or self._is_closing:
            return
        while len(self._warm_seats) < self._limits.workers:
            self._add_seat({"type": "warm"})
        if used is not None and used.keeps_spare:
            self._spare.keep(used)
            self._spare.rehearse(used)

    async def _ask_to_stop(self, worker: WorkerProcess) -> bool:
        """The polite step of the ladder (decision 5), and whether it was enough; the kill follows anyway."""
        with anyio.move_on_after(self._limits.cancel_polite_s, shield=True) as asking:
            await worker.send({"type": "cancel"})
            await worker.wait_exited()
        return not asking.cancelled_caught


async def _converse(
    worker: WorkerProcess,
    order: bytes,
    call: StageCall,
    on_progress: OnProgress | None,
    limits: WorkerLimits,
) -> StageResult:
    """One `run`, its progress, its answer."""
    try:
        await worker.send_encoded(order)
        while (frame := await worker.receive()) is not None:
            match frame.get("type"):
                case "progress":
                    progress = results.progress_of(frame)
                    if on_progress is not None:
                        await on_progress(progress)
                case "result":
                    return await results.result_of(frame, call.work_dir, limits)
                case "error":
                    raise results.error_of(frame)
                case _:
                    raise FrameError("the worker sent a frame of unknown type")
    except FrameError as error:
        logger.error("worker.bad_frame", extra={"failure": str(error)})
        raise errors.WorkerLost(
            "The worker process broke its protocol.", details={"failure_type": "bad_frame"}
        ) from None
    raise errors.WorkerLost("The worker process ended without a result.")
