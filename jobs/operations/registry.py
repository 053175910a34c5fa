"""The table of operations: what can be asked, what it needs, and which worker stages compute it.

Tools, tasks, the service and the workers all read this one table. Importing it must stay cheap
(a worker's start waits for it): a stage's module is imported when the stage is looked up.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from jobs.job_types import JobType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.workers.contract import Stage

READ_CAPABILITIES: Final = ("filesystem:project:read", "ontology:read")
"""What every window job needs (W 3.2), sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One kind of job: its promise to callers."""

    name: str
    version: int
    """Grows when equal inputs may give another result."""
    job_type: JobType | None
    """None for operations that are no job type of `start_job`."""
    stages: tuple[str, ...]
    """Names of the worker stages, in order, after the capture."""
    required_capabilities: tuple[str, ...] = READ_CAPABILITIES
    needs_reasoner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEntry:
    """Where the function of a worker stage lives."""

    name: str
    module: str
    function: str = "run"
    version: int = 1


_OPERATIONS: Final = (
    Operation(
        name="classification",
        version=1,
        job_type=JobType.CLASSIFICATION,
        stages=("classification",),
        needs_reasoner=True,
    ),
    Operation(
        name="reasoning_explain",
        version=1,
        job_type=JobType.REASONING_EXPLAIN,
        stages=("explanation_goal", "reasoning_explain"),
        needs_reasoner=True,
    ),
    Operation(
        name="semantic_diff",
        version=1,
        job_type=JobType.SEMANTIC_DIFF,
        stages=("semantic_diff",),
    ),
)
_CAPTURE: Final = "jobs.operations.capture"
_STAGES: Final = (
    StageEntry(name="capture_document", module=_CAPTURE, function="capture_document"),
    StageEntry(name="capture_gateway", module="jobs.operations.capture_gateway"),
    StageEntry(name="semantic_diff", module="jobs.operations.semantic_diff.stage"),
    StageEntry(name="classification", module="jobs.operations.classification.stage"),
    StageEntry(name="explanation_goal", module="jobs.operations.explanation.goals"),
    StageEntry(name="reasoning_explain", module="jobs.operations.explanation.stage"),
    StageEntry(name="reasoner_probe", module="jobs.operations.reasoner_probe"),
)

OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType({each.name: each for each in _OPERATIONS})
STAGES: Final[Mapping[str, StageEntry]] = MappingProxyType({each.name: each for each in _STAGES})


def find_operation(job_type: JobType) -> Operation | None:
    """The operation behind a job type; None where this version has none."""
    return next((each for each in _OPERATIONS if each.job_type is job_type), None)


def stage_names() -> tuple[str, ...]:
    """What a worker says it can run."""
    return tuple(STAGES)


def find_stage(name: str, version: int) -> Stage:
    """The function of a registered stage, its module imported now.

    Raises:
        LookupError: no stage of this name and version is registered.
    """
    entry = STAGES.get(name)
    if entry is None or entry.version != version:
        raise LookupError(name)
    stage: Stage = getattr(importlib.import_module(entry.module), entry.function)
    return stage
