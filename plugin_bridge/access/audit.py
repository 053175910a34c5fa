"""The record of one tool call, apart from the events of jobs (W 10.1).

It names the operation and the owner's digests. Arguments, paths, tokens and ontology text never
enter it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.values import Owner


class CallOutcome(StrEnum):
    """How a tool call ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """One finished tool call; `code` is the error code of a failed one."""

    operation: str
    outcome: CallOutcome
    code: str | None
    owner: Owner
    occurred_at: datetime


class RequestAudit(Protocol):
    """Where records of tool calls go."""

    def record(self, record: RequestRecord) -> None:
        """Take one record without waiting: a stuck sink must not hold a call or a revocation."""


class NoAudit:
    """Drops every record; for windows whose policy keeps no audit."""

    def record(self, record: RequestRecord) -> None:
        """Drop it."""
