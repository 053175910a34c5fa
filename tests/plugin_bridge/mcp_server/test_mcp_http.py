"""The door and the face over real loopback sockets."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from plugin_bridge.access import CallOutcome
from plugin_bridge.mcp_server import wire
from plugin_bridge.mcp_server.http import HttpSettings, _bind
from tests.support.http_face import TOKEN, call_body, http_face

if TYPE_CHECKING:
    from anyio.abc import SocketStream

    from tests.support.http_face import Face, Reply

SEED = Path(__file__).parents[4] / "shared" / "seeds" / "002_71d571ee487b0ad2.txt"
pytestmark = pytest.mark.anyio
ANY_ID = "00000000-0000-4000-8000-000000000001"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
DIFF = {"type": "semantic_diff", "idempotency_key": "k", "request": {"right_document": "r.ttl"}}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_starts_reads_and_cancels_a_job(mode: str) -> None:
    async with http_face() as face, face.client(mode=mode) as client:
        started = await client.call_tool("start_job", DIFF)
        job_id = started.structured_content["job"]["job_id"]
        assert started.structured_content["reused"] is False
        face.window.succeed(job_id)
        got = await client.call_tool("get_job", {"job_id": job_id})
        report = got.structured_content["job"]["result"]["artifacts"][0]
        read = await client.call_tool(
            "read_job_artifact", {"job_id": job_id, "artifact_id": report["artifact_id"]}
        )
        assert json.loads(read.structured_content["text"])["asserted_axioms"]["added"]["count"] == 2
        assert read.structured_content["bytes"] == report["bytes"]
        cancelled = await client.call_tool("cancel_job", {"job_id": job_id})
        assert cancelled.structured_content["outcome"] == "already_terminal"


@pytest.mark.req("W-46", "W-47", "W-48", "W-70", "W-78")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.skipif(not SEED.exists(), reason="the seed documents are not here")
async def test_the_seed_s_examples_work_as_written(mode: str) -> None:
    text = SEED.read_text(encoding="utf-8")
    parts = text.split("\nExample\n")[1:]
    diff, get, cancel, listed, export = (json.JSONDecoder().raw_decode(each.lstrip())[0] for each in parts)
    async with http_face() as face, face.client(mode=mode) as client:
        for tool, arguments in (("get_job", get), ("cancel_job", cancel), ("export_job_artifact", export)):
            refused = await client.call_tool(tool, arguments)
            assert refused.is_error
            assert refused.structured_content["code"] == "unknown_job"
        for is_reused in (False, True):
            started = (await client.call_tool("start_job", diff)).structured_content
            assert started["reused"] is is_reused
            assert started["job"]["type"] == diff["type"]
            assert started["job"]["idempotency_key"] == diff["idempotency_key"]
            assert len(started["job"]) == 25
        page = (await client.call_tool("list_jobs", listed)).structured_content
        assert [each["job_id"] for each in page["jobs"]] == [started["job"]["job_id"]]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_cancelled_request_stops_its_call_and_frees_its_lease(mode: str) -> None:
    """Decision 32: `notifications/cancelled`, or a modern client's hanging up, cancels an ordinary call."""
    entered = anyio.Event()

    async def held() -> None:
        entered.set()
        await anyio.sleep_forever()

    async with http_face() as face, face.client(mode=mode) as client:
        face.window.before_start = held
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "start_job", DIFF)
            await entered.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(4):  # less than the grace of a revocation: the lease is free
            while not face.audit.records:
                await anyio.lowlevel.checkpoint()
            await face.access.revoke_all()
        assert [each.outcome for each in face.audit.records] == [CallOutcome.CANCELLED]
        assert face.window.jobs == {}


