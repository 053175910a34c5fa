"""A real window over HTTP: the SDK's client, other owners, and a flood while everything is busy."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.support.http_face import MODERN, call_body
from tests.support.live_window import (
    ROOT,
    call,
    command,
    ended,
    hard_for_el,
    interrupt,
    read_artifact,
    refused,
    small,
    start,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.support.live_window import Places

pytestmark = pytest.mark.anyio
TOKEN = "a-token-for-these-tests"
REQUESTS = 5_000


@asynccontextmanager
async def served_over_http(document: Path, *options: str) -> AsyncIterator[str]:
    """`serve --http` as its own process; its URL."""
    process = _begin(document, *options)
    assert process.stderr is not None
    try:
        line = (await anyio.to_thread.run_sync(process.stderr.readline)).decode()
        assert " is served at http://127.0.0.1:" in line
        with anyio.fail_after(100):
            yield line.split()[-1]
        _end(process)
        assert process.returncode == 130
    finally:
        process.kill()
        out, err = process.communicate()
        assert out == b""
        assert b"Traceback" not in err, err.decode()


def _begin(document: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("serve", document, "--http", *options),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PROTEGE_JOBS_TOKEN": TOKEN},
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    interrupt(process, signal.SIGTERM)


@asynccontextmanager
async def client_at(url: str, token: str = TOKEN) -> AsyncIterator[Client]:
    async with (
        create_mcp_http_client({"authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def write(places: Places, text: str) -> Path:
    path = places.project / "document.ofn"
    path.write_text(text)
    return path


async def test_the_main_job_over_http(places: Places) -> None:
    document = write(places, small("SubClassOf(:A :B)"))
    async with served_over_http(document, "--profile", "structural") as url, client_at(url) as client:
        job = await ended(client, await start(client, "classification", {}))
        assert job["state"] == "succeeded"
        assert json.loads(await read_artifact(client, job))["kind"] == "classification"
        artifact_id = job["result"]["artifacts"][0]["artifact_id"]
        export = {
            "job_id": job["job_id"],
            "artifact_id": artifact_id,
            "destination": "report.json",
            "confirm": True,
        }
        assert (await call(client, "export_job_artifact", export))["exported"] is True
        async with client_at(url) as second:  # the same token: the same owner
            assert (await call(second, "list_jobs", {}))["jobs"][0]["job_id"] == job["job_id"]
    assert places.left() == []
    assert places.processes() == []


@pytest.mark.req("W-05")
async def test_one_token_at_two_windows_is_two_owners(places: Places) -> None:
    document = write(places, small("SubClassOf(:A :B)"))
    never = {"job_id": "00000000-0000-4000-8000-000000000001"}
    async with served_over_http(document) as first, served_over_http(document) as second:
        async with client_at(first) as here, client_at(second) as there:
            job = await start(here, "semantic_diff", {"right_document": "document.ofn"})
            for tool in ("get_job", "cancel_job"):
                foreign = await there.call_tool(tool, {"job_id": job["job_id"]})
                absent = await there.call_tool(tool, never)
                assert foreign.model_dump_json() == absent.model_dump_json()
                assert foreign.structured_content["code"] == "unknown_job"


async def test_read_only_refuses_every_export(places: Places) -> None:
    document = write(places, small("SubClassOf(:A :B)"))
    async with served_over_http(document, "--read-only") as url, client_at(url) as client:
        assert (await call(client, "describe_window", {}))["read_only"] is True
        job = await ended(client, await start(client, "semantic_diff", {"right_document": "document.ofn"}))
        ids = {"job_id": job["job_id"], "artifact_id": job["result"]["artifacts"][0]["artifact_id"]}
        export = {**ids, "destination": "x.json", "confirm": True}
        assert (await refused(client, "export_job_artifact", export))["code"] == "read_only"
    assert not (places.project / "x.json").exists()


# --- A flood --------------------------------------------------------------------------------------


def wanted() -> int:
    """How many connections this process may hold at once; the server has a process of its own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < REQUESTS + 500:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, REQUESTS + 500), hard))
    return min(REQUESTS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 300)


@pytest.mark.timeout(180)
async def test_five_thousand_requests_at_once_are_answered_or_told_to_come_back(places: Places) -> None:
    """Both workers reason meanwhile; afterwards the window works as before."""
    document = write(places, hard_for_el())
    async with served_over_http(document, "--profile", "elk") as url, client_at(url) as client:
        running = [await start(client, "classification", {"limit": n}, f"k{n}") for n in range(2)]
        port = int(url.rsplit(":", 1)[1].split("/")[0])
        bodies = [
            ("get_job", {"job_id": running[0]["job_id"]}),
            ("list_jobs", {"limit": 10}),
            ("cancel_job", {"job_id": "00000000-0000-4000-8000-000000000001"}),
            ("start_job", {"type": "classification", "idempotency_key": "k0", "request": {"limit": 0}}),
        ]
        seen: Counter[str] = Counter()
        async with anyio.create_task_group() as tasks:
            for number in range(wanted()):
                tasks.start_soon(_ask, port, *bodies[number % len(bodies)], seen)
        assert set(seen) <= {"200", "503", "refused"}, seen
        assert seen["200"] > 100, seen
        for job in running:
            assert (await call(client, "cancel_job", {"job_id": job["job_id"]}))[
                "outcome"
            ] == "cancel_requested"
            assert (await ended(client, job, within_s=6))["state"] == "cancelled"
        assert len((await call(client, "list_jobs", {}))["jobs"]) == 2  # every other start was a reuse
        job = await ended(client, await start(client, "semantic_diff", {"right_document": "document.ofn"}))
        assert job["result"]["structured"]["identical"] is True
    assert places.left() == []
    assert places.processes() == []


async def _ask(port: int, tool: str, arguments: dict[str, object], seen: Counter[str]) -> None:
    body = call_body(tool, arguments)
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\n"
        f"content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        f"mcp-protocol-version: {MODERN}\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    try:
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(head.encode() + body)
            answer = b""
            try:
                while True:
                    answer += await stream.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                pass
    except OSError:
        answer = b""
    seen[answer.split(b" ", 2)[1].decode() if answer.startswith(b"HTTP/1.1 ") else "refused"] += 1
