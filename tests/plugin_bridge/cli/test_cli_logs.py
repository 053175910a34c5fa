"""The log of a command: one line for an event, with what it is about, and no words of a document."""

from __future__ import annotations

import logging

import pytest

from plugin_bridge.cli.logs import _Formatter


def line(*, shows_details: bool, **extra: object) -> str:
    record = logging.makeLogRecord(
        {"name": "jobs.pool", "levelname": "ERROR", "msg": "worker.failed", **extra}
    )
    return _Formatter(shows_details=shows_details).format(record)


def test_an_event_stands_with_what_it_is_about() -> None:
    assert line(shows_details=False, code="job_worker_lost", exit_code=-9, errno=None) == (
        "ERROR jobs.pool worker.failed code='job_worker_lost' exit_code=-9"
    )


@pytest.mark.parametrize("shows_details", [False, True])
def test_the_last_words_of_a_worker_are_for_who_asks(shows_details: bool) -> None:
    said = line(shows_details=shows_details, stderr_tail="x" * 600 + "\nKeyError: 'café'\n")
    assert ("KeyError" in said) is shows_details
    assert len(said.splitlines()) == 1
    assert len(said) < 700
