from __future__ import annotations

import math
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.workers import frames

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
frame_values = st.dictionaries(st.text(), json_values, max_size=4)


@given(st.lists(frame_values, max_size=5), st.lists(st.integers(1, 40), min_size=1))
@settings(max_examples=80, deadline=None)
def test_frames_survive_any_cutting_of_the_stream(sent: list[frames.Frame], cuts: list[int]) -> None:
    stream = b"".join(map(frames.encode, sent))
    parser = frames.FrameParser()
    received = []
    turn = 0
    while stream:
        size = cuts[turn % len(cuts)]
        parser.feed(stream[:size])
        stream = stream[size:]
        turn += 1
        while (frame := parser.take()) is not None:
            received.append(frame)
    parser.end()
    assert received == sent


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_garbage_is_a_frame_error_and_nothing_else(data: bytes) -> None:
    parser = frames.FrameParser(max_bytes=64)
    parser.feed(data)
    try:
        while parser.take() is not None:
            pass
        parser.end()
    except frames.FrameError:
        pass


@pytest.mark.parametrize(
    "body", [b"[1]", b"12", b"nu", b'{"a":NaN}', b'{"a":Infinity}', b'{"a":1', b"\xff\xfe", b"[" * 100_000]
)
def test_a_body_that_is_no_json_object_is_refused(body: bytes) -> None:
    with pytest.raises(frames.FrameError):
        frames.decode(body)


@pytest.mark.parametrize("size", [0, 1, 65, 2**32 - 1])
def test_a_length_outside_the_bound_is_refused_with_the_header(size: int) -> None:
    parser = frames.FrameParser(max_bytes=64)
    parser.feed(size.to_bytes(4, "big"))
    with pytest.raises(frames.FrameError, match=f"claims {size} bytes"):
        parser.take()


@pytest.mark.req("W-02")
def test_the_bound_itself_passes_and_one_byte_more_does_not() -> None:
    frame: frames.Frame = {"a": "x" * 56}
    data = frames.encode(frame, max_bytes=64)
    parser = frames.FrameParser(max_bytes=64)
    parser.feed(data)
    assert parser.take() == frame
    with pytest.raises(frames.FrameError, match="has 65 bytes"):
        frames.encode({"a": "x" * 57}, max_bytes=64)


def test_an_end_inside_a_frame_is_an_error_and_an_end_between_frames_is_not() -> None:
    read_end, write_end = os.pipe()
    frames.write_frame(write_end, {"n": 1})
    os.write(write_end, b"\x00\x00")
    os.close(write_end)
    parser = frames.FrameParser()
    assert frames.read_frame(read_end, parser) == {"n": 1}
    with pytest.raises(frames.FrameError, match="ended inside a frame"):
        frames.read_frame(read_end, parser)
    os.close(read_end)


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), {1, 2}])
def test_what_is_not_json_is_not_sent(value: object) -> None:
    with pytest.raises(frames.FrameError):
        frames.encode({"value": value})


def test_a_lone_surrogate_survives() -> None:
    assert frames.decode(frames.encode({"a": "\ud800"})[4:]) == {"a": "\ud800"}
