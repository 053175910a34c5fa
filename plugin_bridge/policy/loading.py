"""From the bytes of a policy file to its model, with errors that name line and key."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from jobs.digests import Digest, json_digest
from jobs.errors import BackendRetentionBelowPrincipal, PolicyInvalid, PolicyRequired, RetentionBelowActive
from plugin_bridge.policy.document import Jobs, PolicyDocument
from plugin_bridge.policy.yaml_subset import YamlRefused, YamlText, dotted, read_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from jobs.errors import ProtegeJobsError
    from jobs.values import Json

_WORDS = {
    "extra_forbidden": ("unknown_key", "is not a key of the policy"),
    "missing": ("missing_key", "is missing"),
}
_JOBS_STRUCTURE = frozenset({"extra_forbidden", "model_type", "model_attributes_type"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with a policy file. `reason` is a stable word, `line` counts from 1."""

    reason: str
    message: str
    line: int | None
    key: str | None
    error: type[ProtegeJobsError]

    @property
    def sentence(self) -> str:
        """The problem in words, with its place."""
        place = "" if self.line is None else f" line {self.line}:"
        subject = "" if self.key is None else f" {self.key}"
        return f"Policy{place}{subject} {self.message}."


def read_policy(raw: bytes) -> PolicyDocument:
    """Read a policy file.

    Raises:
        PolicyRequired: it does not load; `details` has `reason`, `line`, `key`.
        PolicyInvalid, RetentionBelowActive, BackendRetentionBelowPrincipal: the `jobs` block is
            outside the product's bounds; same details.
    """
    document, problems = _read(raw)
    if document is None:
        raise as_error(problems)
    return document


def find_problems(raw: bytes) -> tuple[Problem, ...]:
    """Everything wrong with a policy file, by line; empty if it loads."""
    return _read(raw)[1]


def policy_digest(document: PolicyDocument) -> Digest:
    """Digest the effective document: defaults filled in, comments and key order irrelevant.

    Source: W 4.6.
    """
    return json_digest(effective(document))


def effective(document: PolicyDocument) -> Json:
    """The document with its defaults filled in, as plain JSON."""
    return document.model_dump(mode="json")


def as_error(problems: tuple[Problem, ...]) -> ProtegeJobsError:
    """The first problem as an error; `details.problems` counts all of them."""
    first = problems[0]
    return first.error(
        first.sentence,
        details={
            "reason": first.reason,
            "line": first.line,
            "key": first.key,
            "problems": len(problems),
        },
    )


def _read(raw: bytes) -> tuple[PolicyDocument | None, tuple[Problem, ...]]:
    try:
        text = read_yaml(raw)
    except YamlRefused as fault:
        return None, (_refused(fault.reason, fault.message, fault.line, fault.key),)
    if not isinstance(text.data, dict):
        return None, (_refused("not_a_mapping", "must be a mapping that begins with version: 1", None, None),)
    try:
        # Through JSON: its strict mode turns lists into tuples and dates into dates, and nothing else.
        document = PolicyDocument.model_validate_json(json.dumps(text.data), strict=True)
    except ValidationError as fault:
        found = [_problem(each, text) for each in fault.errors(include_url=False, include_input=False)]
        return None, tuple(sorted(found, key=lambda each: (each.line or 0, each.key or "")))
    crossed = _crossed_bounds(document.jobs, text)
    return (None, crossed) if crossed else (document, ())


def _refused(reason: str, message: str, line: int | None, key: str | None) -> Problem:
    return Problem(reason=reason, message=message, line=line, key=key, error=PolicyRequired)


def _problem(fault: ErrorDetails, text: YamlText) -> Problem:
    path = tuple(step for step in fault["loc"] if step != "[key]")
    kind = fault["type"]
    message = fault["msg"].removeprefix("Value error, ")
    reason, message = _WORDS.get(kind, ("bad_value", message[:1].lower() + message[1:]))
    is_bound = path[:1] == ("jobs",) and kind not in _JOBS_STRUCTURE
    return Problem(
        reason=reason,
        message=message,
        line=_line_of(path, text),
        key=dotted(path) or None,
        error=PolicyInvalid if is_bound else PolicyRequired,
    )


def _line_of(path: tuple[str | int, ...], text: YamlText) -> int | None:
    """The line of the value or, where it is missing, of the nearest thing around it."""
    while path:
        if path in text.lines:
            return text.lines[path]
        path = path[:-1]
    return None


def _crossed_bounds(jobs: Jobs, text: YamlText) -> tuple[Problem, ...]:
    problems = []
    if jobs.retained_per_principal < jobs.active_per_principal:
        problems.append(
            Problem(
                reason="below_active_per_principal",
                message=f"must be at least active_per_principal ({jobs.active_per_principal})",
                line=_line_of(("jobs", "retained_per_principal"), text),
                key="jobs.retained_per_principal",
                error=RetentionBelowActive,
            )
        )
    if jobs.retained_per_backend < jobs.retained_per_principal:
        problems.append(
            Problem(
                reason="below_retained_per_principal",
                message=f"must be at least retained_per_principal ({jobs.retained_per_principal})",
                line=_line_of(("jobs", "retained_per_backend"), text),
                key="jobs.retained_per_backend",
                error=BackendRetentionBelowPrincipal,
            )
        )
    return tuple(problems)
