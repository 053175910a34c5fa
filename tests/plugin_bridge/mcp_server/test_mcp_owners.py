"""Owners over real HTTP: what one may see, what another may not, and how authority ends."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from typing import TYPE_CHECKING

import anyio
import pytest

from plugin_bridge.access import CallOutcome, Capability, GrantKey
from plugin_bridge.access.capabilities import EXPORT, READ
from tests.support.http_face import http_face

if TYPE_CHECKING:
    from tests.support.http_face import Face

pytestmark = pytest.mark.anyio
NEVER = "00000000-0000-4000-8000-000000000001"
START = {"type": "classification", "idempotency_key": "k", "request": {}}
KEYS = [GrantKey(principal_type=p, client_id=c, grant_id=g) for p, c, g in product("pq", "cd", "gh")]


def grant(face: Face, key: GrantKey, capabilities: object = EXPORT, **others: object) -> str:
    token = f"token-of-{key.principal_type}-{key.client_id}-{key.grant_id}-00"
    face.access.add_grant(
        principal_type=key.principal_type,
        client_id=key.client_id,
        grant_id=str(key.grant_id),
        capabilities=capabilities,  # type: ignore[arg-type]
        token=token,
        **{"expires_at": None, **others},  # type: ignore[arg-type]
    )
    return token


async def answer(face: Face, tool: str, arguments: object, token: str) -> dict[str, object]:
    reply = await face.call(tool, arguments, token)
    assert reply.status == 200
    return reply.json["result"]  # type: ignore[return-value]


@pytest.mark.req("W-06", "W-50", "W-67", "W-71", "W-74")
async def test_only_the_exact_owner_sees_a_job_and_absence_looks_the_same() -> None:
    async with http_face() as face:
        tokens = [grant(face, key) for key in KEYS]
        started = await answer(face, "start_job", START, tokens[0])
        job_id = started["structuredContent"]["job"]["job_id"]
        artifact_id = face.window.succeed(job_id)
        export = {"artifact_id": artifact_id, "destination": "a.json", "confirm": True}
        calls = [
            ("get_job", {}),
            ("cancel_job", {}),
            ("export_job_artifact", export),
            ("read_job_artifact", {"artifact_id": artifact_id}),
        ]
        for tool, others in calls:
            assert (await answer(face, tool, {"job_id": job_id, **others}, tokens[0]))["isError"] is False
            for token in tokens[1:]:
                foreign = await face.call(tool, {"job_id": job_id, **others}, token)
                absent = await face.call(tool, {"job_id": NEVER, **others}, token)
                assert foreign.body == absent.body
                assert foreign.json["result"]["structuredContent"]["code"] == "unknown_job"
        for token in tokens[1:]:
            listed = await answer(face, "list_jobs", {}, token)
            assert listed["structuredContent"] == {"jobs": []}
        assert face.window.committed == ["a.json"]


@pytest.mark.req("W-07")
async def test_a_refreshed_token_keeps_the_jobs_over_the_wire() -> None:
    async with http_face() as face:
        token = grant(face, KEYS[0])
        started = await answer(face, "start_job", START, token)
        job_id = started["structuredContent"]["job"]["job_id"]
        face.access.renew(KEYS[0], token="a-refreshed-token", expires_at=None)
        assert (await face.call("get_job", {"job_id": job_id}, token)).status == 401
        assert (await answer(face, "get_job", {"job_id": job_id}, "a-refreshed-token"))["isError"] is False


async def test_capabilities_are_needed_per_tool() -> None:
    async with http_face() as face:
        nothing = grant(face, KEYS[0], [])
        reader = grant(face, KEYS[1], READ)
        for tool, arguments in (("get_job", {"job_id": NEVER}), ("list_jobs", {}), ("describe_window", {})):
            refused = await answer(face, tool, arguments, nothing)
            assert refused["structuredContent"]["code"] == "authorization_denied"
            assert (await face.call(tool, arguments, reader)).json["result"]["structuredContent"].get(
                "code"
            ) != "authorization_denied"
        refused = await answer(face, "start_job", START, reader)
        assert refused["structuredContent"]["details"] == {
            "missing_capabilities": [Capability.PROJECT_READ],
            "effects_prevented": True,
        }
        assert face.window.jobs == {}


async def test_shape_comes_before_authority() -> None:
    async with http_face() as face:
        nothing = grant(face, KEYS[0], [])
        refused = await answer(face, "get_job", {"job_id": "x"}, nothing)
        assert refused["structuredContent"]["code"] == "invalid_request"


async def test_nothing_commits_after_a_revocation_has_returned() -> None:
    """Held inside the body while its grant is revoked: the job it still makes is cancelled."""
    entered, gate = anyio.Event(), anyio.Event()

    async def held() -> None:
        entered.set()
        await gate.wait()

    async with http_face() as face:
        token = grant(face, KEYS[0])
        face.window.before_start = held
        order: list[str] = []

        async def start() -> None:
            await face.call("start_job", START, token)

        async def revoke() -> None:
            await face.access.revoke_grant(KEYS[0])
            order.append("revoked")
            assert all(each.state.is_terminal for each in face.window.jobs.values())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(start)
            await entered.wait()
            tasks.start_soon(revoke)
            while (await face.call("list_jobs", {}, token)).status != 401:
                await anyio.lowlevel.checkpoint()
            assert order == []
            gate.set()
        assert order == ["revoked"]
        assert len(face.window.jobs) == 1


async def test_a_call_between_authentication_and_its_body_is_refused() -> None:
    """The window of W 1.5: the door let the session in, then the grant ended."""
    async with http_face() as face:
        token = grant(face, KEYS[0])
        session = face.access.authenticate(token)
        await face.access.revoke_grant(KEYS[0])
        face.access.authenticate = lambda token: session  # type: ignore[method-assign]  # paused at the door
        refused = await answer(face, "get_job", {"job_id": NEVER}, token)
        assert refused["structuredContent"]["code"] == "authorization_revoked"
        assert face.audit.records[-1].code == "authorization_revoked"


async def test_an_expired_grant_ends_by_the_clock() -> None:
    async with http_face() as face:
        token = grant(face, KEYS[0], expires_at=face.window.clock.at + timedelta(seconds=60))
        assert (await face.call("list_jobs", {}, token)).status == 200
        face.window.clock.advance(seconds=60)
        assert (await face.call("list_jobs", {}, token)).status == 401


@pytest.mark.req("W-72", "W-73", "W-76", "W-77", "W-78")
async def test_pages_together_give_every_job_once() -> None:
    async with http_face() as face:
        token = grant(face, KEYS[0])
        ids = []
        for n in range(7):
            started = await answer(face, "start_job", {**START, "idempotency_key": str(n)}, token)
            ids.append(started["structuredContent"]["job"]["job_id"])
        seen, cursor = [], None
        while True:
            page = {"limit": 3} if cursor is None else {"limit": 3, "cursor": cursor}
            listed = (await answer(face, "list_jobs", page, token))["structuredContent"]
            seen += [each["job_id"] for each in listed["jobs"]]
            cursor = listed.get("next_cursor")
            if cursor is None:
                assert "next_cursor" not in listed
                break
            assert len(listed["jobs"]) == 3
        assert seen == ids[::-1]


async def test_every_call_leaves_one_record_without_arguments() -> None:
    async with http_face() as face:
        token = grant(face, KEYS[0], READ)
        await face.call("list_jobs", {}, token)
        await face.call("get_job", {"job_id": "secret-argument"}, token)
        await face.call("start_job", START, token)
        assert [(each.operation, each.outcome, each.code) for each in face.audit.records] == [
            ("list_jobs", CallOutcome.SUCCEEDED, None),
            ("get_job", CallOutcome.FAILED, "invalid_request"),
            ("start_job", CallOutcome.FAILED, "authorization_denied"),
        ]
        assert "secret-argument" not in repr(face.audit.records)
        assert token not in repr(face.audit.records)
