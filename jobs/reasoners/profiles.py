"""Reasoner profiles: which reasoner exactly, and whether that exact one was reviewed.

Invariant: a profile is reviewed only if its whole identity equals a reviewed one; a changed file,
class, version or setting makes every capability `unknown` (W 11.2). Nothing here constructs a
reasoner or imports one. Source: W 11, decisions 15 and 17.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from jobs import errors
from jobs.digests import Digest, canonical_json, text_digest
from jobs.reasoners import capabilities, code_digest, reviewed
from jobs.reasoners.capabilities import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jobs.values import Json

STRUCTURAL: Final = "structural"
PYELK: Final = "pyelk-0.2.1"


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
    capabilities: capabilities.Table
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


# --- Names ----------------------------------------------------------------------------------------


def resolve(name: str) -> ReasonerProfile:
    """The profile a name stands for: an exact id, or `elk` for the best EL reasoner there is.

    Raises:
        ReasonerNotCancellable: no profile has this name; the message lists those that exist.
    """
    make = _MAKERS.get(_SHORT_NAMES.get(name, name))
    if make is None:
        raise errors.ReasonerNotCancellable(
            f"No reasoner profile is named {errors.clip_utf8(name, 100)!r}. Known: {', '.join(names())}.",
            details={"known_profiles": list(names())},
        )
    return profile_of(make())


def names() -> tuple[str, ...]:
    """Every name that `resolve` takes, short ones last."""
    return (*_MAKERS, *_SHORT_NAMES)


def profile_of(identity: ReasonerIdentity) -> ReasonerProfile:
    """The identity with what its review says; an unreviewed one has nothing but unknowns."""
    is_reviewed = identity.profile_key in _reviewed_keys()
    table, owl_profile = _REVIEWS.get(identity.profile_id, (capabilities.UNREVIEWED, None))
    return ReasonerProfile(
        identity=identity,
        is_reviewed=is_reviewed,
        capabilities=table if is_reviewed else capabilities.UNREVIEWED,
        owl_profile=owl_profile if is_reviewed else None,
        recorded=_recorded(),
    )


def require_classification(profile: ReasonerProfile) -> None:
    """Refuse a profile that may not run a classification; the live probe is a check of its own.

    Raises:
        ReasonerNotCancellable: not reviewed, or not known to stop in time (W 8.8 a, b).
        ClassificationNotSupported: it has no class hierarchy.
    """
    if not profile.is_reviewed:
        raise errors.ReasonerNotCancellable(
            f"The reasoner profile {profile.profile_id} is not the one that was reviewed: its code, "
            "version or settings differ. Reinstall it, or choose another profile.",
            details={"profile_id": profile.profile_id, "reviewed": False},
        )
    if profile.status("bounded_cancellation") is not Status.SUPPORTED:
        raise errors.ReasonerNotCancellable(
            f"The reasoner profile {profile.profile_id} is not known to stop when asked to.",
            details={"profile_id": profile.profile_id, "reviewed": True},
        )
    if profile.status("class_hierarchy") is not Status.SUPPORTED:
        raise errors.ClassificationNotSupported(
            f"The reasoner profile {profile.profile_id} computes no class hierarchy.",
            details={"profile_id": profile.profile_id},
        )


# --- The two Java-free profiles -------------------------------------------------------------------


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
    return ReasonerIdentity(
        profile_id=PYELK,
        reasoner_name="pyelk",
        version=_version("pyelk-reasoner"),
        factory_class="pyelk.Reasoner",
        code_digest=text_digest(reasoner, carrier) if reasoner and carrier else None,
        settings=_PYELK_SETTINGS,
    )


_PYELK_SETTINGS: Final = MappingProxyType({"encoding": 1, "unsupported": "ignore"})
"""`encoding` is the version of `elk_text`, through which the reasoner sees the axioms."""

_MAKERS: Final[dict[str, Callable[[], ReasonerIdentity]]] = {
    STRUCTURAL: structural_identity,
    PYELK: pyelk_identity,
}
_SHORT_NAMES: Final = {"elk": PYELK}  # ELK proper comes first once there is a Java profile (decision 17)
_REVIEWS: Final[dict[str, tuple[capabilities.Table, str | None]]] = {
    STRUCTURAL: (capabilities.STRUCTURAL, None),
    PYELK: (capabilities.PYELK, "EL"),
}


@cache
def _reviewed_keys() -> frozenset[Digest]:
    return frozenset(identity.profile_key for identity in _reviewed_identities())


def _reviewed_identities() -> Iterator[ReasonerIdentity]:
    yield structural_identity()
    for wheel in reviewed.PYELK_0_2_1.values():
        for carrier in reviewed.PYOWL_CORE_0_2_1.values():
            yield ReasonerIdentity(
                profile_id=PYELK,
                reasoner_name="pyelk",
                version="0.2.1",
                factory_class="pyelk.Reasoner",
                code_digest=text_digest(wheel, carrier),
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


def _recorded() -> Mapping[str, object]:
    return MappingProxyType(
        {
            "runtime": f"{platform.python_implementation()} {platform.python_version()}",
            "system": platform.system(),
            "machine": platform.machine(),
            "threads": 1,
        }
    )
