"""Writing to standard descriptors: whole, in order, without ever blocking the loop."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import anyio
import pytest

from plugin_bridge.mcp_server.pipes import write_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.anyio
LONG = bytes(range(256)) * 4096  # a mebibyte, many times what a pipe holds


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for each in (reading, writing):
        os.close(each)


def drain(descriptor: int, size: int, into: bytearray) -> None:
    while len(into) < size:
        into += os.read(descriptor, 777)


async def test_a_long_answer_arrives_whole_beside_what_was_not_read_yet(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b"before ")
    found = bytearray()
    reader = threading.Thread(target=drain, args=(reading, len(LONG) + 7, found))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write_all, writing, LONG)
            await anyio.wait_all_tasks_blocked()  # the pipe is full, and the loop is not
            reader.start()
    reader.join()
    assert found == b"before " + LONG


@pytest.mark.parametrize("size", [1, 4096, 20_000, 65_536])
async def test_what_an_empty_pipe_holds_is_written_without_a_reader(pipe: tuple[int, int], size: int) -> None:
    reading, writing = pipe
    with anyio.fail_after(20):
        await write_all(writing, LONG[:size])
    found = bytearray()
    drain(reading, size, found)
    assert found == LONG[:size]


async def test_a_full_pipe_is_left_when_the_window_closes(pipe: tuple[int, int]) -> None:
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write_all, pipe[1], LONG)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()


async def test_a_reader_that_left_is_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        await write_all(writing, b"x" * 5000)
    os.close(writing)


async def test_a_file_takes_all(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    with path.open("wb") as file:
        await write_all(file.fileno(), LONG)
    assert path.read_bytes() == LONG
