"""Which stages a job needs, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.reasoners import client
from jobs.values import JobType
from jobs.workers.contract import StageCall
from plugin_bridge.explaining import explain
from plugin_bridge.stages import stage_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.operations.registry import Operation
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.workers.contract import OnProgress, StageResult
    from plugin_bridge.capture.inputs import CapturedInputs
    from plugin_bridge.stages import StageRunner


async def run(
    stages: StageRunner,
    operation: Operation,
    captured: CapturedInputs,
    profile: ReasonerProfile | None,
    folder: Path,
    on_progress: OnProgress,
) -> StageResult:
    """The result of the operation's last stage; every process started for it is gone then.

    Args:
        profile: the admitted reasoner profile; None when the operation needs none.
        folder: private and empty; the stages write there.
    Raises:
        ProtegeJobsError: as `WorkerPool.execute`.
    """
    if captured.ahead is not None:
        return await captured.ahead.finish(captured.ontology.root, on_progress)
    if operation.job_type is JobType.REASONING_EXPLAIN:
        assert profile is not None
        return await explain(stages, captured, profile, folder, on_progress)
    (stage,) = operation.stages
    call = StageCall(
        operation=stage,
        version=operation.version,
        inputs=stage_inputs(captured, profile),
        work_dir=folder,
    )
    if profile is None or not client.runs_on_java(profile):
        return await stages.execute(call, on_progress)
    closure = captured.ontology.closure
    reasoning = client.reason_call(profile, closure.path, closure.sha256, folder)
    return await stages.follow(reasoning, profile, call, on_progress)
