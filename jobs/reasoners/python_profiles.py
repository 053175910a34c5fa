"""The profiles that need no Java: the told hierarchy, and EL reasoning by pyelk."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from jobs.digests import Digest, text_digest
from jobs.reasoners import code_digest, reviewed
from jobs.reasoners.identity import ReasonerIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator

STRUCTURAL: Final = "structural"
PYELK: Final = "pyelk-0.2.1"

RUNNERS: Final = MappingProxyType({STRUCTURAL: "jobs.reasoners.structural", PYELK: "jobs.reasoners.elk"})
"""The module whose `classify` answers for the profile, inside a Python worker."""

_PYELK_SETTINGS: Final = MappingProxyType({"encoding": 2, "unsupported": "ignore"})
"""`encoding` is the version of `elk_text`, through which the reasoner sees the axioms."""


def structural_identity() -> ReasonerIdentity:
    """The told hierarchy; its code is ours, so its digest is that of its version."""
    return ReasonerIdentity(
        profile_id=STRUCTURAL,
        reasoner_name="Structural (told hierarchy)",
        version="1",
        factory_class="jobs.reasoners.structural.classify",
        code_digest=text_digest("jobs.reasoners.structural", "1"),
        settings={},
    )


def pyelk_identity() -> ReasonerIdentity:
    """The installed EL reasoner with the library that carries its input."""
    reasoner, carrier = _installed("pyelk-reasoner", "pyelk"), _installed("pyowl-core", "pyowl_core")
    return _pyelk(
        _version("pyelk-reasoner"), text_digest(reasoner, carrier) if reasoner and carrier else None
    )


def published_pyelk_identities() -> Iterator[ReasonerIdentity]:
    """What the published wheels amount to: one identity for each pair of them (decision 15)."""
    for wheel in reviewed.PYELK_0_2_1.values():
        for carrier in reviewed.PYOWL_CORE_0_2_1.values():
            yield _pyelk("0.2.1", text_digest(wheel, carrier))


def _pyelk(version: str, code: Digest | None) -> ReasonerIdentity:
    return ReasonerIdentity(
        profile_id=PYELK,
        reasoner_name="pyelk",
        version=version,
        factory_class="pyelk.Reasoner",
        code_digest=code,
        settings=_PYELK_SETTINGS,
    )


@cache
def _installed(distribution: str, package: str) -> Digest | None:
    """Read once per process: the code that runs later is the code that was there at the start."""
    return code_digest.installed_digest(distribution, package)


def _version(distribution: str) -> str:
    from importlib import metadata  # as in `code_digest`

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "absent"
