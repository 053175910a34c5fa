"""From a Java worker's answer to the outcome of its profile: with what the reasoner does not say itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jobs.reasoners import ranges
from jobs.reasoners.answer import read_outcome
from jobs.reasoners.java_profiles import ELK_4
from jobs.reasoners.scope import axioms_outside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobs.reasoners.taxonomy import Outcome


def outcome_of(
    profile_id: str, value: Mapping[str, object], answer: bytes | None, axioms: Sequence[str]
) -> Outcome:
    """As `read_outcome`, with the axioms outside the reasoner's scope counted over the closure.

    Raises:
        ResultInvalid: as `read_outcome`.
    """
    found = read_outcome(value, answer)
    reasons = set(found.incomplete_because)
    if profile_id == ELK_4 and ranges.breaks_restriction(axioms):
        reasons |= {ranges.RANGE, ranges.CHAIN}
    outside = sum(1 for _ in axioms_outside(axioms, reasons))
    return replace(
        found,
        incomplete_because=tuple(sorted(reasons)),
        outside_axioms=max(outside, found.outside_axioms),
    )
