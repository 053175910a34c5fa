"""Where a window's ontology comes from, before there is a window: a document, or an editor's gateway.

What the rest of a window needs to know first is found out here: the folder that the document lies in
(policy discovery starts there), and the document itself (no export may replace it).
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import unquote, urlsplit

import anyio
from anyio import to_thread

from jobs.errors import HostUnavailable, InvalidRequest
from plugin_bridge.host.document import DocumentHost

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from jobs.values import Json
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.host.address import GatewayAddress
    from plugin_bridge.host.gateway import GatewayClient
    from plugin_bridge.host.values import OntologyHost
    from plugin_bridge.settings import WindowSettings

_READY_S: Final = 600.0
"""How long an editor may load its first ontology (ours)."""
_LOOK_S: Final = 0.1


class Origin(Protocol):
    """One way to an ontology.

    `document` is the canonical path of the window's file; None when it is not a file of this machine.
    """

    @property
    def document(self) -> Path | None:
        """The window's own file."""

    def open(self, pool: WorkerPool, import_root: Path | None) -> AbstractAsyncContextManager[OntologyHost]:
        """The host, for the length of the block.

        Args:
            import_root: imported files are read below it, or named by their path from there.
        """


@asynccontextmanager
async def opened_origin(settings: WindowSettings) -> AsyncIterator[Origin]:
    """The origin that the settings name; an editor's is connected for the length of the block.

    Raises:
        InvalidRequest: the settings name none, or both.
        HostUnavailable: the editor does not answer, or has no ontology ready in ten minutes.
    """
    if (settings.document is None) == (settings.gateway is None):
        raise InvalidRequest("A window is opened on a document or on an editor, and on one only.")
    if settings.document is not None:
        yield _DocumentOrigin(settings.document, settings.catalog)
        return
    assert settings.gateway is not None
    from plugin_bridge.host.gateway import GatewayClient  # a window on a document starts without py4j

    client = GatewayClient(settings.gateway)
    try:
        yield await _editor(client, settings.gateway)
    finally:
        await client.aclose()


class _DocumentOrigin:
    """A file."""

    def __init__(self, document: Path, catalog: Path | None) -> None:
        self.document = document
        self._catalog = catalog

    def open(self, pool: WorkerPool, import_root: Path | None) -> AbstractAsyncContextManager[OntologyHost]:
        root = import_root or self.document.parent
        return nullcontext(DocumentHost(pool, self.document, import_root=root, catalog=self._catalog))


class _EditorOrigin:
    """An editor that answers and has an ontology."""

    def __init__(
        self, client: GatewayClient, directory: Path, description: Json, document: Path | None
    ) -> None:
        self.document = document
        self._client = client
        self._directory = directory
        self._title = str(description["title"])

    def open(self, pool: WorkerPool, import_root: Path | None) -> AbstractAsyncContextManager[OntologyHost]:
        from plugin_bridge.host.live import open_live_host

        return open_live_host(
            self._client, pool, title=self._title, directory=self._directory, import_root=import_root
        )


async def _editor(client: GatewayClient, address: GatewayAddress) -> _EditorOrigin:
    hello = await client.hello()
    if hello["window_id"] != address.window_id:
        raise HostUnavailable("Another window answers at this address. Connect anew.")
    with anyio.move_on_after(_READY_S):
        description = await _description(client)
        document = await to_thread.run_sync(_local_file, description["document_iri"])
        return _EditorOrigin(client, address.directory, description, document)
    raise HostUnavailable("The editor has not opened an ontology in ten minutes.")


async def _description(client: GatewayClient) -> Json:
    """What the host says of its ontology as soon as there is one; the caller bounds the wait."""
    while True:
        revision, is_closing = await client.revision()  # raises when the host is gone
        if is_closing:
            raise HostUnavailable("The window is closing.")
        if revision > 0:
            try:
                return await client.describe()
            except HostUnavailable:
                pass  # its model thread is busy, or it is loading again
        await anyio.sleep(_LOOK_S)


def _local_file(document_iri: object) -> Path | None:
    """The canonical path behind a document IRI, if its folder is on this machine."""
    parts = urlsplit(str(document_iri)) if isinstance(document_iri, str) else None
    if parts is None or parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    text = unquote(parts.path)
    path = Path(text.lstrip("/") if os.name == "nt" else text)
    try:
        return path.resolve() if path.is_absolute() and path.parent.is_dir() else None
    except (OSError, ValueError):
        return None
