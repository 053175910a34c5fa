"""Reasoners that hang, flood, exit or break at each step: gone on request, told apart, and nothing left.

They run in the Java worker that the real ones run in, over its OWL API side.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs import errors, limits
from jobs.java.jars import ClassPath, Jar
from jobs.java.launch import java_command
from jobs.java.runtime import get_runtime
from jobs.workers.contract import StageCall
from jobs.workers.pool import open_worker_pool
from tests.support.process_table import children_of, has_mapped, is_gone

if TYPE_CHECKING:
    from jobs.workers.contract import Launch, StageProgress, StopReport
    from jobs.workers.pool import WorkerPool

pytestmark = [pytest.mark.anyio, pytest.mark.java]

JARS = Path(__file__).parents[3] / "java-stub" / "reasoner-stuck" / "target" / "classpath"
STUCK = "org.protegejobs.owlapi.stuck"
STRUCTURAL = "org.semanticweb.owlapi.reasoner.structural.StructuralReasonerFactory"
CAPTURE = b"Ontology(\nDeclaration(Class(<urn:a>))\nSubClassOf(<urn:b> <urn:a>)\n)\n"
HEAP_BYTES = 128 * limits.MIB
QUICK_S = 1.5
"""Bound of a stop on a busy machine; what is measured on a quiet one is below 0.25 s."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def launch() -> Launch:
    if not JARS.is_dir():
        pytest.skip("the misbehaving reasoners are not built here: make java")
    jars = tuple(
        Jar(name=each.name, sha256=hashlib.sha256(each.read_bytes()).hexdigest(), group=None, path=str(each))
        for each in sorted(JARS.iterdir())
    )
    found = ClassPath(name="reasoner-stuck", main_class="org.protegejobs.owlapi.Main", jars=jars)
    return java_command(get_runtime(), found, heap_bytes=HEAP_BYTES)


def call(folder: Path, factory: str) -> StageCall:
    work_dir = folder / str(len(list(folder.iterdir())))
    work_dir.mkdir()
    capture = folder / "capture.ofn"
    capture.write_bytes(CAPTURE)
    return StageCall(
        operation="reason",
        version=1,
        inputs={
            "capture": str(capture),
            "capture_sha256": hashlib.sha256(CAPTURE).hexdigest(),
            "reasoner": {"factory_class": factory, "buffering": "non_buffering", "settings": {}},
            "wants": ["classes"],
        },
        work_dir=work_dir,
    )


async def stopped(pool: WorkerPool, launch: Launch, folder: Path, factory: str) -> StopReport:
    """Cancel a reasoner once it has said that it is stuck."""
    reports: list[StopReport] = []
    with anyio.fail_after(60), anyio.CancelScope() as scope:

        async def on_progress(progress: StageProgress) -> None:
            if "stuck" in progress.message:
                scope.cancel()

        order = call(folder, factory)
        await pool.execute(order, launch=launch, on_progress=on_progress, on_stopped=reports.append)
    assert scope.cancelled_caught
    assert list(order.work_dir.iterdir()) == []  # no answer, not even a part of one
    return reports[0]


@pytest.mark.req("W-13")
@pytest.mark.parametrize(
    "factory", ["HangsInConstruction", "HangsInReasoning", "HangsInEnumeration", "FloodsOutput"]
)
async def test_a_stuck_reasoner_is_gone_at_once_whatever_it_does(
    launch: Launch, tmp_path: Path, factory: str
) -> None:
    async with open_worker_pool() as pool:
        report = await stopped(pool, launch, tmp_path, f"{STUCK}.{factory}")
        assert report.took_s < QUICK_S
        assert not report.is_cooperative
        assert [each for each in children_of(os.getpid()) if has_mapped(each, "libjvm")] == []
        sound = await pool.execute(call(tmp_path, STRUCTURAL), launch=launch)
    assert isinstance(sound.value, dict)
    assert sound.value["consistent"] is True


async def test_ten_stops_in_a_row_leave_no_process(launch: Launch, tmp_path: Path) -> None:
    async with open_worker_pool() as pool:
        before = set(children_of(os.getpid()))
        for _ in range(10):
            report = await stopped(pool, launch, tmp_path, f"{STUCK}.HangsInReasoning")
            assert report.took_s < limits.CANCEL_OUTER_S
        left = set(children_of(os.getpid())) - before
    assert all(map(is_gone, left))


@pytest.mark.parametrize(
    ("factory", "failure_type"),
    [
        ("OverflowsStack", "stack_overflow"),
        ("ExhaustsMemory", "out_of_memory"),
        ("MeetsBadClass", None),
        ("ExitsProcess", None),
        ("HaltsProcess", None),
    ],
)
async def test_a_reasoner_that_breaks_is_told_and_the_next_job_works(
    launch: Launch, tmp_path: Path, factory: str, failure_type: str | None
) -> None:
    async with open_worker_pool() as pool:
        with pytest.raises(errors.Failed) as caught, anyio.fail_after(60):
            await pool.execute(call(tmp_path, f"{STUCK}.{factory}"), launch=launch)
        if failure_type is not None:
            assert caught.value.details["failure_type"] == failure_type
        assert str(tmp_path) not in caught.value.message
        sound = await pool.execute(call(tmp_path, STRUCTURAL), launch=launch)
    assert isinstance(sound.value, dict)
    assert sound.value["consistent"] is True
