"""Interface that `jobs.reasoners` uses; being written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaRuntime:
    """A usable runtime."""

    executable: str
    version: str


def find_runtime() -> JavaRuntime | None:
    """The runtime that workers use; None when there is none."""
    return None


def get_runtime() -> JavaRuntime:
    """As `find_runtime`; raises JavaUnavailable."""
    raise NotImplementedError
