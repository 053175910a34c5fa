"""The JSON that a host answers with, opened so that one of another shape is `host_unavailable`.

Another program may listen where the host was, and a host may speak what this backend does not know:
neither is a defect of ours, and neither may end the window.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Never

from jobs.errors import (
    HostUnavailable,
    InputChanged,
    InvalidOntology,
    InvalidRequest,
    ProtegeJobsError,
    SnapshotTooLarge,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.values import Json

_ERRORS: Final[Mapping[str, type[ProtegeJobsError]]] = {
    each.code: each
    for each in (HostUnavailable, InputChanged, InvalidOntology, InvalidRequest, SnapshotTooLarge)
}


class _Said(dict[str, object]):
    """An object of an answer: a member that is not there is the host's fault, and no defect of ours."""

    def __missing__(self, key: str) -> Never:
        raise malformed()


def malformed() -> HostUnavailable:
    """The error for an answer that is not what the contract promises."""
    return HostUnavailable("The editor's answer does not have its shape.")


def members_of(text: str) -> Json:
    """What an answer says, when it is no refusal.

    Raises:
        HostUnavailable: it has not the shape of an answer, or says so itself.
        InputChanged, InvalidOntology, SnapshotTooLarge, InvalidRequest: the host refused.
    """
    try:
        answer = json.loads(text, object_hook=_Said)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise malformed()
    if answer.get("ok") is True:
        return answer
    raise error_of(answer)


def error_of(answer: Mapping[str, object]) -> ProtegeJobsError:
    """A refusal of the host as an error of ours; one we do not know is as good as no answer."""
    details = answer.get("details")
    kind = _ERRORS.get(str(answer.get("code")), HostUnavailable)
    return kind(str(answer.get("message")), details=details if isinstance(details, dict) else None)


def number_of(answer: Mapping[str, object], key: str) -> int:
    """A whole number of an answer.

    Raises:
        HostUnavailable: it is none.
    """
    found = answer.get(key)
    if not isinstance(found, int):
        raise malformed()
    return found
