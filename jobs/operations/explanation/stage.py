"""The worker stage `reasoning_explain`: what a worker on Java found, as a report and as Markdown.

Inputs (JSON):
    closure, closure_sha256: capture file of the flattened import closure.
    origins, origins_sha256: which document each axiom comes from (`jobs.operations.origins`), where there
        are imports; document_path: where the active ontology lies below the project root, or null.
    goal: with full IRIs, as the stage `explanation_goal` gives it; is_default_goal: nobody asked for it.
    answer_follows: a file that will hold what the operation `explain` answered: `value`, and `answer`
        with `answer_sha256` unless there is no justification.
    profile_id, profile_key: the reasoner that explains, as admitted.
    limit: how many justifications were asked for.
    imports_loaded, imports_missing: IRIs, of the capture.
Value: the summary without `report_artifact_id`. Artifacts: `report.json` and `explanation.md`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from jobs.operations import inputs, reasoning
from jobs.operations import labels as names
from jobs.operations.explanation import findings as reading
from jobs.operations.explanation import markdown, report
from jobs.operations.origins import Document, Origins
from jobs.operations.report import ReportWriter
from jobs.workers.contract import StageArtifact, StageResult

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from jobs.ontology.document import OntologyDocument
    from jobs.operations.explanation.findings import Findings
    from jobs.values import Json
    from jobs.workers.contract import Reporter, StageCall

FILE_NAME: Final = "explanation.md"
MEDIA_TYPE: Final = "text/markdown"


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Write the report and the Markdown."""
    goal, limit = _goal(call.inputs), inputs.integer(call.inputs, "limit")
    profile = reasoning.admitted_profile(call.inputs)
    imports = reasoning.imports(call.inputs)
    reporter.progress("loading", "Reading the captured import closure")
    closure = inputs.capture(call.inputs, "closure")
    value, answer = reasoning.answered(inputs.awaited(call.inputs, "answer_follows", reporter))
    reporter.progress("staging", "Writing the report")
    findings = reading.read(
        goal,
        value,
        answer,
        profile,
        imports["missing"],
        is_default_goal=call.inputs.get("is_default_goal") is True,
    )
    origins = _origins(call.inputs, closure)
    labels = _labels(findings, closure)
    with ReportWriter(call.work_dir) as written:
        report.write(written, findings, origins, profile, imports, labels, limit)
    text = _written(markdown.text(findings, origins, profile, labels), call.work_dir)
    return StageResult(value=report.summary(findings, profile), artifacts=(written.artifact(), text))


def _goal(given: Mapping[str, object]) -> Json:
    goal = given.get("goal")
    if not isinstance(goal, dict):
        raise inputs.malformed("goal")
    return goal


def _origins(given: Mapping[str, object], closure: OntologyDocument) -> Origins:
    path = inputs.optional_text(given, "document_path")
    root = Document(path=path, iri=closure.iri, version_iri=closure.version_iri)
    data = inputs.file_bytes(given, "origins") if given.get("origins") is not None else None
    return Origins(closure.axioms, data, root)


def _labels(findings: Findings, closure: OntologyDocument) -> dict[str, str]:
    """The labels of everything that is mentioned."""
    mentioned = set(findings.classes())
    for axiom in findings.axioms:
        mentioned.update(reading.entities(axiom))
    return names.labels(closure.axioms, mentioned)


def _written(text: str, work_dir: Path) -> StageArtifact:
    data = text.encode("utf-8", "replace")
    path = work_dir / FILE_NAME
    path.write_bytes(data)
    return StageArtifact(
        name=FILE_NAME,
        media_type=MEDIA_TYPE,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
    )
