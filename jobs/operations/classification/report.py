"""The report of a classification: `report.json`, all keys in one fixed order, every list bounded.

An answer is told once: hierarchies as nodes with their members and direct parents, individuals with
their direct types. Of an inconsistent ontology there is none: everything would be true of it.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.operations import labels
from jobs.reasoners.roots import split_unsatisfiable
from jobs.reasoners.scope import axioms_outside
from jobs.reasoners.taxonomy import NOTHING, THING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jobs.operations.classification.verdict import Verdict
    from jobs.operations.report import ReportWriter
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.reasoners.taxonomy import Individuals, Outcome, Taxonomy
    from jobs.values import Json

_EVIDENCE: Final = ("class_hierarchy", "equivalent_classes", "consistency", "satisfiability")
# Ours: all lists together must stay below the 64 MiB of an artifact.
_EQUIVALENTS_BYTES: Final = 8 * limits.MIB
_PROPERTIES_BYTES: Final = 4 * limits.MIB
_INDIVIDUALS_BYTES: Final = 8 * limits.MIB
_IGNORED_BYTES: Final = 2 * limits.MIB
_LABELS_CHARACTERS: Final = 8 * limits.MIB
_PROPERTY_KINDS: Final = ("object_properties", "data_properties")


def write(
    report: ReportWriter,
    axioms: Sequence[str],
    named: Mapping[str, str],
    outcome: Outcome,
    verdict: Verdict,
    profile: ReasonerProfile,
    imports: Mapping[str, Sequence[str]],
    limit: int,
) -> None:
    """All keys of W 4.1, then those of decision 18, then hierarchies and labels.

    Args:
        axioms: canonical texts of the captured closure.
        named: the label of every IRI that has one.
        imports: IRIs, `loaded` and `missing`.
        limit: how many unsatisfiable classes, and how many ignored axioms, are listed.
    """
    found = outcome.unsatisfiable
    roots, derived = split_unsatisfiable(found, axioms)
    for key, value in verdict.summary(profile).items():
        if key != "reasoner_digest":
            report.add(key, value)
    report.add("unsatisfiable_classes", list(found[:limit]))
    report.add("unsatisfiable_truncated", len(found) > limit)
    report.add("root_unsatisfiable_classes", list(roots[:limit]))
    report.add("derived_unsatisfiable_classes", list(derived[:limit]))
    report.add("unsatisfiable_counts", {"root": len(roots), "derived": len(derived)})
    report.add("complete", verdict.is_complete)
    report.add("incomplete_because", list(verdict.incomplete_because))
    report.add("incomplete_sections", list(outcome.incomplete_sections))
    report.add("imports", {key: list(iris) for key, iris in imports.items()})
    scope = {"owl_profile": profile.owl_profile, "outside_axioms": outcome.outside_axioms}
    report.add("profile_scope", scope)
    _write_ignored(report, axioms, outcome, limit)
    report.add("evidence", _evidence(profile))
    report.add("reasoner", profile.as_json())
    shown = _write_classes(report, outcome.taxonomy)
    for kind in _PROPERTY_KINDS:
        shown += _write_properties(report, kind, getattr(outcome, kind))
    shown += _write_individuals(report, outcome.individuals)
    report.add("labels", labels.bounded(named, {*shown, *found[:limit]}, _LABELS_CHARACTERS))


def _evidence(profile: ReasonerProfile) -> Json:
    rows = {each: profile.capabilities[each] for each in _EVIDENCE}
    return {each: {"status": row.status.value, "evidence": row.evidence} for each, row in rows.items()}


def _write_ignored(report: ReportWriter, axioms: Sequence[str], outcome: Outcome, limit: int) -> None:
    """The axioms that were not, or not wholly, interpreted: what a missing conclusion may come from."""
    outside = axioms_outside(axioms, outcome.incomplete_because)
    rows: list[Json | str] = list(islice(outside, limit))
    is_there = report.add_rows("ignored_axioms", rows, _IGNORED_BYTES)
    report.add("ignored_axioms_truncated", next(outside, None) is not None or not is_there)


# --- Hierarchies ----------------------------------------------------------------------------------


def _write_classes(report: ReportWriter, taxonomy: Taxonomy | None) -> list[str]:
    """Write counts, equivalents and groups; returns the IRIs shown."""
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
    groups = _groups(taxonomy) if taxonomy and is_small else ()
    is_there = report.add_rows("groups", groups, limits.TAXONOMY_BYTES)
    report.add("taxonomy_truncated", not (is_small and is_there))
    return _members(nodes) if is_small and is_there else []


def _write_properties(report: ReportWriter, kind: str, taxonomy: Taxonomy | None) -> list[str]:
    """Write one property hierarchy, null when the reasoner does not compute it; returns the IRIs shown."""
    key = f"{kind.removesuffix('ies')}y"
    if taxonomy is None:
        report.add(f"{key}_groups", None)
        report.add(f"{key}_groups_truncated", False)
        return []
    is_there = report.add_rows(f"{key}_groups", _groups(taxonomy), _PROPERTIES_BYTES)
    report.add(f"{key}_groups_truncated", not is_there)
    return _members(taxonomy.nodes) if is_there else []


def _write_individuals(report: ReportWriter, individuals: Individuals | None) -> list[str]:
    """Write the individuals with their direct types; null when the reasoner does not compute them."""
    if individuals is None:
        report.add("individuals", None)
        report.add("individuals_truncated", False)
        return []
    rows: Iterator[Json] = (
        {"members": list(members), "types": list(types)}
        for members, types in zip(individuals.nodes, individuals.types, strict=True)
    )
    is_there = report.add_rows("individuals", rows, _INDIVIDUALS_BYTES)
    report.add("individuals_truncated", not is_there)
    return _members(individuals.nodes) if is_there else []


def _members(nodes: Sequence[Sequence[str]]) -> list[str]:
    return [iri for members in nodes for iri in members]


def _groups(taxonomy: Taxonomy) -> Iterator[bytes]:
    """The nodes as encoded rows: a row at a time, the encoder takes twice as long as this."""
    depths = taxonomy.depths()
    for node, members in enumerate(taxonomy.nodes):
        names = ",".join(map(_quoted, members))
        parents = ",".join(map(str, taxonomy.parents[node]))
        row = f'{{"depth":{depths[node]},"id":{node},"members":[{names}],"parents":[{parents}]}}'
        yield row.encode("utf-8", "backslashreplace")


def _quoted(iri: str) -> str:
    """An IRI as JSON; the grammar of IRIs leaves only the backslash to be escaped."""
    return f'"{iri}"' if "\\" not in iri else json.dumps(iri, ensure_ascii=False)


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
