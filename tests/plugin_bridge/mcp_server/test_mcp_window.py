"""The real window behind the face: `python -m plugin_bridge.cli serve FILE`, as a user starts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from jobs.digests import byte_digest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import Process

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[3]
TOKEN = "a-token-for-this-very-window"
LEFT = """Prefix(:=<http://example.org/o#>)
Ontology(<http://example.org/o>
Declaration(Class(:A))
Declaration(Class(:B))
SubClassOf(:B :A)
)
"""
RIGHT = LEFT.replace("SubClassOf(:B :A)", "SubClassOf(:B :A)\nDeclaration(Class(:C))\nSubClassOf(:C :B)")
DIFF = {
    "type": "semantic_diff",
    "idempotency_key": "k",
    "request": {"right_document": "right.ofn", "network": "deny", "include_imports": False},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "left.ofn").write_text(LEFT)
    (tmp_path / "right.ofn").write_text(RIGHT)
    return tmp_path


def command(project: Path, *options: str) -> list[str]:
    return ["-m", "plugin_bridge.cli", "serve", str(project / "left.ofn"), *options]


@asynccontextmanager
async def on_stdio(project: Path, mode: str) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable, args=command(project), cwd=ROOT, env={**os.environ}
    )
    with anyio.fail_after(60):
        async with Client(stdio_client(parameters), mode=mode) as client:
            yield client


@asynccontextmanager
async def over_http(project: Path, mode: str) -> AsyncIterator[Client]:
    process = await anyio.open_process(
        [sys.executable, *command(project, "--http", "127.0.0.1:0")],
        cwd=ROOT,
        env={**os.environ, "PROTEGE_JOBS_TOKEN": TOKEN},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        with anyio.fail_after(60):
            url = await served_at(process)
            async with create_mcp_http_client({"authorization": f"Bearer {TOKEN}"}) as http:
                transport = streamable_http_client(url, http_client=http)
                async with Client(transport, mode=mode) as client:
                    yield client
    finally:
        with anyio.move_on_after(10, shield=True):
            process.terminate()
            await process.aclose()


async def served_at(process: Process) -> str:
    """The address that the server says on stderr."""
    assert process.stderr is not None
    said = ""
    while not (found := re.search(r"http://\S+/mcp", said)):
        said += (await process.stderr.receive()).decode()
    return found.group()


async def ended(client: Client, job_id: str) -> dict[str, object]:
    while True:
        got = (await client.call_tool("get_job", {"job_id": job_id})).structured_content
        if got["job"]["state"] in ("succeeded", "failed", "cancelled"):
            return got["job"]
        await anyio.sleep(0.05)  # a client polls; nothing is synchronised by it


@pytest.mark.req("W-18", "W-46", "W-47", "W-48", "W-51", "W-69", "W-70", "W-78", "W-90")
@pytest.mark.parametrize("transport", [on_stdio, over_http])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_user_s_whole_way(project: Path, transport: object, mode: str) -> None:
    async with transport(project, mode) as client:  # type: ignore[operator]
        schemas = {each.name: each.output_schema for each in (await client.list_tools()).tools}

        async def call(tool: str, arguments: object) -> dict[str, object]:
            answered = await client.call_tool(tool, arguments)  # type: ignore[arg-type]
            Draft202012Validator(schemas[tool]).validate(answered.structured_content)
            return answered.structured_content  # type: ignore[no-any-return]

        described = await call("describe_window", {})
        assert "ontology:read" in described["capabilities"]
        started = await call("start_job", DIFF)
        job_id = started["job"]["job_id"]
        job = await ended(client, job_id)
        assert job["state"] == "succeeded"
        assert job["result"]["structured"]["added_axioms"] == 2
        again = await call("start_job", DIFF)
        assert (again["reused"], again["job"]["job_id"]) == (True, job_id)
        artifact_id = job["result"]["structured"]["report_artifact_id"]
        read = await call("read_job_artifact", {"job_id": job_id, "artifact_id": artifact_id})
        assert json.loads(read["text"])["asserted_axioms"]["added"]["count"] == 2
        export = {"job_id": job_id, "artifact_id": artifact_id, "destination": "r.json", "confirm": True}
        exported = await call("export_job_artifact", export)
        data = (project / "r.json").read_bytes()
        assert (exported["bytes"], exported["sha256"]) == (len(data), byte_digest(data))
        assert (await call("cancel_job", {"job_id": job_id}))["outcome"] == "already_terminal"
        assert [each["job_id"] for each in (await call("list_jobs", {"limit": 25}))["jobs"]] == [job_id]
        for tool in ("get_job", "cancel_job"):
            refused = await call(tool, {"job_id": "00000000-0000-4000-8000-000000000001"})
            assert refused["code"] == "unknown_job"
        refused = await call(
            "start_job", {**DIFF, "idempotency_key": "l", "request": {"right_document": "../x"}}
        )
        assert refused["details"]["effects_prevented"] is True
