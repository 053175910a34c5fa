"""Seats: each holds one process, from spawn to reap, for nobody yet or for one stage.

Invariant: a seat's process is held by one task of the group that the seats were made with; a seat
that was retired has none any more.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import anyio

from jobs.workers.frames import FrameError
from jobs.workers.process import owned_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyio.abc import TaskGroup

    from jobs.workers.contract import Launch, WorkerLimits
    from jobs.workers.frames import Frame
    from jobs.workers.lifeline import Lifeline
    from jobs.workers.process import WorkerProcess

logger = logging.getLogger(__name__)


class Seat:
    """A place for one process; made by `Seats.new`."""

    def __init__(self, launch: Launch | None, first: Frame | None) -> None:
        self.launch = launch
        self.first = first
        self.scope = anyio.CancelScope()
        self.ready = anyio.Event()  # the worker has greeted, or never will
        self.claimed = anyio.Event()  # a stage has it
        self.released = anyio.Event()  # nobody reads its frames any more
        self.gone = anyio.Event()  # dead and reaped
        self.worker: WorkerProcess | None = None
        self.failed: WorkerProcess | None = None
        """The one that never greeted, for what it said."""

    @property
    def is_usable(self) -> bool:
        """Whether a greeted worker lives here."""
        return self.worker is not None and not self.worker.has_exited


class Seats:
    """Makes seats and ends them.

    Args:
        tasks: the group whose tasks hold the processes.
        command: the Python worker's entry point.
        use_death_signal: off only in tests of the guardian's path.
    """

    def __init__(
        self,
        tasks: TaskGroup,
        lifeline: Lifeline,
        limits: WorkerLimits,
        *,
        command: Sequence[str],
        use_death_signal: bool,
    ) -> None:
        self._tasks = tasks
        self._lifeline = lifeline
        self._limits = limits
        self._command = command
        self._use_death_signal = use_death_signal

    def new(
        self,
        *,
        launch: Launch | None = None,
        first: Frame | None = None,
        when_gone: Callable[[Seat], None] | None = None,
    ) -> Seat:
        """Spawn a process.

        Args:
            launch: what to start; a Python worker by default.
            first: what to tell it when it has greeted.
            when_gone: called when it is dead and reaped.
        """
        seat = Seat(launch, first)
        self._tasks.start_soon(self._hold, seat, when_gone)
        return seat

    async def retire(self, seat: Seat) -> None:
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

    async def _hold(self, seat: Seat, when_gone: Callable[[Seat], None] | None) -> None:
        """The task that owns the process of one seat, from spawn to reap."""
        command = self._command if seat.launch is None else seat.launch.argv
        environment = () if seat.launch is None else seat.launch.environment
        try:
            with seat.scope:
                async with owned_worker(
                    command,
                    self._lifeline,
                    self._limits,
                    use_death_signal=self._use_death_signal,
                    environment=environment,
                ) as worker:
                    if seat.launch is not None:
                        worker.make_quiet()
                    await self._serve(seat, worker)
        except OSError as error:
            logger.error("worker.not_started", extra={"failure_type": type(error).__name__})
        finally:
            if when_gone is not None:
                when_gone(seat)
            seat.gone.set()
            seat.ready.set()

    async def _serve(self, seat: Seat, worker: WorkerProcess) -> None:
        """Greet, keep the seat until its leader ends, and leave its last words time to be read."""
        try:
            with anyio.fail_after(self._limits.hello_s):
                await worker.greet()
        except (FrameError, TimeoutError) as error:
            seat.failed = worker
            logger.error("worker.no_hello", extra={"failure": str(error), "stderr_tail": worker.stderr_tail})
            return
        if seat.first is not None:
            await worker.send(seat.first)
        seat.worker = worker
        seat.ready.set()
        await worker.wait_exited()
        worker.kill_group()  # what it forked may hold its pipes open
        if not seat.claimed.is_set():
            logger.warning("worker.idle_ended", extra={"exit_code": worker.exit_code})
            return
        with anyio.move_on_after(self._limits.drain_s):
            await seat.released.wait()
