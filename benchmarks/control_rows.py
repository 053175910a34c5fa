"""Job control while both workers are busy and the caller has as many active jobs as it may.

Each call is followed by one of a bare SDK server's trivial tool, under that very load. The figures with a
target are of the servers: from the request's line to the end of the answer's line (`wire`). What a program
with the SDK's client sees, which parses the answer and checks it against the output schema, is shown beside
them; that work is the client's own, and takes longer the more an answer says.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp import Client, StdioServerParameters

from benchmarks.command_rows import generate
from benchmarks.figures import NotRun, Row, row
from benchmarks.peers import our_command
from benchmarks.windows import (
    CALL_S,
    TERMINAL,
    classification_request,
    content_of,
    open_window,
    until_running,
)
from benchmarks.wire import open_wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.wire import WireServer

_ROOT: Final = Path(__file__).parents[1]
_CALLS: Final = 600
"""A p95 of fewer rests on a handful of outliers of the machine."""
_CALLS_OF_A_CLIENT: Final = 150
_CALLS_QUICKLY: Final = 100
_REAL_CANCELS: Final = 20
"""A window keeps 32 jobs of one caller for 15 minutes: 8 that are active, and these."""
_WARM_UP_CALLS: Final = 20
_RUNNING_S: Final = 120.0
_BARE: Final = (sys.executable, "-m", "benchmarks.bare_server")
_TRIVIAL: Final[tuple[str, dict[str, Any]]] = ("echo", {"text": "x"})
_AGAINST: Final = "trivial tool of a bare SDK server"
_Samples = tuple[list[float], list[float]]
"""Of ours and of the peer's, in seconds."""


def control_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """get_job, list_jobs and cancel_job beside a trivial tool, under the same load."""
    path = work / "load.ofn"
    generate(path, classes=12_000 if quick else 20_000, syntax="functional", release=1)
    yield from _rows_of_servers(path, _CALLS_QUICKLY if quick else _CALLS)
    yield from anyio.run(_rows_of_a_client, path, _CALLS_QUICKLY if quick else _CALLS_OF_A_CLIENT)


# --- On the wire ----------------------------------------------------------------------------------


def _rows_of_servers(path: Path, calls: int) -> Iterator[Row]:
    argv = [*our_command(), "serve", str(path), "--profile", "pyelk-0.2.1"]
    with open_wire(argv, path.parent) as window, open_wire(_BARE, _ROOT) as peer:
        jobs = _fill(window)
        _wait_running(window, jobs[0])
        looks = (("get_job", {"job_id": jobs[0]}), ("list_jobs", {"limit": 10}))
        samples = {tool: _alternate(window, peer, tool, asked, calls) for tool, asked in looks}
        samples["cancel_job"] = _alternate_cancels(window, peer, jobs[-1], calls)
        if any(_state(window, job) in TERMINAL for job in jobs[:2]):
            raise NotRun("the load ended before the measurement: use a larger ontology")
    for tool, (ours, theirs) in samples.items():
        yield row(
            name=f"{tool}, both workers busy, {len(jobs)} jobs",
            ours=ours,
            peer=theirs,
            against=_AGAINST,
            statistic="p95",
            target=1.2,
        )


def _fill(window: WireServer) -> list[str]:
    """Start classifications until the window refuses one; their ids, oldest first."""
    jobs: list[str] = []
    while len(jobs) < 64 and (job := _started(window, f"load-{len(jobs)}")) is not None:
        jobs.append(job)
    if len(jobs) < 3:
        raise NotRun(f"the window took only {len(jobs)} jobs, too few to fill its workers and a queue")
    return jobs


def _started(window: WireServer, key: str) -> str | None:
    """The id of a new job; None when the window takes no more."""
    try:
        _, result = window.call("start_job", classification_request(key))
    except NotRun:
        return None
    return str(result["structuredContent"]["job"]["job_id"])


def _wait_running(window: WireServer, job: str) -> None:
    give_up_at = time.monotonic() + _RUNNING_S
    while (state := _state(window, job)) != "running":
        if state in TERMINAL or time.monotonic() > give_up_at:
            raise NotRun(f"a classification never ran: it is {state}")
        time.sleep(0.01)


def _state(window: WireServer, job: str) -> str:
    return str(window.call("get_job", {"job_id": job})[1]["structuredContent"]["job"]["state"])


def _alternate(
    window: WireServer, peer: WireServer, tool: str, arguments: dict[str, Any], calls: int
) -> _Samples:
    for _ in range(_WARM_UP_CALLS):
        window.call(tool, arguments)
        peer.call(*_TRIVIAL)
    return _unzipped([(window.call(tool, arguments)[0], peer.call(*_TRIVIAL)[0]) for _ in range(calls)])


def _alternate_cancels(window: WireServer, peer: WireServer, queued: str, calls: int) -> _Samples:
    """Cancel a queued job, refill the queue, and again; then repeat the last call, which changes nothing."""
    pairs = []
    for number in range(calls):
        pairs.append((window.call("cancel_job", {"job_id": queued})[0], peer.call(*_TRIVIAL)[0]))
        if number < _REAL_CANCELS:
            queued = _started(window, f"refill-{number}") or queued
    return _unzipped(pairs)


def _unzipped(pairs: Sequence[tuple[float, float]]) -> _Samples:
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


# --- As a program with the SDK's client sees it ---------------------------------------------------


async def _rows_of_a_client(path: Path, calls: int) -> list[Row]:
    bare = StdioServerParameters(command=_BARE[0], args=[*_BARE[1:]], cwd=_ROOT)
    rows = []
    async with open_window(path) as window, Client(bare, read_timeout_seconds=CALL_S) as peer:
        jobs = []
        for number in range(4):  # two that run and two that wait
            answer = await window.call_tool("start_job", classification_request(f"load-{number}"))
            jobs.append(content_of(answer)["job"]["job_id"])
        await until_running(window, jobs[0])
        for tool, asked in (("get_job", {"job_id": jobs[0]}), ("list_jobs", {"limit": 10})):
            pairs = [
                (await _called(window, tool, asked), await _called(peer, *_TRIVIAL)) for _ in range(calls)
            ]
            ours, theirs = _unzipped(pairs)
            name = f"{tool}, until the SDK's client has parsed and checked the answer"
            rows.append(row(name=name, ours=ours, peer=theirs, against=_AGAINST, statistic="p95"))
    return rows


async def _called(client: Client, tool: str, arguments: dict[str, Any]) -> float:
    start = time.perf_counter()
    content_of(await client.call_tool(tool, arguments))
    return time.perf_counter() - start
