"""The main job, walked by a real MCP client: open, compare, classify, export.

`make demo` uses the sample ontology beside this file; `make demo FILE=my.owl [RIGHT=old.owl]` your
own. Files are copied to `demo-output/` first, so nothing beside yours is written.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

HERE = Path(__file__).parent
SAMPLE = HERE / "harbour" / "harbour-2.0.ofn"
SAMPLE_RIGHT = HERE / "harbour" / "harbour-1.0.ttl"
OUTPUT = Path("demo-output")
TERMINAL_STATES = {"succeeded", "failed", "cancelled"}
POLL_S = 0.2

console = Console()


async def demo(document: Path, right: Path | None) -> int:
    """Run the walk over two files of the project folder and return an exit code."""
    command = ["-m", "plugin_bridge.cli", "serve", str(document), "--project", str(document.parent)]
    server = StdioServerParameters(command=sys.executable, args=command)
    console.rule(f"[bold]{escape(document.name)}[/] as a window over stdio MCP")
    async with Client(server) as client:
        window = await call(client, "describe_window", {})
        console.print(escape(window.text))
        ok = True
        if right is not None:
            request = {"right_document": right.name, "network": "deny", "include_imports": False}
            console.rule(f"What changed against [bold]{escape(right.name)}[/]")
            job = await run_job(client, "semantic_diff", request)
            ok &= job is not None and await export(client, job, f"{document.stem}-diff.json")
        console.rule("What follows: classification")
        job = await run_job(client, "classification", {"limit": 20})
        ok &= job is not None and await export(client, job, f"{document.stem}-classification.json")
    return 0 if ok else 1


async def run_job(client: Client, job_type: str, request: dict[str, object]) -> dict[str, object] | None:
    """Start one job, show its progress, print its result in words; None when it did not succeed."""
    arguments = {"type": job_type, "idempotency_key": f"demo-{time.time_ns()}", "request": request}
    started = await call(client, "start_job", arguments)
    if started.failed:
        console.print(f"[red]{escape(started.text)}[/]")
        return None
    job = await follow(client, started.body["job"])
    finished = await call(client, "get_job", {"job_id": job["job_id"]})
    console.print(escape(finished.text))
    return job if job["state"] == "succeeded" else None


async def follow(client: Client, job: dict[str, object]) -> dict[str, object]:
    """Poll the job until it is terminal, with what it says of itself on a live line."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=False) as progress:
        line = progress.add_task(str(job["progress_message"]), total=None)
        while job["state"] not in TERMINAL_STATES:
            await anyio.sleep(POLL_S)
            job = (await call(client, "get_job", {"job_id": job["job_id"]})).body["job"]
            progress.update(line, description=f"{job['state']}: {job['progress_message']}")
        progress.update(line, total=1, completed=1)
    return job


async def export(client: Client, job: dict[str, object], name: str) -> bool:
    """Export the job's report into the project, replacing only a file whose digest we know."""
    report = job["result"]["artifacts"][0]
    arguments = {
        "job_id": job["job_id"],
        "artifact_id": report["artifact_id"],
        "destination": name,
        "confirm": True,
    }
    (OUTPUT / name).unlink(missing_ok=True)
    exported = await call(client, "export_job_artifact", arguments)
    console.print(f"[{'red' if exported.failed else 'green'}]{escape(exported.text)}[/]")
    return not exported.failed


class Answer:
    """A tool's answer: its text, its structured body, and whether it is an error."""

    def __init__(self, result: object) -> None:
        self.text = "\n".join(getattr(block, "text", "") for block in result.content)
        self.body = result.structured_content or {}
        self.failed = bool(result.is_error)


async def call(client: Client, tool: str, arguments: dict[str, object]) -> Answer:
    """Call one tool; every call has a bound."""
    return Answer(await client.call_tool(tool, arguments, read_timeout_seconds=120))


def main() -> int:
    """Parse the arguments and run the walk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="your own ontology")
    parser.add_argument("right", type=Path, nargs="?", help="what to compare it with")
    options = parser.parse_args()
    document = options.file or SAMPLE
    right = options.right or (None if options.file else SAMPLE_RIGHT)
    for path in (document, right):
        if path is not None and not path.is_file():
            parser.error(f"no such file: {path}")
    project = OUTPUT.resolve()
    project.mkdir(exist_ok=True)
    copies = [None if path is None else Path(shutil.copy(path, project)) for path in (document, right)]
    return anyio.run(demo, *copies)


if __name__ == "__main__":
    sys.exit(main())
