"""Command line options as the settings of a window."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

from jobs.errors import InvalidRequest
from plugin_bridge.settings import WindowSettings

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def window_settings(options: argparse.Namespace) -> WindowSettings:
    """The settings that `FILE`, `--project`, `--catalog` and `--profile` give.

    Links in what a person types are resolved here, once; from then on none is followed.

    Raises:
        InvalidRequest: a named file or folder does not exist.
    """
    return WindowSettings(
        document=_existing_file(options.file, "FILE"),
        project=None if options.project is None else _existing_folder(options.project),
        catalog=None if options.catalog is None else _existing_file(options.catalog, "--catalog"),
        profile=options.profile,
    )


def log_to_stderr() -> None:
    """Send the log to standard error: standard output carries results or the protocol."""
    level = os.environ.get("PROTEGE_JOBS_LOG", "WARNING").upper()
    known = level if level in logging.getLevelNamesMapping() else "WARNING"
    logging.basicConfig(stream=sys.stderr, level=known, format="%(levelname)s %(name)s %(message)s")


def _existing_file(path: Path, name: str) -> Path:
    if not path.is_file():
        raise InvalidRequest(f"{name}: there is no file {path}.")
    return path.resolve()


def _existing_folder(path: Path) -> Path:
    if not path.is_dir():
        raise InvalidRequest(f"--project: there is no folder {path}.")
    return path.resolve()
