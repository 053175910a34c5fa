"""Whether our taxonomies are those of an independent run of the same reasoner, through ROBOT.

ROBOT loads the document with the OWL API and asks its own copy of the reasoner; what it writes (the
direct superclasses and equivalences that are inferred) is compared with our report, pair by pair.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks.command_rows import generate, run
from benchmarks.figures import NotRun, Row, row
from benchmarks.peers import our_command, robot_command
from review.fixtures import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OWL: Final = "http://www.w3.org/2002/07/owl#"
_PREFIX = re.compile(r"^Prefix\((\S*):=<([^>]*)>\)", re.MULTILINE)
_SUBCLASS = re.compile(r"^SubClassOf\(([^\s()]+) ([^\s()]+)\)$", re.MULTILINE)
_EQUIVALENT = re.compile(r"^EquivalentClasses\(([^()]+)\)$", re.MULTILINE)
_UNSATISFIABLE = re.compile(r"unsatisfiable: (\S+)")
_ROBOT_S: Final = 900
_RULES: Final = {"rule", "rule-with-built-in"}
"""Fixtures about individuals alone, which ROBOT's output does not show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A hierarchy as pairs, without owl:Thing; both empty when `is_consistent` is False."""

    is_consistent: bool
    unsatisfiable: frozenset[str]
    subsumptions: frozenset[tuple[str, str]] = frozenset()
    equivalents: frozenset[frozenset[str]] = frozenset()


def agreement_rows(work: Path, *, quick: bool) -> Iterator[Row]:
    """ELK and HermiT on the review's fixtures, and ELK on a large generated ontology."""
    for profile, reasoner in (("elk-0.6.0", "ELK"), ("hermit-1.4.3.456", "hermit")):
        different = []
        for fixture in FIXTURES:
            if fixture.name in _RULES:
                continue
            path = work / f"{fixture.name}.ofn"
            path.write_text(fixture.document, encoding="utf-8")
            if not _agree(ours(path, profile), robots(path, reasoner)):
                different.append(fixture.name)
        yield row(
            name=f"fixtures on which {profile} and ROBOT differ",
            ours=[float(len(different))],
            against=f"robot reason ({reasoner})",
            statistic="max",
            target=0.0,
            unit="",
            note=", ".join(different),
        )
    classes = 5_000 if quick else 45_000
    path = work / f"agreement-{classes}.ofn"
    generate(path, classes=classes, syntax="functional", release=1)
    mine, theirs = ours(path, "elk-0.6.0"), robots(path, "ELK")
    differences = mine.subsumptions ^ theirs.subsumptions, mine.equivalents ^ theirs.equivalents
    yield row(
        name=f"subsumptions and equivalences that differ, {classes:,} classes, elk-0.6.0",
        ours=[float(sum(map(len, differences)))],
        against="robot reason (ELK)",
        statistic="max",
        target=0.0,
        unit="",
        note=f"{len(mine.subsumptions):,} direct subsumptions, {len(mine.equivalents)} groups",
    )


def _agree(mine: Answer, theirs: Answer) -> bool:
    """Of an ontology with unsatisfiable classes ROBOT writes no hierarchy."""
    if theirs.unsatisfiable:
        return mine.unsatisfiable == theirs.unsatisfiable
    return mine == theirs


def ours(path: Path, profile: str) -> Answer:
    """Our answer, from the report that the command writes."""
    folder = path.with_suffix(f".{profile}")
    run([*our_command(), "run", "classification", str(path), "--profile", profile,
         "--request", '{"limit": 10000}', "--artifacts", str(folder)], path.parent)  # fmt: skip
    report = json.loads((folder / "report.json").read_bytes())
    members = {each["id"]: each["members"] for each in report["groups"]}
    names = {key: [iri for iri in iris if not iri.startswith(_OWL)] for key, iris in members.items()}
    bottom = next((key for key, iris in members.items() if f"{_OWL}Nothing" in iris), None)
    top = next((key for key, iris in members.items() if f"{_OWL}Thing" in iris), None)
    return Answer(
        is_consistent=report["consistency_status"] != "inconsistent",
        unsatisfiable=frozenset(report["unsatisfiable_classes"]),
        subsumptions=frozenset(
            (lower, upper)
            for each in report["groups"]
            for parent in each["parents"]
            if parent != top
            for lower in names[each["id"]]
            for upper in names[parent]
        ),
        equivalents=frozenset(
            frozenset(iris) for key, iris in names.items() if len(iris) > 1 and key not in (bottom, top)
        ),
    )


def robots(path: Path, reasoner: str) -> Answer:
    """ROBOT's answer; unsatisfiable classes and inconsistency it tells as errors."""
    output = path.with_suffix(f".{reasoner}.ofn")
    argv = [*robot_command(), "reason", "--reasoner", reasoner, "--input", str(path),
            "--create-new-ontology", "true", "--axiom-generators", "SubClass EquivalentClass",
            "--output", str(output)]  # fmt: skip
    done = subprocess.run(argv, capture_output=True, text=True, timeout=_ROBOT_S, check=False)
    said = done.stdout + done.stderr
    if "inconsistent" in said.lower():
        return Answer(is_consistent=False, unsatisfiable=frozenset())
    unsatisfiable = frozenset(_UNSATISFIABLE.findall(said))
    if done.returncode != 0 and not unsatisfiable:
        raise NotRun(f"ROBOT ended with exit code {done.returncode}: {said.strip()[-300:]}")
    if unsatisfiable:
        return Answer(is_consistent=True, unsatisfiable=unsatisfiable)
    text = output.read_text(encoding="utf-8")
    prefixes = dict(_PREFIX.findall(text))

    def full(name: str) -> str:
        if name.startswith("<"):
            return name[1:-1]
        prefix, _, local = name.partition(":")
        return prefixes[prefix] + local

    groups = {frozenset(map(full, each.split())) for each in _EQUIVALENT.findall(text)}
    pairs = {(full(lower), full(upper)) for lower, upper in _SUBCLASS.findall(text)}
    return Answer(
        is_consistent=True,
        unsatisfiable=frozenset(),
        subsumptions=frozenset(each for each in pairs if not each[1].startswith(_OWL)),
        equivalents=frozenset(groups),
    )
