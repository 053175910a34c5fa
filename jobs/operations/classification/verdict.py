"""What a classification may claim: the scope guard and the summary (W 4.1, decision 18).

A reasoner's positive answers (consistent, these are all unsatisfiable classes) hold only when it
interpreted everything; otherwise they are `unknown`. An inconsistency found and a class found
unsatisfiable stay: more axioms cannot undo them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.reasoners.capabilities import Status

if TYPE_CHECKING:
    from jobs.reasoners.profiles import ReasonerProfile
    from jobs.reasoners.taxonomy import Outcome
    from jobs.values import Json

MISSING_IMPORT: Final = "Import"
TOLD_ONLY: Final = "ToldHierarchyOnly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer as far as it is warranted."""

    consistency_status: str
    unsatisfiable_status: str
    unsatisfiable_count: int | None
    is_complete: bool
    incomplete_because: tuple[str, ...]

    @property
    def capability_limited(self) -> bool:
        """Whether a better reasoner, or more of the closure, could say more."""
        is_decided = self.consistency_status in ("consistent", "inconsistent")
        return not (is_decided and self.unsatisfiable_status in ("complete", "not_applicable"))

    def summary(self, profile: ReasonerProfile) -> Json:
        """The `structured` result without `report_artifact_id`."""
        return {
            "kind": "classification",
            "classification_completed": True,
            "consistency_status": self.consistency_status,
            "unsatisfiable_status": self.unsatisfiable_status,
            "unsatisfiable_count": self.unsatisfiable_count,
            "capability_limited": self.capability_limited,
            "reasoner_digest": profile.profile_key,
        }


def judge(outcome: Outcome, profile: ReasonerProfile, imports_missing: tuple[str, ...]) -> Verdict:
    """Combine what the reasoner found with what its profile is known for and what was missing."""
    reasons = list(outcome.incomplete_because)
    if profile.owl_profile is None:
        reasons.insert(0, TOLD_ONLY)
    if imports_missing:
        reasons.append(MISSING_IMPORT)
    consistency = _consistency(outcome, profile.status("consistency"), is_whole=not reasons)
    unsatisfiable = _unsatisfiable(consistency, profile.status("satisfiability"))
    count = min(len(outcome.unsatisfiable), limits.UNSATISFIABLE_COUNT_MAX)
    return Verdict(
        consistency_status=consistency,
        unsatisfiable_status=unsatisfiable,
        unsatisfiable_count=count if unsatisfiable == "complete" else None,
        is_complete=not reasons,
        incomplete_because=tuple(reasons),
    )


def _consistency(outcome: Outcome, capability: Status, *, is_whole: bool) -> str:
    if capability is not Status.SUPPORTED:
        return capability.value
    if outcome.is_consistent is False:
        return "inconsistent"
    return "consistent" if outcome.is_consistent and is_whole else Status.UNKNOWN.value


def _unsatisfiable(consistency: str, capability: Status) -> str:
    if consistency == "inconsistent":
        return "not_applicable"
    if capability is not Status.SUPPORTED:
        return capability.value
    return "complete" if consistency == "consistent" else Status.UNKNOWN.value
