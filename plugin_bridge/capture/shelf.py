"""One capture per revision, shared by its jobs and released exactly once by each (decision 10).

The shelf keeps the newest capture while its revision is the host's; an older one lives only as
long as a job holds it. Captures run one at a time, as children of the window: callers who ask for
the same revision meanwhile wait and share it, and a caller who gives up (a client that went away, a
publication that waits two seconds, decision 11) leaves it to whoever comes next.

Invariants: a capture's folder exists while a hold on it does; `ontology` of a hold never changes.
"""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from copy import copy
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs.errors import HostUnavailable, InputChanged

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from anyio.abc import TaskGroup

    from plugin_bridge.host.values import OntologyCapture, OntologyHost

_CAPTURE_S: Final = 600.0
"""The longest one capture may take (ours); two million axioms need about a minute."""
_ATTEMPTS: Final = 2
"""An input that moved once gets a second look; twice is a refusal (`job_input_changed`)."""


class _Shelved:
    """One captured folder and how many hold it."""

    def __init__(self, ontology: OntologyCapture, folder: Path) -> None:
        self.ontology = ontology
        self.folder = folder
        self.holders = 0
        self.superseded = False


class CaptureHold:
    """The right to read one capture until `release`, which may be called any number of times."""

    def __init__(self, shelved: _Shelved, on_release: Callable[[_Shelved], None]) -> None:
        shelved.holders += 1
        self._shelved = shelved
        self._on_release = on_release
        self._released = False

    @property
    def ontology(self) -> OntologyCapture:
        """What was captured."""
        return self._shelved.ontology

    def again(self) -> CaptureHold:
        """One more hold on the same capture."""
        return CaptureHold(self._shelved, self._on_release)

    def release(self) -> None:
        """Give the capture back; the last holder of an outdated one deletes it."""
        if self._released:
            return
        self._released = True
        self._shelved.holders -= 1
        self._on_release(self._shelved)


class _Attempt:
    """One capture under way, and who waits for it."""

    def __init__(self, revision: int, on_begun: Callable[[Path], None] | None) -> None:
        self.revision = revision
        self.on_begun = on_begun
        self.ended = anyio.Event()
        self.waiters = 0
        self.hold: CaptureHold | None = None
        self.error: Exception | None = None

    def leave(self) -> None:
        """One waiter fewer; the last one takes the attempt's own hold with it."""
        self.waiters -= 1
        self.settle()

    def settle(self) -> None:
        """Give the attempt's own hold back once it has ended and nobody waits any more."""
        if self.ended.is_set() and not self.waiters and self.hold is not None:
            self.hold.release()


class CaptureShelf:
    """The captures of one window.

    Args:
        new_folder: makes a private empty folder; may block.
        tasks: the window's task group, which the captures are children of.
    """

    def __init__(self, host: OntologyHost, new_folder: Callable[[], Path], tasks: TaskGroup) -> None:
        self._host = host
        self._new_folder = new_folder
        self._tasks = tasks
        self._newest: _Shelved | None = None
        self._under_way: _Attempt | None = None

    async def hold(self, on_begun: Callable[[Path], None] | None = None) -> CaptureHold:
        """Hold a capture of the host's present revision, making it when there is none.

        Args:
            on_begun: told the folder of each capture that is begun for this call; must be quick.
        Raises:
            InputChanged: the ontology moved during two captures in a row (`job_input_changed`).
            InvalidOntology, SnapshotTooLarge, HostUnavailable: as `OntologyHost.capture`.
        """
        while True:
            revision = await self._host.revision()
            if revision == 0:
                raise HostUnavailable("The window is still loading its ontology. Ask again in a moment.")
            if self._newest is not None and self._newest.ontology.revision == revision:
                return CaptureHold(self._newest, self._let_go)
            hold = await self._joined(self._under_way or self._begin(revision, on_begun), revision)
            if hold is not None:
                return hold

    async def _joined(self, attempt: _Attempt, revision: int) -> CaptureHold | None:
        """Wait for a capture; None when it was begun for an older revision than the caller's."""
        attempt.waiters += 1
        try:
            await attempt.ended.wait()
            if attempt.revision < revision:
                return None
            if attempt.hold is None:
                # A copy each: an exception raised in several tasks would gather all their traces.
                raise copy(attempt.error) if attempt.error else HostUnavailable("The window is closing.")
            return attempt.hold.again()
        finally:
            attempt.leave()

    def _begin(self, revision: int, on_begun: Callable[[Path], None] | None) -> _Attempt:
        attempt = self._under_way = _Attempt(revision, on_begun)
        self._tasks.start_soon(self._capture, attempt, name="capture")
        return attempt

    async def _capture(self, attempt: _Attempt) -> None:
        try:
            with anyio.fail_after(_CAPTURE_S):
                await self._replace_newest(attempt.on_begun)
            assert self._newest is not None
            attempt.hold = CaptureHold(self._newest, self._let_go)
        except TimeoutError:
            attempt.error = HostUnavailable("The ontology could not be read in ten minutes.")
        except Exception as error:  # noqa: BLE001 - it belongs to the callers who wait, not to the window
            attempt.error = error
        finally:
            self._under_way = None
            attempt.ended.set()
            attempt.settle()

    async def _replace_newest(self, on_begun: Callable[[Path], None] | None) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with self._fresh_folder() as folder:
                    if on_begun is not None:
                        on_begun(folder)
                    ontology = await self._host.capture(folder)
                    self._supersede(_Shelved(ontology, folder))
                return
            except InputChanged:
                if attempt == _ATTEMPTS:
                    raise

    @asynccontextmanager
    async def _fresh_folder(self) -> AsyncIterator[Path]:
        folder = await to_thread.run_sync(self._new_folder)
        try:
            yield folder
        except BaseException:
            _delete(folder)
            raise

    def _supersede(self, shelved: _Shelved) -> None:
        outdated, self._newest = self._newest, shelved
        if outdated is not None:
            outdated.superseded = True
            self._let_go(outdated)

    def _let_go(self, shelved: _Shelved) -> None:
        if shelved.superseded and shelved.holders == 0:
            _delete(shelved.folder)


def _delete(folder: Path) -> None:
    # A handful of unlinks of private files: short enough for the loop, and it must not wait.
    shutil.rmtree(folder, ignore_errors=True)
