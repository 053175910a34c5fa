"""The whole path of a user: open the sample, start, poll, read, export; by the SDK's own client."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

from benchmarks.generate import write_ontology
from jobs.descriptor_reading import parse_descriptor
from tests.support.live_window import (
    HARBOUR,
    SHARED,
    TERMINAL,
    call,
    ended,
    get,
    read_artifact,
    refused,
    served,
    small,
    start,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

    from tests.support.live_window import Json, Places

pytestmark = pytest.mark.anyio
SEED = SHARED / "seeds" / "002_71d571ee487b0ad2.txt"
RIGHT = {"right_document": "harbour-1.0.ttl", "network": "deny", "include_imports": False}


def sample(project: Path) -> Path:
    shutil.copy(HARBOUR / "harbour-1.0.ttl", project)
    return shutil.copy(HARBOUR / "harbour-2.0.ofn", project)


def tree(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


@pytest.mark.req("W-46", "W-47", "W-86", "W-88", "W-90", "W-92")
async def test_the_main_job(places: Places) -> None:
    async with served(sample(places.project)) as client:
        window = await call(client, "describe_window", {})
        assert window["ontology"]["iri"] == "https://example.org/harbour/harbour.owl"
        assert str(places.project) not in json.dumps(window)
        diff = await start(client, "semantic_diff", RIGHT)
        classified = await start(client, "classification", {"limit": 10})
        diff, classified = await ended(client, diff), await ended(client, classified)
        for job in (diff, classified):
            assert job["state"] == "succeeded"
            assert parse_descriptor(job).state == "succeeded"
            assert job["result"]["current"] is True
            assert job["result"]["changed_inputs"] == []
        assert diff["result"]["structured"]["identical"] is False
        assert classified["result"]["structured"]["consistency_status"] == "consistent"
        await _again(client, diff)
        await _read_and_exported(client, diff, places.project)
        await _mixed_ids(client, diff, classified)
        listed = await call(client, "list_jobs", {"limit": 25})
        assert [each["job_id"] for each in listed["jobs"]] == [classified["job_id"], diff["job_id"]]
    assert places.left() == []
    assert places.processes() == []


async def _again(client: Client, diff: Json) -> None:
    """W-22, W-47: the same call once more gives the same job, now ended, and runs nothing."""
    arguments = {"type": "semantic_diff", "idempotency_key": "k", "request": RIGHT}
    again = await call(client, "start_job", arguments)
    assert again["reused"] is True
    assert again["job"] == diff


async def _read_and_exported(client: Client, job: Json, project: Path) -> None:
    (artifact,) = job["result"]["artifacts"]  # type: ignore[index]
    data = await read_artifact(client, job, length=10_000)
    assert f"sha256:{hashlib.sha256(data).hexdigest()}" == artifact["sha256"]
    export: Json = {
        "job_id": job["job_id"],
        "artifact_id": artifact["artifact_id"],
        "destination": "reports/diff.json",
        "confirm": True,
    }
    before = tree(project)
    body = await refused(client, "export_job_artifact", export)
    assert (body["code"], body["details"]["reason"]) == ("job_artifact_export_failed", "parent_missing")
    assert tree(project) == before
    (project / "reports").mkdir()
    exported = await call(client, "export_job_artifact", export)
    assert (project / "reports" / "diff.json").read_bytes() == data
    assert exported == {
        "exported": True,
        "job_id": job["job_id"],
        "artifact_id": artifact["artifact_id"],
        "path": "reports/diff.json",
        "sha256": artifact["sha256"],
        "bytes": len(data),
        "overwritten": False,
        "interactive_write_confirmation": False,
    }
    assert (await refused(client, "export_job_artifact", export))["code"] == "job_artifact_target_exists"
    replacing = {**export, "overwrite": True, "expected_target_digest": artifact["sha256"]}
    assert (await call(client, "export_job_artifact", replacing))["overwritten"] is True
    assert await get(client, job["job_id"]) == job


async def _mixed_ids(client: Client, one: Json, other: Json) -> None:
    ids = {"job_id": one["job_id"], "artifact_id": other["result"]["artifacts"][0]["artifact_id"]}  # type: ignore[index]
    export = {**ids, "destination": "x.json", "confirm": True}
    assert (await refused(client, "export_job_artifact", export))["code"] == "unknown_job_artifact"
    assert (await refused(client, "read_job_artifact", ids))["code"] == "unknown_job_artifact"


@pytest.mark.req("W-48", "W-70", "W-78", "W-91")
@pytest.mark.skipif(not SEED.exists(), reason="the seed documents are not here")
async def test_the_seed_s_examples_work_literally_on_a_document(places: Places) -> None:
    parts = SEED.read_text(encoding="utf-8").split("\nExample\n")[1:]
    diff, get_one, cancel, listed, export = (
        json.JSONDecoder().raw_decode(each.lstrip())[0] for each in parts
    )
    document = sample(places.project)
    right = places.project / diff["request"]["right_document"]
    right.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(HARBOUR / "harbour-1.0.ttl", right)
    (places.project / export["destination"]).parent.mkdir(parents=True, exist_ok=True)
    async with served(document) as client:
        for tool, arguments in (
            ("get_job", get_one),
            ("cancel_job", cancel),
            ("export_job_artifact", export),
        ):
            assert (await refused(client, tool, arguments))["code"] == "unknown_job"
        started = await call(client, "start_job", diff)
        assert (started["reused"], started["job"]["type"]) == (False, diff["type"])
        assert started["job"]["idempotency_key"] == diff["idempotency_key"]
        job = await ended(client, started["job"])
        assert [each["job_id"] for each in (await call(client, "list_jobs", listed))["jobs"]] == [
            job["job_id"]
        ]
        ids = {"job_id": job["job_id"], "artifact_id": job["result"]["artifacts"][0]["artifact_id"]}
        exported = await call(client, "export_job_artifact", {**export, **ids})
        assert exported["path"] == export["destination"]
        written = (places.project / export["destination"]).read_bytes()
        assert f"sha256:{hashlib.sha256(written).hexdigest()}" == exported["sha256"]


@pytest.mark.req("W-01")
async def test_a_start_answers_while_its_job_still_computes(places: Places) -> None:
    document = places.project / "large.ofn"
    with document.open("w", encoding="utf-8") as out:
        write_ontology(out, classes=3_000, seed=3, syntax="functional")
    async with served(document) as client:
        job = await start(client, "classification", {})
        seen = await get(client, job["job_id"])
        assert seen["state"] in ("queued", "running")
        done = await ended(client, seen)
        assert done["state"] == "succeeded"
        report = json.loads(await read_artifact(client, done))
        assert report["counts"]["classes"] == 3_000


@pytest.mark.req("W-05", "W-10", "W-50")
async def test_ids_mean_nothing_in_another_window_nor_after_a_restart(places: Places) -> None:
    document = places.project / "small.ofn"
    document.write_text(small("SubClassOf(:A :B)"))
    async with served(document, "--profile", "structural") as first, served(document) as second:
        job = await ended(first, await start(first, "classification", {}))
        ids = {"job_id": job["job_id"]}
        never = {"job_id": "00000000-0000-4000-8000-000000000001"}
        for tool in ("get_job", "cancel_job"):
            answers = [await second.call_tool(tool, each) for each in (ids, never)]
            assert answers[0].model_dump_json() == answers[1].model_dump_json()
            assert answers[0].structured_content["code"] == "unknown_job"
    async with served(document) as restarted:
        assert (await refused(restarted, "get_job", ids))["code"] == "unknown_job"
        assert (await call(restarted, "list_jobs", {}))["jobs"] == []


@pytest.mark.req("W-22", "W-25", "W-26", "W-47")
async def test_an_edit_between_two_equal_calls_is_a_conflict(places: Places) -> None:
    document, right = places.project / "small.ofn", places.project / "right.ofn"
    policy = places.project / ".protege-jobs" / "project.yaml"
    policy.parent.mkdir()
    policy.write_text("version: 1\n")
    document.write_text(small("SubClassOf(:A :B)"))
    right.write_text(small("SubClassOf(:A :C)"))
    request = {"right_document": "right.ofn"}
    arguments = {"type": "semantic_diff", "idempotency_key": "same", "request": request}
    async with served(document) as client:
        first = await call(client, "start_job", arguments)
        assert (await call(client, "start_job", arguments))["reused"] is True

        async def conflict() -> list[str]:
            body = await refused(client, "start_job", arguments)
            assert body["code"] == "idempotency_conflict"
            assert body["details"]["job_id"] == first["job"]["job_id"]
            return body["details"]["changed_inputs"]

        right.write_text(small("SubClassOf(:A :D)"))
        assert await conflict() == ["secondary_inputs.right_document"]
        right.write_text(small("SubClassOf(:A :C)"))
        assert (await call(client, "start_job", arguments))["reused"] is True  # bytes decide, not times
        policy.write_text("version: 1\nreasoning: {profile: structural}\n")
        assert await conflict() == ["policy_digest"]
        policy.write_text("version: 1\n# the same, with a comment\n")
        assert (await call(client, "start_job", arguments))["reused"] is True
        document.write_text(small("SubClassOf(:A :E)"))
        changed = await conflict()
        assert "model_revision.session_revision" in changed
        assert "model_revision.semantic_fingerprint" in changed
        document.write_text(small("SubClassOf(:A :B)"))  # taken back: another revision all the same
        assert await conflict() == ["model_revision.session_revision"]
        jobs = (await call(client, "list_jobs", {}))["jobs"]
        assert [each["job_id"] for each in jobs] == [first["job"]["job_id"]]


async def test_a_second_client_s_request_is_answered_while_a_start_captures(places: Places) -> None:
    """No call waits for another's capture (W 3.3); asked over one pipe, all at once."""
    document = places.project / "large.ofn"
    with document.open("w", encoding="utf-8") as out:
        write_ontology(out, classes=2_000, seed=4, syntax="functional")
    async with served(document, "--profile", "structural") as client:
        order: list[str] = []

        async def one(name: str, tool: str, arguments: Json) -> None:
            await call(client, tool, arguments)
            order.append(name)

        async with anyio.create_task_group() as tasks:
            arguments = {"type": "classification", "idempotency_key": "k", "request": {}}
            tasks.start_soon(one, "start", "start_job", arguments)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(one, "list", "list_jobs", {})
        assert order == ["list", "start"]
        job = (await call(client, "list_jobs", {}))["jobs"][0]
        assert job["state"] not in TERMINAL or job["state"] == "succeeded"
