"""The door of messages: what is passed on, what is answered, and with which id."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugin_bridge.mcp_server import wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def deepest(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max((deepest(each) for each in value.values()), default=0)
    if isinstance(value, list):
        return 1 + max((deepest(each) for each in value), default=0)
    return 0


@settings(max_examples=150, deadline=None)
@given(JSON, st.integers() | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_ordinary_messages_pass_and_their_id_can_be_read(params: object, request_id: int | str) -> None:
    raw = json.dumps({"params": {"id": 0, "inner": params}, "id": request_id}).encode()
    assert wire.inspect(raw) is None
    found = wire.unparsed(raw).request_id
    if isinstance(request_id, str) or abs(request_id) < 10**18:
        assert found == request_id


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 200), st.sampled_from(["[", '{"a":']), st.text(alphabet='[]{}"\\ab', max_size=20))
def test_depth_is_counted_outside_of_strings_only(depth: int, opening: str, noise: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]
    text = opening * depth + json.dumps(noise * 10) + closing * depth
    rejected = wire.inspect(text.encode())
    assert (rejected is not None) is (depth > wire.DEPTH)


def test_wide_messages_are_not_deep() -> None:
    assert wire.inspect(json.dumps([[{}]] * 5_000).encode()) is None


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_a_rejection_of_depth_keeps_the_id_and_says_the_bound(opening: bytes) -> None:
    rejected = wire.inspect(b'{"jsonrpc":"2.0","id":"seven","method":"x","params":' + opening * 10_000)
    assert rejected is not None
    assert rejected.request_id == "seven"
    body = rejected.body()
    assert body["error"]["data"]["code"] == "invalid_request"
    assert set(body["error"]["data"]) == {"code", "message", "retryable", "details"}


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        (r'{"a":"\ud800"}', True),
        (r'{"a":"\udc00\ud800"}', True),
        (r'{"\uDBFF":1}', True),
        (r'{"a":"\ud83e\udd84"}', False),
        (r'{"a":"\\ud800"}', False),
        (r'{"a":"é"}', False),
        (r'{"a":"\ud800', False),
    ],
)
def test_lone_surrogates_are_refused_and_pairs_are_not(text: str, is_refused: bool) -> None:
    assert (wire.inspect(text.encode()) is not None) is is_refused


def test_a_message_above_the_bound_is_refused_unread() -> None:
    assert wire.inspect(b" " * wire.MESSAGE_BYTES) is None
    assert wire.inspect(b" " * (wire.MESSAGE_BYTES + 1)) == wire.too_large()


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe", b'{"id":', b'{"id":{}}', b'{"id":1.5}', b'{"id":"\\ud800"}', b"[1]"]
)
def test_an_unreadable_id_is_null(raw: bytes) -> None:
    assert wire.unparsed(raw).request_id is None


@pytest.mark.parametrize("tail", [b"", b"\\", b'"', b'"]'])
@pytest.mark.timeout(5)
def test_hostile_quotes_cost_linear_time(tail: bytes) -> None:
    wire.inspect(b'{"a":[' + b'"\\' * 1_000_000 + b"[" * 100 + tail)
    wire.inspect(b"[" * 60 + b"{}" * 1_000_000 + tail)
    wire.unparsed(b'{"id":"' * 500_000 + tail)


@pytest.mark.parametrize("request_id", ["null", "1.5", "1e3", "true", "[1]", '{"a": 1}', "NaN"])
def test_a_request_with_an_odd_id_is_answered(request_id: str) -> None:
    raw = f'{{"jsonrpc":"2.0","params":{{"id":null}}, "id" : {request_id},"method":"ping"}}'.encode()
    rejected = wire.inspect(raw)
    assert rejected is not None
    assert (rejected.code, rejected.request_id) == (wire.INVALID_REQUEST, None)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
        b'{"jsonrpc":"2.0","id":-3,"method":"ping","params":{"id":null}}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":{"id":1.5}}',
    ],
)
def test_other_ids_are_nobodys_business(raw: bytes) -> None:
    assert wire.inspect(raw) is None