async def test_a_legacy_client_that_hangs_up_does_not_cancel_its_call() -> None:
    """Decision 32: only `notifications/cancelled` does; the connection may simply have broken."""
    entered, gate = anyio.Event(), anyio.Event()

    async def held() -> None:
        entered.set()
        await gate.wait()

    async with http_face() as face:
        opened = await face.post(json.dumps(INITIALIZE).encode())
        session_id = opened.headers["mcp-session-id"]
        face.window.before_start = held
        params = {"name": "start_job", "arguments": DIFF}
        body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).encode()
        async with await anyio.connect_tcp(face.address.host, face.address.port) as stream:
            await stream.send(face.post_bytes(body, mcp_session_id=session_id))
            await entered.wait()
        gate.set()
        with anyio.fail_after(5):
            while not face.audit.records:
                await anyio.lowlevel.checkpoint()
        assert [each.outcome for each in face.audit.records] == [CallOutcome.SUCCEEDED]
        assert len(face.window.jobs) == 1


async def test_it_listens_on_ipv6_loopback_too() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        async with http_face(host="::1") as face:
            assert face.address.url == f"http://[::1]:{face.address.port}/mcp"
            host = f"[::1]:{face.address.port}"
            assert (await _get_job(face, host=host)).status == 200
    except* OSError:
        pytest.skip("no IPv6 loopback here")


# --- Who may come in ------------------------------------------------------------------------------


async def test_without_a_valid_token_nothing_answers() -> None:
    async with http_face() as face:
        for header in (None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN):
            reply = await face.post(b"{}", authorization=header)
            assert reply.status == 401
            assert reply.headers["www-authenticate"].startswith("bearer realm=")
            assert TOKEN.encode() not in reply.body


async def test_foreign_hosts_and_origins_are_refused_before_the_token() -> None:
    async with http_face() as face:
        port = face.address.port
        for host in (
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            "127.0.0.1:1",
            f"localhost.evil:{port}",
        ):
            assert (await face.post(b"{}", host=host, authorization=None)).status == 421
        for origin in ("null", "https://evil.example", f"https://localhost:{port}", "http://localhost"):
            assert (await face.post(b"{}", origin=origin, authorization=None)).status == 403
        assert (
            await _get_job(face, host=f"localhost:{port}", origin=f"http://localhost:{port}")
        ).status == 200


async def test_headers_that_decide_stand_only_once() -> None:
    async with http_face() as face:
        port = face.address.port
        head = f"host: 127.0.0.1:{port}\r\nauthorization: Bearer {TOKEN}\r\nconnection: close"
        for twice in (
            "origin: http://127.0.0.1:{0}\r\norigin: http://evil.example",
            "authorization: Bearer x",
        ):
            reply = await face.request(
                f"POST /mcp HTTP/1.1\r\n{head}\r\n{twice.format(port)}\r\ncontent-length: 0\r\n\r\n".encode()
            )
            assert reply.status == 400
            assert b"only once" in reply.body


async def test_other_paths_and_methods_are_refused() -> None:
    async with http_face() as face:
        host = f"host: 127.0.0.1:{face.address.port}\r\nauthorization: Bearer {TOKEN}\r\nconnection: close"
        for path in ("/", "/mcp/", "/mcp/x", "/.well-known/oauth-protected-resource"):
            assert (await face.request(f"GET {path} HTTP/1.1\r\n{host}\r\n\r\n".encode())).status == 404
        reply = await face.request(f"PUT /mcp HTTP/1.1\r\n{host}\r\n\r\n".encode())
        assert (reply.status, reply.headers["allow"]) == (405, "post, get, delete")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org", ""])
def test_only_loopback_is_bound_unless_told(host: str) -> None:
    with pytest.raises(ValueError, match=r"must be|reachable"):
        _bind(HttpSettings(host=host))


