"""What a window is opened with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from plugin_bridge.host.address import GatewayAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """Paths are canonical and absolute.

    Attributes:
        document: the ontology file; None for a window on an editor.
        gateway: the editor's gateway; None for a window on a document.
        project: where policy discovery starts; None: the document's folder.
        catalog: an import catalog that is asked after the one beside the document.
        profile: the reasoner profile asked for; None: the one selected in the editor, else the policy's.
        read_only: refuse every export.
        named_files: files that the person named on the command line; each may be a right document
            even outside the project, under its absolute path (W 6.6 forbids that to clients only).
        works_ahead: the window serves one command, which has the machine to itself: spawn its workers at
            once, and start a diff (`capture.ahead`) or prove the reasoner during the capture.
    """

    document: Path | None = None
    gateway: GatewayAddress | None = None
    project: Path | None = None
    catalog: Path | None = None
    profile: str | None = None
    read_only: bool = False
    named_files: frozenset[Path] = frozenset()
    works_ahead: bool = False
