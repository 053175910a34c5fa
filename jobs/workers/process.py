"""One worker process, from spawn to reap.

Owns the spawning, the hello, the frames, the bounded tail of stderr and the end of the group.
Which worker does what is the pool's business; who cleans up after a killed backend, the guardian's.

Invariant: when the block of `owned_worker` has ended, the group is dead and its leader reaped,
unless `worker.unreaped` was logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import site
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from jobs.tasks import open_tasks
from jobs.workers import contract, os_support
from jobs.workers.frame_streams import FrameReceiver, send_bytes
from jobs.workers.frames import FrameError, encode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from anyio.abc import ByteReceiveStream, ByteSendStream, Process

    from jobs.workers.contract import WorkerLimits
    from jobs.workers.frames import Frame
    from jobs.workers.lifeline import Lifeline

logger = logging.getLogger(__name__)


def _isolation() -> tuple[str, ...]:
    """Interpreter options that shut out what does not lead to our own packages.

    An installation by `pip install --user`, or one that `PYTHONPATH` leads to, is found by the
    worker only as the backend found it; the working folder never is on a worker's path.
    """
    leading = ("PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE")
    if not sys.flags.ignore_environment and any(os.environ.get(name) for name in leading):
        return ("-P",) if site.ENABLE_USER_SITE else ("-P", "-s")
    return ("-E", "-P") if site.ENABLE_USER_SITE else ("-I",)


WORKER_COMMAND: Final = (sys.executable, *_isolation(), "-X", "utf8", "-m", "jobs.workers.main")
"""The one fixed entry point."""


_STRAY_S: Final = 0.2
"""How long the rest of what is no frame is waited for (ours)."""


@asynccontextmanager
async def owned_worker(
    command: Sequence[str],
    lifeline: Lifeline,
    limits: WorkerLimits,
    *,
    use_death_signal: bool = True,
    environment: Sequence[tuple[str, str]] = (),
) -> AsyncIterator[WorkerProcess]:
    """Own one worker; however the block ends, its whole process group is dead and reaped.

    Args:
        environment: added to what every worker inherits.
    Raises:
        OSError: it could not be started.
    """
    argv = [*command, "--parent", str(os.getpid())]
    if use_death_signal and _spawns_from_the_loop():
        argv.append("--die-with-parent")
    # Shielded: asyncio, cancelled inside a spawn, would leave a child that nobody here knows.
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **os_support.spawn_options(environment),
        )
    lifeline.watch_group(process.pid)  # no await since the spawn; a job is only sent later
    try:
        handle = os_support.GroupHandle(process.pid)
    except OSError:
        process.kill()
        await _reap(process, limits)
        lifeline.forget_group(process.pid)
        raise
    worker = WorkerProcess(process, handle, limits)
    try:
        async with open_tasks() as tasks:
            tasks.start_soon(worker.drain_stderr)
            try:
                yield worker
            finally:
                handle.kill_group()  # no await before this line
                with anyio.move_on_after(limits.drain_s, shield=True):
                    await worker.stderr_ended.wait()
                tasks.cancel_scope.cancel()
    finally:
        handle.kill_group()
        if await _reap(process, limits):
            lifeline.forget_group(process.pid)
        handle.close()


class WorkerProcess:
    """A running worker as the host sees it."""

    def __init__(self, process: Process, handle: os_support.GroupHandle, limits: WorkerLimits) -> None:
        self._process = process
        self._handle = handle
        self._limits = limits
        self._stdin, self._stdout, self._stderr = _streams(process)
        self._receiver = FrameReceiver(self._stdout, limits.frame_bytes)
        self._tail = bytearray()
        self.stderr_ended = anyio.Event()
        self.operations: tuple[str, ...] = ()

    @property
    def pid(self) -> int:
        """The leader of the group."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative for a signal."""
        return self._process.returncode

    @property
    def has_exited(self) -> bool:
        """Whether it has ended, as far as the system can tell before the event loop was told."""
        return self._process.returncode is not None or self._handle.has_exited()

    @property
    def stderr_tail(self) -> str:
        """The last bytes it wrote to stderr, and to stdout beside the wire, for diagnosis only.

        May hold paths and terms of a document.
        """
        return self._tail.decode("utf-8", "replace")

    async def greet(self) -> None:
        """Take the hello.

        Raises:
            FrameError: something else came, or nothing before the process ended.
        """
        hello = await self._receiver.receive()
        if hello is None or hello.get("type") != "hello":
            raise FrameError("the worker did not say hello")
        if hello.get("protocol") != contract.PROTOCOL:
            raise FrameError(f"the worker speaks protocol {hello.get('protocol')!r}, not {contract.PROTOCOL}")
        operations = hello.get("operations")
        self.operations = tuple(map(str, operations)) if isinstance(operations, list) else ()

    async def send(self, frame: Frame) -> None:
        """Send a frame; one that cannot arrive any more is dropped, `receive` tells of the end."""
        await self.send_encoded(encode(frame))

    async def send_encoded(self, data: bytes) -> None:
        """`send` for a frame that was encoded, and so found to be sendable, before."""
        await send_bytes(self._stdin, data)

    async def receive(self) -> Frame | None:
        """The next frame, None at the end; `FrameError` when the wire format is broken."""
        try:
            return await self._receiver.receive()
        except FrameError:
            await self._keep_stray_output()
            raise

    def make_quiet(self) -> None:
        """Put a worker that does not do so itself behind the others, and first where memory runs out."""
        os_support.go_first_when_memory_ends(self.pid)
        if self._limits.steps_back:
            os_support.send_back(self.pid)

    async def end_input(self) -> None:
        """Close its stdin, on which a worker leaves by itself."""
        await self._stdin.aclose()

    async def wait_exited(self) -> None:
        """Wait for the leader's end, even when a forked child keeps its pipes open."""
        await self._process.wait()

    def kill_group(self) -> None:
        """End the whole group now."""
        self._handle.kill_group()

    async def drain_stderr(self) -> None:
        """Keep stderr flowing and its last bytes; a worker never blocks on what it complains about."""
        keep = self._limits.stderr_tail_bytes
        try:
            while True:
                self._tail += await self._stderr.receive()
                del self._tail[:-keep]
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        finally:
            self.stderr_ended.set()

    async def _keep_stray_output(self) -> None:
        """Add what broke the wire to the tail: a runtime that crashes writes its last words to stdout."""
        stray = bytearray(self._receiver.rest[: self._limits.stderr_tail_bytes])
        with (
            anyio.move_on_after(_STRAY_S),
            contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError),
        ):
            while len(stray) < self._limits.stderr_tail_bytes:
                stray += await self._stdout.receive()
        self._tail += stray


def _streams(process: Process) -> tuple[ByteSendStream, ByteReceiveStream, ByteReceiveStream]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise RuntimeError("a worker is spawned with three pipes")
    return process.stdin, process.stdout, process.stderr


async def _reap(process: Process, limits: WorkerLimits) -> bool:
    """Close the pipes and reap, by a clock; False and a log line when the system does not let go."""
    with anyio.move_on_after(limits.reap_s, shield=True) as reaping:
        await process.aclose()
    if reaping.cancelled_caught:
        logger.error("worker.unreaped", extra={"pid": process.pid})
    return not reaping.cancelled_caught


def _spawns_from_the_loop() -> bool:
    """Whether the thread that spawns lives as long as the loop.

    trio spawns in a helper thread, whose end the kernel would take for the parent's death; there
    the guardian alone ends the workers.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
