"""Places that a command writes to: looked at before the work, replaced whole after it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_places(output: Path | None, artifacts: Path | None, inputs: Iterable[Path | None]) -> None:
    """Refuse before the work begins what could only be refused after it.

    Args:
        inputs: the files that are read, which a slip in the command must not cost.
    Raises:
        InvalidRequest: a folder to write to is missing, is none, or cannot be written; or a result
            would replace an input.
    """
    for source in inputs:
        if output is not None and source is not None and _is_same(output, source):
            raise InvalidRequest(f"-o: {output} is an input of this job; write the result elsewhere.")
    if output is not None and not os.path.lexists(output):
        _check_folder("-o", output.parent)
    if artifacts is not None and os.path.lexists(artifacts):  # else it is made
        _check_folder("--artifacts", artifacts)


def _is_same(target: Path, source: Path) -> bool:
    try:
        return target.samefile(source)
    except OSError:
        return False  # one of them is not there, which is said elsewhere where it matters


def _check_folder(option: str, folder: Path) -> None:
    if not os.path.isdir(folder):
        raise InvalidRequest(f"{option}: there is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise InvalidRequest(f"{option}: the folder {folder} cannot be written.")


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; what stood there before is replaced.

    What is there and no regular file (`/dev/null`, a FIFO) is written to and never replaced; links
    are followed, as by a shell's `>`.
    """
    if path.exists() and not path.is_file():
        return _write(path, data)
    path = Path(os.path.realpath(path))
    temporary = path.with_name(f".{secrets.token_hex(12)}")
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        if mode is not None:  # who could not read the old file must not read the new one
            temporary.touch(mode=0o600)
        temporary.write_bytes(data)
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise InvalidRequest(f"{path} cannot be written: {error.strerror}.") from error


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be written: {error.strerror}.") from error
