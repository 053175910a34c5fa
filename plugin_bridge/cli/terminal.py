"""Words to a person: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from jobs.errors import StorageFailed, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobs.errors import ProtegeJobsError
    from jobs.values import Job, JobError


def say(text: str) -> None:
    """One line or more of result; to a reader that went away (`| head`) nothing more is said.

    Raises:
        StorageFailed: standard output does not take it, as on a full disk.
    """
    try:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer must not fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise StorageFailed(f"The result cannot be written: {error.strerror}.") from None


def prepare_streams() -> None:
    """Make the standard streams fit for use, however the command was started.

    A closed one becomes the null device, or a pipe to a worker would get its number and its output;
    and no character of a label or file name ends the command, whatever the terminal can show.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)  # the lowest free number, hence this one's
            setattr(sys, name, os.fdopen(null, "w" if number else "r"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say_failure(error: JobError) -> None:
    """What a job failed of, like any other error."""
    note(f"protege-jobs: {error.message} [{error.code}]")


def note(text: str) -> None:
    """One line about the work, beside the result; whether anybody reads it changes nothing."""
    with suppress(OSError):
        sys.stderr.write(f"{in_one_line(text)}\n")
        sys.stderr.flush()


def say_error(error: ProtegeJobsError) -> None:
    """What went wrong, with its stable code and, where known, the line."""
    line = error.details.get("line")
    where = f" (line {line})" if line is not None and f"line {line}" not in error.message.lower() else ""
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
