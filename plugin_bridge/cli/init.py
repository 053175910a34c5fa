"""`protege-jobs init [DIR]`: a commented minimal policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.errors import ProtegeJobsError
from plugin_bridge.cli.exit_codes import ExitCode
from plugin_bridge.cli.terminal import say, say_error

if TYPE_CHECKING:
    import argparse


def init(options: argparse.Namespace) -> int:
    """Write `.protege-jobs/project.yaml` and say where; an existing one is never touched."""
    from plugin_bridge.policy import init_project

    try:
        path = init_project(options.folder, force=options.force)
    except ProtegeJobsError as error:
        say_error(error)
        return ExitCode.FAILED
    say(f"Wrote {path}. Every setting in it is commented; without the file the same defaults hold.")
    return ExitCode.SUCCEEDED
