"""The explanation as Markdown for a ticket: `explanation.md`.

What an author may have put anything into stands in the text of a link, its punctuation escaped, or in
code: so no label starts a heading, a table, HTML or a mention. Source: CommonMark 0.31, backslash escapes
and code spans.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.errors import clip_utf8
from jobs.ontology import grammar
from jobs.operations import wording
from jobs.operations.explanation import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobs.operations.explanation.findings import Findings
    from jobs.operations.origins import Origins
    from jobs.reasoners.identity import ReasonerProfile

CHARACTERS: Final = 60_000
"""Common trackers take a ticket of 65,536 characters; the rest is for what people add (ours)."""
_NAME_BYTES: Final = 200
_LITERAL_BYTES: Final = 500
_DOCUMENTS_SHOWN: Final = 3
_LINK: Final = re.compile(r"https?://[^\s<>\\`|\[\]\"']{1,2000}")
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")


def text(findings: Findings, origins: Origins, profile: ReasonerProfile, labels: Mapping[str, str]) -> str:
    """The whole text; what does not fit is counted, and stands in the report."""
    lines, left = list[str](), CHARACTERS
    for line in _lines(findings, origins, profile, labels):
        left -= len(line) + 1
        if left < 0:
            lines += ["", "*The rest does not fit here; the report of the job has all of it.*"]
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def _lines(
    findings: Findings, origins: Origins, profile: ReasonerProfile, labels: Mapping[str, str]
) -> Iterator[str]:
    def name(iri: str) -> str:
        return entity(iri, labels)

    words = wording.Wording(name, lambda literal: code(wording.literal(literal), _LITERAL_BYTES))

    def axiom(place: int) -> str:
        where = _where(findings.axioms[place], origins)
        return words.axiom(findings.axioms[place]) + (f" — {where}" if where else "")

    yield f"## {sentences.statement(findings, name)}"
    yield ""
    yield sentences.evidence(findings, profile)
    caveat = sentences.caveat(findings)
    if caveat is not None:
        yield ""
        yield f"**{caveat}**"
    if findings.common:
        yield ""
        yield "In every one of them; without one of these axioms, none is left:"
        yield ""
        yield from (f"- {axiom(place)}" for place in findings.common)
    for number, each in enumerate(findings.justifications, start=1):
        count = "1 axiom" if len(each) == 1 else f"{len(each)} axioms"
        yield ""
        yield f"### Justification {number} of {findings.count} ({count})"
        yield ""
        yield from (f"{line}. {axiom(place)}" for line, place in enumerate(each, start=1))
    if findings.left_out:
        yield ""
        yield f"*{findings.left_out} more are too large to report.*"


def _where(axiom: str, origins: Origins) -> str:
    """The documents that say it, where there are several documents at all."""
    if len(origins.documents) == 1:
        return ""
    numbers = origins.of(axiom)
    names = [code(origins.documents[each].name) for each in numbers[:_DOCUMENTS_SHOWN]]
    more = f" and {len(numbers) - _DOCUMENTS_SHOWN} more" if len(numbers) > _DOCUMENTS_SHOWN else ""
    return ", ".join(names) + more


def entity(iri: str, labels: Mapping[str, str]) -> str:
    """An entity by its label, linked to its IRI where that is an address on the web."""
    label = wording.one_line(labels.get(iri, ""))
    short = wording.short_name(iri)
    if iri.startswith(grammar.BUILTIN_NAMESPACES):
        return code(short)
    if _LINK.fullmatch(iri):
        return f"[{escaped(clip_utf8(label or short, _NAME_BYTES))}](<{iri}>)"
    return f"{code(label)} ({code(iri)})" if label else code(iri)


def escaped(found: str) -> str:
    """Text as Markdown that shows exactly it."""
    return _PUNCTUATION.sub(r"\\\1", wording.one_line(found))


def code(found: str, most_bytes: int = _NAME_BYTES) -> str:
    """Text as a code span, whatever backticks are in it."""
    line = clip_utf8(wording.one_line(found), most_bytes) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"
