"""The log of a command, on standard error: standard output carries results or the protocol.

Messages are names of events; what one is about stands behind it as `key=value`. The last words of a
worker may hold paths and terms of a document, so they are shown only to who asks for details.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import Final

LEVEL: Final = "PROTEGE_JOBS_LOG"
"""The environment variable that sets the level; `WARNING` without it."""
_DETAILS: Final = frozenset({"stderr_tail"})
_SHOWN_CHARACTERS: Final = 500
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
"""What every record has; anything else is what the event is about."""


def log_to_stderr() -> None:
    """Send the log to standard error."""
    asked = os.environ.get(LEVEL, "WARNING").upper()
    level = logging.getLevelNamesMapping().get(asked, logging.WARNING)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(shows_details=level <= logging.INFO))
    logging.basicConfig(handlers=[handler], level=level)


class _Formatter(logging.Formatter):
    """One line for each event, with what it is about; a traceback follows as usual."""

    def __init__(self, *, shows_details: bool) -> None:
        super().__init__("%(levelname)s %(name)s %(message)s")
        self._hidden = _OWN if shows_details else _OWN | _DETAILS

    def formatMessage(self, record: logging.LogRecord) -> str:
        about = [
            f"{key}={_shown(value)}"
            for key, value in vars(record).items()
            if key not in self._hidden and value is not None
        ]
        return " ".join([super().formatMessage(record), *about])


def _shown(value: object) -> str:
    """On one line; of a long text the end, which says what went wrong."""
    return ascii(value[-_SHOWN_CHARACTERS:] if isinstance(value, str) else value)[:_SHOWN_CHARACTERS]
