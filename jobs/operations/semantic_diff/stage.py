"""The worker stage `semantic_diff`: the captured ontology against one other document.

Inputs (JSON):
    left, left_sha256: capture file of the window's ontology alone; or
    left_follows: a file that will hold these two as JSON, whole from the moment it is there; what was
        taken from it is then written to a file of the same name with `handover.TAKEN_SUFFIX`.
    right, right_sha256: private copy of the right document's bytes.
    right_name: what people call the right document, relative to the project.
    translations: documents that were read elsewhere (`translation`), optional.
    limit: rows per list of the report, 0..10000; counts do not depend on it.
Value: the summary of W 4.3 without `report_artifact_id`. Artifact: `report.json`.

Nothing but these files is opened: imports of the right document are only listed (W-40).

Raises:
    InvalidOntology: the right document cannot be read whole. The job ends with the code that
        says so; `job_secondary_input_invalid` is kept for what the capture of the bytes finds
        (missing, irregular, too large), before there is a job. Neither is worth a retry.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobs import errors
from jobs.ontology import document, syntax
from jobs.operations import handover, inputs
from jobs.operations.report import ReportWriter
from jobs.operations.semantic_diff import alignment, parts
from jobs.operations.semantic_diff import changes as comparison
from jobs.operations.translation import Translations
from jobs.workers.contract import StageResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.document import OntologyDocument
    from jobs.operations.semantic_diff.changes import Changes
    from jobs.values import Json
    from jobs.workers.contract import Reporter, StageCall

_CAVEAT: Final = (
    "Decided from the two documents alone, without a reasoner or a policy: an added axiom can make data "
    "inconsistent, and a change outside these documents is not seen."
)
_CHURN_EXACT: Final = (
    " Anonymous individuals have no names to go by: they were matched by what is said of them, and where "
    "much of that changed, some of the listed differences may be false."
)
_CHURN_LOCAL: Final = (
    " Labels of anonymous individuals are local to one reading and could not all be matched: differences "
    "that mention one may be false."
)


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Compare and write the report."""
    limit = inputs.integer(call.inputs, "limit")
    name = inputs.text(call.inputs, "right_name")
    reporter.progress("loading", f"Reading {name}")
    right = read_right(inputs.file_bytes(call.inputs, "right"), name, Translations(call))
    right_identity = _right_identity(right, name)  # of what was read, before anything is aligned
    named = alignment.by_content(right)
    ready = comparison.prepared(named.document)  # all that needs no left document comes before the wait
    reporter.progress("loading", "Reading the captured ontology")
    left = inputs.capture(_with_left(call.inputs, reporter), "left")
    reporter.progress("semantic_diff", f"Comparing with {name}")
    left, right = alignment.align(alignment.by_content(left), named)
    if right is not ready.document:  # anonymous individuals were paired with the left one's
        ready = comparison.prepared(right)
    changes = comparison.compare(left, ready)
    reporter.progress("staging", "Writing the report")
    verdict = _verdict(left, right, changes)
    with ReportWriter(call.work_dir) as report:
        _write(report, left, right, changes, verdict, right_identity, limit)
    summary: Json = {
        "kind": "semantic_diff",
        "identical": verdict.is_identical,
        "compatibility": verdict.classification,
        "added_axioms": len(changes.added),
        "removed_axioms": len(changes.removed),
    }
    return StageResult(value=summary, artifacts=(report.artifact(),))


def _with_left(given: Mapping[str, object], reporter: Reporter) -> Mapping[str, object]:
    """The inputs with the left document, which may follow while the right one is being read."""
    if "left_follows" not in given:
        return given
    found = inputs.awaited(given, "left_follows", reporter)
    follows = Path(inputs.text(given, "left_follows"))
    handover.announce(follows.with_suffix(handover.TAKEN_SUFFIX), found)
    return {**given, **found}


def read_right(data: bytes, name: str, translations: Translations) -> OntologyDocument:
    """Read the right document; the details of an error say that it was this one."""
    try:
        return translations.read(data, name=name)[0]
    except errors.InvalidOntology as error:
        details = {**error.details, "document": "right_document", "name": name}
        raise errors.InvalidOntology(error.message, details=details) from error


# --- The verdict ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """What the whole comparison comes to."""

    ontology_id_changed: bool
    imports_changed: bool
    annotations_changed: bool
    classification: str
    is_identical: bool
    caveat: str
    anonymous_individual_churn: bool


