"""Whether a profile's reasoner explains: all justifications of small questions, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from jobs.errors import ProtegeJobsError
from jobs.ontology import read_document
from jobs.ontology.document import capture_bytes
from jobs.reasoners.capabilities import Capability, Status
from review.fixtures import NAMESPACE, PREFIXES

if TYPE_CHECKING:
    from jobs.values import Json
    from review.running import Runner

_AXIOMS: Final = (
    "SubClassOf(:A :B)",
    "SubClassOf(:B :C)",
    "SubClassOf(:A :D)",
    "SubClassOf(:D :C)",
    "SubClassOf(:E :F)",
    "DisjointClasses(:B :D)",
)
_QUESTIONS: Final[tuple[tuple[Json, tuple[frozenset[int], ...]], ...]] = (
    (
        {"kind": "subsumption", "sub": f"{NAMESPACE}B", "super": f"{NAMESPACE}C"},
        (frozenset({1}),),
    ),
    (
        {"kind": "unsatisfiable", "class": f"{NAMESPACE}A"},
        (frozenset({0, 2, 5}),),
    ),
)
"""Each goal with its justifications, as numbers of axioms."""


async def capability(runner: Runner) -> Capability:
    """The row `black_box_explanations`."""
    if not runner.is_on_java:
        return Capability(status=Status.UNTESTED, evidence="Explained by a profile on Java.")
    document = "\n".join([*PREFIXES, "Ontology(", *_AXIOMS, ")\n"])
    capture = capture_bytes(read_document(document.encode(), name="explain.ofn"))
    for goal, expected in _QUESTIONS:
        try:
            found = await runner.explain(capture, goal)
        except ProtegeJobsError as error:
            return Capability(status=Status.UNSUPPORTED, evidence=f"Ended with {error.code}.")
        if found != {frozenset(map(_full, map(_AXIOMS.__getitem__, each))) for each in expected}:
            return Capability(
                status=Status.UNSUPPORTED,
                evidence=f"Other justifications than expected for {json.dumps(goal)}."[:1024],
            )
    kinds = ", ".join(str(goal["kind"]) for goal, _ in _QUESTIONS)
    return Capability(status=Status.SUPPORTED, evidence=f"All justifications, minimal, for: {kinds}.")


def _full(axiom: str) -> str:
    """The canonical text of an axiom of this file."""
    (found,) = read_document(
        "\n".join([*PREFIXES, "Ontology(", axiom, ")\n"]).encode(), name="axiom.ofn"
    ).axioms
    return found
