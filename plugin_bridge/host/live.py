"""A live editor as the host of a window: its revision, its events and its captures over the gateway.

A heartbeat tells whether the host is there. It costs a call every few tenths of a second, which the
host answers without waiting for anything; when it fails, every call under way is given up and further
ones are refused at once (`host_unavailable`), until a beat succeeds again. So a killed or frozen
editor is a state that is seen within two seconds, and no call hangs on it.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs import limits
from jobs.errors import HostUnavailable, InvalidRequest, ProtegeJobsError
from jobs.tasks import open_tasks
from jobs.workers.contract import StageCall
from plugin_bridge.host.answers import error_of, malformed, number_of
from plugin_bridge.host.captured import captured
from plugin_bridge.host.events import CaptureMoved, EventFeed, EventsLost, HostClosing
from plugin_bridge.host.gateway import BEAT_S
from plugin_bridge.host.values import SelectedReasoner

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectReceiveStream

    from jobs.values import Json
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.host.events import HostEvent
    from plugin_bridge.host.gateway import GatewayClient
    from plugin_bridge.host.values import OntologyCapture

_INTERVAL_S: Final = 0.4
"""Between two beats; with the bound of one (`BEAT_S`) it makes 1.6 s until a frozen host is seen."""
_LOOK_S: Final = 1.0
"""A capture's state is asked for this often, should its event be lost."""
_GIVE_BACK_S: Final = 2.0
_UNDER_WAY: Final = ("copying", "writing")
assert _INTERVAL_S + BEAT_S < 2.0


@asynccontextmanager
async def open_live_host(
    client: GatewayClient, pool: WorkerPool, *, title: str, directory: Path, import_root: Path | None
) -> AsyncIterator[LiveHost]:
    """A live host for the length of the block, with its heartbeat and its events.

    Args:
        client: the caller's, who closes it after the block.
        directory: the host's private folder.
        import_root: a member's document below it is named by its path from there.
    """
    host = LiveHost(client, pool, title=title, directory=directory, import_root=import_root)
    try:
        async with open_tasks() as tasks:
            tasks.start_soon(host.watch, name="host heartbeat")
            tasks.start_soon(host.listen, name="host events")
            yield host
            tasks.cancel_scope.cancel()
    finally:
        host.close()


