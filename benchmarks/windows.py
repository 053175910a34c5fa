"""A window opened by `protege-jobs serve`, seen through the SDK's own client over stdio."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp import Client, MCPError, StdioServerParameters

from benchmarks.figures import NotRun, reason
from benchmarks.peers import our_command

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

TERMINAL: Final = frozenset({"succeeded", "failed", "cancelled"})
CALL_S: Final = 30


@asynccontextmanager
async def open_window(path: Path, profile: str = "pyelk-0.2.1") -> AsyncIterator[Client]:
    """A window that classifies with a profile, and a connected client; both end with the block."""
    command, *rest = our_command()
    arguments = [*rest, "serve", str(path), "--profile", profile]
    server = StdioServerParameters(command=command, args=arguments, cwd=path.parent)
    try:
        async with Client(server, read_timeout_seconds=CALL_S) as client:
            await client.list_tools()  # the client reads the output schemas once; no timed call pays for it
            yield client
    except* (MCPError, OSError) as errors:
        raise NotRun(f"protege-jobs serve did not answer: {reason(errors)}") from errors


def classification_request(key: str) -> dict[str, Any]:
    """Arguments of start_job."""
    return {"type": "classification", "idempotency_key": key, "request": {}}


async def until_running(window: Client, job: str) -> None:
    """Wait until the job runs; NotRun when it ends first, or does not run within two minutes."""
    with anyio.move_on_after(120):
        while True:
            state = await state_of(window, job)
            if state == "running":
                return
            if state in TERMINAL:
                break
            await anyio.sleep(0.01)
    raise NotRun(f"a classification never ran: {await text_of_job(window, job)}")


async def state_of(window: Client, job: str) -> str:
    """The job's state, by a get_job call."""
    return str((await _described(window, job))["state"])


async def text_of_job(window: Client, job: str) -> str:
    """State, phase and error of a job, for a message."""
    return ", ".join(f"{key} {value}" for key, value in (await _described(window, job)).items() if value)


async def _described(window: Client, job: str) -> dict[str, Any]:
    described = content_of(await window.call_tool("get_job", {"job_id": job}))["job"]
    return {key: described.get(key) for key in ("state", "phase", "error")}


def content_of(answer: Any) -> dict[str, Any]:
    """The structured content of an answer; NotRun when the call was refused."""
    if answer.is_error or not isinstance(answer.structured_content, dict):
        raise NotRun(f"a tool call was refused: {text_of(answer)}")
    return answer.structured_content


def text_of(answer: Any) -> str:
    """What an answer says to people, shortened."""
    return " ".join(getattr(part, "text", "") for part in answer.content)[:300]
