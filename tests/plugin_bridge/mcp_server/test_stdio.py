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
