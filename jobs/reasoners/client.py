"""One reasoner behind frames: what is sent to a Java worker, and how its process is started.

A profile on Java is asked by one stage, `reason`, in a JVM with exactly its class path. What it
answers is read by `jobs.reasoners.answer`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from jobs.workers.contract import StageCall

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from jobs.digests import Digest
    from jobs.reasoners.identity import ReasonerProfile
    from jobs.reasoners.java_profiles import JavaReasoner
    from jobs.values import Json
    from jobs.workers.contract import Launch

REASON: Final = "reason"
EXPLAIN: Final = "explain"
PROBE: Final = "reasoner_probe"
ANSWER: Final = "answer.jsonl"
JUSTIFICATIONS: Final = "justifications.jsonl"
WANTS: Final = ("classes", "object_properties", "data_properties", "individuals")


def runs_on_java(profile: ReasonerProfile) -> bool:
    """Whether the profile's reasoner needs a process with a Java runtime."""
    from jobs.reasoners.java_profiles import (
        REASONERS,
    )  # here, as below: a job without a reasoner starts sooner

    return profile.profile_id in REASONERS


def launch_of(profile: ReasonerProfile) -> Launch:
    """How a worker of the profile is started. May block: it reads the class path.

    Raises:
        JavaUnavailable: no runtime, or its jars are not installed (`java_unavailable`).
    """
    from jobs.java.launch import java_launch

    return java_launch(_reasoner(profile).class_path, keeps_spare=True)


def reason_call(
    profile: ReasonerProfile,
    capture: Path,
    sha256: Digest | str,
    work_dir: Path,
    wants: Sequence[str] = WANTS,
) -> StageCall:
    """The order to classify one capture file; `work_dir` is private and the answer is written there."""
    return StageCall(
        operation=REASON,
        version=1,
        inputs={**capture_input(capture, sha256), **reasoner_input(profile), "wants": list(wants)},
        work_dir=work_dir,
    )


def explain_call(
    profile: ReasonerProfile, capture: Path, sha256: Digest | str, goal: Json, limit: object, work_dir: Path
) -> StageCall:
    """The order to explain a goal, its classes given by IRI; `work_dir` as for `reason_call`."""
    return StageCall(
        operation=EXPLAIN,
        version=1,
        inputs={
            **capture_input(capture, sha256),
            **reasoner_input(profile),
            "goal": goal,
            "limit": limit,
        },
        work_dir=work_dir,
    )


def plan_probe(profile: ReasonerProfile, folder: Path) -> tuple[StageCall, Launch | None]:
    """The profile's hard case as a stage, and the worker it runs on. Writes a file; may block.

    Raises:
        JavaUnavailable: as `launch_of`.
    """
    if not runs_on_java(profile):
        inputs: Json = {"profile_id": profile.profile_id}
        return StageCall(operation=PROBE, version=1, inputs=inputs, work_dir=folder), None
    from jobs.reasoners import hard_cases

    launch = launch_of(profile)
    data = "\n".join(["Ontology(", *hard_cases.CASES[profile.profile_id](), ")\n"]).encode()
    path = folder / "hard-case.ofn"
    path.write_bytes(data)
    return reason_call(profile, path, hashlib.sha256(data).hexdigest(), folder), launch


def capture_input(capture: Path, sha256: Digest | str) -> Json:
    """The members of a worker's inputs that name the capture file."""
    return {"capture": str(capture), "capture_sha256": sha256.removeprefix("sha256:")}


def reasoner_input(profile: ReasonerProfile) -> Json:
    """The member of a worker's inputs that names the reasoner."""
    return {"reasoner": _reasoner(profile).as_input()}


def _reasoner(profile: ReasonerProfile) -> JavaReasoner:
    from jobs.reasoners.java_profiles import REASONERS

    return REASONERS[profile.profile_id]
