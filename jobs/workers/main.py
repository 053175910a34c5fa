"""The worker's entry point: one process, one job, registered operations only.

    python -I -m jobs.workers.main --parent PID [--die-with-parent]

stdin and stdout carry frames and nothing else; what a library prints goes to stderr. The order is
fixed: `hello`; perhaps a `warm` or `ahead` from the host; one `run`; `progress` frames; one `result` or
`error`. Then the worker waits to be ended. A thread reads stdin: `cancel` raises the cooperative
flag, the end of the stream ends the process and what it forked, at once.

Invariant: nothing outside the standard library and this package is imported before the hello,
except the table of operations, which names its stages without importing them.
"""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import gc
import importlib
import os
import queue
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobs import errors, limits
from jobs.workers import contract, frames, os_support
from jobs.workers.progress import ProgressReporter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobs.workers.frames import Frame

REGISTRY: Final = "jobs.operations.registry"
"""The table of operations; it stands above this room, so it is named and not imported."""

PRELOAD: Final = ("pyoxigraph", "pyelk")
"""What a warmed worker imports while it waits, before the stages: 5 ms of parser, 240 ms of reasoner."""


_NO_SPACE: Final = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})

_COLLECT_EVERY: Final = 100_000
"""Containers made between two looks for cycles (ours). At the usual 700 they are a tenth of a stage; a worker
runs one stage and ends, and what it makes are values without cycles."""


class Channel:
    """The frames of this process, both ways, on descriptors nobody else knows."""

    def __init__(self) -> None:
        self._output = os.dup(1)
        self._input = os.dup(0)
        os.dup2(2, 1)  # prints of libraries must not tear a frame
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._lock = threading.Lock()

    def send(self, frame: Frame) -> None:
        """Write one frame whole; a host that is gone ends this process."""
        data_fits = contract.WorkerLimits().frame_bytes
        with self._lock:
            try:
                frames.write_frame(self._output, frame, data_fits)
            except OSError:
                os_support.end_own_group()

    def listen(self, inbox: queue.SimpleQueue[Frame], cancelled: threading.Event) -> None:
        """Read the host's frames until it ends, which ends this process too; runs in its own thread."""
        parser = frames.FrameParser()
        try:
            while (frame := frames.read_frame(self._input, parser)) is not None:
                if frame.get("type") == "cancel":
                    cancelled.set()
                else:
                    inbox.put(frame)
        except (frames.FrameError, OSError) as error:
            sys.stderr.write(f"worker: the host's frames broke: {error}\n")
        os_support.end_own_group()


def main(argv: Sequence[str] | None = None) -> None:
    """Serve the registered operations."""
    prepare(argv)
    channel = Channel()
    registry: contract.Registry = importlib.import_module(REGISTRY)
    stages = tuple(entry.module for entry in registry.STAGES.values())
    serve(channel, registry.find_stage, operations=registry.stage_names(), preload=PRELOAD + stages)


def prepare(argv: Sequence[str] | None = None) -> None:
    """Tie this process to its parent and make it a quiet neighbour, before anything else is done."""
    arguments = sys.argv[1:] if argv is None else argv  # no argparse: it costs a tenth of the start
    if len(arguments) not in (2, 3) or arguments[0] != "--parent":
        sys.exit("worker: usage: --parent PID [--die-with-parent]; the pool starts me")
    if arguments[2:] == ["--die-with-parent"]:
        os_support.die_with_parent(int(arguments[1]))
    os_support.go_first_when_memory_ends()
    os.umask(0o077)
    faulthandler.enable()
    gc.set_threshold(_COLLECT_EVERY)


def serve(
    channel: Channel,
    find_stage: contract.FindStage,
    *,
    operations: Sequence[str],
    preload: Sequence[str] = (),
) -> None:
    """Greet, run the one job that comes, answer, and wait for the end. Never returns."""
    inbox: queue.SimpleQueue[Frame] = queue.SimpleQueue()
    cancelled = threading.Event()
    # A daemon thread, since it sits in a read: this process ends by `_exit` or by a signal only.
    threading.Thread(target=channel.listen, args=(inbox, cancelled), daemon=True).start()
    channel.send(
        {
            "type": "hello",
            "protocol": contract.PROTOCOL,
            "pid": os.getpid(),
            "operations": list(operations),
        }
    )
    frame = inbox.get()
    if frame.get("type") == "warm":
        os_support.step_behind_others()
        warm_up(preload, inbox)
        frame = inbox.get()
    elif frame.get("type") == "ahead":
        look_ahead(frame, find_stage)
        frame = inbox.get()
    reporter = ProgressReporter(channel.send, cancelled)
    answer = run_one(frame, find_stage, reporter)
    reporter.close()
    if not cancelled.is_set():
        channel.send(answer)
        cancelled.wait()  # the host ends this process; so what it forked is still found by its group
    os._exit(0)


