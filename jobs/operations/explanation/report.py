"""The report of an explanation: `report.json`, all keys in one fixed order, every list bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.operations import wording
from jobs.operations.explanation import sentences
from jobs.operations.labels import bounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jobs.operations.explanation.findings import Findings
    from jobs.operations.origins import Origins
    from jobs.operations.report import ReportWriter
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json

# Ours: all lists together must stay below the 64 MiB of an artifact.
_AXIOMS_BYTES: Final = 40 * limits.MIB
_JUSTIFICATIONS_BYTES: Final = 8 * limits.MIB
_DOCUMENTS_BYTES: Final = 2 * limits.MIB
_LABELS_CHARACTERS: Final = 2 * limits.MIB
_READING_CHARACTERS: Final = 1000
_FREQUENT: Final = 20
"""Axioms named as those in most justifications."""


def write(
    report: ReportWriter,
    findings: Findings,
    origins: Origins,
    profile: ReasonerProfile,
    imports: Mapping[str, Sequence[str]],
    labels: Mapping[str, str],
    limit: int,
) -> None:
    """All keys. `reading`, `statement`, `evidence` and `caveat` are for people; the rest is data."""
    words = wording.plain(labels)
    for key, value in summary(findings, profile).items():
        if key != "reasoner_digest":
            report.add(key, value)
    report.add("statement", sentences.statement(findings, lambda iri: wording.name_of(iri, labels)))
    report.add("evidence", sentences.evidence(findings, profile))
    report.add("caveat", sentences.caveat(findings))
    report.add("limit", limit)
    report.add("complete", not findings.incomplete_because)
    report.add("incomplete_because", list(findings.incomplete_because))
    report.add("imports", {key: list(iris) for key, iris in imports.items()})
    report.add("common_axioms", list(findings.common))
    report.add("frequent_axioms", _frequent(findings))
    rows: Iterator[Json] = (
        {"id": number, "axioms": list(each)} for number, each in enumerate(findings.justifications, start=1)
    )
    are_there = report.add_rows("justifications", rows, _JUSTIFICATIONS_BYTES)
    report.add("justifications_truncated", bool(findings.left_out) or not are_there)
    is_there = report.add_rows("axioms", _axioms(findings, origins, words), _AXIOMS_BYTES)
    report.add("axioms_truncated", not is_there)
    report.add_rows("documents", _documents(origins), _DOCUMENTS_BYTES)
    report.add("reasoner", profile.as_json())
    report.add("labels", bounded(labels, labels, _LABELS_CHARACTERS))


def summary(findings: Findings, profile: ReasonerProfile) -> Json:
    """The `structured` result without `report_artifact_id`."""
    return {
        "kind": "reasoning_explain",
        "goal": findings.goal,
        "goal_chosen": "default" if findings.is_default_goal else "requested",
        "holds": findings.holds,
        "justification_count": findings.count,
        "all_found": findings.all_found,
        "reasoner_digest": profile.profile_key,
    }


def _frequent(findings: Findings) -> list[Json]:
    """The axioms of more than one justification, the most used first."""
    used = [(count, place) for place, count in enumerate(findings.uses) if count > 1]
    used.sort(key=lambda each: (-each[0], each[1]))
    return [{"axiom": place, "justifications": count} for count, place in used[:_FREQUENT]]


def _axioms(findings: Findings, origins: Origins, words: wording.Wording) -> Iterator[Json]:
    uses = findings.uses
    for place, text in enumerate(findings.axioms):
        yield {
            "id": place,
            "axiom": text,
            "reading": words.axiom(text)[:_READING_CHARACTERS],
            "documents": list(origins.of(text)),
            "justifications": uses[place],
        }


def _documents(origins: Origins) -> Iterator[Json]:
    for number, each in enumerate(origins.documents):
        yield {
            "id": number,
            "name": each.name,
            "iri": each.iri,
            "version_iri": each.version_iri,
            "role": "import" if number else "active",
        }
