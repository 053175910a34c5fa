"""The worker stage `classification`: one captured closure, one reasoner profile, one report.

Inputs (JSON):
    closure, closure_sha256: capture file of the flattened import closure.
    answer_follows: a file that will hold what a reasoner in another process answered, whole from the
        moment it is there: `value`, and `answer` with `answer_sha256` unless it is inconsistent.
        Without it, the profile's reasoner runs here.
    profile_id: an exact profile; it is identified again here, from the files this process runs.
    profile_key: the identity that was admitted (optional).
    limit: how many unsatisfiable classes the report lists, 0..10000.
    imports_loaded, imports_missing: IRIs, of the capture.
    settings_not_carried: names of the editor's settings that the reasoner runs without (optional).
Value: the summary of W 4.1 without `report_artifact_id`. Artifact: `report.json`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from jobs.ontology.reading import collector_paused
from jobs.operations import inputs, labels, reasoning
from jobs.operations.classification import verdict as verdicts
from jobs.operations.classification.report import write
from jobs.operations.report import ReportWriter
from jobs.reasoners.outcomes import outcome_of
from jobs.reasoners.python_profiles import RUNNERS
from jobs.workers.contract import StageResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jobs.reasoners.structural import Say
    from jobs.reasoners.taxonomy import Outcome
    from jobs.workers.contract import Reporter, StageCall


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Classify and write the report."""
    with collector_paused():
        return _run(call, reporter)


def _run(call: StageCall, reporter: Reporter) -> StageResult:
    limit = inputs.integer(call.inputs, "limit")
    profile = reasoning.admitted_profile(call.inputs)
    imports = reasoning.imports(call.inputs)
    reporter.progress("loading", "Reading the captured import closure")
    axioms = inputs.capture(call.inputs, "closure").axioms
    named = labels.every_label(axioms)
    if "answer_follows" in call.inputs:
        answered = reasoning.answered(inputs.awaited(call.inputs, "answer_follows", reporter))
        outcome = outcome_of(profile.profile_id, *answered, axioms)
    else:
        outcome = runner(profile.profile_id)(axioms, reporter.progress)
    reporter.progress("staging", "Writing the report")
    verdict = verdicts.judge(outcome, profile, imports["missing"])
    with ReportWriter(call.work_dir) as report:
        write(report, axioms, named, outcome, verdict, profile, imports, limit)
        report.add("settings_not_carried", list(inputs.texts(call.inputs, "settings_not_carried")))
    return StageResult(value=verdict.summary(profile), artifacts=(report.artifact(),))


def runner(profile_id: str) -> Callable[[Sequence[str], Say], Outcome]:
    """The function that classifies for a profile; its reasoner is imported now."""
    classify: Callable[[Sequence[str], Say], Outcome] = importlib.import_module(RUNNERS[profile_id]).classify
    return classify