class LiveHost:
    """Satisfies `OntologyHost` for one editor window. Made by `open_live_host`."""

    def __init__(
        self,
        client: GatewayClient,
        pool: WorkerPool,
        *,
        title: str,
        directory: Path,
        import_root: Path | None,
    ) -> None:
        self._client = client
        self._pool = pool
        self._title = title
        self._directory = directory
        self._import_root = import_root
        self._feed = EventFeed(client, self._heard)
        self._moved: dict[str, anyio.Event] = {}
        self._is_there = True
        self._is_closing = False

    @property
    def title(self) -> str:
        """The name of the window's document."""
        return self._title

    @property
    def is_there(self) -> bool:
        """Whether the host answered the last beat, and is not closing."""
        return self._is_there and not self._is_closing

    @property
    def events(self) -> MemoryObjectReceiveStream[HostEvent]:
        """What the host tells by itself, for one reader; ends when the host closes."""
        return self._feed.stream

    async def revision(self) -> int:
        """The session revision as it is now.

        Raises:
            HostUnavailable: the host is gone, frozen or closing.
        """
        self._require()
        return await self._beat()

    async def describe(self) -> Json:
        """What the host says of its active ontology. Raises as `revision`."""
        self._require()
        return await self._client.describe()

    async def selected_reasoner(self) -> SelectedReasoner | None:
        """The reasoner that is selected now, read and not started. Raises as `revision`."""
        return _reasoner((await self.describe())["reasoner"])

    # --- Is it there? -----------------------------------------------------------------------------

    async def watch(self) -> None:
        """Beat until cancelled; runs as a task of the window."""
        while True:
            with suppress(HostUnavailable):
                await self._beat()
            await anyio.sleep(_INTERVAL_S)

    async def listen(self) -> None:
        """Hand events on until the host closes; runs as a task of the window."""
        await self._feed.run()

    async def _beat(self) -> int:
        try:
            revision, self._is_closing = await self._client.revision()
        except HostUnavailable:
            self._is_there = False
            self._client.give_up()
            for event in self._moved.values():
                event.set()
            raise
        self._is_there = True
        self._require()
        return revision

    def _require(self) -> None:
        if self._is_closing:
            raise HostUnavailable("The window is closing.")
        if not self._is_there:
            raise HostUnavailable("The editor does not answer. Try again in a moment.")

    def _heard(self, event: HostEvent) -> None:
        match event:
            case CaptureMoved():
                waiting = [self._moved.get(event.capture_id)]
            case EventsLost():
                waiting = list(self._moved.values())
            case HostClosing():
                self._is_closing = True
                waiting = list(self._moved.values())
            case _:
                return
        for each in waiting:
            if each is not None:
                each.set()

    def close(self) -> None:
        """Close the stream of events."""
        self._feed.close()

    # --- Capture ----------------------------------------------------------------------------------

    async def capture(self, into: Path) -> OntologyCapture:
        """Have the host copy one revision into files, and a worker read them."""
        self._require()
        capture_id = f"capture-{secrets.token_hex(12)}"
        folder = self._directory / capture_id
        try:
            await self._client.start_capture(capture_id, limits.CLOSURE_AXIOMS)
            manifest = await self._manifest(capture_id)
            self._title = str(manifest["title"])
            call = StageCall(
                operation="capture_gateway",
                version=1,
                inputs={
                    "folder": str(folder),
                    "title": self._title,
                    "root": None if self._import_root is None else str(self._import_root),
                    "members": manifest["members"],
                },
                work_dir=into,
            )
            result = await self._pool.execute(call)
            ontology, _ = captured(result, number_of(manifest, "revision"), _reasoner(manifest["reasoner"]))
            return ontology
        finally:
            await self._give_back(capture_id, folder)

    async def _manifest(self, capture_id: str) -> Json:
        """Wait until the capture is ready; the caller bounds the wait."""
        try:
            while True:
                self._require()
                moved = self._moved[capture_id] = anyio.Event()
                status = await self._client.capture_status(capture_id)
                if status["state"] == "ready" and isinstance(status["manifest"], dict):
                    return status["manifest"]
                if status["state"] == "failed":
                    raise _failure(status["error"])
                if status["state"] not in _UNDER_WAY:
                    raise malformed()
                with anyio.move_on_after(_LOOK_S):
                    await moved.wait()
        finally:
            self._moved.pop(capture_id, None)

    async def _give_back(self, capture_id: str, folder: Path) -> None:
        """Let the host forget the capture; its files go even when the host is no more."""
        with anyio.move_on_after(_GIVE_BACK_S, shield=True):
            if self.is_there:
                with suppress(ProtegeJobsError):
                    await self._client.cancel_capture(capture_id)
            await to_thread.run_sync(shutil.rmtree, folder, True)


def _failure(error: object) -> ProtegeJobsError:
    if not isinstance(error, dict):
        return HostUnavailable("The editor could not copy its ontology.")
    found = error_of(error)
    # A request of ours that the host refuses is a defect of one of us, not of the caller.
    return HostUnavailable(found.message) if isinstance(found, InvalidRequest) else found


def _reasoner(found: object) -> SelectedReasoner | None:
    if not isinstance(found, dict):
        return None
    settings = found.get("settings")
    not_carried = found.get("settings_not_carried")
    return SelectedReasoner(
        reasoner_id=str(found["id"]),
        name=str(found["name"]),
        factory_class=_optional(found, "factory_class"),
        version=_optional(found, "version"),
        buffering=str(found["buffering"]),
        settings=dict(settings) if isinstance(settings, dict) else {},
        settings_not_carried=tuple(map(str, not_carried)) if isinstance(not_carried, list) else (),
    )


def _optional(values: Mapping[str, object], key: str) -> str | None:
    found = values.get(key)
    return None if found is None else str(found)
