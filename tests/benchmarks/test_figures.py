"""The statistics behind the benchmark table, and what the table says of them."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.figures import Verdict, not_run, paired, percentile, row, table

samples = st.lists(st.floats(0.001, 1000), min_size=1, max_size=60)


def test_paired_runs_take_turns() -> None:
    order: list[str] = []

    def measure(name: str, seconds: float) -> float:
        order.append(name)
        return seconds

    ours, theirs = paired(lambda: measure("a", 1.0), lambda: measure("b", 2.0), 3)
    assert order == ["a", "b"] * 3
    assert (ours, theirs) == ([1.0] * 3, [2.0] * 3)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.95, 95), (0.5, 50), (1.0, 100), (0.01, 1), (0.001, 1), (0.951, 96)]
)
def test_percentile_is_the_nearest_rank(share: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], share) == expected


@given(samples, st.floats(0.01, 1))
def test_percentile_is_a_measured_value_that_bounds_its_share(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9


@pytest.mark.parametrize(("values", "share"), [([], 0.5), ([1.0], 0.0), ([1.0], 1.1)])
def test_percentile_of_nothing_or_of_no_share_is_refused(values: list[float], share: float) -> None:
    with pytest.raises(ValueError, match="percentile"):
        percentile(values, share)


@pytest.mark.parametrize(
    ("ours", "target", "verdict"),
    [(1.0, 0.2, Verdict.MET), (1.1, 0.2, Verdict.MISSED), (9.0, None, Verdict.INFORMATION)],
)
def test_verdict_compares_the_ratio_of_medians(ours: float, target: float | None, verdict: Verdict) -> None:
    judged = row(
        name="x", ours=[ours, 0.0, 99.0], peer=[5.0, 5.0, 1.0], statistic="median", target=target, against="y"
    )
    assert judged.verdict is verdict
    assert judged.value == ours / 5.0


def test_without_a_peer_the_target_bounds_the_time_itself() -> None:
    judged = row(name="cancel", ours=[0.1, 0.3], statistic="max", target=0.25)
    assert (judged.verdict, judged.value) == (Verdict.MISSED, 0.3)
    assert "≤ 250.0 ms" in table([judged])


def test_table_shows_why_a_row_did_not_run() -> None:
    shown = table(
        [row(name="a", ours=[2.0], peer=[4.0], statistic="median", target=0.6), not_run("b", "no java")]
    )
    assert "0.50" in shown
    assert "not run" in shown
    assert shown.endswith("b: no java")


def test_rows_are_plain_json() -> None:
    written = json.loads(json.dumps(row(name="a", ours=[1.0], statistic="p95").as_json()))
    assert written["value"] == 1.0
    assert written["samples"] == {"ours": [1.0]}
    assert set(asdict(not_run("b", "why"))) < set(written)
