"""The stage of a diff, started while the window's own ontology is still being captured.

It reads the right document and then waits for the left one. A cold command has the machine to
itself, so it may begin its one job before that is admitted; a window that serves several clients
does not, since the work would take a place that nobody gave it.

The left document comes from the capture's worker itself, as soon as it lies on disk (`watch`), while
fingerprints, digests and the job's identity are still being made; or from here, where no capture was
made for this diff. Which bytes the stage took is compared with the capture that the job holds in the
end, and the stage is run again in the rare case that they differ: an input moved, and was captured twice.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from jobs import limits
from jobs.errors import ProtegeJobsError, WorkerLost
from jobs.operations import handover
from jobs.workers.contract import StageCall
from plugin_bridge import translating

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobs.values import Json
    from jobs.workers.contract import OnProgress, StageProgress, StageResult
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.files import CapturedFile
    from plugin_bridge.host.values import CaptureFile

    StartAhead = Callable[[CapturedFile, object], "DiffAhead"]
    """Starts a diff against a right document, with the limit of the request."""


def left_inputs(left: CaptureFile) -> Json:
    """The inputs of the diff stage that name its left document."""
    return {"left": str(left.path), "left_sha256": left.sha256}


def right_inputs(right: CapturedFile) -> Json:
    """The inputs of the diff stage that name its right document."""
    return {
        "right": str(right.private_path),
        "right_sha256": right.byte_digest,
        "right_name": right.relative_path,
    }


class DiffAhead:
    """One stage under way.

    Args:
        folder: private and empty; the stage works there. Deleted by `release`.
    """

    def __init__(self, pool: WorkerPool, right: CapturedFile, limit: object, folder: Path) -> None:
        self._pool = pool
        self._folder = folder
        self._left = folder / "left.json"
        self._call = StageCall(
            operation="semantic_diff",
            version=1,
            inputs={
                "left_follows": str(self._left),
                "limit": limit,
                **right_inputs(right),
            },
            work_dir=folder,
        )
        self._scope = anyio.CancelScope()
        self._ended = anyio.Event()
        self._listener: OnProgress | None = None
        self._outcome: StageResult | ProtegeJobsError = WorkerLost("The comparison was ended.")

    async def run(self) -> None:
        """Run the stage in a worker process, which is gone when this returns."""
        try:
            with self._scope:
                self._outcome = await translating.execute(self._pool, self._call, on_progress=self._heard)
        except ProtegeJobsError as error:
            self._outcome = error
        finally:
            self._ended.set()

    async def _heard(self, progress: StageProgress) -> None:
        if self._listener is not None:
            await self._listener(progress)

    def watch(self, capture_folder: Path) -> None:
        """Take the left document from the capture that begins in this folder."""
        # Where a link cannot be made, `finish` hands the document over.
        with contextlib.suppress(OSError):
            self._left.unlink(missing_ok=True)
            self._left.symlink_to(capture_folder / handover.CAPTURED)

    async def finish(self, left: CaptureFile, on_progress: OnProgress) -> StageResult:
        """Hand the left document over and wait for the result; cancelled, it ends the stage first.

        Raises:
            ProtegeJobsError: as `WorkerPool.execute`.
        """
        self._listener = on_progress
        try:
            await to_thread.run_sync(self._hand_over, left)
            await self._ended.wait()
        except anyio.get_cancelled_exc_class():
            self._scope.cancel()
            with anyio.move_on_after(limits.CANCEL_OUTER_S, shield=True):
                await self._ended.wait()
            raise
        if await to_thread.run_sync(self._took_another, left):
            return await self._run_again(left, on_progress)
        if isinstance(self._outcome, ProtegeJobsError):
            raise self._outcome
        return self._outcome

    def _hand_over(self, left: CaptureFile) -> None:
        if not self._left.exists():
            handover.announce(self._left, left_inputs(left))  # in the place of a link to nowhere, too

    def _took_another(self, left: CaptureFile) -> bool:
        """Whether the stage read other bytes than the job's; one that failed before that did not."""
        try:
            taken = json.loads(self._left.with_suffix(handover.TAKEN_SUFFIX).read_bytes())
        except FileNotFoundError:
            return False
        digests = (str(taken["left_sha256"]), left.sha256)
        return len({each.removeprefix("sha256:") for each in digests}) > 1

    async def _run_again(self, left: CaptureFile, on_progress: OnProgress) -> StageResult:
        folder = self._folder / "again"
        await to_thread.run_sync(folder.mkdir)
        given = {key: value for key, value in self._call.inputs.items() if key != "left_follows"}
        call = replace(self._call, inputs={**given, **left_inputs(left)}, work_dir=folder)
        return await translating.execute(self._pool, call, on_progress=on_progress)

    def release(self) -> None:
        """End the stage if it still goes on, and delete what it wrote."""
        self._scope.cancel()
        shutil.rmtree(self._folder, ignore_errors=True)
