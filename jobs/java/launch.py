"""Interface that `jobs.reasoners` uses; being written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobs.workers.contract import Launch


def java_launch(class_path: str, *, heap_bytes: int | None = None) -> Launch:
    """How a JVM worker on a class path is started. Raises JavaUnavailable."""
    raise NotImplementedError
