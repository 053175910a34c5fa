"""What of a result is worth saying first, in words, by job type (W 4).

`summary` speaks from the structured summary, `first` from the bytes of the report. A report is
read with suspicion: a missing or odd part is left out, never an error, since only text is at stake.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from jobs.values import JobType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobs.values import Json

ROWS: Final = 25  # ours, per list
ROW_CHARACTERS: Final = 300


def summary(job_type: JobType, structured: Json) -> list[str]:
    """One to three sentences from the summary of a succeeded job."""
    match job_type:
        case JobType.SEMANTIC_DIFF:
            return _diff_summary(structured)
        case JobType.CLASSIFICATION:
            return _classification_summary(structured)
        case JobType.PROJECT_QC:
            gate, count = structured.get("gate"), structured.get("finding_count")
            ran, skipped = structured.get("stages_ran"), structured.get("stages_skipped")
            return [f"Gate: {gate}; {_count(count, 'finding')}; {ran} stages ran, {skipped} skipped."]
        case JobType.INFERENCE_MATERIALIZATION:
            count = _count(structured.get("axiom_count"), "inferred axiom")
            return [f"{count} computed; the ontology itself is unchanged."]


def first(job_type: JobType, report: bytes) -> str:
    """The first rows of a report; empty when there is nothing to show."""
    try:
        parsed = json.loads(report)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(parsed, dict):
        return ""
    match job_type:
        case JobType.SEMANTIC_DIFF:
            lines = list(_diff_rows(parsed))
        case JobType.CLASSIFICATION:
            lines = list(_classification_rows(parsed))
        case JobType.PROJECT_QC:
            lines = list(_finding_rows(parsed))
        case JobType.INFERENCE_MATERIALIZATION:
            lines = list(_category_rows(parsed))
    return "\n".join(line[:ROW_CHARACTERS] for line in lines)


# --- Semantic diff --------------------------------------------------------------------------------


def _diff_summary(structured: Json) -> list[str]:
    if structured.get("identical") is True:
        return ["The two documents say the same: no axiom, header annotation, id or import differs."]
    added = _count(structured.get("added_axioms"), "axiom")
    removed = _count(structured.get("removed_axioms"), "axiom")
    kind = str(structured.get("compatibility", "")).replace("_", " ")
    return [f"{added} only in the right document, {removed} only in this window; {kind}."]


def _diff_rows(report: Json) -> Iterator[str]:
    yield from _entity_rows(report)
    renames = [
        f"  {each.get('from')} -> {each.get('to')}" for each in _objects(report.get("rename_candidates"))
    ]
    yield from _titled("Possibly renamed (same unique label):", renames)
    axioms = _object(report.get("asserted_axioms"))
    for side, where in (("added", "the right document"), ("removed", "this window")):
        groups = _object(_object(axioms.get(side)).get("groups"))
        found = [f"  {row.get('axiom')}" for group in groups.values() for row in _objects(group)]
        yield from _titled(f"Axioms only in {where}:", found)
    churn = _object(report.get("compatibility"))
    if churn.get("anonymous_individual_churn") is True:
        yield f"Mind: {churn.get('caveat')}"


def _entity_rows(report: Json) -> Iterator[str]:
    entities = _object(report.get("entities"))
    for side, where in (("added", "the right document"), ("removed", "this window")):
        found = [
            f"  {kind} {iri}"
            for kind, iris in _object(entities.get(side)).items()
            if isinstance(iris, list)
            for iri in iris
        ]
        yield from _titled(f"Entities only in {where}:", found)


# --- The other types ------------------------------------------------------------------------------


def _classification_summary(structured: Json) -> list[str]:
    said = [
        f"Consistency: {structured.get('consistency_status')}; "
        f"unsatisfiable classes: {structured.get('unsatisfiable_status')}."
    ]
    count = structured.get("unsatisfiable_count")
    if isinstance(count, int):
        said.append(f"{_count(count, 'unsatisfiable class', 'unsatisfiable classes')}.")
    if structured.get("capability_limited") is True:
        said.append("This reasoner cannot decide everything here; the report says what is missing.")
    return said


def _classification_rows(report: Json) -> Iterator[str]:
    listed = report.get("unsatisfiable_classes")
    found = [f"  {each}" for each in listed] if isinstance(listed, list) else []
    yield from _titled("Unsatisfiable classes:", found)
    counts = _object(report.get("counts"))
    if counts:
        yield "Taxonomy: " + ", ".join(f"{value} {key.replace('_', ' ')}" for key, value in counts.items())
    groups = [
        "  " + " = ".join(str(each) for each in members)
        for node in _objects(report.get("equivalents"))
        if isinstance(members := node.get("members"), list)
    ]
    yield from _titled("Equivalent classes:", groups)


def _finding_rows(report: Json) -> Iterator[str]:
    found = [
        f"  {each.get('severity')}: {each.get('message')} {each.get('focus_iri') or ''}".rstrip()
        for each in _objects(report.get("findings"))
    ]
    yield from _titled("Findings:", found)


def _category_rows(report: Json) -> Iterator[str]:
    found = [
        f"  {each.get('category')}: {each.get('produced_axioms')}"
        for each in _objects(report.get("categories"))
    ]
    yield from _titled("By category:", found)


def _titled(title: str, found: list[str]) -> Iterator[str]:
    if found:
        yield title
        yield from found[:ROWS]
        if len(found) > ROWS:
            yield f"  … and {len(found) - ROWS} more in the report"


def _count(value: object, one: str, many: str | None = None) -> str:
    return f"{value} {one if value == 1 else many or one + 's'}"


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
