"""A worker process with stages that misbehave, for the tests of supervision.

Run like the real entry point. `stage` names a function below; `raw` ones break the wire format
before or after the hello, by the third argument `--raw NAME` in place of `--die-with-parent` order.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from jobs import errors
from jobs.workers import main as worker_main
from jobs.workers.contract import Reporter, Stage, StageArtifact, StageCall, StageResult

if TYPE_CHECKING:
    from collections.abc import Callable


def echo(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value={"inputs": dict(call.inputs), "cwd_is_work_dir": Path.cwd() == call.work_dir})


def loaded(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value=[name for name in ("pyhornedowl", "pyoxigraph") if name in sys.modules])


def modules(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value=[name for name in sys.modules if "." not in name])


def environment(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value=list(os.environ))


def phases(call: StageCall, reporter: Reporter) -> StageResult:
    reporter.progress("reading", "left", 0.0)
    for step in range(2000):
        reporter.progress("comparing", f"step {step}", step / 2000)
    reporter.progress("comparing", "last", float("nan"))
    return StageResult(value=None)


def artifact(call: StageCall, reporter: Reporter) -> StageResult:
    path = call.work_dir / "sub" / "report.json"
    path.parent.mkdir()
    path.write_bytes(b"{}")
    row = StageArtifact(
        name="report",
        media_type="application/json",
        path=path,
        sha256=hashlib.sha256(b"{}").hexdigest(),
        size_bytes=int(str(call.inputs.get("size", 2))),
    )
    return StageResult(value=None, artifacts=(row,))


def artifact_elsewhere(call: StageCall, reporter: Reporter) -> StageResult:
    target = call.work_dir / "link"
    match call.inputs["how"]:
        case "symlink":
            target.symlink_to("/etc/hostname")
        case "folder_symlink":
            target.symlink_to(call.work_dir.parent)
            target = Path("link/outside")
        case "parent":
            target = Path("../outside")
        case "fifo":
            os.mkfifo(target)
        case "absolute":
            target = Path("/etc/hostname")
        case "folder":
            target.mkdir()
        case "nul":
            target = Path("a\0b")
        case _:
            pass
    row = StageArtifact(name="x", media_type="text/plain", path=target, sha256="0" * 64, size_bytes=7)
    return StageResult(value=None, artifacts=(row,))


def too_large(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value="x" * (1 << 20))


def not_json(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value=object())


def refuses(call: StageCall, reporter: Reporter) -> StageResult:
    raise errors.InputChanged("moved", details={"which": "root"})


def raises(call: StageCall, reporter: Reporter) -> StageResult:
    raise ZeroDivisionError("secret /home/somebody/path")


def fills_the_disk(call: StageCall, reporter: Reporter) -> StageResult:
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    (call.work_dir / "report.json").write_bytes(b"x" * 100)
    raise AssertionError


def exits(call: StageCall, reporter: Reporter) -> StageResult:
    sys.exit(3)


def vanishes(call: StageCall, reporter: Reporter) -> StageResult:
    os.write(2, b"last words\n")
    os._exit(0)


def segfaults(call: StageCall, reporter: Reporter) -> StageResult:
    ctypes.string_at(0)
    raise AssertionError


def prints(call: StageCall, reporter: Reporter) -> StageResult:
    print("to stdout", flush=True)
    os.write(1, b"to descriptor 1\n")
    return StageResult(value=sys.stdin.read())


def floods_stderr(call: StageCall, reporter: Reporter) -> StageResult:
    for _ in range(64):
        os.write(2, b"f" * 65536)
    os.write(2, b"END OF FLOOD")
    os._exit(5)


def allocates(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value=len(bytearray(1 << 32)))


def forks_and_vanishes(call: StageCall, reporter: Reporter) -> StageResult:
    _fork_a_sleeper(call, reporter)
    os._exit(0)


def forks_and_hangs(call: StageCall, reporter: Reporter) -> StageResult:
    _fork_a_sleeper(call, reporter)
    return _hang()


def forks_and_answers(call: StageCall, reporter: Reporter) -> StageResult:
    return StageResult(value=_fork_a_sleeper(call, reporter))


def ignores_signals(call: StageCall, reporter: Reporter) -> StageResult:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    reporter.progress("hanging", str(os.getpid()))
    return _hang()


def cooperates(call: StageCall, reporter: Reporter) -> StageResult:
    reporter.progress("hanging", str(os.getpid()))
    while not reporter.is_cancelled:
        time.sleep(0.001)
    return StageResult(value="never seen")


def holds_the_lock(call: StageCall, reporter: Reporter) -> StageResult:
    """As a native parser does: no other thread of the interpreter runs meanwhile."""
    reporter.progress("hanging", str(os.getpid()))
    ctypes.PyDLL(None).sleep(60)
    return StageResult(value=None)


def forks_and_holds_the_lock(call: StageCall, reporter: Reporter) -> StageResult:
    (call.work_dir / "private.txt").write_text("secret")
    _fork_a_sleeper(call, reporter)
    return holds_the_lock(call, reporter)


def stops_itself(call: StageCall, reporter: Reporter) -> StageResult:
    reporter.progress("hanging", str(os.getpid()))
    os.kill(os.getpid(), signal.SIGSTOP)
    return StageResult(value=None)


def _fork_a_sleeper(call: StageCall, reporter: Reporter) -> int:
    """A child in our group that keeps our stderr open and ignores what is polite."""
    child = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "import signal,time; signal.signal(15,1); time.sleep(60)"],
        stdout=2,
    )
    reporter.progress("forked", str(child.pid))
    return child.pid


def _hang() -> StageResult:
    while True:
        time.sleep(1)


def find_stage(name: str, version: int) -> Stage:
    if version != 1 or name not in STAGES:
        raise LookupError(name)
    return STAGES[name]


STAGES: dict[str, Stage] = {
    function.__name__: function
    for function in (
        echo,
        loaded,
        modules,
        environment,
        phases,
        artifact,
        artifact_elsewhere,
        too_large,
        not_json,
        refuses,
        raises,
        fills_the_disk,
        exits,
        vanishes,
        segfaults,
        prints,
        floods_stderr,
        allocates,
        forks_and_vanishes,
        forks_and_hangs,
        forks_and_answers,
        ignores_signals,
        cooperates,
        holds_the_lock,
        forks_and_holds_the_lock,
        stops_itself,
    )
}


def _frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


_HELLO = _frame(b'{"type":"hello","protocol":1,"pid":1,"operations":[]}')

BROKEN: dict[str, Callable[[], object]] = {
    "exits_before_hello": lambda: os.write(2, b"cannot start\n"),
    "never_greets": lambda: time.sleep(60),
    "greets_in_another_protocol": lambda: os.write(1, _frame(b'{"type":"hello","protocol":2}')),
    "half_frame": lambda: os.write(1, _HELLO + _frame(b'{"type":"result","value":1}')[:-3]),
    "oversized_frame": lambda: (os.write(1, _HELLO + b"\x7f\xff\xff\xff"), time.sleep(60)),
    "garbage": lambda: (os.write(1, _HELLO + b"Traceback (most recent call last)"), time.sleep(60)),
    "array_frame": lambda: (os.write(1, _HELLO + _frame(b"[1]")), time.sleep(60)),
    "unknown_frame": lambda: (os.write(1, _HELLO + _frame(b'{"type":"dance"}')), time.sleep(60)),
    "wild_progress": lambda: (
        os.write(1, _HELLO + _frame(b'{"type":"progress","phase":"a","message":"b","fraction":7}')),
        time.sleep(60),
    ),
    "result_without_value": lambda: (
        os.write(1, _HELLO + _frame(b'{"type":"result","artifacts":[]}')),
        time.sleep(60),
    ),
}


if __name__ == "__main__":
    if sys.argv[1] == "--broken":
        BROKEN[sys.argv[2]]()
        os._exit(0)
    worker_main.prepare()
    worker_main.serve(
        worker_main.Channel(), find_stage, operations=sorted(STAGES), preload=worker_main.PRELOAD
    )
