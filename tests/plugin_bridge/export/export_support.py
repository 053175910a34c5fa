"""A project to export into, and one call that does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobs.digests import byte_digest
from plugin_bridge.export import prepare, publish
from plugin_bridge.files import ProjectRoot
from plugin_bridge.policy import resolve_policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugin_bridge.export import Published


def _nothing(*_: object) -> None:
    return


@dataclass
class Exporter:
    """Exports into one project, with its lock files beside it."""

    folder: Path
    base: Path

    def __call__(
        self,
        data: bytes | Path,
        destination: str,
        *,
        expected: str | None = None,
        recheck: Callable[[], None] = _nothing,
        at_step: Callable[[str], None] = _nothing,
        after_prepare: Callable[[], object] = _nothing,
        claimed: bytes | None = None,
    ) -> Published:
        content = claimed if claimed is not None else data if isinstance(data, bytes) else data.read_bytes()
        with (
            ProjectRoot.open(self.folder) as root,
            prepare(
                root,
                resolve_policy(self.folder),
                destination,
                overwrite=expected is not None,
                expected_target_digest=expected,
            ) as plan,
        ):
            after_prepare()
            return publish(
                plan,
                data,
                sha256=byte_digest(content),
                size_bytes=len(content),
                recheck=recheck,
                lock_base=self.base,
                at_step=at_step,
            )

    def tree(self) -> dict[str, bytes | None]:
        """Every entry of the project, with the bytes of files."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            if path.is_file() and not path.is_symlink()
            else None
            for path in sorted(self.folder.rglob("*"))
        }

    def write(self, name: str, data: bytes) -> str:
        """Put a file in place; its digest."""
        (self.folder / name).write_bytes(data)
        return byte_digest(data)
