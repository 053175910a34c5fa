"""What of a result is worth saying first, in words, by job type (W 4, decision 22).

The summary is always told; of the report, what people ask for first: entities, logical axioms,
unsatisfiable classes, findings, with labels in place of IRIs where the report has them. A report is
read with suspicion: a missing or odd part is left out, never an error, since only text is at stake.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from jobs.errors import in_one_line
from jobs.values import JobType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobs.values import Json

ROWS: Final = 15  # ours, per list
ROW_CHARACTERS: Final = 240
_IRI: Final = re.compile(r"<([^<>\s]+)>")
_LAST: Final = ("Declaration", "AnnotationAssertion")  # groups that say least about meaning
_PREFIXES: Final = {
    "http://www.w3.org/2002/07/owl#": "owl:",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    "http://www.w3.org/2001/XMLSchema#": "xsd:",
    "http://www.w3.org/2004/02/skos/core#": "skos:",
}


def told(job_type: JobType, structured: Json, report: bytes) -> list[str]:
    """The lines for a succeeded job.

    Args:
        report: its report, or the beginning of a large one, or nothing.
    """
    read = _parsed(report)
    match job_type:
        case JobType.SEMANTIC_DIFF:
            lines = _diff(structured, read)
        case JobType.CLASSIFICATION:
            lines = _classification(structured, read)
        case JobType.PROJECT_QC:
            lines = _project_qc(structured, read)
        case JobType.INFERENCE_MATERIALIZATION:
            lines = _materialization(structured, read)
        case JobType.REASONING_EXPLAIN:
            lines = _explanation(structured, read)
    return [_shortened(line) for line in lines]


def _parsed(report: bytes) -> Json:
    """The report, or those of its leading keys that are whole: it has one key per line."""
    whole = _loaded(report)
    if whole is not None:
        return whole
    found: Json = {}
    for line in report.splitlines()[1:]:
        part = _loaded(b"{" + line.rstrip(b", \t") + b"}")
        if part is None:
            break
        found.update(part)
    return found


def _loaded(text: bytes) -> Json | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def window(described: Json) -> list[str]:
    """The lines about an open window."""
    ontology, imports = _object(described.get("ontology")), _object(described.get("imports"))
    reasoner, policy = _object(described.get("reasoner")), _object(described.get("policy"))
    iri = ontology.get("iri") or "an ontology without IRI"
    lines = [
        f"{described.get('title')}: {iri}, {_count(ontology.get('axioms'), 'axiom')}, "
        f"{ontology.get('closure_axioms')} with its imports; revision {described.get('session_revision')}.",
        f"Reasoner: {reasoner.get('profile_id')}. Project: {policy.get('project_id')}, "
        f"{'its policy is ' + str(policy.get('path')) if policy.get('loaded') else 'default policy'}.",
        f"start_job takes here: {', '.join(str(each) for each in _list(described.get('job_types')))}.",
        f"You may: {', '.join(str(each) for each in _list(described.get('capabilities')))}.",
    ]
    if described.get("read_only") is True:
        lines.append("This window is read-only: nothing can be exported.")
    lines += _titled("Imports not found:", [f"  {each}" for each in _list(imports.get("missing"))])
    lines += _titled("Mind, from reading:", [f"  {each}" for each in _list(ontology.get("reading_warnings"))])
    return [_shortened(line) for line in lines]


# --- Semantic diff --------------------------------------------------------------------------------


def _diff(structured: Json, report: Json) -> Iterator[str]:
    if structured.get("identical") is True:
        yield "The two documents say the same: no axiom, header annotation, id or import differs."
        return
    right = str(_object(report.get("right_document")).get("name") or "the right document")
    added = _count(structured.get("added_axioms"), "axiom")
    removed = _count(structured.get("removed_axioms"), "axiom")
    kind = str(structured.get("compatibility", "")).replace("_", " ")
    yield f"{added} only in {right}, {removed} only in this window; {kind}."
    sides = (("added", right), ("removed", "this window"))
    labels = _object(report.get("labels"))
    for side, where in sides:
        entities = _object(_object(report.get("entities")).get(side))
        yield from _titled(f"Entities only in {where}:", list(_entities(entities, labels)))
    yield from _titled("Possibly renamed (same unique label):", list(_renames(report, labels)))
    for side, where in sides:
        axioms = _object(_object(report.get("asserted_axioms")).get(side))
        yield from _titled(f"Axioms only in {where}:", list(_axioms(axioms, labels)), axioms.get("count"))
    compatibility = _object(report.get("compatibility"))
    if compatibility.get("anonymous_individual_churn") is True:
        # A row for each sentence: the last one, on what may be false, must not be cut off.
        yield from (f"Mind: {each}" for each in re.split(r"(?<=\.) ", str(compatibility.get("caveat"))))


def _entities(entities: Json, labels: Json) -> Iterator[str]:
    for kind, iris in entities.items():
        for iri in iris if isinstance(iris, list) else ():
            yield f"  {kind} {_named(iri, labels)}"


def _renames(report: Json, labels: Json) -> Iterator[str]:
    for each in _objects(report.get("rename_candidates")):
        yield f"  {each.get('from')} -> {_named(each.get('to'), labels)}"


def _axioms(axioms: Json, labels: Json) -> Iterator[str]:
    groups = _object(axioms.get("groups"))
    for name in sorted(groups, key=lambda name: (name in _LAST, name)):
        for row in _objects(groups[name]):
            yield f"  {_readable(str(row.get('axiom')), labels)}"


# --- The other types ------------------------------------------------------------------------------


def _classification(structured: Json, report: Json) -> Iterator[str]:
    """Only what was decided is stated; a structural traversal decides neither (W 4.1)."""
    consistency = structured.get("consistency_status")
    decided = consistency in ("consistent", "inconsistent")
    yield f"The ontology is {consistency}." if decided else f"Consistency was not decided ({consistency})."
    status, count = structured.get("unsatisfiable_status"), structured.get("unsatisfiable_count")
    if status == "complete":
        yield f"{_count(count, 'unsatisfiable class', 'unsatisfiable classes')}, every class was checked."
    elif status == "not_applicable":
        yield "Unsatisfiable classes do not apply: everything follows from an inconsistent ontology."
    else:
        yield f"Unsatisfiable classes were not decided ({status})."
    labels = _object(report.get("labels"))
    yield from _unsatisfiable(report, labels)
    if report.get("root_unsatisfiable_classes") or consistency == "inconsistent":
        yield "Why: `protege-jobs run reasoning_explain FILE`, for one class with --class IRI-OR-LABEL."
    yield from _titled(
        "Not complete, because:", [f"  {each}" for each in _list(report.get("incomplete_because"))]
    )
    counts = _object(report.get("counts"))
    if counts:
        yield "Taxonomy: " + ", ".join(f"{value} {key.replace('_', ' ')}" for key, value in counts.items())
    groups = [
        "  " + " = ".join(_named(each, labels) for each in _list(node.get("members")))
        for node in _objects(report.get("equivalents"))
    ]
    yield from _titled("Equivalent:", groups)


def _unsatisfiable(report: Json, labels: Json) -> Iterator[str]:
    """The roots first: what is only unsatisfiable because of them is mended with them."""
    counts = _object(report.get("unsatisfiable_counts"))
    roots, derived = _list(report.get("root_unsatisfiable_classes")), counts.get("derived")
    if not roots or not derived:
        found = [f"  {_named(each, labels)}" for each in _list(report.get("unsatisfiable_classes"))]
        yield from _titled("Unsatisfiable:", found)
    else:
        count = counts.get("root")
        follow = f"{derived} {'follows' if derived == 1 else 'follow'} from {'it' if count == 1 else 'them'}"
        title = f"Unsatisfiable: {_count(count, 'root')}, {follow}. The roots:"
        yield from _titled(title, [f"  {_named(each, labels)}" for each in roots], count)
        below = [f"  {_named(each, labels)}" for each in _list(report.get("derived_unsatisfiable_classes"))]
        yield from _titled("Unsatisfiable because of a root:", below, derived)


def _explanation(structured: Json, report: Json) -> Iterator[str]:
    holds = structured.get("holds")
    yield str(report.get("statement") or f"Does it follow: {'unknown' if holds is None else holds}.")
    for key in ("evidence", "caveat"):
        if report.get(key):
            yield str(report[key])
    axioms, documents = _by_id(report.get("axioms")), _by_id(report.get("documents"))

    def rows(places: object) -> list[str]:
        found = (axioms.get(each) for each in _list(places) if isinstance(each, int))
        return [f"  {_said(each, documents)}" for each in found if each is not None]

    yield from _titled("In every justification:", rows(report.get("common_axioms")))
    justifications = _objects(report.get("justifications"))
    for each in justifications:
        listed = rows(each.get("axioms"))
        title = f"Justification {each.get('id')} of {structured.get('justification_count')}"
        yield from _titled(f"{title} ({_count(len(_list(each.get('axioms'))), 'axiom')}):", listed)
    labels = _object(report.get("labels"))
    yield from _titled("Names:", [f"  {_named(iri, labels)}" for iri in labels])


def _by_id(rows: object) -> dict[int, Json]:
    found = ((each.get("id"), each) for each in _objects(rows))
    return {number: each for number, each in found if isinstance(number, int)}


def _said(axiom: Json, documents: Mapping[int, Json]) -> str:
    """The axiom as people read it, with its documents where there are several."""
    numbers = [each for each in _list(axiom.get("documents")) if isinstance(each, int)]
    where = [str(documents[each].get("name")) for each in numbers if each in documents]
    told = str(axiom.get("reading"))
    return f"{told}   [{', '.join(where)}]" if where and len(documents) > 1 else told


def _project_qc(structured: Json, report: Json) -> Iterator[str]:
    found = _count(structured.get("finding_count"), "finding")
    ran, skipped = structured.get("stages_ran"), structured.get("stages_skipped")
    yield f"Gate: {structured.get('gate')}; {found}; {ran} stages ran, {skipped} skipped."
    findings = [
        f"  {each.get('severity')}: {each.get('message')} {each.get('focus_iri') or ''}".rstrip()
        for each in _objects(report.get("findings"))
    ]
    yield from _titled("Findings:", findings)


def _materialization(structured: Json, report: Json) -> Iterator[str]:
    yield f"{_count(structured.get('axiom_count'), 'inferred axiom')} computed; the ontology is unchanged."
    categories = [
        f"  {each.get('category')}: {each.get('produced_axioms')}"
        for each in _objects(report.get("categories"))
    ]
    yield from _titled("By category:", categories)


# --- Words ----------------------------------------------------------------------------------------


def _titled(title: str, found: list[str], total: object = None) -> Iterator[str]:
    """A title and its first rows; `total` counts also those that the report itself leaves out."""
    if found:
        yield title
        yield from found[:ROWS]
        count = total if isinstance(total, int) and total > len(found) else len(found)
        if count > ROWS:
            yield f"  … and {count - ROWS} more; the report lists {len(found)}"


def _named(iri: object, labels: Json) -> str:
    label = labels.get(str(iri))
    return f"{iri} '{label}'" if isinstance(label, str) else str(iri)


def _readable(axiom: str, labels: Json) -> str:
    """The axiom with labels for the IRIs that have one, and the usual prefixes."""

    def name(found: re.Match[str]) -> str:
        iri = found.group(1)
        label = labels.get(iri)
        if isinstance(label, str):
            return f"'{label}'"
        known = next((each for each in _PREFIXES if iri.startswith(each)), None)
        return found.group() if known is None else _PREFIXES[known] + iri[len(known) :]

    return _IRI.sub(name, axiom)


def _shortened(line: str) -> str:
    line = in_one_line(line)
    return line if len(line) <= ROW_CHARACTERS else f"{line[: ROW_CHARACTERS - 2]} …"


def _count(value: object, one: str, many: str | None = None) -> str:
    return f"{value} {one if value == 1 else many or one + 's'}"


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[Json]:
    return [each for each in _list(value) if isinstance(each, dict)]
