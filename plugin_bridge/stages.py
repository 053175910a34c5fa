"""Running stages in worker processes: on what kind of worker, with which files, one beside the other.

A reasoner on Java is followed by a Python stage that makes a report of its answer. The two run side by
side: the second reads the capture meanwhile, so that it is ready when the answer comes.

Invariant: when anything here returns or raises, every process it started is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from anyio import to_thread

from jobs.errors import WorkerLost
from jobs.operations.handover import announce
from jobs.reasoners import client
from jobs.tasks import open_tasks
from jobs.workers.contract import StageCall
from plugin_bridge import translating
from plugin_bridge.capture.ahead import left_inputs, right_inputs
from plugin_bridge.choosing import profile_name_of

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json
    from jobs.workers.contract import OnProgress, StageProgress, StageResult
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.capture.inputs import CapturedInputs
    from plugin_bridge.host.values import SelectedReasoner

_ANSWER_FOLLOWS: Final = "answer_follows"


class StageRunner:
    """Runs stages on one pool; which ones a job needs, `plans` says."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    async def make_ready(self, profile: ReasonerProfile) -> None:
        """Have a JVM of the profile, if it runs on Java, practise for the job that will come.

        Raises:
            JavaUnavailable: as `client.launch_of`.
        """
        if client.runs_on_java(profile):
            self._pool.launch_ahead(await to_thread.run_sync(client.launch_of, profile))

    async def execute(self, call: StageCall, on_progress: OnProgress) -> StageResult:
        """One stage on a Python worker."""
        return await translating.execute(self._pool, call, on_progress=on_progress)

    async def follow(
        self, reasoning: StageCall, profile: ReasonerProfile, call: StageCall, on_progress: OnProgress
    ) -> StageResult:
        """The result of a Python stage that awaits, as `answer_follows`, what the profile's reasoner answers.

        Args:
            reasoning: for the profile's own JVM.
            on_progress: hears the reasoner until it has answered, then the stage.
        """
        launch = await to_thread.run_sync(client.launch_of, profile)
        follows, following = awaiting(call)
        result: StageResult | None = None
        has_answer = False

        async def when_answered(progress: StageProgress) -> None:
            if has_answer:
                await on_progress(progress)

        async def run_second() -> None:
            nonlocal result
            result = await self._pool.execute(following, on_progress=when_answered)

        async with open_tasks() as tasks:
            tasks.start_soon(run_second, name=call.operation)
            answer = await self._pool.execute(reasoning, launch=launch, on_progress=on_progress)
            has_answer = True
            await to_thread.run_sync(announce, follows, _answer(answer))
        if result is None:
            raise WorkerLost("The report's worker ended without a result.")
        return result


def awaiting(call: StageCall) -> tuple[Path, StageCall]:
    """Where the answer is to be announced, and the stage that awaits it there."""
    follows = call.work_dir / f"{call.operation}-answer.json"
    inputs = {**call.inputs, _ANSWER_FOLLOWS: str(follows)}
    return follows, StageCall(
        operation=call.operation, version=call.version, inputs=inputs, work_dir=call.work_dir
    )


def _answer(result: StageResult) -> Json:
    """What the following stage is told of the reasoner's answer."""
    found: Json = {"value": result.value}
    for each in result.artifacts:
        if each.name in (client.ANSWER, client.JUSTIFICATIONS):
            found |= {"answer": str(each.path), "answer_sha256": each.sha256}
    return found


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
            "settings_not_carried": _settings_not_carried(ontology.reasoner, profile),
        }
    return inputs


def _settings_not_carried(selected: SelectedReasoner | None, profile: ReasonerProfile) -> list[str]:
    """Names of the editor's settings for the reasoner that a job runs without (decision 16): all, today."""
    if selected is None or profile_name_of(selected) != profile.profile_id:
        return []
    return sorted({*selected.settings_not_carried, *selected.settings})
