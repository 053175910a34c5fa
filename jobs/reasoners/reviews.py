"""What the review of each profile found: written by `make review`, read here, never typed by hand.

A review holds for the identities whose keys it lists, and for no other (W 11.2).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobs.digests import Digest
from jobs.reasoners.capabilities import IDS, Capability, Status, Table

if TYPE_CHECKING:
    from jobs.values import Json

FOLDER: Final = Path(__file__).parent / "reviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One profile's record."""

    profile_id: str
    owl_profile: str | None
    """The profile of OWL inside which its answers are complete; None for none."""
    profile_keys: frozenset[Digest]
    capabilities: Table

    def as_json(self) -> Json:
        """The record as it is kept: every capability in order, one row each."""
        return {
            "profile_id": self.profile_id,
            "owl_profile": self.owl_profile,
            "profile_keys": sorted(self.profile_keys),
            "capabilities": [
                {"id": each, "status": row.status.value, "evidence": row.evidence}
                for each, row in self.capabilities.items()
            ],
        }


@cache
def find_review(profile_id: str) -> Review | None:
    """The review of a profile; None when it never had one.

    Raises:
        ValueError: the record does not have its shape: a damaged installation.
    """
    path = FOLDER / f"{profile_id}.json"
    if not path.is_file():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    rows = {
        str(row["id"]): Capability(status=Status(row["status"]), evidence=str(row["evidence"]))
        for row in record["capabilities"]
    }
    if tuple(rows) != IDS or record["profile_id"] != profile_id:
        raise ValueError(f"the review of {profile_id} is damaged")
    return Review(
        profile_id=profile_id,
        owl_profile=record["owl_profile"],
        profile_keys=frozenset(map(Digest, record["profile_keys"])),
        capabilities=Table(rows),
    )
