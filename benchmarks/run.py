"""Paired timings beside the peers that are on this machine: `make bench`, or

    python -m benchmarks.run [--quick] [--data DIR] [--only NAME ...] [--check]

Prints a table with targets and verdicts, and writes all samples to `benchmarks/results/`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks.agreement import agreement_rows
from benchmarks.command_rows import classification_rows, data_diff_rows, diff_rows
from benchmarks.control_rows import control_rows
from benchmarks.figures import NotRun, Row, Verdict, not_run, reason, table
from benchmarks.host_rows import host_rows
from benchmarks.java_rows import java_classification_rows
from benchmarks.window_rows import cancel_rows, ready_rows

_RESULTS: Final = Path(__file__).with_name("results")
_SHARED_DATA: Final = Path(__file__).parents[1] / ".." / "shared" / "data"


def main() -> int:
    """Measure, print, write; 1 with `--check` when a target was missed or a row did not run."""
    options = _options()
    measurements = _measurements(options)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="protege-jobs-bench-") as folder:
        for name in options.only or measurements:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            rows += _measured(name, partial(measurements[name], Path(folder).resolve()))
    print(table(rows))
    print(f"\nwritten: {_write(rows, quick=options.quick)}", file=sys.stderr)
    fine = all(row.verdict in (Verdict.MET, Verdict.INFORMATION) for row in rows)
    return 0 if fine or not options.check else 1


_Measurement = Callable[[Path], Iterator[Row]]


def _measurements(options: argparse.Namespace) -> dict[str, _Measurement]:
    quick: bool = options.quick
    return {
        "diff": partial(diff_rows, quick=quick),
        "diff-data": partial(data_diff_rows, data=options.data, quick=quick),
        "control": partial(control_rows, quick=quick),
        "ready": partial(ready_rows, quick=quick),
        "cancel": partial(cancel_rows, quick=quick),
        "classification": partial(classification_rows, quick=quick),
        "classification-java": partial(java_classification_rows, quick=quick),
        "host": partial(host_rows, quick=quick),
        "agreement": partial(agreement_rows, quick=quick),
    }


def _measured(name: str, measure: Callable[[], Iterator[Row]]) -> list[Row]:
    """The rows of one measurement; one that cannot run here is a row that says why."""
    rows: list[Row] = []
    start = time.perf_counter()
    try:
        rows.extend(measure())
    except* NotRun as reasons:  # task groups of the client wrap what is raised inside them
        rows.append(not_run(name, reason(reasons)))
    print(f"  {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return rows


def _write(rows: list[Row], *, quick: bool) -> str:
    at = datetime.now(UTC)
    report = {
        "measured_at": at.isoformat(timespec="seconds"),
        "quick": quick,
        "version": version("protege-jobs"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "rows": [row.as_json() for row in rows],
    }
    _RESULTS.mkdir(exist_ok=True)
    path = _RESULTS / f"{at:%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return f"benchmarks/results/{path.name}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = (
        "diff",
        "diff-data",
        "control",
        "ready",
        "cancel",
        "classification",
        "classification-java",
        "host",
        "agreement",
    )
    shared = _SHARED_DATA.resolve() if _SHARED_DATA.is_dir() else None
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller inputs")
    parser.add_argument(
        "--data", type=Path, default=shared, metavar="DIR", help="folder with the PATO releases"
    )
    parser.add_argument(
        "--only", nargs="+", choices=names, metavar="NAME", help=f"some of: {', '.join(names)}"
    )
    parser.add_argument("--check", action="store_true", help="exit with 1 unless every target is met")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
