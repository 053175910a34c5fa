"""From fixtures to a capability table: supported is what every fixture that shows it got right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import Failed, ReasonerRefusedInput
from jobs.reasoners import client, hard_cases, python_profiles
from jobs.reasoners.capabilities import IDS, Capability, Status, Table
from jobs.reasoners.probe import CancellationProbe
from jobs.reasoners.reviews import Review
from review import explaining
from review.comparing import Finding, Judgement, judge
from review.fixtures import FIXTURES
from review.running import Runner

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.workers.pool import WorkerPool
    from review.fixtures import Fixture

_NOT_SHOWN: Final = {
    "object_property_assertions": "Property assertions are not asked for.",
    "data_property_assertions": "Property assertions are not asked for.",
    "incremental_reasoning": "Every run reads the whole closure.",
    "native_explanations": "Explanations are black-box.",
}
_TOLD_ONLY: Final = "Reads what the axioms say outright; decides nothing that must be inferred."
_ENUMERATED: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One review and what it rests on."""

    review: Review
    judgements: tuple[Judgement, ...]
    problems: tuple[str, ...]
    """Wrong answers, and whatever else forbids the record."""


async def review(pool: WorkerPool, profile: ReasonerProfile, folder: Path) -> Reviewed:
    """Run every fixture twice, the explanations and the cancellations.

    Raises:
        JavaUnavailable: the profile's reasoner is not installed.
    """
    runner = Runner(pool, profile, folder)
    is_told_only = profile.profile_id == python_profiles.STRUCTURAL
    fixtures = [each for each in FIXTURES if each.is_told or not is_told_only]
    judgements = [await _judged(runner, each) for each in fixtures]
    by_name = {each.fixture: each for each in judgements}
    problems = [
        f"{each.fixture}: wrong: {each.reason}" for each in judgements if each.finding is Finding.WRONG
    ]
    rows = {
        name: _capability(name, [by_name[each.name] for each in fixtures if name in each.shows], is_told_only)
        for name in IDS
        if name not in _NOT_SHOWN
    }
    rows |= {name: Capability(status=Status.UNTESTED, evidence=text) for name, text in _NOT_SHOWN.items()}
    rows["black_box_explanations"] = await explaining.capability(runner)
    rows["bounded_cancellation"], stop_problems = await _cancellation(pool, runner, folder)
    problems += stop_problems
    table = Table({name: rows[name] for name in IDS})
    return Reviewed(
        review=Review(
            profile_id=profile.profile_id,
            owl_profile=_owl_profile(table),
            profile_keys=_keys(profile, problems),
            capabilities=table,
        ),
        judgements=tuple(judgements),
        problems=tuple(problems),
    )


async def _judged(runner: Runner, fixture: Fixture) -> Judgement:
    """The fixture run twice: the second run must give an equal value."""
    try:
        found = await runner.outcome(fixture.document)
    except ReasonerRefusedInput as error:
        construct = error.details.get("construct", "it")
        return Judgement(fixture=fixture.name, finding=Finding.WITHHELD, reason=f"refuses {construct}")
    except Failed as error:
        return Judgement(fixture=fixture.name, finding=Finding.WRONG, reason=error.message)
    if await runner.outcome(fixture.document) != found:
        return Judgement(
            fixture=fixture.name, finding=Finding.WRONG, reason="a second run gave another answer"
        )
    return judge(fixture, found)


def _capability(name: str, judgements: list[Judgement], is_told_only: bool) -> Capability:
    if not judgements:
        evidence = _TOLD_ONLY if is_told_only else "No fixture shows it."
        status = Status.UNSUPPORTED if is_told_only else Status.UNTESTED
        return Capability(status=status, evidence=evidence)
    short = [each for each in judgements if each.finding is not Finding.RIGHT]
    if not short:
        told = "Told structure only. " if is_told_only else ""
        names = ", ".join(each.fixture for each in judgements)
        return Capability(status=Status.SUPPORTED, evidence=f"{told}As expected, twice: {names}.")
    first = short[0]
    return Capability(status=Status.UNSUPPORTED, evidence=f"Fixture {first.fixture}: {first.reason}."[:1024])


def _owl_profile(table: Table) -> str | None:
    """The largest profile of OWL in which every answer was whole."""
    for capability, name in (("owl2_dl", "DL"), ("owl2_el", "EL")):
        if table[capability].status is Status.SUPPORTED:
            return name
    return None


def _keys(profile: ReasonerProfile, problems: list[str]) -> frozenset[Digest]:
    """The identities that the record stands for: the one that ran; of pyelk, all published wheels."""
    if profile.profile_id != python_profiles.PYELK:
        return frozenset({profile.profile_key})
    published = frozenset(each.profile_key for each in python_profiles.published_pyelk_identities())
    if profile.profile_key not in published:
        problems.append("the installed wheel is none of the published ones")
    return published


async def _cancellation(pool: WorkerPool, runner: Runner, folder: Path) -> tuple[Capability, list[str]]:
    """The live probe, and for a reasoner on Java a stop in each of its phases."""
    problems: list[str] = []
    probes = folder / "probes"
    probes.mkdir()

    def new_folder() -> Path:
        path = probes / str(len(list(probes.iterdir())))
        path.mkdir()
        return path

    await CancellationProbe(pool.execute, new_folder).prove(runner.profile)
    shown = ["computing"]
    if client.runs_on_java(runner.profile):
        hard = hard_cases.CASES[runner.profile.profile_id]()
        flat = [f"SubClassOf(<urn:flat:{number}> <urn:flat:top>)" for number in range(_ENUMERATED)]
        for phase in ("loading", "building", "reasoning", "enumerating"):
            stop = await runner.stop_in(phase, flat if phase == "enumerating" else hard)
            if stop is not None:
                shown.append(phase)
                if stop.took_s > limits.PROBE_STOP_S:
                    problems.append(f"cancelled in {phase}: gone only after {stop.took_s:.1f} s")
    evidence = f"Seen gone within 5 s of a cancellation in: {', '.join(dict.fromkeys(shown))}; own process."
    status = Status.UNSUPPORTED if problems else Status.SUPPORTED
    return Capability(status=status, evidence=evidence if not problems else "; ".join(problems)), problems
