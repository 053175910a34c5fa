"""Which reasoner exactly: the identity that decides an answer, and what its review says of it.

Source: W 11, decision 15.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jobs.digests import Digest, canonical_json, text_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.reasoners.capabilities import Status, Table
    from jobs.values import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonerIdentity:
    """What decides an answer; equal identities give equal answers (decision 15)."""

    profile_id: str
    reasoner_name: str
    version: str
    factory_class: str
    code_digest: Digest | None
    """None when the code is not installed whole."""
    settings: Mapping[str, object]
    """Settings that change answers, as JSON; not time limits or numbers of threads."""
    buffering_mode: str = "non_buffering"
    isolation: str = "process"

    @property
    def profile_key(self) -> Digest:
        """The digest of the whole identity: the `reasoner_digest` of jobs."""
        return text_digest(
            self.profile_id,
            self.reasoner_name,
            self.version,
            self.factory_class,
            self.code_digest,
            canonical_json(dict(self.settings)),
            self.buffering_mode.upper(),
            self.isolation,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonerProfile:
    """An identity and what its review says of it."""

    identity: ReasonerIdentity
    is_reviewed: bool
    capabilities: Table
    owl_profile: str | None
    """The profile of OWL inside which its answers are complete; None for none."""
    recorded: Mapping[str, object] = field(default_factory=dict)
    """What is told in reports and not part of the identity."""

    @property
    def profile_id(self) -> str:
        """The name a user gives."""
        return self.identity.profile_id

    @property
    def profile_key(self) -> Digest:
        """The identity's digest."""
        return self.identity.profile_key

    def status(self, capability: str) -> Status:
        """The status of one capability."""
        return self.capabilities[capability].status

    def as_json(self) -> Json:
        """The identity object of reports and of `describe_window`."""
        identity = self.identity
        return {
            "profile_id": identity.profile_id,
            "reasoner_name": identity.reasoner_name,
            "implementation_version": identity.version,
            "factory_class": identity.factory_class,
            "code_digest": identity.code_digest,
            "settings": dict(identity.settings),
            "buffering_mode": identity.buffering_mode,
            "isolation": identity.isolation,
            "profile_key": identity.profile_key,
            "reviewed": self.is_reviewed,
            "recorded": dict(self.recorded),
        }

    def capability_rows(self) -> list[Json]:
        """The capability table as rows `{id, status, evidence}`."""
        return [
            {"id": each, "status": row.status.value, "evidence": row.evidence}
            for each, row in self.capabilities.items()
        ]
