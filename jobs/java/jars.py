"""Interface that `jobs.reasoners` uses; being written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """One jar of a class path."""

    name: str
    sha256: str
    group: str | None
    """Maven group; `org.protegejobs` for ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPath:
    """The jars of one runnable module, verified."""

    name: str
    main_class: str
    jars: tuple[Jar, ...]


def find_classpath(name: str) -> ClassPath | None:
    """The class path by the name of its module; None when it is not installed whole."""
    return None