def warm_up(modules: Sequence[str], inbox: queue.SimpleQueue[Frame]) -> None:
    """Import what a job may need, until one comes; what cannot be imported is that job's own finding."""
    for module in modules:
        if not inbox.empty():
            return
        try:
            importlib.import_module(module)
        except ImportError:
            sys.stderr.write(f"worker: {module} cannot be imported\n")


def look_ahead(frame: Frame, find_stage: contract.FindStage) -> None:
    """Import the stage that will probably be asked for; what fails here is that job's own finding."""
    with contextlib.suppress(LookupError, ImportError, frames.FrameError):
        find_stage(frames.text_field(frame, "operation"), 1)


def run_one(frame: Frame, find_stage: contract.FindStage, reporter: contract.Reporter) -> Frame:
    """The answer to one `run` frame; whatever the stage does, it is a frame."""
    try:
        call, memory_bytes = _call_of(frame)
        if frame.get("steps_back"):
            os_support.step_behind_others()
        if memory_bytes:
            os_support.limit_memory(memory_bytes)
        stage = _registered(find_stage, call)
        os.chdir(call.work_dir)
        return _bounded(_result_frame(stage(call, reporter), call.work_dir))
    except errors.ProtegeJobsError as error:
        return _error_frame(error)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - the worker's one door
        import traceback  # here: only a failing worker pays for it

        traceback.print_exc()  # for the host's tail of stderr; a caller sees the kind only
        if isinstance(error, OSError) and error.errno in _NO_SPACE:
            return _error_frame(errors.StorageFailed("The disk that holds the private files is full."))
        kind = type(error).__name__
        return _error_frame(
            errors.ExecutionFailed(
                f"The operation ended in an unforeseen way ({kind}).", details={"failure_type": kind}
            )
        )


def _call_of(frame: Frame) -> tuple[contract.StageCall, int]:
    version, inputs, memory_bytes = frame.get("version"), frame.get("inputs"), frame.get("memory_bytes")
    if frame.get("type") != "run" or not isinstance(version, int) or not isinstance(inputs, dict):
        raise frames.FrameError("a run frame was due")
    call = contract.StageCall(
        operation=frames.text_field(frame, "operation"),
        version=version,
        inputs=inputs,
        work_dir=Path(frames.text_field(frame, "work_dir")),
    )
    return call, memory_bytes if isinstance(memory_bytes, int) else 0


def _registered(find_stage: contract.FindStage, call: contract.StageCall) -> contract.Stage:
    try:
        return find_stage(call.operation, call.version)
    except LookupError:
        raise errors.ExecutionFailed(
            f"This worker knows no operation {call.operation!r} of version {call.version}.",
            details={"failure_type": "unknown_operation"},
        ) from None


def _result_frame(result: contract.StageResult, work_dir: Path) -> Frame:
    rows = [
        {
            "name": artifact.name,
            "media_type": artifact.media_type,
            "path": _relative(artifact.path, work_dir),
            "sha256": artifact.sha256,
            "bytes": artifact.size_bytes,
        }
        for artifact in result.artifacts
    ]
    return {"type": "result", "value": result.value, "artifacts": rows}


def _relative(path: Path, work_dir: Path) -> str:
    """The path as the wire carries it; the host checks that it stays inside."""
    if not path.is_absolute():
        return path.as_posix()
    for root in (work_dir, work_dir.resolve()):
        if path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    raise errors.ResultInvalid("An artifact of the operation lies outside its working folder.")


def _bounded(frame: Frame) -> Frame:
    """The result frame itself when its value keeps to the bound of W 7.1; its error otherwise."""
    try:
        size_bytes = len(frames.encode({"value": frame["value"]}))
    except frames.FrameError:
        raise errors.ResultInvalid("The operation's result is not JSON.") from None
    if size_bytes > limits.RESULT_BYTES:
        raise errors.ResultTooLarge(
            f"The result has {size_bytes} bytes; at most {limits.RESULT_BYTES} are kept.",
            details={"bytes": size_bytes, "limit": limits.RESULT_BYTES},
        )
    return frame


def _error_frame(error: errors.ProtegeJobsError) -> Frame:
    return {
        "type": "error",
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
        "details": error.details,
    }


if __name__ == "__main__":
    main()
