"""Command line options as the settings of a window."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jobs.errors import InvalidRequest
from plugin_bridge.files import ReferenceKind, classify_reference
from plugin_bridge.settings import WindowSettings

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def window_settings(options: argparse.Namespace) -> WindowSettings:
    """The settings that `FILE`, `--project`, `--catalog` and `--profile` give.

    Links in what a person types are resolved here, once; from then on none is followed.

    Raises:
        InvalidRequest: a named file or folder does not exist, or no profile has that name.
    """
    _check_profile(options.profile)
    return WindowSettings(
        document=existing_file(options.file, "FILE"),
        project=None if options.project is None else _existing_folder(options.project),
        catalog=None if options.catalog is None else existing_file(options.catalog, "--catalog"),
        profile=options.profile,
    )


def _check_profile(name: str | None) -> None:
    from jobs.reasoners.profiles import names

    if name is not None and name not in names():
        raise InvalidRequest(f"--profile: no reasoner profile is named {name}. Known: {', '.join(names())}.")


def existing_file(path: Path, name: str) -> Path:
    """The canonical path of a regular file that was named on the command line.

    Raises:
        InvalidRequest: there is none, or no client could be told its name.
    """
    if not os.path.isfile(path):  # unlike Path.is_file it says no to whatever cannot be looked at
        raise InvalidRequest(f"{name}: there is no file {path}.")
    found = path.resolve()
    if classify_reference(str(found)) is not ReferenceKind.LOCAL:
        raise InvalidRequest(f"{name}: the path {found} is no plain text, or too long. Rename the file.")
    return found


def _existing_folder(path: Path) -> Path:
    if not os.path.isdir(path):
        raise InvalidRequest(f"--project: there is no folder {path}.")
    return path.resolve()
