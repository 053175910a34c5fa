"""Words to a person: results on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobs.errors import ProtegeJobsError
    from jobs.values import Job


def say(text: str) -> None:
    """One line or more of result; a reader that went away ends the command quietly."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """One line about the work, beside the result."""
    sys.stderr.write(f"{text}\n")


def say_error(error: ProtegeJobsError) -> None:
    """What went wrong, with its stable code and, where known, the line."""
    line = error.details.get("line")
    where = f" (line {line})" if line is not None and f"line {line}" not in error.message else ""
    note(f"protege-jobs: {error.message}{where} [{error.code}]")


@contextmanager
def progress_line() -> Iterator[Callable[[Job], None]]:
    """A live line on standard error while a job runs; nothing at all when that is no terminal."""
    if not sys.stderr.isatty():
        yield lambda job: None
        return
    # Imported here: a pipeline pays nothing for what it does not show.
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        line = progress.add_task("capturing the ontology", total=None)
        yield lambda job: progress.update(line, description=f"{job.type.value}: {job.progress.message}")
