"""Whether an outcome is a fixture's right answer, a smaller one that says so, or a wrong one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from jobs.reasoners.taxonomy import NOTHING, THING
from review.fixtures import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobs.reasoners.taxonomy import Outcome, Taxonomy
    from review.fixtures import Fixture


class Finding(StrEnum):
    """How a profile did on a fixture."""

    RIGHT = "right"
    WITHHELD = "withheld"
    """It says itself that it does not, or not wholly, interpret the fixture."""
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One fixture under one profile."""

    fixture: str
    finding: Finding
    reason: str


def judge(fixture: Fixture, outcome: Outcome) -> Judgement:
    """Compare everything the fixture asks for."""
    problems = list(_problems(fixture, outcome))
    if not problems and not outcome.incomplete_because:
        return Judgement(fixture=fixture.name, finding=Finding.RIGHT, reason="as expected")
    if outcome.incomplete_because:
        names = ", ".join(outcome.incomplete_because)
        return Judgement(
            fixture=fixture.name, finding=Finding.WITHHELD, reason=f"says that it does not interpret {names}"
        )
    missing = [each for each in problems if each.startswith("no ")]
    if missing == problems:
        return Judgement(fixture=fixture.name, finding=Finding.WITHHELD, reason=missing[0])
    return Judgement(fixture=fixture.name, finding=Finding.WRONG, reason="; ".join(problems))


def _problems(fixture: Fixture, outcome: Outcome) -> Iterator[str]:
    if outcome.is_consistent is None and not fixture.is_told:
        yield "no verdict on consistency"
    elif outcome.is_consistent is not None and outcome.is_consistent is not fixture.consistent:
        yield f"consistent: {outcome.is_consistent}"
    classes = outcome.taxonomy
    if classes is None:
        return
    if fixture.unsatisfiable is not None and outcome.is_consistent is not None:
        found = frozenset(map(_short, outcome.unsatisfiable))
        if found != fixture.unsatisfiable:
            yield f"unsatisfiable: {_told(found)}"
    for name, expected in fixture.superclasses.items():
        found = _uppers(classes, name)
        if found != expected:
            yield f"superclasses of {name}: {_told(found)}"
    if fixture.equivalents is not None:
        groups = _groups(classes)
        if groups != fixture.equivalents:
            yield f"equivalents: {[_told(each) for each in groups]}"
    yield from _property_problems(fixture, outcome)
    yield from _individual_problems(fixture, outcome)


def _property_problems(fixture: Fixture, outcome: Outcome) -> Iterator[str]:
    for name, expected in fixture.superproperties.items():
        is_data = f"Declaration(DataProperty(:{name}))" in fixture.axioms
        taxonomy = outcome.data_properties if is_data else outcome.object_properties
        if taxonomy is None:
            yield f"no {'data' if is_data else 'object'} property hierarchy"
            return
        found = _uppers(taxonomy, name)
        if found != expected:
            yield f"superproperties of {name}: {_told(found)}"


def _individual_problems(fixture: Fixture, outcome: Outcome) -> Iterator[str]:
    if not fixture.types and fixture.same is None:
        return
    if outcome.individuals is None:
        yield "no types of individuals"
        return
    for name, expected in fixture.types.items():
        found: frozenset[str] = frozenset()
        for members, types in zip(outcome.individuals.nodes, outcome.individuals.types, strict=True):
            if f"{NAMESPACE}{name}" in members:
                found = frozenset(_short(each) for each in types if each != THING)
        if found != expected:
            yield f"types of {name}: {_told(found)}"
    if fixture.same is not None:
        groups = frozenset(
            frozenset(map(_short, members)) for members in outcome.individuals.nodes if len(members) > 1
        )
        if groups != fixture.same:
            yield f"same: {[_told(each) for each in groups]}"


def _uppers(taxonomy: Taxonomy, name: str) -> frozenset[str]:
    """One name for each direct parent: its first; a parent that holds the topmost entity is no parent."""
    for node, members in enumerate(taxonomy.nodes):
        if f"{NAMESPACE}{name}" in members:
            return frozenset(
                _short(taxonomy.nodes[parent][0])
                for parent in taxonomy.parents[node]
                if parent != taxonomy.top
            )
    return frozenset({"(nowhere)"})


def _groups(taxonomy: Taxonomy) -> frozenset[frozenset[str]]:
    return frozenset(
        frozenset(map(_short, members))
        for node, members in enumerate(taxonomy.nodes)
        if len(members) > 1 and node not in (taxonomy.bottom, taxonomy.top)
    )


def _short(iri: str) -> str:
    return {THING: "owl:Thing", NOTHING: "owl:Nothing"}.get(iri, iri.removeprefix(NAMESPACE))


def _told(names: frozenset[str]) -> str:
    return "{" + ", ".join(sorted(names)) + "}"
