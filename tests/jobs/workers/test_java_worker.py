"""The pool with a JVM behind the frames: the Java core and ELK, as real processes on real pipes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs import errors
from jobs.java.jars import find_classpath
from jobs.java.launch import java_launch
from jobs.limits import MIB
from jobs.reasoners import hard_cases
from jobs.reasoners.answer import read_outcome
from jobs.reasoners.java_profiles import ELK_6
from jobs.workers.pool import open_worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from jobs.reasoners.taxonomy import Outcome
    from jobs.workers.contract import Launch, StageCall, StageProgress, StopReport
    from jobs.workers.pool import WorkerPool

    MakeCall = Callable[..., StageCall]

pytestmark = [pytest.mark.anyio, pytest.mark.java]

ELK = "reasoner-elk"
WANTS = ("classes", "object_properties", "data_properties", "individuals")
BOUND_S = 60


@pytest.fixture
def launch() -> Launch:
    if find_classpath(ELK) is None:
        pytest.skip("the jars of ELK are not built here: make java")
    return java_launch(ELK)


@pytest.fixture
def reason(make_call: MakeCall, tmp_path: Path) -> Callable[..., StageCall]:
    def make(axioms: Sequence[str], sha256: str | None = None) -> StageCall:
        folder = tmp_path / "ein Ordner mit Ümlaut"
        folder.mkdir(exist_ok=True)
        capture = folder / "capture.ofn"
        data = "\n".join(["Ontology(", *axioms, ")\n"]).encode("utf-8", "surrogatepass")
        capture.write_bytes(data)
        digest = sha256 or hashlib.sha256(data).hexdigest()
        return make_call("reason", capture=str(capture), capture_sha256=digest, wants=list(WANTS))

    return make


async def answer(pool: WorkerPool, launch: Launch, call: StageCall) -> Outcome:
    with anyio.fail_after(BOUND_S):
        result = await pool.execute(call, launch=launch)
    assert isinstance(result.value, dict)
    return read_outcome(result.value, result.artifacts[0].path.read_bytes() if result.artifacts else None)


async def test_elk_answers_over_the_frames_of_the_python_workers(launch: Launch, reason: MakeCall) -> None:
    async with open_worker_pool() as pool:
        outcome = await answer(
            pool,
            launch,
            reason(
                (
                    "ClassAssertion(<urn:a> <urn:i>)",
                    "DisjointClasses(<urn:b> <urn:c>)",
                    "SubClassOf(<urn:a> <urn:b>)",
                    "SubClassOf(<urn:none> ObjectIntersectionOf(<urn:b> <urn:c>))",
                    "SubClassOf(<urn:odd\ud800> <urn:ä>)",
                    "SubObjectPropertyOf(<urn:p> <urn:q>)",
                )
            ),
        )
    assert outcome.is_consistent
    assert outcome.unsatisfiable == ("urn:none",)
    assert outcome.taxonomy is not None
    assert ("urn:odd\ud800",) in outcome.taxonomy.nodes
    assert outcome.object_properties is not None
    assert len(outcome.object_properties.nodes) == 4
    assert outcome.data_properties is None
    assert outcome.individuals is not None
    assert outcome.individuals.types == (("urn:a",),)


async def test_a_jvm_may_be_the_pools_own_command_and_be_kept_warm(launch: Launch, reason: MakeCall) -> None:
    async with open_worker_pool(command=launch.argv) as pool:
        pool.warm()
        with anyio.fail_after(BOUND_S):
            assert await pool.wait_warm() == 2
            result = await pool.execute(reason(("SubClassOf(<urn:a> <urn:b>)",)))
    assert result.artifacts[0].name == "answer.jsonl"


async def test_an_inconsistent_ontology_is_an_answer_without_a_file(launch: Launch, reason: MakeCall) -> None:
    axioms = (
        "ClassAssertion(<urn:a> <urn:i>)",
        "SubClassOf(<urn:a> <http://www.w3.org/2002/07/owl#Nothing>)",
    )
    async with open_worker_pool() as pool:
        outcome = await answer(pool, launch, reason(axioms))
    assert outcome.is_consistent is False
    assert outcome.taxonomy is None


async def test_a_construct_that_nobody_knows_is_refused_by_name(launch: Launch, reason: MakeCall) -> None:
    async with open_worker_pool() as pool:
        with pytest.raises(errors.ReasonerRefusedInput) as caught:
            await answer(pool, launch, reason(("SubClassOf(<urn:a> ObjectMost(<urn:p> <urn:b>))",)))
    assert caught.value.details == {"construct": "ObjectMost"}


async def test_a_capture_with_other_bytes_is_not_read(launch: Launch, reason: MakeCall) -> None:
    async with open_worker_pool() as pool:
        with pytest.raises(errors.ExecutionFailed) as caught:
            await answer(pool, launch, reason((), sha256="0" * 64))
    assert caught.value.details["failure_type"] == "input_changed"


async def test_elk_at_work_stops_by_itself_when_it_is_asked(launch: Launch, reason: MakeCall) -> None:
    call = reason(hard_cases.CASES[ELK_6]())
    stopped: list[StopReport] = []
    at_work = anyio.Event()

    async def on_progress(progress: StageProgress) -> None:
        if progress.phase == "reasoning" and progress.fraction:
            at_work.set()

    async with open_worker_pool() as pool:
        with anyio.fail_after(BOUND_S):
            async with anyio.create_task_group() as tasks:

                async def run() -> None:
                    await pool.execute(
                        call, launch=launch, on_progress=on_progress, on_stopped=stopped.append
                    )

                tasks.start_soon(run)
                await at_work.wait()
                tasks.cancel_scope.cancel()
    assert len(stopped) == 1
    assert stopped[0].took_s < 5


async def test_a_heap_that_is_too_small_is_told_and_the_next_job_works(
    launch: Launch, reason: MakeCall
) -> None:
    small = java_launch(ELK, heap_bytes=24 * MIB)
    note = f'AnnotationAssertion(<urn:n> <urn:a> "{"x" * 32 * MIB}")'
    async with open_worker_pool() as pool:
        with pytest.raises(errors.ExecutionFailed) as caught:
            await answer(pool, small, reason((note,)))
        assert caught.value.details["failure_type"] == "out_of_memory"
        call = reason(("SubClassOf(<urn:a> <urn:b>)",))
        assert (await answer(pool, launch, call)).is_consistent
