"""The worker stage `classification`: one captured closure, one reasoner profile, one report.

Inputs (JSON):
    closure, closure_sha256: capture file of the flattened import closure.
    profile_id: an exact profile; it is identified again here, from the files this process runs.
    profile_key: the identity that was admitted (optional).
    limit: how many unsatisfiable classes the report lists, 0..10000.
    imports_loaded, imports_missing: IRIs, of the capture.
Value: the summary of W 4.1 without `report_artifact_id`. Artifact: `report.json`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from jobs import errors, limits
from jobs.operations import inputs, labels
from jobs.operations.classification import verdict as verdicts
from jobs.operations.report import ReportWriter, encoded
from jobs.reasoners import profiles
from jobs.reasoners.roots import split_unsatisfiable
from jobs.reasoners.taxonomy import NOTHING, THING
from jobs.workers.contract import StageResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jobs.operations.classification.verdict import Verdict
    from jobs.reasoners.profiles import ReasonerProfile
    from jobs.reasoners.structural import Say
    from jobs.reasoners.taxonomy import Outcome, Taxonomy
    from jobs.values import Json
    from jobs.workers.contract import Reporter, StageCall

_RUNNERS: Final = {profiles.STRUCTURAL: "jobs.reasoners.structural", profiles.PYELK: "jobs.reasoners.elk"}
_EVIDENCE: Final = ("class_hierarchy", "equivalent_classes", "consistency", "satisfiability")
_EQUIVALENTS_BYTES: Final = 8 * limits.MIB  # ours: the report must stay below 64 MiB
_LABELS_BYTES: Final = 16 * limits.MIB  # ours


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Classify and write the report."""
    limit = inputs.integer(call.inputs, "limit")
    profile = _profile(call)
    imports = _imports(call)
    reporter.progress("loading", "Reading the captured import closure")
    axioms = inputs.capture(call.inputs, "closure").axioms
    outcome = runner(profile.profile_id)(axioms, reporter.progress)
    reporter.progress("staging", "Writing the report")
    verdict = verdicts.judge(outcome, profile, imports["missing"])
    with ReportWriter(call.work_dir) as report:
        _write(report, axioms, outcome, verdict, profile, imports, limit)
    return StageResult(value=verdict.summary(profile), artifacts=(report.artifact(),))


def runner(profile_id: str) -> Callable[[Sequence[str], Say], Outcome]:
    """The function that classifies for a profile; its reasoner is imported now."""
    classify: Callable[[Sequence[str], Say], Outcome] = importlib.import_module(_RUNNERS[profile_id]).classify
    return classify


def _profile(call: StageCall) -> ReasonerProfile:
    """The profile as it is here and now, which must be the one the job was admitted with."""
    profile = profiles.resolve(inputs.text(call.inputs, "profile_id"))
    admitted = inputs.optional_text(call.inputs, "profile_key") or profile.profile_key
    if profile.profile_key != admitted or not profile.is_reviewed:
        raise errors.ExecutionFailed(
            "The reasoner is not the one this job was admitted with.",
            details={"failure_type": "reasoner_changed", "profile_id": profile.profile_id},
        )
    return profile


def _imports(call: StageCall) -> dict[str, tuple[str, ...]]:
    return {key: tuple(sorted(inputs.texts(call.inputs, f"imports_{key}"))) for key in ("loaded", "missing")}


# --- The report -----------------------------------------------------------------------------------


def _write(
    report: ReportWriter,
    axioms: tuple[str, ...],
    outcome: Outcome,
    verdict: Verdict,
    profile: ReasonerProfile,
    imports: dict[str, tuple[str, ...]],
    limit: int,
) -> None:
    """All keys of W 4.1, then those of decision 18, then labels."""
    found = outcome.unsatisfiable
    roots, derived = split_unsatisfiable(found, axioms)
    for key, value in verdict.summary(profile).items():
        if key != "reasoner_digest":
            report.add(key, value)
    report.add("unsatisfiable_classes", list(found[:limit]))
    report.add("unsatisfiable_truncated", len(found) > limit)
    report.add("root_unsatisfiable_classes", list(roots[:limit]))
    report.add("derived_unsatisfiable_classes", list(derived[:limit]))
    report.add("complete", verdict.is_complete)
    report.add("incomplete_because", list(verdict.incomplete_because))
    report.add("imports", {key: list(iris) for key, iris in imports.items()})
    scope = {"owl_profile": profile.owl_profile, "outside_axioms": outcome.outside_axioms}
    report.add("profile_scope", scope)
    report.add("evidence", _evidence(profile))
    report.add("reasoner", profile.as_json())
    shown = _write_hierarchy(report, outcome.taxonomy)
    report.add("labels", _bounded_labels(axioms, [*shown, *found[:limit]]))


def _evidence(profile: ReasonerProfile) -> Json:
    rows = {each: profile.capabilities[each] for each in _EVIDENCE}
    return {each: {"status": row.status.value, "evidence": row.evidence} for each, row in rows.items()}


def _write_hierarchy(report: ReportWriter, taxonomy: Taxonomy | None) -> list[str]:
    """Write counts, equivalents and groups; returns the IRIs shown.

    Of an inconsistent ontology there is no hierarchy: everything would be true of it.
    """
    report.add("counts", _counts(taxonomy))
    report.add("taxonomy_limit", {"nodes": limits.TAXONOMY_NODES, "bytes": limits.TAXONOMY_BYTES})
    nodes = taxonomy.nodes if taxonomy else ()
    together = [
        {"id": node, "members": list(members)}
        for node, members in enumerate(nodes)
        if len(members) > 1 and taxonomy and node != taxonomy.bottom
    ]
    are_there = report.add_rows("equivalents", together, _EQUIVALENTS_BYTES)
    report.add("equivalents_truncated", not are_there)
    is_small = len(nodes) <= limits.TAXONOMY_NODES
    is_there = report.add_rows(
        "groups", _groups(taxonomy) if taxonomy and is_small else (), limits.TAXONOMY_BYTES
    )
    report.add("taxonomy_truncated", not (is_small and is_there))
    return [iri for members in nodes for iri in members] if is_small and is_there else []


def _groups(taxonomy: Taxonomy) -> Iterator[Json]:
    depths = taxonomy.depths()
    for node, members in enumerate(taxonomy.nodes):
        parents = list(taxonomy.parents[node])
        yield {"id": node, "members": list(members), "parents": parents, "depth": depths[node]}


def _counts(taxonomy: Taxonomy | None) -> Json:
    """Of named classes without owl:Thing and owl:Nothing; all zero without a hierarchy."""
    nodes = taxonomy.nodes if taxonomy else ()
    together = [members for node, members in enumerate(nodes) if taxonomy and node != taxonomy.bottom]
    return {
        "classes": sum(iri not in (THING, NOTHING) for members in nodes for iri in members),
        "nodes": len(nodes),
        "equivalence_groups": sum(len(members) > 1 for members in together),
        "direct_subsumptions": sum(map(len, taxonomy.parents)) if taxonomy else 0,
    }


def _bounded_labels(axioms: Sequence[str], iris: list[str]) -> Json:
    """Labels in the order of IRIs, as many as fit."""
    result: Json = {}
    size_bytes = 0
    for iri, label in labels.labels(axioms, iris).items():
        size_bytes += len(encoded({iri: label}))
        if size_bytes > _LABELS_BYTES:
            break
        result[iri] = label
    return result
