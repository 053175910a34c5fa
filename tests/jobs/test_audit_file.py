from __future__ import annotations

import json
import os
import stat
from dataclasses import fields
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.audit import EventKind, JobEvent, Trail
from jobs.audit_file import RotatingFileSink
from jobs.kernel.lifecycle import accept
from jobs.values import JobId
from tests.support.jobs_doubles import START, ManualClock, submission

resource = pytest.importorskip("resource")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.anyio


def event(kind: EventKind = EventKind.ACCEPTED) -> JobEvent:
    return Trail().next_event(kind, accept(submission(), JobId("j"), START), START)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def lines(folder: Path) -> list[str]:
    return [line for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines(folder)]


async def test_event_is_one_private_line_with_exactly_its_fields(tmp_path: Path) -> None:
    sink = RotatingFileSink(tmp_path / "audit", "w")
    await sink.deliver(event())
    (path,) = (tmp_path / "audit").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    (row,) = rows(tmp_path / "audit")
    assert row["operation"] == "job.classification.accepted"
    assert row["outcome"] == "started"
    assert row["summary"] == {"job_state": "queued"}
    kept = row["event"]
    assert isinstance(kept, dict)
    assert set(kept) == {field.name for field in fields(JobEvent)}
    assert kept["occurred_at"] == "2026-01-05T10:00:00.000000Z"


async def test_files_rotate_by_size_and_the_oldest_beyond_the_number_go(tmp_path: Path) -> None:
    sink = RotatingFileSink(tmp_path, "w", max_file_bytes=1, max_files=3)
    for _ in range(6):
        await sink.deliver(event())
    assert names(tmp_path) == [f"w-{n:06d}.jsonl" for n in (3, 4, 5)]


async def test_files_past_their_days_go_at_the_next_start(tmp_path: Path) -> None:
    clock = ManualClock()
    old, young, other = tmp_path / "a-000000.jsonl", tmp_path / "b-000000.jsonl", tmp_path / "notes.txt"
    for path, age_s in ((old, 91 * 86_400), (young, 89 * 86_400), (other, 400 * 86_400)):
        path.write_text("")
        os.utime(path, (START.timestamp() - age_s,) * 2)
    await RotatingFileSink(tmp_path, "w", clock=clock).deliver(event())
    assert names(tmp_path) == ["b-000000.jsonl", "notes.txt", "w-000000.jsonl"]


@pytest.fixture
def small_files() -> Iterator[int]:
    """A bound on the size of files that this process may write, as a full disk is one."""
    import signal

    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, before[1]))
    yield 4000
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


async def test_full_disk_is_told_and_the_next_line_closes_the_cut_one_off(
    tmp_path: Path, small_files: int
) -> None:
    sink = RotatingFileSink(tmp_path, "w")
    line_bytes = len(json.dumps(event().as_json())) + 1
    delivered = small_files // line_bytes
    for _ in range(delivered):
        await sink.deliver(event())
    with pytest.raises(OSError, match=r"No space left|File too large"):
        await sink.deliver(event())
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    await sink.deliver(event())
    *whole, cut, last = lines(tmp_path)
    assert len(whole) == delivered
    assert all(json.loads(line) for line in [*whole, last])
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(cut)


async def test_many_backends_append_to_one_series_and_lose_no_line(tmp_path: Path) -> None:
    sinks = [RotatingFileSink(tmp_path, "w", max_file_bytes=4000, max_files=1000) for _ in range(5)]

    async def deliver_ten(sink: RotatingFileSink) -> None:
        for _ in range(10):
            await sink.deliver(event())

    async with anyio.create_task_group() as tasks:
        for sink in sinks:
            tasks.start_soon(deliver_ten, sink)
    assert len(rows(tmp_path)) == 50
    assert len(names(tmp_path)) > 5


async def test_a_later_backend_goes_on_in_the_newest_file(tmp_path: Path) -> None:
    await RotatingFileSink(tmp_path, "w").deliver(event())
    await RotatingFileSink(tmp_path, "w").deliver(event())
    assert names(tmp_path) == ["w-000000.jsonl"]
    assert len(rows(tmp_path)) == 2
