"""The one place where operating systems differ: sessions, groups, death with the parent.

=========  ===============================  =======================================================
system     a group is ended by              a worker dies with a SIGKILLed backend by
=========  ===============================  =======================================================
Linux      its pidfd (6.9 or newer), else   parent-death signal, set by the worker itself; guardian
           `killpg`
macOS      `killpg`                         guardian; its own stdin once the interpreter lock is free
Windows    its job object                   the job object, closed by the kernel with the backend
=========  ===============================  =======================================================

Left out on purpose: a process that makes itself a new session leaves the group, and only Windows
would find it. Workers run registered operations, none of which does.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Final, TypedDict

if sys.platform == "win32":
    import subprocess

    from jobs.workers import windows_job

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PR_SET_PDEATHSIG: Final = 1
_PIDFD_SIGNAL_PROCESS_GROUP: Final = 4
_NICENESS: Final = 5
_OOM_SCORE: Final = 500
_SECRETS: Final = frozenset({"PROTEGE_JOBS_TOKEN"})
_STRAY_OPTIONS: Final = frozenset({"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"})
"""What a Java runtime would add to the command line that we chose, and announce on its output."""


class SpawnOptions(TypedDict, total=False):
    """The keyword arguments of a spawn that the system decides."""

    start_new_session: bool
    creationflags: int
    env: Mapping[str, str]


def spawn_options(environment: Iterable[tuple[str, str]] = ()) -> SpawnOptions:
    """A session of its own, so that Ctrl-C in a terminal stays with the backend; no secrets inside."""
    unwanted = _SECRETS | _STRAY_OPTIONS
    env = {name: value for name, value in os.environ.items() if name not in unwanted} | dict(environment)
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags, "env": env}
    return {"start_new_session": True, "env": env}


class GroupHandle:
    """The right to end one child's whole group, safe against a reused process id where the system can."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._is_closed = False
        self._pidfd: int | None = None
        if sys.platform == "win32":
            self._job = windows_job.KillOnCloseJob(pid)
        elif sys.platform == "linux":
            # Without a pidfd (old kernel, no descriptor left) `killpg` does.
            with contextlib.suppress(OSError):
                self._pidfd = os.pidfd_open(pid)

    def kill_group(self) -> None:
        """End every process of the group now, stopped ones too; nothing happens when none is left."""
        if self._is_closed:
            return
        if sys.platform == "win32":
            self._job.terminate()
            return
        if self._pidfd is not None and _signal_group_by_pidfd(self._pidfd):
            return
        # macOS answers EPERM for a group of nothing but zombies.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def has_exited(self) -> bool:
        """Whether the child itself has ended; False where only waiting for it would tell."""
        if self._is_closed:
            return True
        if sys.platform != "linux" or self._pidfd is None:
            return False
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def close(self) -> None:
        """Give the handle back; the group must be gone, its number may be another's from now on."""
        self._is_closed = True
        if sys.platform == "win32":
            self._job.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None


def _signal_group_by_pidfd(pidfd: int) -> bool:
    """Whether the group got its signal or is gone; False where the kernel lacks the flag."""
    if sys.platform != "linux":
        return False
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL, None, _PIDFD_SIGNAL_PROCESS_GROUP)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return True


def die_with_parent(parent_pid: int) -> None:
    """Called by a worker first of all: a parent's death, even before this line, ends this process.

    The signal follows the *thread* that made this process; a host whose spawning thread may end
    before the host (trio) must not ask for it.
    """
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before the call above, so no signal will come
        os._exit(1)


def step_behind_others() -> None:
    """Let the editor, the backend and their callers go first: a lower priority, for good."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(max(0, _NICENESS - os.nice(0)))  # asked twice, it steps back once


def go_first_when_memory_ends(pid: int | None = None) -> None:
    """Have the system kill this process, or a child, when memory runs out, not the editor; Linux only."""
    if sys.platform == "linux":
        score_file = f"/proc/{pid or 'self'}/oom_score_adj"
        with contextlib.suppress(OSError), open(score_file, "w", encoding="ascii") as score:
            score.write(str(_OOM_SCORE))


def send_back(pid: int) -> None:
    """`step_behind_others` for a child that does not do it itself: its group, with all its threads."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PGRP, pid, _NICENESS)


def limit_memory(memory_bytes: int) -> None:
    """Bound this process's address space; not enforced on macOS (ignored there) and Windows."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def end_own_group() -> None:
    """End this worker and what it forked, at once; for a worker whose host is gone."""
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
