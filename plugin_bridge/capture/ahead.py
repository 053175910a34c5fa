"""The right document of a diff, read while the window's own is being captured.

A cold command has both processors to itself, so it may read ahead of its one job; a window that
serves several clients does not, since that would start work before it is admitted to a worker.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import anyio

from jobs import limits
from jobs.digests import Digest
from jobs.errors import ProtegeJobsError
from jobs.workers.contract import StageCall
from plugin_bridge.host.values import CaptureFile

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.workers.pool import WorkerPool
    from plugin_bridge.files import CapturedFile


class RightReading:
    """One reading under way. A failed one gives None: the job then reads itself and says what is wrong.

    Args:
        folder: private and empty; deleted by `release`.
    """

    def __init__(self, pool: WorkerPool, right: CapturedFile, folder: Path) -> None:
        self._pool = pool
        self._right = right
        self._folder = folder
        self._scope = anyio.CancelScope()
        self._ended = anyio.Event()
        self._file: CaptureFile | None = None

    async def run(self) -> None:
        """Read in a worker process, which is gone when this returns."""
        try:
            with self._scope:
                self._file = await self._read()
        except ProtegeJobsError:
            pass
        finally:
            self._ended.set()

    async def _read(self) -> CaptureFile:
        call = StageCall(
            operation="capture_right_document",
            version=1,
            inputs={
                "right": str(self._right.private_path),
                "right_sha256": self._right.byte_digest,
                "right_name": self._right.relative_path,
            },
            work_dir=self._folder,
        )
        (artifact,) = (await self._pool.execute(call)).artifacts
        return CaptureFile(path=artifact.path, sha256=Digest(f"sha256:{artifact.sha256}"))

    async def wait(self) -> CaptureFile | None:
        """The capture file; cancelled, it ends the reading first."""
        try:
            await self._ended.wait()
        except anyio.get_cancelled_exc_class():
            self._scope.cancel()
            with anyio.move_on_after(limits.CANCEL_OUTER_S, shield=True):
                await self._ended.wait()
            raise
        return self._file

    def release(self) -> None:
        """End the reading if it still goes on, and delete what it wrote."""
        self._scope.cancel()
        shutil.rmtree(self._folder, ignore_errors=True)
