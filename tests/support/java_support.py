"""Class paths for the tests of launching."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from jobs.java.jars import ClassPath, Jar

if TYPE_CHECKING:
    from pathlib import Path


def class_path_of(*jars: Path, main_class: str = "JavaDouble") -> ClassPath:
    """A class path of these jars, as if they had been found in the manifest."""
    rows = [
        Jar(name=each.name, sha256=hashlib.sha256(each.read_bytes()).hexdigest(), group=None, path=str(each))
        for each in jars
    ]
    return ClassPath(name="JavaDouble", main_class=main_class, jars=tuple(rows))
