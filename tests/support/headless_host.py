"""The headless Java host as a process of a test, with its stdin as the person at the editor.

It is the test double of the gateway contract: a real JVM, a real OWL API model, a real Py4J server. It
comes from `java-stub/headless-host/target/classpath`, which `make java` fills. Tests that use it have the
mark `java`; without a runtime, or without the host, they are skipped.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from anyio.streams.buffered import BufferedByteReceiveStream

from jobs.java.runtime import find_runtime
from plugin_bridge.host.address import GatewayAddress

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import Process

Json = dict[str, object]
CLASS_PATH = Path(__file__).parents[2] / "java-stub" / "headless-host" / "target" / "classpath"
MAIN = "org.protegejobs.headless.Main"
LINE_BYTES = 1 << 20


def java() -> str:
    """The launcher; the test is skipped where it, or the built host, is missing."""
    runtime = find_runtime()
    if runtime is None:
        pytest.skip("no Java runtime here")
    if not list(CLASS_PATH.glob("headless-host-*.jar")):
        pytest.skip("the headless host is not built here: make java")
    return runtime.executable


def command(document: Path, *options: object) -> list[str]:
    """The command line of a host on a document."""
    return [
        java(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-Dfile.encoding=UTF-8",
        "-cp",
        f"{CLASS_PATH}/*",
        MAIN,
        str(document),
        *map(str, options),
    ]


@dataclass(frozen=True)
class HeadlessHost:
    """A running host whose document is loaded."""

    process: Process
    lines: BufferedByteReceiveStream
    address: GatewayAddress

    async def line(self) -> Json:
        """The next line that it prints."""
        with anyio.fail_after(60):
            return json.loads(await self.lines.receive_until(b"\n", LINE_BYTES))

    async def tell(self, what: str, **control: object) -> None:
        """Write one control line, without waiting for its answer."""
        assert self.process.stdin is not None
        await self.process.stdin.send(json.dumps({"do": what, **control}).encode() + b"\n")

    async def do(self, what: str, **control: object) -> Json:
        """Have one thing done; the answer."""
        await self.tell(what, **control)
        answer = await self.line()
        assert "failed" not in answer, answer
        return answer

    async def add(self, *axioms: str) -> None:
        """One edit that adds axioms in functional syntax."""
        await self.do("apply", add=axioms)

    def freeze(self) -> None:
        """Stop the whole process; on return none of its threads runs."""
        self.process.send_signal(signal.SIGSTOP)
        tasks = Path(f"/proc/{self.process.pid}/task")
        until = time.monotonic() + 10
        while any(_state(task) != "T" for task in tasks.iterdir()):
            assert time.monotonic() < until, "it does not stop"
            time.sleep(0.001)

    def thaw(self) -> None:
        """Let it go on."""
        self.process.send_signal(signal.SIGCONT)

    async def kill(self) -> None:
        """End it as a crash would; it is gone on return."""
        self.process.kill()
        with anyio.fail_after(10):
            await self.process.wait()

    def directory(self) -> list[str]:
        """Names of the captures that lie in its folder."""
        return sorted(each.name for each in self.address.directory.iterdir())


def _state(task: Path) -> str:
    """The one-letter state of a thread; that of one just gone is as good as stopped."""
    try:
        return (task / "stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return "T"


@asynccontextmanager
async def headless_host(document: Path, *options: object, loaded: bool = True) -> AsyncIterator[HeadlessHost]:
    """A host on a document for the length of the block; afterwards its process is gone.

    Args:
        loaded: wait until the document is.
    """
    # Its log goes to ours: pytest shows it with a test that fails.
    process = await anyio.open_process(command(document, *options), stderr=sys.stderr.fileno())
    assert process.stdout is not None
    directory: Path | None = None
    try:
        lines = BufferedByteReceiveStream(process.stdout)
        with anyio.fail_after(60):
            address = GatewayAddress.parse(await lines.receive_until(b"\n", LINE_BYTES))
        directory = address.directory
        host = HeadlessHost(process, lines, address)
        if loaded:
            assert (await host.line())["loaded"]
        yield host
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.send_signal(signal.SIGCONT)
                assert process.stdin is not None
                await process.stdin.aclose()  # its lifeline
                with anyio.move_on_after(10):
                    await process.wait()
            if process.returncode is None:
                process.kill()
            await process.aclose()
            if directory is not None:
                shutil.rmtree(directory, ignore_errors=True)


def run_host(document: Path, *options: object) -> subprocess.Popen[bytes]:
    """A host whose pipes the test handles itself."""
    return subprocess.Popen(
        command(document, *options), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
