"""The guardian: a tiny process that outlives its backend by a moment and cleans up after it.

Run as a script (`python -I -S guardian.py`), standard library only. Its stdin is the lifeline: the
backend writes one JSON line per change and holds the only write end, so the kernel closes it
however the backend ends. Then everything still registered is ended and deleted. A backend that
ends in order has registered nothing by then, so both ends look alike.

Lines: `{"watch": pid}`, `{"forget": pid}`, `{"guard": path}`, `{"release": path}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time

_GROUP_FLAG = 4  # PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9
_DELETE_FOR_S = 10.0  # a directory may be written to until its group has died


class Charge:
    """What to end and what to delete."""

    def __init__(self) -> None:
        self._groups: dict[int, int | None] = {}
        self._directories: set[str] = set()

    def apply(self, line: bytes) -> None:
        """Take one line of the lifeline; a cut-off last line is no instruction."""
        try:
            ((verb, subject),) = json.loads(line).items()
        except (ValueError, AttributeError):
            return
        if verb == "watch":
            self._groups[int(subject)] = _open_pidfd(int(subject))
        elif verb == "forget":
            pidfd = self._groups.pop(int(subject), None)
            if pidfd is not None:
                os.close(pidfd)
        elif verb == "guard" and os.path.isabs(subject):
            self._directories.add(subject)
        elif verb == "release":
            self._directories.discard(subject)

    def carry_out(self) -> None:
        """End the groups, then delete the directories, until they are gone or the time is over."""
        for pid, pidfd in self._groups.items():
            _kill_group(pid, pidfd)
        if not self._directories:
            return
        import shutil

        until = time.monotonic() + _DELETE_FOR_S
        while time.monotonic() < until:
            for directory in self._directories:
                shutil.rmtree(directory, ignore_errors=True)  # follows no symbolic link
            if not any(os.path.lexists(directory) for directory in self._directories):
                return
            time.sleep(0.02)


def _open_pidfd(pid: int) -> int | None:
    """Bind the process now, so that a later owner of its number is never hit (Linux)."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _kill_group(pid: int, pidfd: int | None) -> None:
    if sys.platform == "win32":
        return  # the backend's job objects have done it
    if sys.platform == "linux" and pidfd is not None:
        try:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL, None, _GROUP_FLAG)
            return
        except ProcessLookupError:
            return
        except OSError:
            pass  # an older kernel
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def main() -> None:
    """Follow the lifeline to its end, then carry out the charge."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # a service manager's signal goes to all at once
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    charge = Charge()
    pending = b""
    while data := os.read(0, 65536):
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            charge.apply(line)
    charge.carry_out()


if __name__ == "__main__":
    main()
