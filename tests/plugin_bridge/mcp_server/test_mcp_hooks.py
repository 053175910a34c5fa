"""What a tasks adapter will need is reachable on this server without touching anything private."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from mcp.server.extension import Extension, compose_tool_call_handler
from mcp_types import RequestParams

from tests.support.http_face import MODERN, http_face

if TYPE_CHECKING:
    from tests.support.http_face import Face, Reply

pytestmark = pytest.mark.anyio
EXT = "io.modelcontextprotocol/tasks"
START = {"type": "classification", "idempotency_key": "k", "request": {}}


async def modern(face: Face, method: str, **params: object) -> Reply:
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXT: {}}},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {"mcp_protocol_version": MODERN, "mcp_method": method}
    if "name" in params:
        headers["mcp_name"] = str(params["name"])
    return await face.post(json.dumps(body).encode(), **headers)


async def test_an_extension_is_advertised_and_serves_its_methods() -> None:
    async def get(ctx: object, params: RequestParams) -> dict[str, Any]:
        return {"taskId": "t", "status": "working"}

    async with http_face() as face:
        assert (await modern(face, "tasks/get")).json["error"]["code"] == -32601
        face.server.extensions[EXT] = {}
        face.server.add_request_handler("tasks/get", RequestParams, get)
        discovered = (await modern(face, "server/discover")).json["result"]
        assert discovered["capabilities"]["extensions"] == {EXT: {}}
        assert (await modern(face, "tasks/get")).json["result"]["status"] == "working"


async def test_an_interceptor_may_answer_with_a_task() -> None:
    class Tasks(Extension):
        identifier = EXT

        async def intercept_tool_call(self, params: Any, ctx: Any, call_next: Any) -> dict[str, Any]:
            await call_next(ctx)
            return {"resultType": "task", "taskId": "t", "status": "working", "ttlMs": None}

    async with http_face() as face:
        entry = face.server.get_request_handler("tools/call")
        assert entry is not None
        wrapped = compose_tool_call_handler([Tasks()], entry.handler)
        face.server.add_request_handler("tools/call", entry.params_type, wrapped)
        result = (await modern(face, "tools/call", name="start_job", arguments=START)).json["result"]
        assert result["resultType"] == "task"
        assert result["ttlMs"] is None
        assert len(face.window.jobs) == 1


async def test_middleware_may_rewrite_a_call_and_edit_the_listing() -> None:
    async def edit(ctx: Any, call_next: Any) -> Any:
        if ctx.method == "tools/call":
            arguments = {**START, "idempotency_key": "rewritten"}
            ctx = replace(ctx, params={**ctx.params, "arguments": arguments})
        result = await call_next(ctx)
        if ctx.method == "tools/list":
            result["tools"][0]["execution"] = {"taskSupport": "optional"}
        return result

    async with http_face() as face:
        face.server.middleware.append(edit)
        for _ in range(2):  # what middleware edits is its own copy, not our catalogue
            listed = (await modern(face, "tools/list")).json["result"]["tools"]
            assert listed[0]["execution"] == {"taskSupport": "optional"}
            assert "execution" not in listed[1]
        face.server.middleware.pop()
        assert "execution" not in (await modern(face, "tools/list")).json["result"]["tools"][0]
        face.server.middleware.append(edit)
        called = (await modern(face, "tools/call", name="start_job", arguments={})).json["result"]
        assert called["structuredContent"]["job"]["idempotency_key"] == "rewritten"
