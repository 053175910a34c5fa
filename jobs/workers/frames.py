"""The wire between processes: a 4-byte big-endian length, then a JSON object in UTF-8.

Owns the codec and the blocking reader and writer of the worker's side; the host's side is
`frame_streams`. Python and Java workers speak the same frames. Standard library only: a worker's
start waits for this module.

Invariant: nothing of a frame is delivered before all of it is there and is a JSON object.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Final, NoReturn

from jobs.limits import MIB

FRAME_BYTES: Final = 16 * MIB
"""Bound of one body, either direction (ours)."""

Frame = dict[str, object]

_HEADER: Final = struct.Struct(">I")
_READ_BYTES: Final = 256 * 1024
_SHOWN_CHARACTERS: Final = 40


class FrameError(Exception):
    """The other side broke the wire format; nothing it says afterwards can be trusted."""


def encode(frame: Frame, max_bytes: int = FRAME_BYTES) -> bytes:
    """Header and body of one frame.

    Raises:
        FrameError: the value is not JSON (NaN included), or its body is above the bound.
    """
    try:
        # ASCII escapes: lone surrogates of a hostile document stay representable.
        body = json.dumps(frame, allow_nan=False, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise FrameError(f"the frame is not JSON: {type(error).__name__}") from error
    if len(body) > max_bytes:
        raise FrameError(f"the frame has {len(body)} bytes; at most {max_bytes} are allowed")
    return _HEADER.pack(len(body)) + body


def decode(body: bytes | bytearray) -> Frame:
    """The JSON object of one body; `FrameError` for anything else."""
    try:
        value: object = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"the frame is not JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise FrameError(f"the frame is a JSON {type(value).__name__}, not an object")
    return value


def text_field(frame: Frame, name: str) -> str:
    """A text member of a frame; `FrameError` when it is absent or something else."""
    value = frame.get(name)
    if not isinstance(value, str):
        raise FrameError(f"the frame has no text member {name!r}")
    return value


class FrameParser:
    """Cuts a byte stream into frames; feed bytes as they come, take frames while there are any."""

    def __init__(self, max_bytes: int = FRAME_BYTES) -> None:
        self._buffer = bytearray()
        self._max_bytes = max_bytes

    def feed(self, data: bytes) -> None:
        """Add bytes received."""
        self._buffer += data

    def take(self) -> Frame | None:
        """The next whole frame, or None when more bytes are needed.

        Raises:
            FrameError: a length outside the bound (seen with the header, before the body comes),
                or a body that is no JSON object.
        """
        if len(self._buffer) < _HEADER.size:
            return None
        (size,) = _HEADER.unpack_from(self._buffer)
        if not 2 <= size <= self._max_bytes:
            start = bytes(self._buffer[:_SHOWN_CHARACTERS])
            raise FrameError(
                f"a frame claims {size} bytes, allowed are 2 to {self._max_bytes}; it starts {start!r}"
            )
        end = _HEADER.size + size
        if len(self._buffer) < end:
            return None
        body = self._buffer[_HEADER.size : end]
        del self._buffer[:end]
        return decode(body)

    @property
    def rest(self) -> bytes:
        """What was received and not taken."""
        return bytes(self._buffer)

    def end(self) -> None:
        """Say that no bytes follow; `FrameError` when a frame was cut short."""
        if self._buffer:
            raise FrameError(f"the stream ended inside a frame, after {len(self._buffer)} bytes of it")


def read_frame(descriptor: int, parser: FrameParser) -> Frame | None:
    """Wait for the next frame on a pipe; None at its end. Reads the descriptor, not `sys.stdin`."""
    while (frame := parser.take()) is None:
        data = os.read(descriptor, _READ_BYTES)
        if not data:
            parser.end()
            return None
        parser.feed(data)
    return frame


def write_frame(descriptor: int, frame: Frame, max_bytes: int = FRAME_BYTES) -> None:
    """Write one frame whole; the caller holds the lock that keeps frames apart."""
    view = memoryview(encode(frame, max_bytes))
    while view:
        view = view[os.write(descriptor, view) :]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
