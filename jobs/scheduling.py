"""Which job runs when: the waiting line, the places of the workers, and the jobs that can still move."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import anyio

from jobs import limits
from jobs.errors import QueueFull, SchedulerFailed, StorageFailed
from jobs.kernel.failures import error_of
from jobs.kernel.queue import FairQueue, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.abc import TaskGroup

    from jobs.kernel.record import Record
    from jobs.running import Runner
    from jobs.steps import LiveJob
    from jobs.values import Job, JobId


logger = logging.getLogger(__name__)


class Scheduler:
    """Hands waiting jobs to free workers.

    Args:
        workers: how many jobs compute at once.
        ended: called whenever a worker has become free.

    Invariant: whenever a worker is free, no job waits that may run; every waiting job has its entry.
    """

    def __init__(self, runner: Runner, *, workers: int, ended: Callable[[], None]) -> None:
        self.queue = FairQueue(limits.QUEUE_CAPACITY)
        self.live: dict[JobId, LiveJob] = {}
        self._runner = runner
        self._workers = workers
        self._ended = ended
        self._busy: set[JobId] = set()
        self._quiet = anyio.Event()
        self._group: TaskGroup | None = None

    def open(self, group: TaskGroup) -> None:
        """Begin to hand out jobs, as children of the group."""
        self._group = group

    def expect(self, live: LiveJob) -> None:
        """Know a job from before it is stored, so that a request to stop it finds it at once."""
        self.live[live.job_id] = live

    def forget(self, live: LiveJob) -> None:
        """The expected job was not stored."""
        self.live.pop(live.job_id, None)

    async def enqueue(self, record: Record, live: LiveJob) -> Job:
        """Queue a new job; its snapshot. A job is never left waiting outside the queue (W 3.3)."""
        job = record.job
        try:
            self.queue.push(
                Waiting(
                    job_id=job.job_id,
                    principal=job.owner.principal_fingerprint,
                    workers=record.settings.workers,
                )
            )
            self._start_waiting()
        except (QueueFull, SchedulerFailed) as problem:
            self.queue.remove(job.job_id)
            del self.live[job.job_id]
            return await self._runner.fail(live, error_of(problem))
        return job

    def stop(self, job: Job) -> None:
        """Follow a tombstone that the store has taken: signal the work, or drop it if it waits."""
        live = self.live.get(job.job_id)
        if live is None:
            return
        self._runner.tombstoned(live, job)
        if self.queue.remove(job.job_id):
            del self.live[job.job_id]
            live.release()

    async def idle(self) -> None:
        """Wait until no job runs."""
        while self._busy:
            self._quiet = anyio.Event()
            await self._quiet.wait()

    @property
    def running_count(self) -> int:
        """How many jobs hold a worker."""
        return len(self._busy)

    def _start_waiting(self) -> None:
        """Give free workers their next jobs.

        Raises:
            SchedulerFailed: there is nobody to run them (`job_scheduler_failed`).
        """
        if self._group is None:
            raise SchedulerFailed("The job could not be handed to a worker.")
        while entry := self.queue.take(running=len(self._busy), slots=self._workers):
            self._busy.add(entry.job_id)
            self._group.start_soon(self._run, entry.job_id, name=f"job {entry.job_id}")

    async def _run(self, job_id: JobId) -> None:
        """Run one job to its end and hand its place to the next."""
        try:
            await self._runner.run(self.live[job_id])
        except StorageFailed:
            # Its end could not be stored. That is one job's trouble; the store's owner recovers it.
            logger.exception("job.unsettled", extra={"job_id": job_id})
        finally:
            self.live.pop(job_id, None)
            self._busy.discard(job_id)
            self._quiet.set()
            self._ended()
            self._start_waiting()