async def test_a_legacy_session_of_another_owner_does_not_exist() -> None:
    async with http_face() as face:
        face.access.add_grant(
            principal_type="client",
            client_id="other",
            grant_id="g",
            capabilities=[],
            token="another-token-of-16",
            expires_at=None,
        )
        opened = await face.post(json.dumps(INITIALIZE).encode())
        session_id = opened.headers["mcp-session-id"]
        ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}).encode()
        assert (await face.post(ping, mcp_session_id=session_id)).status == 200
        stolen = await face.post(ping, mcp_session_id=session_id, authorization="Bearer another-token-of-16")
        unknown = await face.post(ping, mcp_session_id="0" * 32, authorization="Bearer another-token-of-16")
        assert stolen.status == unknown.status == 404
        assert stolen.body == unknown.body


def test_the_socket_names_its_protocol() -> None:
    """Otherwise asyncio leaves Nagle's algorithm on, and every answer takes 40 ms."""
    with _bind(HttpSettings()) as bound:
        assert bound.proto == socket.IPPROTO_TCP


# --- How much -------------------------------------------------------------------------------------


async def test_a_body_above_the_bound_is_413_declared_or_not() -> None:
    async with http_face() as face:
        declared = await face.post(b"", content_length=str(wire.MESSAGE_BYTES + 1))
        assert declared.status == 413
        chunk = b"%x\r\n%s\r\n" % (1024 * 1024, b" " * 1024 * 1024)
        head = face.post_bytes(b"", content_length=None, transfer_encoding="chunked")
        assert b" 413 " in (await face.send(head + chunk * 5 + b"0\r\n\r\n")).split(b"\r\n")[0]
        assert (await _get_job(face)).status == 200


async def test_headers_above_the_bound_are_refused() -> None:
    async with http_face() as face:
        assert (await face.post(b"{}", x_padding="x" * 40_000)).status in (400, 431)
        assert (await _get_job(face)).status == 200


