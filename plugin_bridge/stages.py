"""Running the stages of a job in worker processes: which, on what kind of worker, with which files.

Invariant: when `run` returns or raises, every process it started is gone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from jobs.errors import WorkerLost
from jobs.reasoners import client
from jobs.tasks import open_tasks
from jobs.workers.contract import StageCall
from plugin_bridge import translating
from plugin_bridge.capture.ahead import left_inputs, right_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.operations.registry import Operation
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json
    from jobs.workers.contract import OnProgress, StageProgress, StageResult
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.capture.inputs import CapturedInputs

_ANSWER_FOLLOWS: Final = "answer_follows"


class StageRunner:
    """Runs jobs' stages on one pool."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    async def run(
        self,
        operation: Operation,
        captured: CapturedInputs,
        profile: ReasonerProfile | None,
        folder: Path,
        on_progress: OnProgress,
    ) -> StageResult:
        """The result of the operation's last stage.

        Args:
            profile: the admitted reasoner profile; None when the operation needs none.
            folder: private and empty; the stages write there.
        Raises:
            ProtegeJobsError: as `WorkerPool.execute`.
        """
        if captured.ahead is not None:
            return await captured.ahead.finish(captured.ontology.root, on_progress)
        (stage,) = operation.stages
        call = StageCall(
            operation=stage,
            version=operation.version,
            inputs=stage_inputs(captured, profile),
            work_dir=folder,
        )
        if profile is not None and client.runs_on_java(profile):
            return await self._run_on_java(call, captured, profile, on_progress)
        return await translating.execute(self._pool, call, on_progress=on_progress)

    async def _run_on_java(
        self, call: StageCall, captured: CapturedInputs, profile: ReasonerProfile, on_progress: OnProgress
    ) -> StageResult:
        """The reasoner in its own JVM, and beside it the stage that makes a report of its answer.

        The second reads the capture meanwhile, so that it is ready when the answer comes.
        """
        launch = await to_thread.run_sync(client.launch_of, profile)
        follows = call.work_dir / "answer.json"
        closure = captured.ontology.closure
        reasoning = client.reason_call(profile, closure.path, closure.sha256, call.work_dir)
        reporting = StageCall(
            operation=call.operation,
            version=call.version,
            inputs={**call.inputs, _ANSWER_FOLLOWS: str(follows)},
            work_dir=call.work_dir,
        )
        report: StageResult | None = None
        has_answer = False

        async def when_answered(progress: StageProgress) -> None:
            if has_answer:
                await on_progress(progress)

        async def make_report() -> None:
            nonlocal report
            report = await self._pool.execute(reporting, on_progress=when_answered)

        async with open_tasks() as tasks:
            tasks.start_soon(make_report, name="report")
            answer = await self._pool.execute(reasoning, launch=launch, on_progress=on_progress)
            has_answer = True
            await to_thread.run_sync(_announce, follows, _answer(answer))
        if report is None:
            raise WorkerLost("The report's worker ended without a result.")
        return report


def _answer(result: StageResult) -> Json:
    """What the report's stage is told of the reasoner's answer."""
    found: Json = {"value": result.value}
    for each in result.artifacts:
        if each.name == client.ANSWER:
            found |= {"answer": str(each.path), "answer_sha256": each.sha256}
    return found


def _announce(path: Path, value: Json) -> None:
    """Whole from the moment it is there: the stage looks for the file and reads it at once."""
    whole = path.with_suffix(".part")
    whole.write_text(json.dumps(value), encoding="utf-8")
    whole.replace(path)


def stage_inputs(captured: CapturedInputs, profile: ReasonerProfile | None) -> Json:
    """The JSON inputs of the worker stage: files by path and digest, and the request's numbers."""
    ontology = captured.ontology
    inputs: Json = {"limit": captured.request["limit"]}
    if captured.right is not None:
        inputs |= left_inputs(ontology.root) | right_inputs(captured.right)
    if profile is not None:
        inputs |= {
            "closure": str(ontology.closure.path),
            "closure_sha256": ontology.closure.sha256,
            "profile_id": profile.profile_id,
            "profile_key": profile.profile_key,
            "imports_loaded": list(ontology.imports_loaded),
            "imports_missing": list(ontology.imports_missing),
        }
    return inputs
