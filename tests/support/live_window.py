"""Windows as users have them: `serve` behind the SDK's own client, `run` as a command, and one in-process.

Every process started here keeps its private files and audit below one folder of the test, so that a
test can see that nothing is left.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from mcp import Client, StdioServerParameters

from jobs.descriptor import describe
from jobs.errors import ProtegeJobsError
from jobs.reasoners import hard_cases
from plugin_bridge.access import NoAudit
from plugin_bridge.mcp_server.tools import ToolCalls
from plugin_bridge.settings import WindowSettings
from plugin_bridge.window import open_window
from tests.support.process_table import children_of, processes_with

if TYPE_CHECKING:
    import signal
    from collections.abc import AsyncIterator, Iterator

    import pytest

    from plugin_bridge.window import Window

ROOT = Path(__file__).parents[2]
HARBOUR = ROOT / "examples" / "harbour"
SHARED = ROOT.parent / "shared"
TERMINAL = frozenset({"succeeded", "failed", "cancelled"})
Json = dict[str, object]


# --- Where things lie -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Places:
    """The folders of one test: its project, and where windows keep what is theirs."""

    project: Path
    private: Path
    state: Path

    def left(self) -> list[Path]:
        """Private files and folders of windows that are still there."""
        runs = self.private / "run"
        return sorted(runs.iterdir()) if runs.exists() else []

    def processes(self) -> list[int]:
        """Living processes of windows of this test, whoever their parents are now."""
        found = processes_with(f"PROTEGE_JOBS_RUNTIME_DIR={self.private}")
        return [pid for pid in found if pid != os.getpid()]


def make_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Folders for one test, set as the environment of this process and its children."""
    places = Places(project=tmp_path / "project", private=tmp_path / "private", state=tmp_path / "state")
    places.project.mkdir()
    monkeypatch.setenv("PROTEGE_JOBS_RUNTIME_DIR", str(places.private))
    monkeypatch.setenv("XDG_STATE_HOME", str(places.state))
    monkeypatch.delenv("PROTEGE_JOBS_TOKEN", raising=False)
    return places


# --- Documents ------------------------------------------------------------------------------------


def small(*axioms: str, iri: str = "https://example.org/small", imports: tuple[str, ...] = ()) -> str:
    """A functional-syntax document over the prefix `:`."""
    lines = [
        "Prefix(:=<https://example.org/small#>)",
        "Prefix(owl:=<http://www.w3.org/2002/07/owl#>)",
        "Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)",
        f"Ontology(<{iri}>",
    ]
    return "\n".join([*lines, *(f"Import(<{each}>)" for each in imports), *axioms, ")", ""])


def hard_for_el() -> str:
    """Quick to read; classifying it takes the EL reasoner half a minute and more."""
    return "\n".join(["Ontology(<https://example.org/hard>", *hard_cases.existential_circle(700), ")", ""])


# --- Over MCP -------------------------------------------------------------------------------------


@asynccontextmanager
async def served(document: Path, *options: str) -> AsyncIterator[Client]:
    """`serve DOCUMENT` as its own process, with the SDK's client at its pipes."""
    command = ["-m", "plugin_bridge.cli", "serve", str(document), *options]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=ROOT, env={**os.environ})
    with anyio.fail_after(100):
        async with Client(server) as client:
            yield client


async def call(client: Client, tool: str, arguments: Json) -> Json:
    """The structured answer of a call that must succeed; its text must say something."""
    answer = await client.call_tool(tool, arguments)
    assert answer.content, f"{tool} said nothing"
    assert answer.content[0].text.strip(), f"{tool} said nothing"
    assert not answer.is_error, answer.structured_content
    assert answer.structured_content is not None
    return answer.structured_content


async def refused(client: Client, tool: str, arguments: Json) -> Json:
    """The error body of a call that must be refused."""
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    body = answer.structured_content
    assert body is not None
    assert set(body) == {"error", "code", "message", "details", "retryable"}
    assert body["error"] == body["message"]
    assert answer.content[0].text.strip()
    return body


async def start(client: Client, job_type: str, request: Json, key: str = "k") -> Json:
    """The descriptor of a started job."""
    arguments: Json = {"type": job_type, "idempotency_key": key, "request": request}
    job = (await call(client, "start_job", arguments))["job"]
    assert isinstance(job, dict)
    return job


async def get(client: Client, job_id: object) -> Json:
    """One look at a job."""
    job = (await call(client, "get_job", {"job_id": job_id}))["job"]
    assert isinstance(job, dict)
    return job


