"""What a host tells of its ontology, and the Protocol that every host satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectReceiveStream

    from jobs.digests import Digest
    from plugin_bridge.host.events import HostEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureFile:
    """A private canonical copy that jobs read; opened by digest, never by trust in its path."""

    path: Path
    sha256: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedReasoner:
    """The reasoner that is selected in a live editor, as far as the editor tells without starting it.

    `settings` are those that another process can reproduce; `settings_not_carried` names the others.
    """

    reasoner_id: str
    name: str
    factory_class: str | None
    version: str | None
    buffering: str
    """`buffering` or `non_buffering`."""
    settings: Mapping[str, object]
    settings_not_carried: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyCapture:
    """The frozen copy of one revision of the active ontology and its import closure (W 6.3).

    `root` holds the active ontology alone, `closure` the whole import closure flattened.
    `imports` are the declarations as data; `imports_missing` those with no local document.
    """

    revision: int
    ontology_iri: str | None
    version_iri: str | None
    format: str
    reader: str
    axiom_count: int
    logical_axiom_count: int
    closure_axiom_count: int
    imports: tuple[str, ...]
    imports_loaded: tuple[str, ...]
    imports_missing: tuple[str, ...]
    semantic_fingerprint: Digest
    document_fingerprint: Digest
    closure_fingerprint: Digest
    root: CaptureFile
    closure: CaptureFile
    warnings: tuple[str, ...]
    origins: CaptureFile | None = None
    """Which document each axiom of the closure comes from; None where nothing was imported."""
    document_path: str | None = None
    """Where the active ontology's document lies below the project root, if it does."""
    reasoner: SelectedReasoner | None = None
    """None where nothing is selected, or the host is a document."""


class OntologyHost(Protocol):
    """The side of a window that owns the ontology."""

    @property
    def title(self) -> str:
        """A name fit for people and clients; never an absolute path."""

    async def revision(self) -> int:
        """The session revision, after noticing what changed unannounced; 0 means not ready yet.

        Raises:
            HostUnavailable: the host does not answer (`host_unavailable`).
        """

    @property
    def events(self) -> MemoryObjectReceiveStream[HostEvent] | None:
        """What the host tells by itself, for one reader, the window; None when it tells nothing."""

    async def selected_reasoner(self) -> SelectedReasoner | None:
        """What a person selected in the host; None when nothing is, or it has no such thing.

        Raises:
            HostUnavailable: the host does not answer (`host_unavailable`).
        """

    async def capture(self, into: Path) -> OntologyCapture:
        """Copy one single revision into an empty private folder.

        Raises:
            InputChanged: the ontology moved while it was copied (`job_input_changed`).
            InvalidOntology: it cannot be read whole (`invalid_ontology`).
            SnapshotTooLarge: the closure is above the bound (`job_snapshot_too_large`).
            HostUnavailable: the host does not answer (`host_unavailable`).
        """
