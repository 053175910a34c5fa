"""Running a profile on a fixture as a job would: the same capture text, the same worker, the same reading."""

from __future__ import annotations

import hashlib
import importlib
import json
from typing import TYPE_CHECKING, Final

import anyio

from jobs.ontology import read_document
from jobs.ontology.document import capture_bytes, parse_capture
from jobs.ontology.syntax import canonical
from jobs.reasoners import client
from jobs.reasoners.outcomes import outcome_of
from jobs.reasoners.python_profiles import RUNNERS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from jobs.reasoners.identity import ReasonerProfile
    from jobs.reasoners.taxonomy import Outcome
    from jobs.values import Json
    from jobs.workers.contract import StageCall, StageProgress, StopReport
    from jobs.workers.pool import WorkerPool

_ANSWER: Final = "answer.jsonl"
PHASES: Final = ("loading", "building", "reasoning", "enumerating", "staging")
"""In the order in which a Java worker reports them."""


class Runner:
    """Runs one profile.

    Args:
        folder: where the captures and answers of the run go.
    """

    def __init__(self, pool: WorkerPool, profile: ReasonerProfile, folder: Path) -> None:
        self.profile = profile
        self._pool = pool
        self._folder = folder
        self._count = 0
        self._launch = client.launch_of(profile) if client.runs_on_java(profile) else None

    async def outcome(self, document: str) -> Outcome:
        """What the profile answers for a document in functional syntax.

        Raises:
            ReasonerRefusedInput: it refuses the document.
            Failed: it ended in another way.
        """
        capture = capture_bytes(read_document(document.encode(), name="fixture.ofn"))
        if self._launch is None:
            classify = importlib.import_module(RUNNERS[self.profile.profile_id]).classify
            found: Outcome = classify(parse_capture(capture).axioms, _say)
            return found
        call = self.call(capture)
        result = await self._pool.execute(call, launch=self._launch)
        files = {each.name: each.path for each in result.artifacts}
        answer = files[_ANSWER].read_bytes() if _ANSWER in files else None
        assert isinstance(result.value, dict)
        return outcome_of(self.profile.profile_id, result.value, answer, parse_capture(capture).axioms)

    @property
    def is_on_java(self) -> bool:
        """Whether the reasoner runs in a JVM."""
        return self._launch is not None

    async def explain(self, capture: bytes, goal: Json) -> set[frozenset[str]]:
        """All justifications of a goal, as sets of canonical axioms; empty when it does not hold."""
        path, digest, work_dir = self._kept(capture)
        call = client.explain_call(self.profile, path, digest, goal, 50, work_dir)
        result = await self._pool.execute(call, launch=self._launch)
        (artifact,) = result.artifacts
        found = [json.loads(line) for line in artifact.path.read_text(encoding="utf-8").splitlines()]
        return {frozenset(map(canonical, axioms)) for axioms in found}

    def call(self, capture: bytes) -> StageCall:
        """The order to reason over a capture, in a folder of its own."""
        path, digest, work_dir = self._kept(capture)
        return client.reason_call(self.profile, path, digest, work_dir)

    def _kept(self, capture: bytes) -> tuple[Path, str, Path]:
        """The capture as a file with its digest, and the folder of its own that it lies in."""
        self._count += 1
        work_dir = self._folder / str(self._count)
        work_dir.mkdir()
        path = work_dir / "capture.ofn"
        path.write_bytes(capture)
        return path, hashlib.sha256(capture).hexdigest(), work_dir

    async def stop_in(self, phase: str, axioms: Sequence[str]) -> StopReport | None:
        """Cancel the reasoner as soon as it reports a phase; None when it was past it by then."""
        call = self.call("\n".join(["Ontology(", *axioms, ")\n"]).encode())
        later = PHASES[PHASES.index(phase) + 1 :]
        is_there = False
        decided = anyio.Event()
        stopped: list[StopReport] = []

        async def saw(progress: StageProgress) -> None:
            nonlocal is_there
            is_there = is_there or (progress.phase == phase and not decided.is_set())
            if is_there or progress.phase in later:
                decided.set()

        async def run() -> None:
            await self._pool.execute(call, launch=self._launch, on_progress=saw, on_stopped=stopped.append)
            decided.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            with anyio.fail_after(60):
                await decided.wait()
            tasks.cancel_scope.cancel()
        return stopped[0] if stopped and is_there else None


def _say(_phase: str, _message: str, _fraction: float | None) -> None:
    """A review shows no progress."""
