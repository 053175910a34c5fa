"""A worker that answers `reason` and `explain` by a script, in place of a reasoner on Java.

    python reasoner_double.py SCRIPT --parent PID [--die-with-parent]

The script is a JSON file: for each operation `value` and `lines` (the rows of its artifact), or `refuses`
(a message), or `hangs`. What is asked is left in the script's folder, as `asked-OPERATION.json`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobs.errors import ReasonerRefusedInput
from jobs.workers import main as worker_main
from jobs.workers.contract import Launch, StageArtifact, StageResult

if TYPE_CHECKING:
    from jobs.workers.contract import Reporter, Stage, StageCall

FILES = {"reason": "answer.jsonl", "explain": "justifications.jsonl"}


def launch(folder: Path, **operations: Any) -> Launch:
    """How the double is started with this script."""
    script = folder / "script.json"
    script.write_text(json.dumps(operations))
    return Launch(name="double", kind="double", argv=(sys.executable, __file__, str(script)))


def asked(folder: Path, operation: str) -> Any:
    """The inputs of the last order for an operation; None when there was none."""
    path = folder / f"asked-{operation}.json"
    return json.loads(path.read_text()) if path.exists() else None


def find_stage(name: str, version: int) -> Stage:
    if version != 1 or name not in FILES:
        raise LookupError(name)
    return _answer


def _answer(call: StageCall, reporter: Reporter) -> StageResult:
    script = Path(sys.argv[1])
    said = json.loads(script.read_text())[call.operation]
    (script.parent / f"asked-{call.operation}.json").write_text(json.dumps(dict(call.inputs)))
    reporter.progress("explaining" if call.operation == "explain" else "reasoning", "At work")
    if "refuses" in said:
        raise ReasonerRefusedInput(said["refuses"])
    while "hangs" in said:
        time.sleep(1)
    data = "".join(f"{json.dumps(each)}\n" for each in said["lines"]).encode()
    path = call.work_dir / FILES[call.operation]
    path.write_bytes(data)
    artifact = StageArtifact(
        name=path.name,
        media_type="application/x-ndjson",
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
    )
    return StageResult(value=said["value"], artifacts=(artifact,))


if __name__ == "__main__":
    worker_main.prepare(sys.argv[2:])
    worker_main.serve(worker_main.Channel(), find_stage, operations=sorted(FILES))
