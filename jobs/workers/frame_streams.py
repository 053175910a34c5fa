"""The host's side of the wire: frames over anyio byte streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from jobs.workers.frames import FRAME_BYTES, Frame, FrameParser

if TYPE_CHECKING:
    from anyio.abc import ByteReceiveStream, ByteSendStream


class FrameReceiver:
    """Frames from one stream, one at a time; a cancelled `receive` loses nothing."""

    def __init__(self, stream: ByteReceiveStream, max_bytes: int = FRAME_BYTES) -> None:
        self._stream = stream
        self._parser = FrameParser(max_bytes)

    @property
    def rest(self) -> bytes:
        """What was received and is no whole frame."""
        return self._parser.rest

    async def receive(self) -> Frame | None:
        """The next frame, or None when the other side has ended.

        Raises:
            FrameError: garbage, a length outside the bound, or an end inside a frame.
        """
        while (frame := self._parser.take()) is None:
            try:
                self._parser.feed(await self._stream.receive())
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._parser.end()
                return None
        return frame


async def send_bytes(stream: ByteSendStream, data: bytes) -> bool:
    """Send encoded frames; False when the other side is gone (its own stream of frames tells why)."""
    try:
        await stream.send(data)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        return False
    return True
