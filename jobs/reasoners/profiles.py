"""Reasoner profiles by name: which reasoner exactly, and whether that exact one was reviewed.

Invariant: a profile is reviewed only if its whole identity equals a reviewed one; a changed file,
class, version or setting makes every capability `unknown` (W 11.2). Nothing here constructs a
reasoner or imports one; finding a profile on Java reads its jars, so it may block. Source: W 11,
decisions 15 and 17.
"""

from __future__ import annotations

import platform
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from jobs import errors
from jobs.java.runtime import find_runtime, get_runtime
from jobs.reasoners import capabilities, java_profiles, python_profiles
from jobs.reasoners.capabilities import Status
from jobs.reasoners.identity import ReasonerIdentity, ReasonerProfile
from jobs.reasoners.java_profiles import ELK_4, ELK_6, HERMIT
from jobs.reasoners.python_profiles import PYELK, STRUCTURAL
from jobs.reasoners.reviews import find_review

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "PYELK",
    "STRUCTURAL",
    "ReasonerIdentity",
    "ReasonerProfile",
    "names",
    "profile_of",
    "require_classification",
    "resolve",
]

_MAKERS: Final[dict[str, Callable[[], ReasonerIdentity]]] = {
    STRUCTURAL: python_profiles.structural_identity,
    PYELK: python_profiles.pyelk_identity,
    **{profile_id: each.identity for profile_id, each in java_profiles.REASONERS.items()},
}
_SHORT_NAMES: Final = {"elk": (ELK_6, ELK_4, PYELK), "hermit": (HERMIT,)}
"""The best first (decision 17): the first that is installed and reviewed here, else the last."""


def resolve(name: str) -> ReasonerProfile:
    """The profile a name stands for: an exact id, or a short name for the best there is.

    Raises:
        ReasonerNotCancellable: no profile has this name; the message lists those that exist.
    """
    choices = _SHORT_NAMES.get(name, (name,))
    for profile_id in choices:
        make = _MAKERS.get(profile_id)
        if make is None:
            raise errors.ReasonerNotCancellable(
                f"No reasoner profile is named {errors.clip_utf8(name, 100)!r}. Known: {', '.join(names())}.",
                details={"known_profiles": list(names())},
            )
        if len(choices) > 1 and profile_id in java_profiles.REASONERS and find_runtime() is None:
            continue  # before its jars are read for nothing
        profile = profile_of(make())
        if profile.is_reviewed:
            break
    return profile


def names() -> tuple[str, ...]:
    """Every name that `resolve` takes, short ones last."""
    return (*_MAKERS, *_SHORT_NAMES)


def exact_names() -> tuple[str, ...]:
    """The ids of all profiles."""
    return tuple(_MAKERS)


def profile_of(identity: ReasonerIdentity) -> ReasonerProfile:
    """The identity with what its review says; an unreviewed one has nothing but unknowns."""
    review = find_review(identity.profile_id)
    is_reviewed = review is not None and identity.profile_key in review.profile_keys
    return ReasonerProfile(
        identity=identity,
        is_reviewed=is_reviewed,
        capabilities=review.capabilities if review and is_reviewed else capabilities.UNREVIEWED,
        owl_profile=review.owl_profile if review and is_reviewed else None,
        recorded=_recorded(identity.profile_id),
    )


def require_classification(profile: ReasonerProfile) -> None:
    """Refuse a profile that may not run a classification; the live probe is a check of its own.

    Raises:
        JavaUnavailable: it runs on Java, and there is no runtime or the jars are not installed.
        ReasonerNotCancellable: not reviewed, or not known to stop in time (W 8.8 a, b).
        ClassificationNotSupported: it has no class hierarchy.
    """
    if profile.profile_id in java_profiles.REASONERS:
        get_runtime()
        if profile.identity.code_digest is None:
            raise errors.JavaUnavailable(
                f"The jars of the reasoner profile {profile.profile_id} are not installed. From a checkout: "
                "`make java` builds them (Maven and a JDK are needed); or choose the profile pyelk-0.2.1.",
                details={"profile_id": profile.profile_id, "missing": "jars"},
            )
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


def _recorded(profile_id: str) -> Mapping[str, object]:
    """What is told in reports and keyed nowhere: it does not change an answer."""
    runtime = f"{platform.python_implementation()} {platform.python_version()}"
    if profile_id in java_profiles.REASONERS:
        java = find_runtime()
        runtime = "absent" if java is None else f"Java {java.version}"
    recorded: dict[str, object] = {
        "runtime": runtime,
        "system": platform.system(),
        "machine": platform.machine(),
    }
    if profile_id not in java_profiles.REASONERS:
        recorded["threads"] = 1
    return MappingProxyType(recorded)
