"""Rows about a living window, over stdio with the SDK's own client.

Job control while both workers are busy and the caller's share of the queue is full, beside a bare
SDK server measured call by call under that very load; cancel to terminal; spawn to ready.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import anyio
from mcp import Client, MCPError, StdioServerParameters

from benchmarks.command_rows import generate
from benchmarks.figures import NotRun, Row, paired, reason, row
from benchmarks.peers import our_command

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

_ROOT: Final = Path(__file__).parents[1]
_TERMINAL: Final = {"succeeded", "failed", "cancelled"}
_CALL_S: Final = 30
_REAL_CANCELS: Final = 20
"""A window keeps 32 jobs of one caller for 15 minutes: 8 that are active, and these."""
_CANCELS_PER_WINDOW: Final = 20
_WARM_UP_CALLS: Final = 10


def control_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """get_job, list_jobs and cancel_job beside a trivial tool, under the same load."""
    path = work / "load.ofn"
    generate(path, classes=8_000 if quick else 20_000, syntax="functional", release=1)
    yield from anyio.run(_control, path, 120 if quick else 400)


def cancel_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """From the cancel call to a terminal state, at random moments of a real classification."""
    path = work / "cancel.ofn"
    generate(path, classes=8_000, syntax="functional", release=1)
    latencies: list[float] = []
    for window in range(1 if quick else 3):
        latencies += anyio.run(_cancel_in_window, path, _CANCELS_PER_WINDOW, window)
    note = f"{len(latencies)} cancellations of running classifications (pyelk-0.2.1)"
    yield row(name="cancel to terminal", ours=latencies, statistic="p95", target=0.250, note=note)
    yield row(name="cancel to terminal", ours=latencies, statistic="max", target=5.0)


def ready_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """From spawning a window to its first answered tool call, beside importing the SDK."""
    path = work / "small.ofn"
    generate(path, classes=300, syntax="functional", release=1)
    ours, theirs = paired(lambda: _spawn_to_ready(path), _spawn_to_imported, 5 if quick else 15)
    yield row(
        name="spawn to window ready",
        ours=ours,
        peer=theirs,
        against="import mcp.server",
        statistic="median",
        target=1.3,
        note="ready: the first list_jobs call is answered",
    )


# --- Job control under load -----------------------------------------------------------------------


async def _control(path: Path, calls: int) -> list[Row]:
    bare = StdioServerParameters(command=sys.executable, args=["-m", "benchmarks.bare_server"], cwd=_ROOT)
    async with _window(path) as window, Client(bare, read_timeout_seconds=_CALL_S) as peer:
        jobs = await _fill(window)
        await _until_running(window, jobs[0])
        samples: dict[str, tuple[list[float], list[float]]] = {}
        samples["get_job"] = await _alternate(window, peer, "get_job", {"job_id": jobs[0]}, calls)
        samples["list_jobs"] = await _alternate(window, peer, "list_jobs", {"limit": 10}, calls)
        samples["cancel_job"] = await _alternate_cancels(window, peer, jobs[-1], calls)
        still = [await _state(window, job) for job in jobs[:2]]
        for job in jobs:
            await window.call_tool("cancel_job", {"job_id": job})
    if any(state in _TERMINAL for state in still):
        raise NotRun("the load ended before the measurement: use a larger ontology")
    return [
        row(
            name=f"{tool}, both workers busy, {len(jobs)} jobs",
            ours=ours,
            peer=theirs,
            against="trivial tool of a bare SDK server",
            statistic="p95",
            target=1.2,
        )
        for tool, (ours, theirs) in samples.items()
    ]


async def _fill(window: Client) -> list[str]:
    """Start classifications until the window refuses one; their ids, oldest first."""
    jobs: list[str] = []
    while len(jobs) < 64:
        answer = await window.call_tool("start_job", _classification(f"load-{len(jobs)}"))
        if answer.is_error:
            break
        jobs.append(_content(answer)["job"]["job_id"])
    if len(jobs) < 3:
        raise NotRun(f"the window took only {len(jobs)} jobs, too few to fill its workers and a queue")
    return jobs


async def _alternate(
    window: Client, peer: Client, tool: str, arguments: dict[str, Any], calls: int
) -> tuple[list[float], list[float]]:
    for _ in range(_WARM_UP_CALLS):
        await _timed(window, tool, arguments)
        await _trivial(peer)
    pairs = [(await _timed(window, tool, arguments), await _trivial(peer)) for _ in range(calls)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


async def _alternate_cancels(
    window: Client, peer: Client, queued: str, calls: int
) -> tuple[list[float], list[float]]:
    """Cancel a queued job, refill the queue, and again; then repeat the last call, which changes nothing."""
    ours, theirs = [], []
    for number in range(calls):
        ours.append(await _timed(window, "cancel_job", {"job_id": queued}))
        theirs.append(await _trivial(peer))
        if number < _REAL_CANCELS:
            answer = await window.call_tool("start_job", _classification(f"refill-{number}"))
            queued = queued if answer.is_error else _content(answer)["job"]["job_id"]
    return ours, theirs


async def _trivial(peer: Client) -> float:
    return await _timed(peer, "echo", {"text": "x"})


async def _timed(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    start = time.perf_counter()
    answer = await client.call_tool(tool, arguments)
    took = time.perf_counter() - start
    if answer.is_error:
        raise NotRun(f"{tool} was refused: {_text(answer)}")
    return took


# --- Cancellation ---------------------------------------------------------------------------------


async def _cancel_in_window(path: Path, count: int, seed: int) -> list[float]:
    chance = random.Random(seed)
    latencies = []
    async with _window(path) as window:
        for number in range(count):
            answer = await window.call_tool("start_job", _classification(f"cancel-{number}"))
            job = _content(answer)["job"]["job_id"]
            await _until_running(window, job)
            await anyio.sleep(chance.uniform(0, 1.5))
            start = time.perf_counter()
            await window.call_tool("cancel_job", {"job_id": job})
            while await _state(window, job) not in _TERMINAL:
                pass  # each look is a whole call, so this does not spin
            latencies.append(time.perf_counter() - start)
            if await _state(window, job) != "cancelled":
                raise NotRun("a classification ended before it was cancelled: use a larger ontology")
    return latencies


# --- The window -----------------------------------------------------------------------------------


@asynccontextmanager
async def _window(path: Path) -> AsyncIterator[Client]:
    command, *rest = our_command()
    arguments = [*rest, "serve", str(path), "--profile", "pyelk-0.2.1"]
    server = StdioServerParameters(command=command, args=arguments, cwd=path.parent)
    try:
        async with Client(server, read_timeout_seconds=_CALL_S) as client:
            await client.list_tools()  # the client reads the output schemas once; no timed call pays for it
            yield client
    except* (MCPError, OSError) as errors:
        raise NotRun(f"protege-jobs serve did not answer: {reason(errors)}") from errors


def _classification(key: str) -> dict[str, Any]:
    return {"type": "classification", "idempotency_key": key, "request": {}}


async def _until_running(window: Client, job: str) -> None:
    with anyio.move_on_after(120):
        while True:
            state = await _state(window, job)
            if state == "running":
                return
            if state in _TERMINAL:
                break
            await anyio.sleep(0.01)
    raise NotRun(f"a classification never ran: {await _described(window, job)}")


async def _state(window: Client, job: str) -> str:
    return str((await _described(window, job))["state"])


async def _described(window: Client, job: str) -> dict[str, Any]:
    described = _content(await window.call_tool("get_job", {"job_id": job}))["job"]
    return {key: described.get(key) for key in ("state", "phase", "error")}


def _content(answer: Any) -> dict[str, Any]:
    if answer.is_error or not isinstance(answer.structured_content, dict):
        raise NotRun(f"a tool call was refused: {_text(answer)}")
    return answer.structured_content


def _text(answer: Any) -> str:
    return " ".join(getattr(part, "text", "") for part in answer.content)[:300]


# --- Spawn to ready, without a client library in the measured path --------------------------------


def _spawn_to_ready(path: Path) -> float:
    """Seconds from spawning `serve` until list_jobs is answered; the window is closed afterwards."""
    argv = [*our_command(), "serve", str(path)]
    start = time.perf_counter()
    with subprocess.Popen(
        argv, cwd=path.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as window:
        assert window.stdin is not None
        assert window.stdout is not None
        try:
            _say(window.stdin, "initialize", 1, _HELLO)
            _answer(window.stdout, 1)
            _say(window.stdin, "notifications/initialized", None, {})
            _say(window.stdin, "tools/call", 2, {"name": "list_jobs", "arguments": {}})
            _answer(window.stdout, 2)
            return time.perf_counter() - start
        finally:
            window.stdin.close()  # a window on stdio ends with its input
            try:
                window.wait(10)
            except subprocess.TimeoutExpired:
                window.kill()


def _spawn_to_imported() -> float:
    """Seconds from spawning an interpreter until it has imported the SDK's server; its end is not timed."""
    argv = [sys.executable, "-c", "import mcp.server; print(flush=True)"]
    start = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as interpreter:
        assert interpreter.stdout is not None
        interpreter.stdout.readline()
        return time.perf_counter() - start


_HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


def _say(stream: IO[bytes], method: str, number: int | None, params: dict[str, Any]) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    try:
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()
    except BrokenPipeError as error:
        raise NotRun("protege-jobs serve ended before it was ready") from error


def _answer(stream: IO[bytes], number: int) -> None:
    for line in stream:
        message = json.loads(line)
        if message.get("id") == number:
            if "error" in message or message["result"].get("isError"):
                raise NotRun(f"the window answered with an error: {message}")
            return
    raise NotRun("protege-jobs serve ended before it was ready")
