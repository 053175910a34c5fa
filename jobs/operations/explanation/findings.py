"""What a worker on Java found (`docs/worker-protocol.md`, operation `explain`), read and held against scope.

Each axiom is brought to its canonical text and kept once, however many justifications share it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import InvalidOntology, ResultInvalid
from jobs.ontology import syntax
from jobs.operations.classification.verdict import MISSING_IMPORT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json

AXIOM_BYTES: Final = 12 * limits.MIB
"""Of all axioms together; the report must stay below the 64 MiB of an artifact (ours)."""
OUTSIDE_PROFILE: Final = "OutsideReasonerProfile"
"""A reason where a reasoner of a smaller profile does not say what it left out."""
_ORDERED_MAX: Final = 300
"""Longer justifications keep the order of their texts: nobody reads them from start to end (ours)."""

_LAST: Final = ("Disjoint", "DifferentIndividuals")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """One goal and why it follows, as far as that is warranted."""

    goal: Json
    is_default_goal: bool
    holds: bool | None
    """None: the reasoner did not derive it, and could not have seen everything."""
    all_found: bool
    incomplete_because: tuple[str, ...]
    axioms: tuple[str, ...]
    """Canonical, each once, in the order of their first use."""
    justifications: tuple[tuple[int, ...], ...]
    """Places in `axioms`; the shortest first."""
    left_out: int
    """Justifications that were found and are too large to report."""

    @property
    def count(self) -> int:
        """How many justifications were found."""
        return len(self.justifications) + self.left_out

    @property
    def uses(self) -> tuple[int, ...]:
        """In how many justifications each axiom is."""
        counts = [0] * len(self.axioms)
        for each in self.justifications:
            for place in each:
                counts[place] += 1
        return tuple(counts)

    @property
    def common(self) -> tuple[int, ...]:
        """The axioms of every justification, when there are several: without one of them none is left."""
        if len(self.justifications) < 2 or self.left_out:
            return ()
        total = len(self.justifications)
        return tuple(place for place, count in enumerate(self.uses) if count == total)

    def classes(self) -> list[str]:
        """The classes that the goal names."""
        return [str(value) for key, value in self.goal.items() if key != "kind"]


def read(
    goal: Json,
    value: Mapping[str, object],
    answer: bytes | None,
    profile: ReasonerProfile,
    imports_missing: Sequence[str],
    *,
    is_default_goal: bool,
) -> Findings:
    """The findings in a worker's value and its file `justifications.jsonl`.

    Raises:
        ResultInvalid: either does not have the shape of the protocol (`job_result_invalid`).
    """
    holds, is_exhausted, count = value.get("holds"), value.get("is_exhausted"), value.get("justifications")
    if not isinstance(holds, bool) or not isinstance(is_exhausted, bool) or not isinstance(count, int):
        raise _malformed()
    reasons = _reasons(value, profile, imports_missing)
    axioms: dict[str, int] = {}
    justifications: list[tuple[int, ...]] = []
    size_bytes = total = 0
    for texts in _rows(answer or b""):
        total += 1
        size_bytes += sum(len(each) for each in texts if each not in axioms)
        if size_bytes <= AXIOM_BYTES:
            places = [axioms.setdefault(each, len(axioms)) for each in _from_the_goal(texts, goal)]
            justifications.append(tuple(places))
    if total != count:
        raise _malformed()
    return Findings(
        goal=goal,
        is_default_goal=is_default_goal,
        # What follows from some axioms follows from more of them; what does not may yet follow.
        holds=True if holds else None if reasons else False,
        all_found=is_exhausted and not reasons,
        incomplete_because=reasons,
        axioms=tuple(axioms),
        justifications=tuple(justifications),
        left_out=total - len(justifications),
    )


def _reasons(
    value: Mapping[str, object], profile: ReasonerProfile, imports_missing: Sequence[str]
) -> tuple[str, ...]:
    told = value.get("incomplete_because")
    if told is None:
        found = [] if profile.owl_profile == "DL" else [OUTSIDE_PROFILE]
    elif isinstance(told, list):
        found = sorted(map(str, told))
    else:
        raise _malformed()
    return (*found, MISSING_IMPORT) if imports_missing else tuple(found)


def _rows(answer: bytes) -> Iterator[list[str]]:
    """The axioms of each justification, canonical and sorted."""
    for line in answer.splitlines():
        try:
            row = json.loads(line)
            yield sorted({syntax.canonical(each) for each in row})
        except (ValueError, TypeError, InvalidOntology) as error:
            raise _malformed() from error


def _from_the_goal(texts: list[str], goal: Json) -> list[str]:
    """The axioms in the order of an argument: each next one, if any, is about what was spoken of before.

    What excludes something comes after what it excludes it from.
    """
    if len(texts) > _ORDERED_MAX:
        return texts
    names = {text: entities(text) for text in texts}
    spoken_of = {str(goal.get("class", goal.get("sub", "")))}
    left = sorted(texts, key=lambda text: text.startswith(_LAST))
    ordered = []
    while left:
        about = (each for each in left if names[each][:1] and names[each][0] in spoken_of)
        touching = (each for each in left if spoken_of.intersection(names[each]))
        chosen = next(about, None) or next(touching, left[0])
        left.remove(chosen)
        ordered.append(chosen)
        spoken_of.update(names[chosen])
    return ordered


def entities(text: str) -> list[str]:
    """The IRIs in an axiom in the order in which they stand there, annotations left out."""
    found: list[str] = []
    stack = [syntax.parse_axiom(syntax.strip_annotations(text))]
    while stack:
        node = stack.pop()
        if not isinstance(node, str):
            stack.extend(reversed(node[1:]))
        elif node[0] == "<":
            found.append(node[1:-1])
    return found


def _malformed() -> ResultInvalid:
    return ResultInvalid("The reasoner's answer does not have its shape.")
