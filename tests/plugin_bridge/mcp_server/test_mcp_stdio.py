"""Real clients over a real stdio subprocess, both protocol generations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parents[3]
TOOLS = [
    "start_job",
    "get_job",
    "cancel_job",
    "list_jobs",
    "export_job_artifact",
    "read_job_artifact",
    "describe_window",
]
ANY_ID = "00000000-0000-4000-8000-000000000001"


@asynccontextmanager
async def client(mode: str, *options: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "tests.support.stdio_server", *options],
        cwd=ROOT,
        env={**os.environ},
    )
    with anyio.fail_after(30):
        async with Client(stdio_client(parameters), mode=mode) as connected:
            yield connected


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.req("W-04", "W-18")
async def test_a_client_lists_and_calls_the_tools(mode: str) -> None:
    async with client(mode, "--succeed") as connected:
        listed = await connected.list_tools()
        assert [each.name for each in listed.tools] == TOOLS
        started = await connected.call_tool(
            "start_job",
            {"type": "semantic_diff", "idempotency_key": "k", "request": {"right_document": "r.ttl"}},
        )
        assert not started.is_error
        job = started.structured_content["job"]
        got = await connected.call_tool("get_job", {"job_id": job["job_id"]})
        assert got.structured_content["job"]["state"] == "succeeded"
        assert "2 axioms only in the right document" in got.content[0].text
        refused = await connected.call_tool("get_job", {"job_id": ANY_ID})
        assert refused.is_error
        assert refused.structured_content["code"] == "unknown_job"


def converse(*lines: bytes) -> list[dict[str, object]]:
    """Send raw lines to a server and read everything it answers until it ends."""
    done = subprocess.run(  # a real process, as a client would start one
        [sys.executable, "-m", "tests.support.stdio_server"],
        input=b"\n".join(lines) + b"\n",
        capture_output=True,
        cwd=ROOT,
        timeout=30,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
).encode()
READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def call(request_id: int, tool: str, arguments: str) -> bytes:
    params = f'{{"name":"{tool}","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":{request_id},"method":"tools/call","params":{params}}}'.encode()


def test_every_bad_line_is_answered_and_the_server_goes_on() -> None:
    deep = "[" * 10_000 + "]" * 10_000
    answers = converse(
        b"\x00\xff\xfe garbage",
        INITIALIZE,
        READY,
        b"",
        b"{",
        b"[]",
        b"null",
        call(1, "get_job", f'{{"job_id":{deep}}}'),
        call(2, "get_job", '{"job_id":"\\ud800"}'),
        call(3, "get_job", '{"job_id":NaN}'),
        call(4, "get_job", f'{{"job_id":{"9" * 5_000}}}'),
        call(5, "get_job", "[]"),
        call(6, "no_such_tool", "{}"),
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"padding":"' + b"x" * 5_000_000 + b'"}}',
        os.urandom(4096).replace(b"\n", b""),
        call(8, "get_job", f'{{"job_id":"{ANY_ID}"}}'),
    )
    by_id = {each["id"]: each for each in answers if each["id"] is not None}
    assert set(by_id) >= {0, 1, 2, 3, 4, 5, 6, 8}
    assert by_id[1]["error"]["data"]["code"] == "invalid_request"
    assert by_id[2]["error"]["data"]["code"] == "invalid_request"
    assert by_id[8]["result"]["structuredContent"]["code"] == "unknown_job"
    assert len([each for each in answers if each["id"] is None]) >= 5


@pytest.mark.req("W-70")
def test_the_stream_ends_with_its_last_line_complete_and_nothing_else_on_stdout() -> None:
    answers = converse(
        INITIALIZE, READY, *(call(n, "get_job", f'{{"job_id":"{ANY_ID}"}}') for n in range(1, 400))
    )
    assert [each["id"] for each in answers] == [*range(400)]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"])
def test_every_handshake_version_gets_an_answer_it_can_read(version: str) -> None:
    """Older clients know no structured answers: the words carry everything they need."""
    answers = converse(
        INITIALIZE.replace(b"2025-11-25", version.encode()),
        READY,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        call(2, "get_job", f'{{"job_id":"{ANY_ID}"}}'),
    )
    by_id = {each["id"]: each for each in answers}
    assert [each["name"] for each in by_id[1]["result"]["tools"]] == TOOLS
    assert by_id[2]["result"]["isError"] is True
    assert "unknown_job" in by_id[2]["result"]["content"][0]["text"]


def test_a_client_that_leaves_in_the_middle_ends_the_server() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.stdio_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(INITIALIZE + b"\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"\n".join([READY, *(call(n, "list_jobs", "{}") for n in range(2_000))]))
    process.stdin.close()
    assert process.wait(timeout=20) == 0
