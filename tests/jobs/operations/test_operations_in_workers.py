"""The stages in real worker processes: the whole path, and a classification cancelled at work."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from operations_support import EX, document, stored, superclasses

from jobs import limits
from jobs.errors import InvalidOntology
from jobs.reasoners import hard_cases, profiles
from jobs.workers.contract import StageCall, StageProgress, StageResult
from jobs.workers.pool import WorkerPool, open_worker_pool

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="written for Windows, not tried there")

LEFT = f"""Prefix(:=<{EX}>)
Ontology(<http://example.org/t>
SubClassOf(:Cup :Vessel)
SubClassOf(:Mug :Cup)
)
"""
RIGHT = LEFT.replace("SubClassOf(:Mug :Cup)", "SubClassOf(:Mug :Vessel)")


def call(stage: str, work_dir: Path, **inputs: object) -> StageCall:
    work_dir.mkdir()
    return StageCall(operation=stage, version=1, inputs=inputs, work_dir=work_dir)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


async def captured(pool: WorkerPool, path: Path, folder: Path) -> StageResult:
    where = {"folder": str(path.parent), "root": str(path.parent), "catalogs": []}
    given = {"path": str(path), "sha256": digest(path), "name": path.name, "document_iri": None}
    return await pool.execute(call("capture_document", folder, **given, **where))


def test_two_documents_are_read_side_by_side_and_compared(tmp_path: Path) -> None:
    left, right = tmp_path / "left.ofn", tmp_path / "right.ofn"
    left.write_text(LEFT)
    right.write_text(RIGHT)
    found: dict[str, StageResult] = {}

    async def test() -> None:
        async with open_worker_pool() as pool:
            announcement = tmp_path / "left.json"

            async def read_left() -> None:
                (one, *_) = (await captured(pool, left, tmp_path / "one")).artifacts
                whole = tmp_path / "left.part"
                whole.write_text(json.dumps({"left": str(one.path), "left_sha256": one.sha256}))
                whole.rename(announcement)

            async def compare() -> None:
                given = {"right": str(right), "right_sha256": digest(right), "right_name": right.name}
                order = call(
                    "semantic_diff", tmp_path / "other", left_follows=str(announcement), limit=5, **given
                )
                found["diff"] = await pool.execute(order)

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read_left)
                tasks.start_soon(compare)
        result = found["diff"]
        summary: Any = result.value
        assert (summary["added_axioms"], summary["removed_axioms"]) == (1, 1)

    anyio.run(test)


def classification(folder: Path, closure: dict[str, str]) -> StageCall:
    return call(
        "classification",
        folder,
        closure=closure["path"],
        closure_sha256=closure["sha256"],
        profile_id=profiles.PYELK,
        limit=5,
        imports_loaded=[],
        imports_missing=[],
    )


@pytest.mark.req("W-13")
def test_a_classification_at_work_is_gone_when_cancelled_and_the_next_one_runs(tmp_path: Path) -> None:
    hard = stored(document(*hard_cases.existential_circle()), tmp_path / "hard.ofn")
    small = stored(document("SubClassOf(:Nest :Home)"), tmp_path / "small.ofn")
    phases: list[str] = []

    async def test() -> None:
        at_work = anyio.Event()

        async def see(progress: StageProgress) -> None:
            phases.append(progress.phase)
            if progress.phase == "reasoning":
                at_work.set()

        async with open_worker_pool() as pool:
            async with anyio.create_task_group() as tasks:

                async def run() -> None:
                    await pool.execute(classification(tmp_path / "hard", hard), on_progress=see)

                tasks.start_soon(run)
                with anyio.fail_after(limits.PROBE_START_S):
                    await at_work.wait()
                cancelled_at = anyio.current_time()
                tasks.cancel_scope.cancel()
            assert anyio.current_time() - cancelled_at < limits.CANCEL_OUTER_S
            assert not (tmp_path / "hard" / "report.json").exists()
            with anyio.fail_after(30):
                result = await pool.execute(classification(tmp_path / "small", small))
        report = json.loads(result.artifacts[0].path.read_bytes())
        assert superclasses(report, f"{EX}Nest") == [f"{EX}Home"]

    anyio.run(test)
    assert phases[0] == "loading"


def test_an_unreadable_document_ends_with_its_own_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text("<a> <b> .")

    async def test() -> None:
        async with open_worker_pool() as pool:
            with pytest.raises(InvalidOntology, match=r"broken\.ttl"):
                await captured(pool, broken, tmp_path / "one")

    anyio.run(test)
