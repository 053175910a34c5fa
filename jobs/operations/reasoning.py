"""What the stages that use a reasoner read of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs import errors
from jobs.operations import inputs
from jobs.reasoners import profiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.reasoners.profiles import ReasonerProfile
    from jobs.values import Json


def admitted_profile(given: Mapping[str, object]) -> ReasonerProfile:
    """The profile as it is here and now, which must be the one the job was admitted with."""
    profile = profiles.resolve(inputs.text(given, "profile_id"))
    admitted = inputs.optional_text(given, "profile_key") or profile.profile_key
    if profile.profile_key != admitted or not profile.is_reviewed:
        raise errors.ExecutionFailed(
            "The reasoner is not the one this job was admitted with.",
            details={"failure_type": "reasoner_changed", "profile_id": profile.profile_id},
        )
    return profile


def imports(given: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """The IRIs of imports, `loaded` and `missing`, sorted."""
    return {key: tuple(sorted(inputs.texts(given, f"imports_{key}"))) for key in ("loaded", "missing")}


def answered(given: Mapping[str, object]) -> tuple[Json, bytes | None]:
    """What a worker on Java answered, as it is announced: its value, and its file where it wrote one."""
    value = given.get("value")
    if not isinstance(value, dict):
        raise inputs.malformed("value")
    return value, inputs.file_bytes(given, "answer") if "answer" in given else None
