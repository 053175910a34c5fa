"""The order of events when two tasks move one job at almost the same time."""

from __future__ import annotations

import errno
from dataclasses import fields

import pytest

from jobs.audit import AuditLog, EventKind, JobEvent, Trail
from jobs.values import Fence, State
from tests.support.jobs_doubles import START, Sink
from tests.support.jobs_snapshots import job_in

pytestmark = pytest.mark.anyio

FIELDS = """sequence kind job_id occurred_at workspace_id owner_fingerprint principal_fingerprint
client_fingerprint grant_fingerprint type state input_identity_digest required_capabilities phase
progress_sequence progress_updates progress_events_emitted progress_events_suppressed elapsed_millis
artifact_count artifact_bytes cancellation_requested cancellation_effective commit_started error_code"""


def test_event_has_exactly_the_fields_of_the_contract() -> None:
    assert [field.name for field in fields(JobEvent)] == FIELDS.split()


async def test_what_a_snapshot_implies_is_said_first_and_once() -> None:
    sink, trail = Sink(), Trail()
    log = AuditLog(sink)
    pending, running = job_in(State.CANCEL_PENDING, Fence.CANCELLED), job_in(State.RUNNING, Fence.OPEN)
    log.emit(trail, EventKind.CANCEL_REQUESTED, pending, START)
    for late in (EventKind.ACCEPTED, EventKind.STARTED):
        log.emit(trail, late, running, START)
    await log.flush()
    assert [event.kind.value for event in sink.events] == ["accepted", "started", "cancel_requested"]
    assert [event.sequence for event in sink.events] == [1, 2, 3]


async def test_nothing_is_said_after_the_end() -> None:
    sink, trail = Sink(), Trail()
    log = AuditLog(sink)
    ended = job_in(State.CANCELLED, Fence.CANCELLED)
    last = log.emit(trail, EventKind.TERMINAL, ended, START)
    for kind in EventKind:
        assert log.emit(trail, kind, ended, START) is last
    await log.flush()
    assert [event.kind.value for event in sink.events] == [
        "accepted", "started", "cancel_requested", "terminal",
    ]  # fmt: skip


async def test_a_sink_that_keeps_failing_is_logged_once_and_again_after_it_has_worked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Flaky(Sink):
        is_broken = True

        async def deliver(self, event: JobEvent) -> None:
            if self.is_broken:
                raise PermissionError(errno.EACCES, "/private/audit")
            await super().deliver(event)

    sink, trail = Flaky(), Trail()
    log = AuditLog(sink)
    running = job_in(State.RUNNING, Fence.OPEN)

    async def say(count: int) -> None:
        for _ in range(count):
            log.emit(trail, EventKind.PROGRESS, running, START)
        await log.flush()

    await say(3)
    assert [(each.message, each.errno) for each in caplog.records] == [("audit.failed", errno.EACCES)]
    sink.is_broken = False
    await say(1)
    sink.is_broken = True
    await say(2)
    assert len(caplog.records) == 2
    assert trail.failed
