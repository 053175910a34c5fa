"""Rows about a live host: how long a capture holds the thread on which the ontology changes.

The peer is what an editor would do that knew no better: the OWL API's own storer on that thread. Both
run in one headless host, turn by turn, on a generated ontology.
"""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import anyio
from anyio import to_thread

from benchmarks.command_rows import generate
from benchmarks.figures import NotRun, Row, row
from jobs import limits
from jobs.java.runtime import find_runtime
from plugin_bridge.host.address import GatewayAddress
from plugin_bridge.host.gateway import GatewayClient

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLASS_PATH: Final = Path(__file__).parents[1] / "java-stub" / "headless-host" / "target" / "classpath"
_TARGET: Final = 0.1
_CAPTURE_S: Final = 120.0
_LOOK_S: Final = 0.01


def host_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """The model thread's time, a capture beside a store."""
    path = work / "host.ofn"
    classes = 12_000 if quick else 45_000
    generate(path, classes=classes, syntax="functional", release=1)
    with _host(path) as process:
        assert process.stdout is not None
        address = GatewayAddress.parse(process.stdout.readline())
        _answer(process)  # it has loaded
        held, stored, ready = anyio.run(_measure, process, address, 3 if quick else 7)
    yield row(
        name=f"model thread held by a capture, {classes:,} classes",
        ours=held,
        peer=stored,
        against="storing on it",
        statistic="median",
        target=_TARGET,
        note=f"held for {max(held) * 1e6:.0f} µs at most; a warm capture is ready after {ready:.1f} s",
    )


@contextmanager
def _host(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    runtime = find_runtime()
    if runtime is None or not list(_CLASS_PATH.glob("headless-host-*.jar")):
        raise NotRun("needs a Java runtime and the headless host: make java")
    command = [runtime.executable, "-Xmx2g", "-cp", f"{_CLASS_PATH}/*", "org.protegejobs.headless.Main"]
    with subprocess.Popen([*command, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


async def _measure(
    process: subprocess.Popen[bytes], address: GatewayAddress, rounds: int
) -> tuple[list[float], list[float], float]:
    """Seconds the thread was held, by captures and by stores; and how long the last capture took."""
    client = GatewayClient(address)
    held, stored = [], []
    try:
        for number in range(rounds):
            manifest = await _captured(client, f"capture-{number}")
            held.append(manifest["model_thread_us"] / 1e6)
            answer = await to_thread.run_sync(_do, process, "store")
            stored.append(answer["held_us"] / 1e6)
        return held, stored, (manifest["copy_ms"] + manifest["write_ms"]) / 1e3
    finally:
        await client.aclose()


async def _captured(client: GatewayClient, name: str) -> dict[str, Any]:
    await client.start_capture(name, limits.CLOSURE_AXIOMS)
    with anyio.fail_after(_CAPTURE_S):
        while True:
            status = await client.capture_status(name)
            if status["state"] == "failed":
                raise NotRun(f"the capture failed: {status['message']}")
            if isinstance(status["manifest"], dict):
                break
            await anyio.sleep(_LOOK_S)
    await client.cancel_capture(name)
    return status["manifest"]


def _do(process: subprocess.Popen[bytes], what: str) -> dict[str, Any]:
    assert process.stdin is not None
    _write(process.stdin, what)
    return _answer(process)


def _write(stdin: IO[bytes], what: str) -> None:
    stdin.write(json.dumps({"do": what}).encode() + b"\n")
    stdin.flush()


def _answer(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found
