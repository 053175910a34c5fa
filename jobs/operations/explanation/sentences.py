"""The sentences of an explanation, the same in a report, on a terminal and in a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.operations.classification.verdict import MISSING_IMPORT
from jobs.operations.explanation.findings import OUTSIDE_PROFILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobs.operations.explanation.findings import Findings
    from jobs.reasoners.identity import ReasonerProfile

_REASONS: Final = {
    MISSING_IMPORT: "imports are missing",
    OUTSIDE_PROFILE: "the ontology may use more than this reasoner interprets",
}
_CONSTRUCTS_SHOWN: Final = 8


def statement(findings: Findings, name: Callable[[str], str]) -> str:
    """What follows, or does not, as one sentence.

    Args:
        name: how a class is written, by its IRI.
    """
    goal, holds = findings.goal, findings.holds
    if findings.is_default_goal and not holds:
        if holds is None:
            return "Nothing wrong was found, but not everything was looked at."
        return "The ontology is consistent and every class can have instances: there is nothing to explain."
    match goal["kind"]:
        case "inconsistency":
            fact, denied = "The ontology is inconsistent", "that the ontology is inconsistent"
        case "unsatisfiable":
            it = name(str(goal["class"]))
            fact, denied = f"Nothing can be an instance of {it}", f"that {it} is unsatisfiable"
        case _:
            sub, upper = name(str(goal["sub"])), name(str(goal["super"]))
            fact, denied = f"Every {sub} is a {upper}", f"that every {sub} is a {upper}"
    if holds:
        return f"{fact}."
    return (
        f"It does not follow {denied}." if holds is False else f"It is not known whether it follows {denied}."
    )


def evidence(findings: Findings, profile: ReasonerProfile) -> str:
    """Who says so, and how much of it was found."""
    who = f"{profile.identity.reasoner_name} {profile.identity.version}"
    if findings.holds is None and not findings.is_default_goal:
        return f"{who} does not derive it."
    if not findings.holds:
        return f"Answered by {who}."
    if not findings.count:
        return "It follows from no axiom at all: OWL itself says so."
    what = "a smallest set of axioms that it follows from"
    if findings.count == 1:
        told, rest = f"1 justification found by {who}, {what}", "there is no other"
    else:
        told, rest = f"{findings.count} justifications found by {who}, each {what}", "there are no others"
    return f"{told}; {rest if findings.all_found else 'there may be more'}."


def caveat(findings: Findings) -> str | None:
    """Why the answer may not be all; None where nothing stands against it."""
    reasons = findings.incomplete_because
    constructs = [each for each in reasons if each not in _REASONS]
    told = [_REASONS[each] for each in reasons if each in _REASONS]
    if constructs:
        more = (
            f" and {len(constructs) - _CONSTRUCTS_SHOWN} more" if len(constructs) > _CONSTRUCTS_SHOWN else ""
        )
        told.insert(0, f"the reasoner passes over {', '.join(constructs[:_CONSTRUCTS_SHOWN])}{more}")
    return f"Not complete: {'; '.join(told)}." if told else None
