"""What every part of the engine does to a running job: decide, store, tell the audit.

`LiveJob` is what a job is while it can still move; it never crosses into the store.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import anyio

from jobs import limits
from jobs.audit import EventKind, Trail
from jobs.errors import PublicationStarted
from jobs.kernel.progress import Throttle, check_progress
from jobs.values import Fence, Job, JobId

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from jobs.audit import AuditLog, Delivery
    from jobs.clock import Clock
    from jobs.computation import Computation
    from jobs.stores.contract import JobStore

logger = logging.getLogger(__name__)


class LiveJob:
    """What a job is while it can still move: its computation, scope, audit trail and progress."""

    def __init__(self, computation: Computation) -> None:
        self.computation = computation
        self.job_id = JobId("")
        self.scope = anyio.CancelScope()
        self.trail = Trail()
        self.throttle = Throttle(limits.PROGRESS_UPDATES_PER_S)
        self.news = anyio.Event()
        self.fence = Fence.OPEN
        self._is_released = False

    def report(self, phase: str, message: str) -> None:
        """Take progress from the computation. Newest wins; at most 20 a second reach the descriptor.

        Raises:
            ValueError: words that no descriptor could show.
            PublicationStarted: progress after the permit (`job_publication_started`).
        """
        check_progress(phase, message)
        if self.fence in (Fence.PUBLICATION_STARTED, Fence.COMMIT_STARTED):
            raise PublicationStarted("Progress was reported after publication began.")
        if self.fence is Fence.OPEN:
            self.trail.updates += 1
            self.throttle.offer(phase, message)
            self.news.set()

    def release(self) -> None:
        """Give the capture up, once (W 6.7)."""
        if self._is_released:
            return
        self._is_released = True
        try:
            self.computation.release()
        except Exception as problem:  # noqa: BLE001 - a capture that resists must not take the service down
            logger.error(
                "job.release_failed", extra={"job_id": self.job_id, "failure_type": type(problem).__name__}
            )


class Steps:
    """The way from a decision to its effect: stored first, told afterwards.

    Args:
        changed: called after every change of a snapshot.
    """

    def __init__(
        self, store: JobStore, audit: AuditLog, clock: Clock, changed: Callable[[JobId], None]
    ) -> None:
        self.store = store
        self.changed = changed
        self._audit = audit
        self._clock = clock

    def now(self) -> datetime:
        """The present moment."""
        return self._clock.now()

    async def advance(self, live: LiveJob, decide: Callable[[Job], Job | None]) -> Job | None:
        """Decide on the newest snapshot and store it; a lost race decides again. None: nothing to do."""
        while True:
            record = await self.store.find(live.job_id)
            job = None if record is None else decide(record.job)
            if record is None or job is None:
                return None
            if await self.store.compare_and_set(live.job_id, record.revision, job) is not None:
                self.changed(live.job_id)
                return job

    def emit(self, live: LiveJob, kind: EventKind, job: Job) -> Delivery:
        """Put the next event of the job on its way."""
        return self._audit.emit(live.trail, kind, job, self.now())

    def emit_cancelled(self, live: LiveJob, job: Job) -> None:
        """The two events with which a cancelled job ends."""
        self.emit(live, EventKind.CANCELLATION_EFFECTIVE, job)
        self.emit(live, EventKind.TERMINAL, job)
