"""Writing a report: one JSON object, streamed to a file, the same bytes for the same content.

Each key starts a line and so does each row of a list, so that two reports can be compared line by
line; keys stand in the order they are added.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from jobs import digests
from jobs.workers.contract import StageArtifact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO, Self

MEDIA_TYPE: Final = "application/json"
_CHUNK_BYTES: Final = 1 << 20
_ROWS_AT_ONCE: Final = 1_000
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
"""Made once: `json.dumps` makes one for each row."""


class ReportWriter:
    """Writes `report.json` below a work folder; use as a context manager, then take `artifact()`."""

    def __init__(self, work_dir: Path, name: str = "report.json") -> None:
        self._path = work_dir / name
        self._name = name
        self._is_first = True
        self._file: BinaryIO

    def __enter__(self) -> Self:
        self._file = self._path.open("xb+")
        self._file.write(b"{")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._file.write(b"\n}\n")
        self._file.close()

    def add(self, key: str, value: object) -> None:
        """Add one key."""
        self._key(key)
        self._file.write(encoded(value))

    def add_rows(self, key: str, rows: Iterable[object], limit_bytes: int | None = None) -> bool:
        """Add a list row by row; if it grows above `limit_bytes`, an empty list stands instead.

        Args:
            rows: JSON values; one that is `bytes` is taken as encoded.
        Returns:
            Whether the rows are there.
        """
        self._key(key)
        start = self._file.tell()
        size_bytes = 1
        waiting = [b"["]
        separator = b"\n"
        for row in rows:
            text = separator + (row if isinstance(row, bytes) else encoded(row))
            size_bytes += len(text)
            if limit_bytes is not None and size_bytes > limit_bytes:
                self._file.seek(start)
                self._file.truncate()
                self._file.write(b"[]")
                return False
            waiting.append(text)
            if len(waiting) == _ROWS_AT_ONCE:
                self._file.write(b"".join(waiting))
                waiting.clear()
            separator = b",\n"
        self._file.write(b"".join(waiting) + b"]")
        return True

    def artifact(self) -> StageArtifact:
        """The finished file, with digest and size as they are on disk."""
        return StageArtifact(
            name=self._name,
            media_type=MEDIA_TYPE,
            path=self._path,
            sha256=digests.chunks_digest(_chunks(self._path)).removeprefix("sha256:"),
            size_bytes=self._path.stat().st_size,
        )

    def _key(self, key: str) -> None:
        self._file.write((b"\n" if self._is_first else b",\n") + encoded(key) + b": ")
        self._is_first = False


def encoded(value: object) -> bytes:
    """Compact JSON in UTF-8; a lone surrogate becomes its JSON escape."""
    return _ENCODER.encode(value).encode("utf-8", "backslashreplace")


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
