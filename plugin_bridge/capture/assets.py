"""Digests of the small project files that a result may depend on: import lock and mappings (W 6.1).

They are read before and after the ontology is captured; both readings must agree (the A/B rule of
W 6.2), so no capture mixes two moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import InputChanged, InvalidRequest, PolicyInvalid
from plugin_bridge.files.confined import ErrorChoice, read_confined

if TYPE_CHECKING:
    from jobs.digests import Digest
    from plugin_bridge.files.roots import ProjectRoot
    from plugin_bridge.policy import ResolvedPolicy

_ERRORS: Final = ErrorChoice(invalid=PolicyInvalid, changed=InputChanged, remote=InvalidRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetDigests:
    """One reading. None: the policy names no such file, or it does not exist."""

    import_lock: Digest | None
    mapping: Digest | None


def read_assets(policy: ResolvedPolicy, root: ProjectRoot) -> AssetDigests:
    """Digest the lock and mapping file that the policy names.

    Raises:
        InputChanged: a file moved while it was read (`job_input_changed`).
        PolicyInvalid: a named file is no readable regular file within its bound.
    """
    essentials = policy.essentials
    return AssetDigests(
        import_lock=_digest(root, essentials.lockfile, limits.LOCK_FILE_BYTES),
        mapping=_digest(root, essentials.mappings, limits.MAPPING_FILE_BYTES),
    )


def _digest(root: ProjectRoot, path: str | None, max_bytes: int) -> Digest | None:
    if path is None:
        return None
    try:
        return read_confined(root, path, max_bytes=max_bytes, errors=_ERRORS).byte_digest
    except PolicyInvalid as error:
        if error.details.get("reason") == "missing":
            return None
        raise
