"""The backend's end of the guardian: keeps one running and tells it what to clean up.

Calls are plain `def` and never wait, so there is no yield point between a spawn and its
registration. The pipe exists before the guardian does; what is written meanwhile is read later, so
starting costs the backend nothing.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from jobs.tasks import open_tasks
from jobs.workers import guardian, os_support

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from anyio.abc import Process

    from jobs.workers.contract import WorkerLimits

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_lifeline(limits: WorkerLimits) -> AsyncIterator[Lifeline]:
    """Own one guardian for the length of the block.

    It is shielded from a cancellation of the block's surroundings: it must still be there while
    the workers inside are being ended, and goes after them, bounded by `limits.reap_s`.
    """
    lifeline = Lifeline(limits)
    async with open_tasks() as tasks:
        tasks.start_soon(lifeline.keep_guardian)
        try:
            yield lifeline
        finally:
            lifeline.close()


class Lifeline:
    """What this backend has to clean up, kept here and told to the guardian."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._groups: set[int] = set()
        self._directories: set[str] = set()
        self._scope = anyio.CancelScope(shield=True)
        self._is_closed = False
        self._is_broken = False  # a line did not go through; this guardian must not act on the rest
        self._process: Process | None = None
        self._read_end, self._write_end = _open_pipe()

    @property
    def guardian_pid(self) -> int | None:
        """The running guardian, or None between two."""
        return self._process.pid if self._process else None

    def watch_group(self, pid: int) -> None:
        """End this group should the backend die."""
        self._groups.add(pid)
        self._tell({"watch": pid})

    def forget_group(self, pid: int) -> None:
        """The group is gone and reaped; its number may become another's."""
        self._groups.discard(pid)
        self._tell({"forget": pid})

    def guard_directory(self, directory: Path) -> None:
        """Delete this private directory should the backend die."""
        self._directories.add(str(directory.absolute()))
        self._tell({"guard": str(directory.absolute())})

    def release_directory(self, directory: Path) -> None:
        """The directory is gone, or is to stay."""
        self._directories.discard(str(directory.absolute()))
        self._tell({"release": str(directory.absolute())})

    def close(self) -> None:
        """Cut the line; the guardian cleans up what is still registered and ends."""
        self._is_closed = True
        self._close_write_end()
        self._scope.deadline = anyio.current_time() + self._limits.reap_s

    async def keep_guardian(self) -> None:
        """Run a guardian until `close`, a new one when one is lost; give up after a few, loudly."""
        with self._scope:
            for attempt in range(self._limits.guardian_restarts + 1):
                if attempt:
                    await anyio.sleep(0.05 * 2**attempt)
                    if self._is_closed:
                        break
                await self._run_guardian()
                if self._is_closed:
                    break
                logger.warning("worker.guardian_lost", extra={"attempt": attempt})
            else:
                logger.error("worker.guardian_given_up")
        self._close_both_ends()

    async def _run_guardian(self) -> None:
        """One guardian from spawn to reap; returns early when it cannot be started."""
        argv = [sys.executable, "-I", "-S", guardian.__file__]
        try:
            if self._is_broken or self._read_end < 0:
                self._renew_pipe()
            self._process = await anyio.open_process(
                argv,
                stdin=self._read_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **os_support.spawn_options(),
            )
        except OSError:
            logger.exception("worker.guardian_not_started")
            return
        finally:
            self._close_read_end()
        async with self._process as process:
            try:
                if self._is_broken:
                    process.kill()
                await process.wait()
            finally:
                self._process = None
                if process.returncode is None:
                    process.kill()  # out of time; `aclose` reaps it

    def _tell(self, line: dict[str, object]) -> None:
        """Write one line; a guardian that cannot take it is ended, and the next one is told everything."""
        if self._write_end < 0 or self._is_broken:
            return
        data = (json.dumps(line) + "\n").encode("ascii")
        try:
            if os.write(self._write_end, data) == len(data):
                return
        except OSError as error:
            logger.warning("worker.lifeline_blocked", extra={"failure_type": type(error).__name__})
        # Killed before its pipe is closed: at an end of file it would end our living workers.
        self._is_broken = True
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    def _renew_pipe(self) -> None:
        self._is_broken = False
        self._close_both_ends()
        self._read_end, self._write_end = _open_pipe()
        for pid in self._groups:
            self._tell({"watch": pid})
        for directory in self._directories:
            self._tell({"guard": directory})
        if self._is_closed:  # meanwhile: the new guardian shall see the end after all this
            self._close_write_end()

    def _close_both_ends(self) -> None:
        self._close_write_end()
        self._close_read_end()

    def _close_read_end(self) -> None:
        if self._read_end >= 0:
            os.close(self._read_end)
            self._read_end = -1

    def _close_write_end(self) -> None:
        if self._write_end >= 0:
            os.close(self._write_end)
            self._write_end = -1


def _open_pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(write_end, False)
    return read_end, write_end
