"""One capture per revision, shared by its jobs and released exactly once by each (decision 10).

The shelf keeps the newest capture while its revision is the host's; an older one lives only as
long as a job holds it. Captures run one at a time, each in the task of the caller who found none:
callers who ask for the same revision meanwhile wait and share it; should the first one give up,
its capture ends with it and the next waiting caller makes one.

Invariants: a capture's folder exists while a hold on it does; `ontology` of a hold never changes.
"""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from jobs.errors import HostUnavailable, InputChanged

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from plugin_bridge.host.values import OntologyCapture, OntologyHost

_ATTEMPTS = 2
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

    def release(self) -> None:
        """Give the capture back; the last holder of an outdated one deletes it."""
        if self._released:
            return
        self._released = True
        self._shelved.holders -= 1
        self._on_release(self._shelved)


class CaptureShelf:
    """The captures of one window."""

    def __init__(self, host: OntologyHost, new_folder: Callable[[], Path]) -> None:
        self._host = host
        self._new_folder = new_folder
        self._newest: _Shelved | None = None
        self._capturing = anyio.Lock()

    async def hold(self) -> CaptureHold:
        """Hold a capture of the host's present revision, making it when there is none.

        Raises:
            InputChanged: the ontology moved during two captures in a row (`job_input_changed`).
            InvalidOntology, SnapshotTooLarge, HostUnavailable: as `OntologyHost.capture`.
        """
        async with self._capturing:
            revision = await self._host.revision()
            if revision == 0:
                raise HostUnavailable("The window is still loading its ontology. Ask again in a moment.")
            if self._newest is None or self._newest.ontology.revision != revision:
                await self._replace_newest()
            assert self._newest is not None
            return CaptureHold(self._newest, self._let_go)

    async def _replace_newest(self) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with self._fresh_folder() as folder:
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

    def close(self) -> None:
        """Forget the newest capture; jobs that still hold one keep it until they release it."""
        if self._newest is not None:
            self._newest.superseded = True
            self._let_go(self._newest)
            self._newest = None


def _delete(folder: Path) -> None:
    # A handful of unlinks of private files: short enough for the loop, and it must not wait.
    shutil.rmtree(folder, ignore_errors=True)
