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
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import anyio
from mcp import Client, StdioServerParameters, types

from benchmarks.command_rows import generate
from benchmarks.figures import NotRun, Row, paired, row
from benchmarks.peers import our_command
from benchmarks.windows import (
    CALL_S,
    TERMINAL,
    classification_request,
    content_of,
    open_window,
    state_of,
    text_of,
    text_of_job,
    until_running,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT: Final = Path(__file__).parents[1]
_REAL_CANCELS: Final = 20
"""A window keeps 32 jobs of one caller for 15 minutes: 8 that are active, and these."""
_CANCELS_PER_WINDOW: Final = 20
_WARM_UP_CALLS: Final = 10
_TRIVIAL: Final[tuple[str, dict[str, Any]]] = ("echo", {"text": "x"})
_Samples = tuple[list[float], list[float]]
"""Of ours and of the peer's, in seconds."""
_Timed = Callable[[Client, str, dict[str, Any]], Awaitable[float]]


def control_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """get_job, list_jobs and cancel_job beside a trivial tool, under the same load."""
    path = work / "load.ofn"
    generate(path, classes=12_000 if quick else 20_000, syntax="functional", release=1)
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
    async with open_window(path) as window, Client(bare, read_timeout_seconds=CALL_S) as peer:
        jobs = await _fill(window)
        await until_running(window, jobs[0])
        looks = (("get_job", {"job_id": jobs[0]}), ("list_jobs", {"limit": 10}))
        samples = {tool: await _alternate(window, peer, tool, asked, calls, _timed) for tool, asked in looks}
        samples["cancel_job"] = await _alternate_cancels(window, peer, jobs[-1], calls)
        few = calls // 4
        checked = {
            tool: await _alternate(window, peer, tool, asked, few, _timed_with_check) for tool, asked in looks
        }
        ended = [job for job in jobs[:2] if await state_of(window, job) in TERMINAL]
        why = await text_of_job(window, ended[0]) if ended else ""
        for job in jobs:
            await window.call_tool("cancel_job", {"job_id": job})
    if ended:
        raise NotRun(f"the load ended before the measurement ({why}): use a larger ontology")
    named = {f"{tool}, both workers busy, {len(jobs)} jobs": sample for tool, sample in samples.items()}
    rows = [_control_row(name, sample, target=1.2) for name, sample in named.items()]
    for tool, sample in checked.items():
        rows.append(_control_row(f"{tool}, the client's schema check included", sample, target=None))
    return rows


def _control_row(name: str, sample: _Samples, target: float | None) -> Row:
    against = "trivial tool of a bare SDK server"
    return row(name=name, ours=sample[0], peer=sample[1], against=against, statistic="p95", target=target)


async def _fill(window: Client) -> list[str]:
    """Start classifications until the window refuses one; their ids, oldest first."""
    jobs: list[str] = []
    while len(jobs) < 64:
        answer = await window.call_tool("start_job", classification_request(f"load-{len(jobs)}"))
        if answer.is_error:
            break
        jobs.append(content_of(answer)["job"]["job_id"])
    if len(jobs) < 3:
        raise NotRun(f"the window took only {len(jobs)} jobs, too few to fill its workers and a queue")
    return jobs


async def _alternate(
    window: Client,
    peer: Client,
    tool: str,
    arguments: dict[str, Any],
    calls: int,
    timed: _Timed,
) -> _Samples:
    for _ in range(_WARM_UP_CALLS):
        await timed(window, tool, arguments)
        await timed(peer, *_TRIVIAL)
    pairs = [(await timed(window, tool, arguments), await timed(peer, *_TRIVIAL)) for _ in range(calls)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


async def _alternate_cancels(window: Client, peer: Client, queued: str, calls: int) -> _Samples:
    """Cancel a queued job, refill the queue, and again; then repeat the last call, which changes nothing."""
    ours, theirs = [], []
    for number in range(calls):
        ours.append(await _timed(window, "cancel_job", {"job_id": queued}))
        theirs.append(await _timed(peer, *_TRIVIAL))
        if number < _REAL_CANCELS:
            answer = await window.call_tool("start_job", classification_request(f"refill-{number}"))
            queued = queued if answer.is_error else content_of(answer)["job"]["job_id"]
    return ours, theirs


async def _timed(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    """Seconds until the answer is there, without the client's check of it against the output schema.

    That check is the client's own work and takes several times what the exchange takes.
    """
    params = types.CallToolRequestParams(name=tool, arguments=arguments)
    request = types.CallToolRequest(params=params)
    start = time.perf_counter()
    answer = await client.session.send_request(request, types.CallToolResult)
    took = time.perf_counter() - start
    if answer.is_error:
        raise NotRun(f"{tool} was refused: {text_of(answer)}")
    return took


async def _timed_with_check(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    start = time.perf_counter()
    content_of(await client.call_tool(tool, arguments))
    return time.perf_counter() - start


# --- Cancellation ---------------------------------------------------------------------------------


async def _cancel_in_window(path: Path, count: int, seed: int) -> list[float]:
    chance = random.Random(seed)
    latencies = []
    async with open_window(path) as window:
        for number in range(count):
            answer = await window.call_tool("start_job", classification_request(f"cancel-{number}"))
            job = content_of(answer)["job"]["job_id"]
            await until_running(window, job)
            await anyio.sleep(chance.uniform(0, 1.5))
            start = time.perf_counter()
            await window.call_tool("cancel_job", {"job_id": job})
            while await state_of(window, job) not in TERMINAL:
                pass  # each look is a whole call, so this does not spin
            latencies.append(time.perf_counter() - start)
            if await state_of(window, job) != "cancelled":
                raise NotRun("a classification ended before it was cancelled: use a larger ontology")
    return latencies


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
