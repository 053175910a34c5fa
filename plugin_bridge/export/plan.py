"""An authorised destination of an export, with its folder pinned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from jobs.errors import ArtifactExportFailed
from plugin_bridge.files.confined import open_parent

if TYPE_CHECKING:
    from jobs.digests import Digest
    from plugin_bridge.files.folders import Folder, Identity
    from plugin_bridge.files.roots import ProjectRoot


class ExportPlan:
    """An authorised destination with its folder pinned. A context manager; the root must stay open.

    Invariant: `parent` is the folder that was authorised, whatever its path leads to later.
    """

    __slots__ = ("components", "expected_target_digest", "overwrite", "parent", "root")

    def __init__(
        self,
        *,
        root: ProjectRoot,
        components: tuple[str, ...],
        parent: Folder,
        expected_target_digest: Digest | None,
    ) -> None:
        self.root = root
        self.components = components
        self.parent = parent
        self.expected_target_digest = expected_target_digest
        self.overwrite = expected_target_digest is not None

    @property
    def name(self) -> str:
        """The target's name in its folder."""
        return self.components[-1]

    @property
    def relative_path(self) -> str:
        """The target below the project root, with forward slashes."""
        return "/".join(self.components)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unpin the folder; a second call does nothing."""
        self.parent.close()

    def check_parent(self) -> None:
        """Raise unless the destination's path still leads to the pinned folder (`parent_changed`)."""
        if not self.root.is_in_place() or _walk(self.root, self.components) != self.parent.identity:
            raise ArtifactExportFailed(
                "The destination's folder was moved or replaced. Nothing was written.",
                details={"reason": "parent_changed"},
            )


def _walk(root: ProjectRoot, components: tuple[str, ...]) -> Identity | None:
    try:
        with open_parent(root, components) as parent:
            return parent.identity
    except OSError:
        return None
