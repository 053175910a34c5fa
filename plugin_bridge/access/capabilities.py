"""The vocabulary of capabilities and the set that each tool needs (W 3.2)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from jobs.errors import AuthorizationDenied

if TYPE_CHECKING:
    from collections.abc import Iterable


class Capability(StrEnum):
    """What a grant may allow; the only spelling."""

    ONTOLOGY_READ = "ontology:read"
    ONTOLOGY_CURATE = "ontology:curate"
    ONTOLOGY_ADMIN = "ontology:admin"
    ONTOLOGY_RELEASE = "ontology:release"
    SERVER_ADMIN = "server:admin"
    PROJECT_READ = "filesystem:project:read"
    PROJECT_WRITE = "filesystem:project:write"
    FILES_EXTERNAL = "filesystem:external"
    NETWORK_ACCESS = "network:access"


ALL: Final = frozenset(Capability)
READ: Final = frozenset({Capability.ONTOLOGY_READ})
START: Final = frozenset({Capability.ONTOLOGY_READ, Capability.PROJECT_READ})
EXPORT: Final = START | {Capability.PROJECT_WRITE}


def require(held: frozenset[Capability], needed: Iterable[Capability]) -> None:
    """Let the call pass or say exactly what is missing.

    Raises:
        AuthorizationDenied: details name the sorted `missing_capabilities`.
    """
    missing = sorted(each for each in needed if each not in held)
    if missing:
        raise AuthorizationDenied(
            f"This authorization lacks {', '.join(missing)}. Ask the window's owner for a grant that has it.",
            details={"missing_capabilities": missing},
        )
