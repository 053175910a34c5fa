"""What a job's descriptor says of how far it is."""

from __future__ import annotations

import pytest

from jobs import limits
from jobs.workers.contract import StageProgress
from plugin_bridge.computation import told


@pytest.mark.parametrize(
    ("message", "fraction", "expected"),
    [
        ("Classifying", None, "Classifying"),
        ("Classifying", 0.0, "Classifying (0%)"),
        ("Classifying", 0.426, "Classifying (43%)"),
        ("Classifying", 1.0, "Classifying (100%)"),
    ],
)
def test_a_known_fraction_is_told_in_the_message(message: str, fraction: float | None, expected: str) -> None:
    assert told(StageProgress(phase="reasoning", message=message, fraction=fraction)) == expected


def test_a_message_at_its_bound_stays_there() -> None:
    long = "ä" * (limits.PROGRESS_MESSAGE_BYTES // 2)
    found = told(StageProgress(phase="reasoning", message=long, fraction=0.5))
    assert found.endswith(" (50%)")
    assert len(found.encode()) <= limits.PROGRESS_MESSAGE_BYTES
