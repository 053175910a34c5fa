"""Rows about whole commands, each started cold: semantic diff and classification beside ROBOT."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import NotRun, Row, paired, row
from benchmarks.generate import write_ontology
from benchmarks.peers import our_command, robot_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COMMAND_S = 900
_CELL_ONTOLOGY_CLASSES = 2_900
"""Gives about 26,400 axioms, the size of the Cell Ontology."""
_DIFF_TARGET = 0.2


def diff_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Semantic diff of two generated releases of the Cell Ontology's size, as RDF/XML."""
    left, right = work / "release-2.owl", work / "release-1.owl"
    generate(left, classes=_CELL_ONTOLOGY_CLASSES, syntax="rdfxml", release=2)
    generate(right, classes=_CELL_ONTOLOGY_CLASSES, syntax="rdfxml", release=1)
    yield _diff("semantic diff, generated, 26,000 axioms", left, right, rounds=3 if quick else 9)


def data_diff_rows(work: Path, data: Path | None, *, quick: bool) -> Iterator[Row]:
    """Semantic diff of the two PATO releases, where the folder with them is given."""
    names = ("pato-2025-05.owl", "pato-2024-03.owl")
    if data is None or not all((data / f"{name}.gz").is_file() for name in names):
        raise NotRun("the PATO releases are not here: --data DIR names their folder")
    for name in names:
        with gzip.open(data / f"{name}.gz") as packed, (work / name).open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    yield _diff("semantic diff, PATO", work / names[0], work / names[1], rounds=3 if quick else 9)


def classification_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """Classification of a generated ontology, file to taxonomy, by the Java-free EL profile."""
    classes = 1_000 if quick else 4_000
    path = work / f"generated-{classes}.ofn"
    generate(path, classes=classes, syntax="functional", release=1)
    argv = [
        *our_command(),
        "run",
        "classification",
        str(path),
        "--profile",
        "pyelk-0.2.1",
        "--format",
        "json",
    ]
    peer = [
        *robot_command(),
        "reason",
        "--reasoner",
        "ELK",
        "--input",
        str(path),
        "--output",
        str(work / "r.ofn"),
    ]
    result = structured(run(argv, work)[1])
    if result.get("unsatisfiable_status") != "complete" or result.get("unsatisfiable_count") != 0:
        raise NotRun(f"our classification of the generated ontology is not the known one: {result}")
    ours, theirs = paired(lambda: run(argv, work)[0], lambda: run(peer, work)[0], 3 if quick else 5)
    yield row(
        name=f"classification, generated, {classes:,} classes, pyelk-0.2.1",
        ours=ours,
        peer=theirs,
        against="robot reason (ELK)",
        statistic="median",
    )


def _diff(name: str, left: Path, right: Path, *, rounds: int) -> Row:
    argv = [*our_command(), "run", "semantic_diff", str(left), str(right), "--format", "json"]
    peer = [*robot_command(), "diff", "--left", str(left), "--right", str(right), "--output", "diff.txt"]
    result = structured(run(argv, left.parent)[1])
    run(peer, left.parent)
    printed = (left.parent / "diff.txt").read_text(encoding="utf-8").splitlines()
    lines = tuple(sum(line.startswith(sign) for line in printed) for sign in ("- ", "+ "))
    ours, theirs = paired(lambda: run(argv, left.parent)[0], lambda: run(peer, left.parent)[0], rounds)
    return row(
        name=name,
        ours=ours,
        peer=theirs,
        against="robot diff",
        statistic="median",
        target=_DIFF_TARGET,
        # `added` is what only the right document has; ROBOT's lines also count IRIs and header.
        note=(
            f"axioms only left {result.get('removed_axioms')}, only right {result.get('added_axioms')}; "
            f"ROBOT's lines {lines[0]} and {lines[1]}, IRIs, header and implied declarations among them"
        ),
    )


def generate(path: Path, *, classes: int, syntax: str, release: int) -> None:
    """Write the seeded ontology of this size."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        write_ontology(out, classes=classes, seed=1, syntax=syntax, release=release)


def run(argv: Sequence[str], work: Path) -> tuple[float, str]:
    """Run a command to its end; how long it took and what it printed.

    Raises:
        NotRun: it failed; the message holds the end of what it wrote to standard error.
    """
    start = time.perf_counter()
    try:
        done = subprocess.run(
            argv,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_COMMAND_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotRun(f"{Path(argv[0]).name} did not end within {_COMMAND_S} s") from error
    took = time.perf_counter() - start
    if done.returncode != 0:
        raise NotRun(f"{Path(argv[0]).name} ended with exit code {done.returncode}: {_complaint(done)}")
    return took, done.stdout


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The error of a job descriptor on standard output, else the last line of what was said."""
    try:
        error = json.loads(done.stdout)["error"]
        return f"{error['code']}: {error['message']}"
    except (ValueError, KeyError, TypeError):
        return (done.stderr or done.stdout).strip().rpartition("\n")[2][-300:]


def structured(printed: str) -> dict[str, object]:
    """The summary in a job descriptor as `run --format json` prints it."""
    try:
        summary = json.loads(printed)["result"]["structured"]
    except (ValueError, KeyError, TypeError) as error:
        raise NotRun("the command printed no job descriptor with a result") from error
    if not isinstance(summary, dict):
        raise NotRun("the job's result has no summary")
    return summary