@pytest.mark.parametrize(
    "opening", [b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"]
)
async def test_a_request_that_trickles_in_is_dropped(opening: bytes) -> None:
    async with http_face(request_s=0.3) as face:
        with anyio.fail_after(5):
            async with await anyio.connect_tcp(face.address.host, face.address.port) as stream:
                if opening:
                    await stream.send(opening)
                await _drain(stream)
        assert (await _get_job(face)).status == 200


async def test_a_client_that_does_not_read_is_dropped_and_frees_its_place() -> None:
    """It asks for 40 MB in one go and reads nothing: more than the system buffers for it."""
    async with http_face(connections=1, unread_s=0.3) as face:
        await face.call("start_job", DIFF)
        job_id = next(iter(face.window.jobs))
        artifact_id = face.window.succeed(job_id, b"x" * 70_000)
        body = call_body("read_job_artifact", {"job_id": job_id, "artifact_id": artifact_id})
        modern = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
        one = face.post_bytes(body, connection="keep-alive", mcp_name="read_job_artifact", **modern)
        async with await anyio.connect_tcp(face.address.host, face.address.port) as stream:
            with anyio.fail_after(10):
                try:
                    await stream.send(one * 300)
                except anyio.BrokenResourceError:
                    pass  # dropped while we were still asking
                while (await _get_job(face)).status != 200:
                    await anyio.lowlevel.checkpoint()  # the one connection is taken, until the drop


async def test_connections_above_the_bound_are_told_to_come_back() -> None:
    async with http_face(connections=3) as face:
        async with (
            await anyio.connect_tcp(face.address.host, face.address.port),
            await anyio.connect_tcp(face.address.host, face.address.port),
            await anyio.connect_tcp(face.address.host, face.address.port) as last,
        ):
            await last.send(b"P")
            refused = await _get_job(face)
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        with anyio.fail_after(5):
            while (await _get_job(face)).status == 503:
                await anyio.lowlevel.checkpoint()


async def test_calls_above_the_bound_are_told_to_come_back() -> None:
    entered, gate = anyio.Event(), anyio.Event()

    async def held() -> None:
        entered.set()
        await gate.wait()

    async with http_face(calls=1) as face:
        face.window.before_start = held
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(face.call, "start_job", DIFF)
            await entered.wait()
            refused = await _get_job(face)
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            gate.set()


async def test_five_thousand_requests_at_once_do_not_kill_it() -> None:
    count, statuses = _affordable(5_000), []

    async def one(face: Face) -> None:
        try:
            reply = await _get_job(face)
            statuses.append(reply.status)
        except (OSError, IndexError, anyio.BrokenResourceError):
            statuses.append(0)  # reset: more connections than may even linger

    async with http_face() as face:
        async with anyio.create_task_group() as tasks:
            for _ in range(count):
                tasks.start_soon(one, face)
        assert len(statuses) == count
        assert set(statuses) <= {200, 503, 0}
        assert statuses.count(200) > 0
        assert statuses.count(0) < count // 2
        assert (await _get_job(face)).status == 200


# --- Bad messages ---------------------------------------------------------------------------------


async def test_deep_nesting_is_a_clear_error_with_the_id() -> None:
    async with http_face() as face:
        deep = b"[" * 10_000 + b"]" * 10_000
        body = call_body("get_job", {"job_id": 0}).replace(b'"job_id": 0', b'"job_id": ' + deep)
        for version in ("2026-07-28", "2025-11-25"):
            reply = await face.post(body, mcp_protocol_version=version)
            assert reply.status == 400
            assert reply.json["id"] == 1
            assert reply.json["error"]["data"]["code"] == "invalid_request"
            assert "64 levels" in reply.json["error"]["message"]


async def test_lone_surrogates_are_a_clear_error() -> None:
    async with http_face() as face:
        body = call_body("get_job", {"job_id": "x"}).replace(b'"x"', b'"\\ud800"')
        reply = await face.post(body)
        assert reply.status == 400
        assert reply.json["error"]["data"]["code"] == "invalid_request"
        pair = {"type": "classification", "idempotency_key": "\U0001f984", "request": {}}
        assert (await face.call("start_job", pair)).json["result"]["isError"] is False


@pytest.mark.parametrize(
    "body", [b"", b"\x00\xff\xfe", b"[]", b"[{}]", b"null", b"{", b'{"jsonrpc":"2.0"}', b"NaN"]
)
async def test_garbage_is_refused_and_does_not_harm(body: bytes) -> None:
    async with http_face() as face:
        for version in ("2026-07-28", "2025-11-25"):
            assert (await face.post(body, mcp_protocol_version=version)).status in (202, 400, 404)
        assert (await face.send(b"\x16\x03\x01\x00\xa5\x01\x00\x00")).startswith(b"HTTP/1.1 400")
        assert (await _get_job(face)).status == 200


# --- Its end --------------------------------------------------------------------------------------


async def test_closing_ends_streams_and_held_calls_in_bounded_time() -> None:
    entered, replies = anyio.Event(), []

    async def held() -> None:
        entered.set()
        await anyio.sleep_forever()

    async def start(face: Face) -> None:
        replies.append(await face.call("start_job", DIFF))

    with anyio.fail_after(8):
        async with anyio.create_task_group() as clients:
            async with http_face() as face:
                face.window.before_start = held
                clients.start_soon(start, face)
                await entered.wait()
    assert replies[0].status == 503
    assert face.window.jobs == {}


async def test_a_standing_stream_ends_with_its_grant() -> None:
    async with http_face() as face, face.client(mode="legacy") as client:
        await client.list_tools()  # the SDK's client holds its GET stream from here on
        with anyio.fail_after(5):
            await face.access.revoke_all()
        refused = await face.post(b"{}")
        assert refused.status == 401


async def _drain(stream: SocketStream) -> None:
    """Read until the other side closes."""
    try:
        while True:
            await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return


async def _get_job(face: Face, **headers: str) -> Reply:
    return await face.call("get_job", {"job_id": ANY_ID}, **headers)


def _affordable(wanted: int) -> int:
    """Both ends of every connection live in this process: two descriptors each."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = hard if hard != resource.RLIM_INFINITY else 65_536
    if soft < 3 * wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(room, 3 * wanted), hard))
    return min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 3)