async def ended(client: Client, job: Json, within_s: float = 60) -> Json:
    """The job once it has ended, seen by asking as a client does."""
    with anyio.fail_after(within_s):
        while job["state"] not in TERMINAL:
            await anyio.sleep(0.05)
            job = await get(client, job["job_id"])
    return job


async def read_artifact(client: Client, job: Json, length: int = 65_536) -> bytes:
    """A job's only artifact, read in parts."""
    (artifact,) = job["result"]["artifacts"]  # type: ignore[index]
    asked: Json = {"job_id": job["job_id"], "artifact_id": artifact["artifact_id"], "length": length}
    parts, offset = [], 0
    while offset is not None:
        part = await call(client, "read_job_artifact", {**asked, "offset": offset})
        parts.append(str(part["text"]).encode())
        assert part["bytes"] == artifact["bytes"]
        offset = part["next_offset"]  # type: ignore[assignment]
    return b"".join(parts)


# --- In this process ------------------------------------------------------------------------------


class Driver:
    """The tools of a window in this process, called as its local owner."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.calls = ToolCalls(window, window.access, NoAudit(), window.clock, describe)

    async def call(self, tool: str, arguments: Json) -> Json:
        """The structured answer; errors are raised."""
        answer = await self.calls.call(self.window.access.local_session(), tool, arguments)
        assert answer.words.strip()
        return answer.structured

    async def start(self, job_type: str, request: Json, key: str = "k") -> Json:
        """The answer of `start_job`."""
        return await self.call("start_job", {"type": job_type, "idempotency_key": key, "request": request})

    async def code_of(self, job_type: str, request: Json, key: str = "k") -> str:
        """The code with which `start_job` refuses."""
        try:
            await self.start(job_type, request, key)
        except ProtegeJobsError as error:
            return error.code
        raise AssertionError("it was not refused")

    async def ended(self, job_id: str, within_s: float = 60) -> Json:
        """The descriptor once the job has ended."""
        session, sequence = self.window.access.local_session(), -1
        with anyio.fail_after(within_s):
            while True:
                job = await self.window.wait_job(session, job_id, sequence)
                if job.state.is_terminal:
                    return describe(job)
                sequence = job.progress.sequence

    async def jobs(self) -> list[Json]:
        """All jobs, newest first."""
        return (await self.call("list_jobs", {}))["jobs"]  # type: ignore[return-value]


@asynccontextmanager
async def window_on(document: Path, **settings: object) -> AsyncIterator[Driver]:
    """A window in this process, for tests that reach between its steps."""
    with anyio.fail_after(100):
        async with open_window(WindowSettings(document=document, **settings)) as window:  # type: ignore[arg-type]
            yield Driver(window)


class Gate:
    """Holds the computation of a window's jobs in front of the worker until it is opened.

    Captures and probes pass.
    """

    def __init__(self, window: Window) -> None:
        self.waiting = 0
        self.arrived = anyio.Event()
        self.opened = anyio.Event()
        pool = window._pool
        execute = pool.execute

        async def gated(call, **options):  # type: ignore[no-untyped-def]
            if call.operation in ("classification", "semantic_diff"):
                self.waiting += 1
                self.arrived.set()
                await self.opened.wait()
            return await execute(call, **options)

        pool.execute = gated  # type: ignore[method-assign]


# --- The command ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def descriptor(self) -> Json:
        """What `--format json` printed."""
        return json.loads(self.out)


def command(*arguments: object) -> list[str]:
    """The command line of `protege-jobs` with these arguments."""
    return [sys.executable, "-m", "plugin_bridge.cli", *map(str, arguments)]


def run_command(*arguments: object, cwd: Path = ROOT, within_s: float = 60) -> Ran:
    """Run `protege-jobs` to its end, with nothing at its standard input."""
    done = subprocess.run(
        command(*arguments),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=within_s,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return Ran(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


def one_line(ran: Ran) -> str:
    """The single line of an error: no trace, no log, no result."""
    assert ran.out == "", ran.out
    lines = ran.err.splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("protege-jobs: ")
    return lines[0]


def workers_at(process: subprocess.Popen[bytes], *, seen: str) -> Iterator[int]:
    """Children of a running command whose command line has this word."""
    for pid in children_of(process.pid):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if seen in line:
            yield pid


def interrupt(process: subprocess.Popen[bytes], number: signal.Signals, within_s: float = 15) -> float:
    """Send a signal and wait for the end; how long that took."""
    begun = time.monotonic()
    process.send_signal(number)
    process.wait(timeout=within_s)
    return time.monotonic() - begun
