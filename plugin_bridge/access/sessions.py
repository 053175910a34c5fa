"""Who asks: the value that authentication yields and every tool call carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobs.values import Owner
    from plugin_bridge.access.capabilities import Capability


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantKey:
    """The identity of one grant; `grant_id` is None for the static local token (W 1.3)."""

    principal_type: str
    client_id: str
    grant_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An authenticated caller: an owner of jobs and what its grant allows.

    The grant key is raw identity: it stays inside the process and out of logs.
    """

    owner: Owner
    capabilities: frozenset[Capability]
    grant: GrantKey = field(repr=False)
