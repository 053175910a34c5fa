"""Why a worker died: told from its exit code and from what it said last, which no caller may see."""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING

from jobs import errors

if TYPE_CHECKING:
    from jobs.workers.contract import Launch
    from jobs.workers.process import WorkerProcess

logger = logging.getLogger(__name__)


def diagnosed(
    error: errors.WorkerLost | errors.ExecutionFailed, worker: WorkerProcess | None, launch: Launch | None
) -> errors.ProtegeJobsError:
    """The error to show for one that a stage ended with, after its process was reaped.

    A lost worker that gave a known sign becomes the failure that the sign stands for; any other gets
    its exit code. What it said goes to the log alone.
    """
    exit_code = worker.exit_code if worker else None
    tail = worker.stderr_tail if worker else ""
    logger.error(
        "worker.failed",
        extra={
            "code": error.code,
            "worker": launch.name if launch else "python",
            "exit_code": exit_code,
            "stderr_tail": tail,
        },
    )
    if worker is None or not isinstance(error, errors.WorkerLost):
        return error
    details = {**error.details, "exit_code": exit_code}
    for fault in launch.faults if launch else ():
        if fault.sign in tail:
            return errors.ExecutionFailed(
                fault.message, details={**details, "failure_type": fault.failure_type}
            )
    return errors.WorkerLost(_told(error.message, exit_code), details=details)


def _told(message: str, exit_code: int | None) -> str:
    if exit_code == -getattr(signal, "SIGKILL", 9):
        return message + " It was killed from outside; perhaps the system ran out of memory."
    return message
