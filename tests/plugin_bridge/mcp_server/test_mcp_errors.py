"""The mapping of errors, and that nothing of a defect leaves the process."""

from __future__ import annotations

import json
import logging

import pytest
from jsonschema import Draft202012Validator

from jobs.errors import ProtegeJobsError, Refused, Unfit, WorkerLost, type_of_code
from plugin_bridge.mcp_server import catalogue
from plugin_bridge.mcp_server.arguments import StartShape
from tests.support.http_face import http_face

ID = "00000000-0000-4000-8000-000000000001"
START = {"type": "classification", "idempotency_key": "k", "request": {}}
OUTPUT = {each["name"]: each["outputSchema"] for each in catalogue.tools(StartShape(500))}


def failing(error: Exception):  # type: ignore[no-untyped-def]
    def fail() -> None:
        raise error

    return fail


@pytest.mark.anyio
async def test_every_leaf_is_mapped_by_its_branch() -> None:
    async with http_face() as face:
        for code, leaf in sorted(type_of_code.items()):
            face.window.before_start = failing(leaf("What happened."))
            reply = (await face.call("start_job", START)).json
            if issubclass(leaf, Refused | Unfit):
                result = reply["result"]
                assert result["isError"] is True
                body = result["structuredContent"]
                assert set(body) == {"error", "code", "message", "details", "retryable"}
                assert body["error"] == body["message"] == "What happened."
                Draft202012Validator(OUTPUT["start_job"]).validate(body)
            else:
                body = reply["error"]["data"]
                assert reply["error"]["code"] == -32603
                assert set(body) == {"code", "message", "details", "retryable"}
            assert body["code"] == code
            assert body["retryable"] is leaf.retryable


@pytest.mark.anyio
async def test_a_defect_says_nothing_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async with http_face() as face:
        answers = []
        for error in (RuntimeError("/home/me/secret token=abc"), KeyError("x"), ProtegeJobsErrorLike("y")):
            face.window.before_start = failing(error)
            with caplog.at_level(logging.ERROR):
                caplog.clear()
                answers.append((await face.call("start_job", START)).body)
            assert [each.message for each in caplog.records] == ["mcp.call_failed"]
            assert face.audit.records[-1].code == "internal_error"
        assert len(set(answers)) == 1
        assert b"secret" not in answers[0]
        assert json.loads(answers[0])["error"]["data"]["code"] == "internal_error"


@pytest.mark.anyio
async def test_the_cause_of_a_machine_fault_stays_inside() -> None:
    async with http_face() as face:
        error = WorkerLost("The worker ended without a result.")
        error.__cause__ = OSError("/private/path")
        face.window.before_start = failing(error)
        reply = await face.call("start_job", START)
        assert b"/private/path" not in reply.body
        assert reply.json["error"]["data"]["retryable"] is True


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_answer_satisfies_its_published_schema(mode: str) -> None:
    """The SDK's client checks too, but only successes; here failures are checked as well."""
    async with http_face() as face, face.client(mode=mode) as client:
        started = await client.call_tool("start_job", START)
        job_id = started.structured_content["job"]["job_id"]
        artifact_id = face.window.succeed(job_id)
        calls = [
            ("get_job", {"job_id": job_id}),
            ("get_job", {"job_id": ID}),
            ("cancel_job", {"job_id": job_id}),
            ("list_jobs", {}),
            ("list_jobs", {"limit": 0}),
            ("read_job_artifact", {"job_id": job_id, "artifact_id": artifact_id, "length": 10}),
            ("describe_window", {}),
            (
                "export_job_artifact",
                {"job_id": job_id, "artifact_id": artifact_id, "destination": "r.json", "confirm": True},
            ),
        ]
        for tool, arguments in calls:
            answered = await client.call_tool(tool, arguments)
            Draft202012Validator(OUTPUT[tool]).validate(answered.structured_content)
            assert answered.content[0].text
        descriptor = started.structured_content["job"]
        assert len(descriptor) == 25


class ProtegeJobsErrorLike(Exception):
    """Looks like one of ours by name only."""

    code = ProtegeJobsError.code
