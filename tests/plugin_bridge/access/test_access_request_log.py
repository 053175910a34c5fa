from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs import limits
from jobs.audit_file import RotatingFileSink
from jobs.values import Owner, WorkspaceId
from plugin_bridge.access import CallOutcome, RequestRecord, request_log
from plugin_bridge.access.request_log import PENDING

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio
OWNER = Owner.of(WorkspaceId("w"), principal_type="static", client_id="local", grant_id=None)


def record(operation: str = "get_job", code: str | None = None) -> RequestRecord:
    return RequestRecord(
        operation=operation,
        outcome=CallOutcome.FAILED if code else CallOutcome.SUCCEEDED,
        code=code,
        owner=OWNER,
        occurred_at=datetime(2026, 1, 5, tzinfo=UTC),
    )


class Lines:
    """Keeps lines; may be stuck or broken."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []
        self.gate = anyio.Event()
        self.gate.set()
        self.is_broken = False

    async def append(self, line: bytes) -> None:
        await self.gate.wait()
        if self.is_broken:
            raise OSError(28, "no space")
        self.rows.append(json.loads(line))


async def test_records_are_written_in_order_before_the_block_ends() -> None:
    lines = Lines()
    async with request_log(lines.append) as log:
        for n in range(50):
            log.record(record(f"tool_{n}"))
    assert [each["operation"] for each in lines.rows] == [f"tool.tool_{n}" for n in range(50)]
    assert set(lines.rows[0]) == {
        "operation",
        "outcome",
        "code",
        "occurred_at",
        "workspace_id",
        "owner_fingerprint",
        "principal_fingerprint",
        "client_fingerprint",
        "grant_fingerprint",
    }


async def test_records_come_out_while_the_block_runs() -> None:
    lines = Lines()
    async with request_log(lines.append) as log:
        log.record(record())
        with anyio.fail_after(5):
            while not lines.rows:
                await anyio.lowlevel.checkpoint()
        log.record(record(code="unknown_job"))
    assert [(each["outcome"], each["code"]) for each in lines.rows] == [
        ("succeeded", None),
        ("failed", "unknown_job"),
    ]


async def test_a_stuck_disk_holds_no_call_and_a_gap_is_told() -> None:
    lines = Lines()
    lines.gate = anyio.Event()
    async with request_log(lines.append) as log:
        await anyio.wait_all_tasks_blocked()
        for _ in range(PENDING + 7):
            log.record(record())
        lines.gate.set()
    assert len(lines.rows) == PENDING
    assert lines.rows[-1]["dropped_after"] == 7


async def test_a_broken_disk_is_logged_and_touches_nothing(caplog: pytest.LogCaptureFixture) -> None:
    lines = Lines()
    lines.is_broken = True
    async with request_log(lines.append) as log:
        log.record(record())
        log.record(record())
    assert [each.message for each in caplog.records] == ["audit.request_not_kept"]


async def test_a_disk_that_never_answers_does_not_hold_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "AUDIT_DELIVERY_S", 0.05)
    lines = Lines()
    lines.gate = anyio.Event()
    with anyio.fail_after(5):
        async with request_log(lines.append) as log:
            log.record(record())


async def test_the_file_of_job_events_takes_them(tmp_path: Path) -> None:
    async with request_log(RotatingFileSink(tmp_path / "audit", "w").append) as log:
        log.record(record())
    (file,) = (tmp_path / "audit").iterdir()
    assert json.loads(file.read_text())["operation"] == "tool.get_job"
    assert file.stat().st_mode & 0o077 == 0
