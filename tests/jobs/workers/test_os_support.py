from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from process_table import is_gone, wait_until

from jobs.workers.os_support import GroupHandle

LEADER = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
if sys.argv[1] == "stays":
    time.sleep(60)
"""


def leader(how: str) -> tuple[subprocess.Popen[str], int]:
    """A group of two: its leader, who stays or leaves, and a sleeper."""
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", LEADER, how],
        start_new_session=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, int(process.stdout.readline())


@pytest.fixture(params=["pidfd", "killpg", "old_kernel"])
def way(request, monkeypatch) -> str:
    """How the group is found: the best way and the two stated fallbacks."""

    def refuse(*_: object) -> int:
        raise OSError

    match request.param:
        case "killpg":
            monkeypatch.setattr(os, "pidfd_open", refuse)
        case "old_kernel":
            monkeypatch.setattr(signal, "pidfd_send_signal", refuse)
        case _:
            pass
    return str(request.param)


@pytest.mark.parametrize("how", ["stays", "leaves"])
def test_a_group_is_ended_whole_even_after_its_leader_was_reaped(way: str, how: str) -> None:
    process, member = leader(how)
    handle = GroupHandle(process.pid)
    if how == "leaves":
        process.wait(timeout=5)
    assert not is_gone(member)
    handle.kill_group()
    wait_until(lambda: is_gone(member), within_s=2)
    process.communicate(timeout=5)
    handle.kill_group()  # repeating it on an empty group is nothing
    handle.close()


def test_a_closed_handle_kills_nobody() -> None:
    process, _ = leader("stays")
    handle = GroupHandle(process.pid)
    handle.close()
    handle.kill_group()
    assert handle.has_exited()
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=5)


def test_a_handle_knows_of_the_end_before_the_child_is_reaped() -> None:
    process, member = leader("leaves")
    handle = GroupHandle(process.pid)
    wait_until(handle.has_exited, within_s=5)
    assert process.returncode is None
    handle.kill_group()
    process.communicate(timeout=5)
    wait_until(lambda: is_gone(member), within_s=2)
    handle.close()
