"""Where the window's bearer token comes from, and what a token must look like (decision 34)."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VARIABLE: Final = "PROTEGE_JOBS_TOKEN"
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
_FILE_BYTES: Final = 4096


def new_token() -> str:
    """A fresh token of 256 random bits."""
    return secrets.token_urlsafe(32)


def find_token(environ: Mapping[str, str], file: Path | None) -> str | None:
    """The token of the file if one is named, else of the environment, else None.

    Raises:
        ValueError: there is one and it cannot be used; the message says why, without the token.
    """
    if file is not None:
        return _checked(_read_private(file), f"token file {file.name}")
    found = environ.get(VARIABLE)
    return None if found is None else _checked(found, VARIABLE)


def _checked(token: str, source: str) -> str:
    if _TOKEN.fullmatch(token) is None:
        raise ValueError(
            f"{source}: a token has 16 to 512 characters out of letters, digits and . _ ~ + / = -"
        )
    return token


def _read_private(file: Path) -> str:
    """The text of a file that nobody else may read; the check and the reading use one descriptor."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise ValueError(f"token file {file.name} cannot be opened: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"token file {file.name} is no regular file")
        # Windows keeps no such bits; there the folder's access list is what protects the file.
        if sys.platform != "win32" and stat.S_IMODE(status.st_mode) & 0o077:
            raise ValueError(f"token file {file.name} can be read by others; run: chmod 600 {file.name}")
        return os.read(descriptor, _FILE_BYTES).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)