def _verdict(left: OntologyDocument, right: OntologyDocument, changes: Changes) -> _Verdict:
    id_changed = (left.iri, left.version_iri) != (right.iri, right.version_iri)
    imports_changed = left.imports != right.imports
    annotations_changed = left.annotations != right.annotations
    headers = set(left.annotations) ^ set(right.annotations)
    churn = any("_:" in text and syntax.anonymous_individuals(text) for text in _differing(changes, headers))
    is_exact = left.anonymous_exact and right.anonymous_exact
    if (
        id_changed
        or imports_changed
        or changes.entities_removed
        or changes.logical_added
        or changes.logical_removed
    ):
        classification = "potentially_breaking"
    elif changes.entities_added:
        classification = "non_breaking"
    else:
        classification = "metadata_only"
    return _Verdict(
        ontology_id_changed=id_changed,
        imports_changed=imports_changed,
        annotations_changed=annotations_changed,
        classification=classification,
        is_identical=not (
            changes.added or changes.removed or id_changed or imports_changed or annotations_changed
        ),
        caveat=_CAVEAT + ((_CHURN_EXACT if is_exact else _CHURN_LOCAL) if churn else ""),
        anonymous_individual_churn=churn,
    )


def _differing(changes: Changes, headers: set[str]) -> list[str]:
    return [*changes.added, *changes.removed, *headers]


# --- The report -----------------------------------------------------------------------------------


def _write(
    report: ReportWriter,
    left: OntologyDocument,
    right: OntologyDocument,
    changes: Changes,
    verdict: _Verdict,
    right_identity: Json,
    limit: int,
) -> None:
    """All keys of W 4.3, then additions of ours: logical counts, re-annotated axioms, labels."""
    renames = parts.rename_candidates(changes)
    annotations, annotation_count, annotations_cut = parts.annotation_changes(changes, limit)
    entities_added, added_cut = parts.entity_lists(changes.entities_added, limit)
    entities_removed, removed_cut = parts.entity_lists(changes.entities_removed, limit)
    added, added_iris = parts.axiom_groups(changes.added, limit)
    removed, removed_iris = parts.axiom_groups(changes.removed, limit)
    report.add("kind", "semantic_diff")
    report.add("mode", "asserted")
    report.add("include_imports", False)
    report.add("identical", verdict.is_identical)
    report.add("compatibility", _compatibility(verdict))
    report.add("right_document", right_identity)
    report.add("right_document_unresolved_imports", list(right.imports))
    report.add("ontology_id", _pair(verdict.ontology_id_changed, _id(left), _id(right)))
    report.add("imports", _pair(verdict.imports_changed, list(left.imports), list(right.imports)))
    headers = _pair(verdict.annotations_changed, list(left.annotations), list(right.annotations))
    report.add("ontology_annotations", headers)
    report.add("entities", {"added": entities_added, "removed": entities_removed})
    report.add("entities_truncated", added_cut or removed_cut)
    report.add_rows("rename_candidates", renames[:limit])
    report.add("rename_candidates_truncated", len(renames) > limit)
    report.add_rows("annotation_changes", annotations)
    report.add("annotation_changes_count", annotation_count)
    report.add("annotation_changes_truncated", annotations_cut)
    report.add("asserted_axioms", {"added": added, "removed": removed})
    implied = {"added": changes.implied_added, "removed": changes.implied_removed}
    report.add("implied_declarations", implied)
    report.add("logical_added", len(changes.logical_added))
    report.add("logical_removed", len(changes.logical_removed))
    report.add("annotation_only_changes", parts.reannotated_rows(changes, limit))
    shown = {*added_iris, *removed_iris}
    shown.update(parts.mentioned(renames[:limit], "from", "to"), parts.mentioned(annotations, "focus_iri"))
    for lists in (entities_added, entities_removed):
        shown.update(iri for value in lists.values() if isinstance(value, list) for iri in value)
    report.add("labels", parts.all_labels((left.axioms, right.axioms), shown))
    report.add("reading_warnings", {"left": list(left.warnings), "right": list(right.warnings)})


def _compatibility(verdict: _Verdict) -> Json:
    return {
        "classification": verdict.classification,
        "policy_driven": False,
        "anonymous_individual_churn": verdict.anonymous_individual_churn,
        "caveat": verdict.caveat,
    }


def _right_identity(right: OntologyDocument, name: str) -> Json:
    return {
        "name": name,
        "format": right.format,
        "semantic_fingerprint": document.semantic_fingerprint(right),
    }


def _id(found: OntologyDocument) -> Json:
    return {"ontology_iri": found.iri, "version_iri": found.version_iri}


def _pair(changed: bool, left: object, right: object) -> Json:
    return {"changed": changed, "left": left, "right": right}
