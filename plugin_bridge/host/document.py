"""A document on disk as the host of a window: no editor, no Java.

The session revision advances whenever a look finds that the document, a catalog or an imported
file has changed on disk; looks happen before and after each capture and when a job is published.
Reading happens in a worker process; this side only copies, compares and names files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs import limits
from jobs.errors import HostUnavailable, InputChanged, InvalidRequest, SnapshotTooLarge
from jobs.workers.contract import StageCall
from plugin_bridge import translating
from plugin_bridge.files import (
    SETTLE_S,
    ErrorChoice,
    Look,
    ProjectRoot,
    copy_confined,
    digest_confined,
    is_fresh,
    look_at,
)
from plugin_bridge.host.captured import captured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from jobs.workers.pool import WorkerPool
    from plugin_bridge.files import CapturedFile
    from plugin_bridge.host.values import OntologyCapture

CATALOG_NAME: Final = "catalog-v001.xml"
_ERRORS: Final = ErrorChoice(invalid=HostUnavailable, changed=InputChanged, remote=InvalidRequest)
_IMPORT_ERRORS: Final = ErrorChoice(invalid=InputChanged, changed=InputChanged, remote=InputChanged)


class DocumentHost:
    """Satisfies `OntologyHost` for one file.

    Args:
        document: canonical path of the ontology file.
        import_root: imported files are read only below it.
        catalog: a further catalog, asked after the one beside the document.
    """

    def __init__(
        self, pool: WorkerPool, document: Path, *, import_root: Path, catalog: Path | None = None
    ) -> None:
        self._pool = pool
        self._document = document
        self._import_root = import_root
        beside = document.parent / CATALOG_NAME
        self._catalogs = [beside] if catalog is None or catalog == beside else [beside, catalog]
        self._imported: tuple[Path, ...] = ()
        self._revision = 0
        self._seen: dict[Path, Look] = {}
        self._looking = anyio.Lock()

    @property
    def title(self) -> str:
        """The file's name."""
        return self._document.name

    async def revision(self) -> int:
        """The session revision; a change on disk since the last look advances it."""
        async with self._looking:
            seen = await to_thread.run_sync(look_at, self._watched(self._imported))
            if seen != self._seen:
                self._seen = seen
                self._revision += 1
            return self._revision

    @property
    def events(self) -> None:
        """A document tells nothing by itself."""

    async def selected_reasoner(self) -> None:
        """A document selects none."""

    async def capture(self, into: Path) -> OntologyCapture:
        """Copy the document, have a worker read it and its imports, and check that nothing moved."""
        revision = await self.revision()
        await self._settle()
        copied = await to_thread.run_sync(self._copy, into)
        call = StageCall(
            operation="capture_document",
            version=1,
            inputs={
                "path": str(copied.private_path),
                "sha256": copied.byte_digest,
                "name": self.title,
                "document_iri": self._document.as_uri(),
                "folder": str(self._document.parent),
                "root": str(self._import_root),
                "catalogs": [str(each) for each in self._catalogs],
            },
            work_dir=into,
        )
        result = await translating.execute(self._pool, call)
        copied.private_path.unlink(missing_ok=True)
        ontology, value = captured(result, revision)
        await self._watch_imports(value["sources"], revision)
        return ontology

    def _copy(self, into: Path) -> CapturedFile:
        with _opened(self._document.parent) as folder:
            try:
                return copy_confined(
                    folder,
                    str(self._document),
                    into_dir=into,
                    max_bytes=limits.SECONDARY_FILE_BYTES,
                    errors=_ERRORS,
                )
            except HostUnavailable as error:
                if error.details.get("reason") == "too_large":  # the one reason that a retry cannot cure
                    raise SnapshotTooLarge(error.message, details=error.details) from None
                raise

    async def _watch_imports(self, sources: Sequence[Mapping[str, str | None]], revision: int) -> None:
        """Take the imported files into the watch; they, too, must be as they were read.

        Raises:
            InputChanged: something moved since the capture began.
        """
        imported = tuple(self._import_root / str(each["path"]) for each in sources)
        if imported != self._imported:
            # One look at everything: of two, an edit in between would belong to neither.
            seen = await to_thread.run_sync(look_at, self._watched(imported))
            if any(self._seen.get(path, now) != now for path, now in seen.items()):
                raise _moved()
            self._imported, self._seen = imported, seen
            await self._settle()
            # They were read before they were watched, so what is there now is held against it.
            if not await to_thread.run_sync(self._are_as_read, sources):
                raise _moved()
        if await self.revision() != revision:
            raise _moved()

    async def _settle(self) -> None:
        """Between a look and a reading: let an edit after the reading be seen by the next look."""
        if any(map(is_fresh, self._seen.values())):
            await anyio.sleep(SETTLE_S)

    def _are_as_read(self, sources: Sequence[Mapping[str, str | None]]) -> bool:
        with _opened(self._import_root) as root:
            return all(_find_digest(root, str(each["path"])) == each["sha256"] for each in sources)

    def _watched(self, imported: tuple[Path, ...]) -> tuple[Path, ...]:
        return (self._document, *self._catalogs, *imported)


def _moved() -> InputChanged:
    return InputChanged("The document or an import changed while it was being read. Try again.")


def _opened(folder: Path) -> ProjectRoot:
    try:
        return ProjectRoot.open(folder)
    except OSError:
        raise HostUnavailable(
            "The document's folder is gone or cannot be opened.", details={"reason": "missing"}
        ) from None


def _find_digest(root: ProjectRoot, path: str) -> str | None:
    """SHA-256 in hexadecimal; None for what cannot be read as a file, or moves."""
    try:
        digest = digest_confined(
            root, f"./{path}", max_bytes=limits.SECONDARY_FILE_BYTES, errors=_IMPORT_ERRORS
        )
    except (InputChanged, InvalidRequest):
        return None
    return digest.removeprefix("sha256:")
