"""The pool: one process per stage, two kept warm, each ended and reaped after its one job.

Owns the choice and the life of workers and the conversation of one stage. Queueing, job states and
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
from jobs.workers.frames import FrameError
from jobs.workers.lifeline import Lifeline, open_lifeline
from jobs.workers.process import WORKER_COMMAND, WorkerProcess, owned_worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from anyio.abc import TaskGroup

    from jobs.workers.contract import OnProgress, OnStopped

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


class _Seat:
    """A place for one process: spawned for nobody yet (warm) or for one job."""

    def __init__(self, *, is_warm: bool, ahead: str | None) -> None:
        self.is_warm = is_warm
        self.ahead = ahead  # the stage it will probably run
        self.scope = anyio.CancelScope()
        self.ready = anyio.Event()  # the worker has greeted, or never will
        self.released = anyio.Event()  # nobody reads its frames any more
        self.gone = anyio.Event()  # dead and reaped
        self.worker: WorkerProcess | None = None


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
        self._command = command
        self._use_death_signal = use_death_signal
        self._warm_seats: deque[_Seat] = deque()
        self._keeps_warm = False
        self._is_closing = False

    def warm(self) -> None:
        """From now on keep `limits.workers` processes ready; call it when the window is usable."""
        self._keeps_warm = True
        self._refill()

    def spawn_ahead(self, stages: Sequence[str]) -> None:
        """Spawn one process for each of the next jobs now, once, with its stage imported."""
        self._warm_seats.extend(self._new_seat(is_warm=False, ahead=each) for each in stages)

    def close(self) -> None:
        """Take no more work and end all processes; the pool's block waits for them."""
        self._is_closing = True
        self._tasks.cancel_scope.cancel()

    async def wait_warm(self) -> int:
        """Wait until each warm seat has greeted or failed; the number of ready ones."""
        for seat in tuple(self._warm_seats):
            await seat.ready.wait()
        return sum(seat.ready.is_set() for seat in self._warm_seats)

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
        on_progress: OnProgress | None = None,
        on_stopped: OnStopped | None = None,
        memory_bytes: int | None = None,
        may_cooperate: bool = True,
    ) -> StageResult:
        """Run one stage in a process of its own; the process is gone when this returns or raises.

        Cancelled, it asks politely, kills the group after `limits.cancel_polite_s`, reaps, and only
        then lets the cancellation go on. The caller sets the deadline.

        Args:
            on_progress: awaited for each report, so it must be quick.
            on_stopped: told how a cancelled stage ended, once it is gone.
            memory_bytes: bound of the process's address space, where the system has one.
            may_cooperate: False for code known not to look at the flag: killed at once (decision 5).
        Raises:
            WorkerLost: the process ended, or broke the wire format, before its result.
            ResultInvalid: the result or an artifact row does not have its shape.
            SchedulerFailed: the inputs are no JSON, or above the bound of a frame.
            ProtegeJobsError: what the stage raised, as the class its code names.
        """
        order = results.run_order(call, memory_bytes, steps_back=self._limits.steps_back)
        worker: WorkerProcess | None = None
        stopping_at: float | None = None
        is_cooperative = False
        try:
            async with self._claimed() as worker:
                try:
                    return await _converse(worker, order, call, on_progress, self._limits)
                except anyio.get_cancelled_exc_class():
                    stopping_at = anyio.current_time()
                    is_cooperative = may_cooperate and await self._ask_to_stop(worker)
                    raise
        except (errors.WorkerLost, errors.ExecutionFailed) as error:
            # Here, since by now the process is reaped and all it said is read.
            raise _diagnosed(error, worker) from None
        finally:
            if on_stopped is not None and stopping_at is not None:
                took_s = anyio.current_time() - stopping_at
                on_stopped(StopReport(is_cooperative=is_cooperative, took_s=took_s))

    @asynccontextmanager
    async def _claimed(self) -> AsyncIterator[WorkerProcess]:
        """A greeted worker for one job: the oldest warm one that lives, else a fresh one."""
        try:
            while True:
                async with self._seat_taken() as seat:
                    if seat.worker is not None and not seat.worker.has_exited:
                        yield seat.worker
                        return
                    if not seat.is_warm:
                        raise errors.WorkerLost("A worker process could not be started. Try again later.")
        finally:
            self._refill()

    @asynccontextmanager
    async def _seat_taken(self) -> AsyncIterator[_Seat]:
        """A seat of one's own once its worker has greeted or failed; empty again after the block."""
        if self._is_closing:
            raise errors.WorkerLost("The pool of workers is closing.")
        seat = self._warm_seats.popleft() if self._warm_seats else self._new_seat(is_warm=False)
        try:
            await seat.ready.wait()
            yield seat
        finally:
            await self._retire(seat)

    def _new_seat(self, *, is_warm: bool, ahead: str | None = None) -> _Seat:
        seat = _Seat(is_warm=is_warm, ahead=ahead)
        self._tasks.start_soon(self._hold, seat)
        return seat

    def _refill(self) -> None:
        """Bring the warm seats back to their number."""
        while self._keeps_warm and not self._is_closing and len(self._warm_seats) < self._limits.workers:
            self._warm_seats.append(self._new_seat(is_warm=True))

    async def _hold(self, seat: _Seat) -> None:
        """The task that owns the process of one seat, from spawn to reap."""
        try:
            with seat.scope:
                async with owned_worker(
                    self._command, self.lifeline, self._limits, use_death_signal=self._use_death_signal
                ) as worker:
                    await self._serve_seat(seat, worker)
        except OSError as error:
            logger.error("worker.not_started", extra={"failure_type": type(error).__name__})
        finally:
            if seat in self._warm_seats:
                self._warm_seats.remove(seat)
            seat.gone.set()
            seat.ready.set()

    async def _serve_seat(self, seat: _Seat, worker: WorkerProcess) -> None:
        """Greet, keep the seat until its leader ends, and leave its last words time to be read."""
        try:
            with anyio.fail_after(self._limits.hello_s):
                await worker.greet()
        except (FrameError, TimeoutError) as error:
            logger.error("worker.no_hello", extra={"failure": str(error), "stderr_tail": worker.stderr_tail})
            return
        if seat.is_warm:
            await worker.send({"type": "warm"})
        elif seat.ahead is not None:
            await worker.send({"type": "ahead", "operation": seat.ahead})
        seat.worker = worker
        seat.ready.set()
        await worker.wait_exited()
        worker.kill_group()  # what it forked may hold its pipes open
        if seat in self._warm_seats:
            logger.warning("worker.idle_ended", extra={"exit_code": worker.exit_code})
            return
        with anyio.move_on_after(self._limits.drain_s):
            await seat.released.wait()

    async def _ask_to_stop(self, worker: WorkerProcess) -> bool:
        """The polite step of the ladder (decision 5), and whether it was enough; the kill follows anyway."""
        with anyio.move_on_after(self._limits.cancel_polite_s, shield=True) as asking:
            await worker.send({"type": "cancel"})
            await worker.wait_exited()
        return not asking.cancelled_caught

    async def _retire(self, seat: _Seat) -> None:
        """End the seat's process and wait until it is reaped, by a clock."""
        if seat.worker is None:
            seat.scope.cancel()
        elif not seat.gone.is_set():
            seat.worker.kill_group()
        seat.released.set()
        with anyio.move_on_after(2 * self._limits.reap_s, shield=True) as waiting:
            await seat.gone.wait()
        if waiting.cancelled_caught:
            logger.error("worker.seat_stuck")


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


def _diagnosed(
    error: errors.WorkerLost | errors.ExecutionFailed, worker: WorkerProcess | None
) -> errors.ProtegeJobsError:
    """Log what the worker said last, which no caller may see; add the exit code of a lost one."""
    exit_code = worker.exit_code if worker else None
    logger.error(
        "worker.failed",
        extra={
            "code": error.code,
            "exit_code": exit_code,
            "stderr_tail": worker.stderr_tail if worker else "",
        },
    )
    if isinstance(error, errors.WorkerLost) and worker is not None:
        return errors.WorkerLost(error.message, details={**error.details, "exit_code": exit_code})
    return error
