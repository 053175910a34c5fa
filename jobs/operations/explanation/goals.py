"""The worker stage `explanation_goal`: what is to be explained, as IRIs.

Inputs (JSON):
    closure, closure_sha256: capture file of the flattened import closure.
    goal: as requested, with names as people write them (`names`); or null.
    answer_follows: without a goal, a file that will hold what a classification of the closure found
        (as for the stage `classification`).
Value: `goal`, the same shape with full IRIs; and `settled`, null, or the answer of the operation `explain`
where it is known already: nothing is wrong, or it follows from no axiom at all.

Raises:
    EntityUnresolved: a name stands for no class or for several (`entity_unresolved`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs.operations import inputs, reasoning
from jobs.operations.explanation.names import ClassNames
from jobs.reasoners import answer
from jobs.reasoners.roots import split_unsatisfiable
from jobs.reasoners.taxonomy import NOTHING, THING
from jobs.workers.contract import StageResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.document import OntologyDocument
    from jobs.reasoners.taxonomy import Outcome
    from jobs.values import Json
    from jobs.workers.contract import Reporter, StageCall

INCONSISTENCY: Final = "inconsistency"
NAMED: Final[Mapping[str, tuple[str, ...]]] = {
    "unsatisfiable": ("class",),
    "subsumption": ("sub", "super"),
    INCONSISTENCY: (),
}
"""The members of each kind of goal that name a class."""
_TRIVIAL: Final[Json] = {"holds": True, "justifications": 0, "is_exhausted": True, "incomplete_because": []}


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Resolve the goal, or choose one."""
    reporter.progress("loading", "Reading the captured import closure")
    closure = inputs.capture(call.inputs, "closure")
    goal = call.inputs.get("goal")
    if isinstance(goal, dict):
        return StageResult(value=_resolved(goal, closure))
    found = inputs.awaited(call.inputs, "answer_follows", reporter)
    return StageResult(value=_chosen(answer.read_outcome(*reasoning.answered(found)), closure))


def _resolved(goal: Mapping[str, object], closure: OntologyDocument) -> Json:
    names = ClassNames(closure)
    kind = inputs.text(goal, "kind")
    found = {each: names.find(inputs.text(goal, each)) for each in NAMED[kind]}
    return {"goal": {"kind": kind, **found}, "settled": _TRIVIAL if _is_trivial(found) else None}


def _is_trivial(named: Mapping[str, str]) -> bool:
    """Whether it follows from no axiom at all."""
    sub, upper = named.get("class", named.get("sub")), named.get("super", NOTHING)
    return sub is not None and (sub in (NOTHING, upper) or upper == THING)


def _chosen(outcome: Outcome, closure: OntologyDocument) -> Json:
    """The inconsistency, else the first root among the unsatisfiable classes, else nothing to explain."""
    if outcome.is_consistent is False:
        return {"goal": {"kind": INCONSISTENCY}, "settled": None}
    roots, _ = split_unsatisfiable(outcome.unsatisfiable, closure.axioms)
    if roots:
        return {"goal": {"kind": "unsatisfiable", "class": roots[0]}, "settled": None}
    settled: Json = {
        "holds": False,
        "justifications": 0,
        "is_exhausted": True,
        "incomplete_because": list(outcome.incomplete_because),
    }
    return {"goal": {"kind": INCONSISTENCY}, "settled": settled}
