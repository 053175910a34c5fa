"""The frames of one stage, turned into values and checked: nothing a worker says is trusted."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import anyio.to_thread

from jobs import errors
from jobs.workers.contract import StageArtifact, StageProgress, StageResult
from jobs.workers.frames import FrameError, encode, text_field

if TYPE_CHECKING:
    from jobs.workers.contract import StageCall, WorkerLimits
    from jobs.workers.frames import Frame

_SHA256_CHARACTERS = 64


def run_order(call: StageCall, memory_bytes: int | None, *, steps_back: bool) -> bytes:
    """The encoded order to run one stage; `SchedulerFailed` when its inputs cannot be sent."""
    frame: Frame = {
        "type": "run",
        "operation": call.operation,
        "version": call.version,
        "inputs": dict(call.inputs),
        "work_dir": str(call.work_dir.absolute()),
        "memory_bytes": memory_bytes,
        "steps_back": steps_back,
    }
    try:
        return encode(frame)
    except FrameError:
        raise errors.SchedulerFailed("The inputs of the operation cannot be sent to a worker.") from None


def progress_of(frame: Frame) -> StageProgress:
    """One report; `FrameError` when it has another shape."""
    fraction = frame.get("fraction")
    if isinstance(fraction, bool) or not isinstance(fraction, int | float | None):
        raise FrameError("a progress fraction is no number")
    if fraction is not None and not 0 <= fraction <= 1:
        raise FrameError("a progress fraction lies outside 0..1")
    return StageProgress(
        phase=text_field(frame, "phase"), message=text_field(frame, "message"), fraction=fraction
    )


def error_of(frame: Frame) -> errors.ProtegeJobsError:
    """The error a stage reported, as the class its code names."""
    details = frame.get("details")
    return errors.from_wire(
        text_field(frame, "code"), text_field(frame, "message"), details if isinstance(details, dict) else {}
    )


async def result_of(frame: Frame, work_dir: Path, limits: WorkerLimits) -> StageResult:
    """The result with its artifacts as absolute paths, each a plain file inside `work_dir`.

    Raises:
        ResultInvalid: a row of another shape, a path that leads outside, no plain file, another size.
        ArtifactTooLarge: a file above `limits.artifact_bytes`.
    """
    rows = frame.get("artifacts")
    if "value" not in frame or not isinstance(rows, list) or len(rows) > limits.artifacts:
        raise errors.ResultInvalid("The operation's result does not have its declared shape.")
    artifacts = tuple(_artifact(row, work_dir) for row in rows)
    await anyio.to_thread.run_sync(_check_files, artifacts, work_dir, limits.artifact_bytes)
    return StageResult(value=frame["value"], artifacts=artifacts)


def _artifact(row: object, work_dir: Path) -> StageArtifact:
    match row:
        case {
            "name": str(name),
            "media_type": str(media_type),
            "path": str(path),
            "sha256": str(sha256),
            "bytes": int(size),
        }:
            relative = PurePosixPath(path)
            if relative.is_absolute() or ".." in relative.parts or "\0" in path or not relative.parts:
                raise errors.ResultInvalid("An artifact of the operation lies outside its working folder.")
            if len(sha256) != _SHA256_CHARACTERS or isinstance(size, bool) or size < 0:
                raise errors.ResultInvalid("An artifact of the operation has no valid digest or size.")
            return StageArtifact(
                name=name, media_type=media_type, path=work_dir / relative, sha256=sha256, size_bytes=size
            )
    raise errors.ResultInvalid("An artifact of the operation is not described as it must be.")


def _check_files(artifacts: tuple[StageArtifact, ...], work_dir: Path, limit_bytes: int) -> None:
    """Blocking: a few `lstat`s. What is inside a file is checked when it is staged."""
    root = Path(os.path.realpath(work_dir))
    for artifact in artifacts:
        try:
            found = artifact.path.lstat()
            is_inside = Path(os.path.realpath(artifact.path)).is_relative_to(root)
        except (OSError, ValueError):
            raise errors.ResultInvalid("An artifact of the operation is missing.") from None
        if not stat.S_ISREG(found.st_mode) or not is_inside:
            raise errors.ResultInvalid("An artifact of the operation is no plain file in its working folder.")
        if found.st_size != artifact.size_bytes:
            raise errors.ResultInvalid("An artifact of the operation does not have its declared size.")
        if found.st_size > limit_bytes:
            raise errors.ArtifactTooLarge(
                f"An artifact has {found.st_size} bytes; at most {limit_bytes} are kept.",
                details={"bytes": found.st_size, "limit": limit_bytes},
            )
