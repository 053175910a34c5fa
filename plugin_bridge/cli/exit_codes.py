"""What an exit code of the command line means."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Overview, "Command line"."""

    SUCCEEDED = 0
    FAILED = 1
    USAGE = 2
    CANCELLED = 130
