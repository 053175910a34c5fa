"""A server on stdio without a client library: what lies between a request's line and its answer's.

A client library parses an answer into its own objects before the caller sees it, and that takes longer
for a larger answer, whichever server sent it. So latencies of servers are taken here: the clock runs
from before the request's line is written until the last byte of the answer's line was read.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from benchmarks.figures import NotRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
_END_S: Final = 10


class WireServer:
    """One server process that has answered `initialize`; made by `open_wire`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        self._asked = 0
        self._exchange("initialize", HELLO)
        self._write({"method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """Seconds of one tool call on the wire, and its result.

        Raises:
            NotRun: the server ended, or refused.
        """
        took, answer = self._exchange("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result")
        if result is None or result.get("isError"):
            raise NotRun(f"{tool} was refused: {str(answer)[:300]}")
        return took, result

    def _exchange(self, method: str, params: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": params}
        parts: list[bytes] = []
        start = time.perf_counter()
        self._write(message)
        while not (parts and parts[-1].endswith(b"\n")):
            parts.append(os.read(self._output, 64 * 1024))
            if not parts[-1]:
                raise NotRun(f"the server ended during {method}")
        took = time.perf_counter() - start
        answer: dict[str, Any] = json.loads(b"".join(parts))
        if answer.get("id") != self._asked:
            raise NotRun(f"the server sent something else than the answer to {method}")
        return took, answer

    def _write(self, message: dict[str, Any]) -> None:
        try:
            os.write(self._input, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        except BrokenPipeError as error:
            raise NotRun("the server ended") from error


@contextmanager
def open_wire(argv: Sequence[str], cwd: Path) -> Iterator[WireServer]:
    """Start a server; it ends with the block."""
    with subprocess.Popen(
        argv,
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    ) as process:
        try:
            yield WireServer(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()  # a server on stdio ends with its input
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
