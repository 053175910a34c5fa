"""A captured request on its way through a worker: what the engine runs, publishes and lets go."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from jobs import limits
from jobs.digests import Digest
from jobs.errors import ResultInvalid, clip_utf8
from jobs.values import Computed, StagedFile

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from jobs.computation import Report
    from jobs.workers.contract import OnProgress, StageProgress, StageResult


Drift = tuple[bool | None, tuple[str, ...]]


class StageComputation:
    """One stage over captured files; satisfies `jobs.computation.Computation`.

    Args:
        execute: runs the stage in a worker process, which is gone when it returns or raises.
        folder: private; the stage writes there. Deleted by `release`.
        drift: compares the live inputs with the captured ones.
        authority: the owner's lease for publication.
        on_release: gives back what the inputs name.
    """

    def __init__(
        self,
        execute: Callable[[OnProgress], Awaitable[StageResult]],
        *,
        folder: Path,
        drift: Callable[[], Awaitable[Drift]],
        authority: Callable[[], AbstractAsyncContextManager[object]],
        on_release: Callable[[], None],
    ) -> None:
        self._execute = execute
        self._folder = folder
        self._drift = drift
        self._authority = authority
        self._on_release = on_release

    async def run(self, report: Report) -> Computed:
        """Run the stage in a worker process, which is gone when this returns or raises."""

        async def on_progress(progress: StageProgress) -> None:
            report(progress.phase, told(progress))

        return computed(await self._execute(on_progress))

    async def drift(self) -> Drift:
        """Whether the live inputs are still the captured ones (W 8.6)."""
        return await self._drift()

    def authority(self) -> AbstractAsyncContextManager[object]:
        """The owner's lease (W 8.5)."""
        return self._authority()

    def release(self) -> None:
        """Delete the stage's folder and give the captures back."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._on_release()


def told(progress: StageProgress) -> str:
    """The message, with how far the work is where that is known: a descriptor has no other place for it."""
    if progress.fraction is None:
        return progress.message
    percent = f" ({progress.fraction:.0%})"
    return clip_utf8(progress.message, limits.PROGRESS_MESSAGE_BYTES - len(percent)) + percent


def computed(result: StageResult) -> Computed:
    """A stage's answer as the engine publishes it.

    Raises:
        ResultInvalid: the value is no JSON object (`job_result_invalid`).
    """
    if not isinstance(result.value, dict):
        raise ResultInvalid("The operation returned no object.")
    files = tuple(
        StagedFile(
            name=each.name,
            media_type=each.media_type,
            path=each.path,
            sha256=Digest(f"sha256:{each.sha256}"),
            size_bytes=each.size_bytes,
        )
        for each in result.artifacts
    )
    return Computed(structured=result.value, files=files)
