"""The stages of a `reasoning_explain`: what to explain, why it follows, the report.

Names in the request are looked up in the captured closure. Without a goal the ontology is classified
first, in its classes alone, and the answer says what is wrong with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from anyio import to_thread

from jobs.errors import ResultInvalid
from jobs.operations.handover import announce
from jobs.reasoners import client
from jobs.workers.contract import StageCall
from plugin_bridge import stages

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json
    from jobs.workers.contract import OnProgress, StageResult
    from plugin_bridge.capture.inputs import CapturedInputs
    from plugin_bridge.stages import StageRunner

OPERATION: Final = "reasoning_explain"
_GOAL: Final = "explanation_goal"


async def explain(
    runner: StageRunner,
    captured: CapturedInputs,
    profile: ReasonerProfile,
    folder: Path,
    on_progress: OnProgress,
) -> StageResult:
    """The report of why the requested goal, or the first thing wrong, follows.

    Args:
        profile: a reasoner on Java that explains (`jobs.reasoners.explaining`).
    Raises:
        EntityUnresolved: the goal names no class of the closure, or several (`entity_unresolved`).
        ProtegeJobsError: as `WorkerPool.execute`.
    """
    closure = captured.ontology.closure
    found = await _goal(runner, captured, profile, folder, on_progress)
    call = StageCall(
        operation=OPERATION,
        version=1,
        inputs={
            **stages.stage_inputs(captured, profile),
            **_origins(captured),
            "goal": found["goal"],
            "is_default_goal": captured.request["goal"] is None,
        },
        work_dir=folder,
    )
    if found["settled"] is not None:
        follows, following = stages.awaiting(call)
        await to_thread.run_sync(announce, follows, {"value": found["settled"]})
        return await runner.execute(following, on_progress)
    reasoning = client.explain_call(
        profile, closure.path, closure.sha256, found["goal"], captured.request["limit"], folder
    )
    return await runner.follow(reasoning, profile, call, on_progress)


async def _goal(
    runner: StageRunner,
    captured: CapturedInputs,
    profile: ReasonerProfile,
    folder: Path,
    on_progress: OnProgress,
) -> dict[str, Any]:
    """The goal by IRIs, and its answer where that needs no reasoner."""
    goal, closure = captured.request["goal"], captured.ontology.closure
    if isinstance(goal, dict) and len(goal) == 1:
        return {"goal": goal, "settled": None}  # it names nothing
    call = StageCall(
        operation=_GOAL,
        version=1,
        inputs={"closure": str(closure.path), "closure_sha256": closure.sha256, "goal": goal},
        work_dir=folder,
    )
    if goal is not None:
        result = await runner.execute(call, on_progress)
    else:
        reasoning = client.reason_call(profile, closure.path, closure.sha256, folder, wants=("classes",))
        result = await runner.follow(reasoning, profile, call, on_progress)
    if not isinstance(result.value, dict) or result.value.keys() != {"goal", "settled"}:
        raise ResultInvalid("The goal's worker returned something else.")
    return result.value


def _origins(captured: CapturedInputs) -> Json:
    ontology = captured.ontology
    told: Json = {"document_path": ontology.document_path}
    if ontology.origins is not None:
        told |= {"origins": str(ontology.origins.path), "origins_sha256": ontology.origins.sha256}
    return told
