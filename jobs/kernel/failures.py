"""What a failed job says of an exception: a code, a clean message, nothing of the cause (W 2.3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.errors import ExecutionFailed, ProtegeJobsError, bounded_details, clip_utf8
from jobs.limits import ERROR_MESSAGE_BYTES
from jobs.values import JobError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Quoted first: a quoted path may hold blanks. IRIs (`http://…`) and media types stay readable.
_SECRETS: Final = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"), r"\1 <secret>"),
    (
        re.compile(
            r"(?i)((?:token|password|passwd|secret|api[_-]?key|authorization|credential)s?)"
            r"(\"?\s*[=:]\s*\"?)(?!<secret>)(?!(?:bearer|basic) )[^\s\"'&,;]+"
        ),
        r"\1\2<secret>",
    ),
    (re.compile(r"\b([a-z][a-z0-9+.-]*://)[^\s/@'\"<>]+@"), r"\1<secret>@"),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"), "<secret>"),
)
_PATHS: Final = (
    re.compile(r"(?P<quote>['\"])(?:file:|~?/(?!/)|[A-Za-z]:[\\/]|\\\\)[^'\"\n]*(?P=quote)"),
    re.compile(r"(?i)\bfile:[^\s'\"<>]+"),
    re.compile(r"(?<![\w:/\\])(?:[A-Za-z]:[\\/]|\\\\[\w.$-]+\\)[^\s'\"<>|?*]*"),
    re.compile(r"(?<![\w:/.~\\<>-])~?/[\w.@+%~-][^\s'\"<>]*"),
)


def clean(text: str) -> str:
    """The text without absolute paths and credentials, within the bound of a message."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    for pattern in _PATHS:
        text = pattern.sub("<path>", text)
    return clip_utf8(text, ERROR_MESSAGE_BYTES)


def error_of(problem: ProtegeJobsError) -> JobError:
    """The four fields of a failure that the tree knows."""
    return JobError(
        code=problem.code,
        message=clean(problem.message),
        retryable=problem.retryable,
        details=bounded_details(_clean_details(problem.details)),
    )


def unforeseen(failure_type: str) -> JobError:
    """The four fields of a failure that nobody foresaw: its kind and no word of its text."""
    return error_of(
        ExecutionFailed(
            "The job ended in an unforeseen way. The log of the window says more.",
            details={"failure_type": failure_type},
        )
    )


def _clean_details(details: Mapping[str, object]) -> dict[str, object]:
    return {key: _clean_value(value) for key, value in details.items()}


def _clean_value(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case dict():
            return {str(key): _clean_value(item) for key, item in value.items()}
        case list() | tuple():
            return [_clean_value(item) for item in value]
        case _:
            return value
