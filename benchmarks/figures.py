"""Figures of paired runs: medians, percentiles, ratios, verdicts, and the table they are shown in."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Verdict(StrEnum):
    """What a row's figures mean for its target."""

    MET = "met"
    MISSED = "MISSED"
    INFORMATION = "information"
    """Measured, but there is no target."""
    NOT_RUN = "not run"


class NotRun(Exception):
    """A row cannot be measured here; the message says what is missing and what to do."""


def reason(error: BaseException) -> str:
    """The message of the first error inside, however many task groups wrapped it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. `peer` is None where the target is a bound."""

    name: str
    against: str
    statistic: str
    ours: float | None = None
    peer: float | None = None
    target: float | None = None
    """For `value`: at most this, a ratio when there is a peer, else seconds."""
    verdict: Verdict
    note: str = ""
    unit: str = "s"
    """Of `ours`, `peer` and a bound: seconds, or what else is counted."""
    samples: dict[str, list[float]] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """What the target bounds: ours over the peer, or ours alone; None when not run."""
        if self.ours is None or self.peer is None:
            return self.ours
        return self.ours / self.peer

    def as_json(self) -> dict[str, object]:
        """A JSON object, the samples included."""
        return {**asdict(self), "value": self.value}


def paired(
    ours: Callable[[], float], peer: Callable[[], float], rounds: int
) -> tuple[list[float], list[float]]:
    """Measure A B A B, so that a machine which slows down slows both."""
    pairs = [(ours(), peer()) for _ in range(rounds)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: a value that was measured, never one in between.

    Args:
        values: at least one.
        share: over 0, up to 1; 0.95 for p95.
    """
    if not values or not 0 < share <= 1:
        raise ValueError("a percentile needs at least one value and a share over 0, up to 1")
    return sorted(values)[math.ceil(share * len(values)) - 1]


STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "p95": lambda values: percentile(values, 0.95),
    "max": max,
}


def row(
    *,
    name: str,
    ours: Sequence[float],
    statistic: str,
    peer: Sequence[float] | None = None,
    against: str = "",
    target: float | None = None,
    note: str = "",
    unit: str = "s",
) -> Row:
    """Judge one row: `statistic` of both samples, their ratio, and the target where there is one."""
    figure = STATISTICS[statistic]
    measured = Row(
        name=name,
        against=against,
        statistic=statistic,
        ours=figure(ours),
        peer=None if peer is None else figure(peer),
        target=target,
        verdict=Verdict.INFORMATION,
        note=note,
        unit=unit,
        samples={"ours": list(ours)} | ({} if peer is None else {"peer": list(peer)}),
    )
    if target is None:
        return measured
    assert measured.value is not None
    verdict = Verdict.MET if measured.value <= target else Verdict.MISSED
    return replace(measured, verdict=verdict)


def not_run(name: str, reason: str) -> Row:
    """A row that could not be measured."""
    return Row(name=name, against="", statistic="", verdict=Verdict.NOT_RUN, note=reason)


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text for a terminal."""
    head = ("what", "ours", "against", "theirs", "value", "target", "verdict")
    cells = [head, *(_cells(one) for one in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [f"{one.name}: {one.note}" for one in rows if one.note]
    return "\n".join([*lines, *(["", *notes] if notes else [])])


def _cells(one: Row) -> tuple[str, ...]:
    name = f"{one.name} ({one.statistic})" if one.statistic else one.name
    is_ratio = one.peer is not None
    ours, peer = _shown(one.ours, one.unit), _shown(one.peer, one.unit)
    value = "" if one.value is None else f"{one.value:.2f}" if is_ratio else ours
    has_ratio_bound = is_ratio and one.target is not None
    bound = f"{one.target:g}" if has_ratio_bound else _shown(one.target, one.unit)
    target = "" if one.target is None else f"≤ {bound}"
    return (name, ours, one.against, peer, value, target, one.verdict.value)


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit != "s":
        return f"{value:.3g} {unit}".rstrip()
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"
