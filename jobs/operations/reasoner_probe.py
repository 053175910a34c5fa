"""The worker stage `reasoner_probe`: a reasoner of a Python worker at a hard case, there to be cancelled.

Inputs (JSON): profile_id. The phase `loading` covers the start; the phase `reasoning` (or
`classifying`) begins when it computes. It is expected never to answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.operations import inputs
from jobs.operations.classification.stage import runner
from jobs.reasoners.hard_cases import CASES
from jobs.workers.contract import StageResult

if TYPE_CHECKING:
    from jobs.workers.contract import Reporter, StageCall


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Classify the hard case of the profile."""
    profile_id = inputs.text(call.inputs, "profile_id")
    reporter.progress("loading", "Making the hard case")
    outcome = runner(profile_id)(CASES[profile_id](), reporter.progress)
    return StageResult(value={"consistent": outcome.is_consistent})
