"""What a stage sees of its worker, what the host sees of a stage, and the bounds of both.

A stage is a function `(StageCall, Reporter) -> StageResult` found in the table of operations
(`jobs.operations.registry`). It runs alone in a process of its own, reads the files its inputs
name, writes only below `work_dir`, and owns nothing that needs a goodbye: it may be killed anywhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from jobs import limits

if TYPE_CHECKING:
    from pathlib import Path

PROTOCOL: Final = 1
"""Version of the frames below; the hello carries it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCall:
    """One run of one stage; the inputs are JSON values, files are named by path."""

    operation: str
    version: int
    inputs: Mapping[str, object]
    work_dir: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class StageArtifact:
    """A file a stage wrote below its `work_dir`; a relative path is taken from there."""

    name: str
    media_type: str
    path: Path
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """What a stage answers: one JSON value (at most 1 MiB) and its files."""

    value: object
    artifacts: tuple[StageArtifact, ...] = ()


class Reporter(Protocol):
    """How a stage speaks while it runs."""

    @property
    def is_cancelled(self) -> bool:
        """Whether a stop was asked for; a stage that sees it may return or raise at once."""

    def progress(self, phase: str, message: str, fraction: float | None = None) -> None:
        """Say what is being done; cheap, at most about 20 a second leave, the newest wins."""


Stage = Callable[[StageCall, Reporter], StageResult]
FindStage = Callable[[str, int], Stage]
"""Looks a registered stage up; `LookupError` for one that is not registered."""


class StageLocation(Protocol):
    """Where a stage is found."""

    @property
    def module(self) -> str:
        """The module that holds it; importing it must have no effect but time."""


class Registry(Protocol):
    """What a worker needs of the table of operations."""

    @property
    def STAGES(self) -> Mapping[str, StageLocation]:
        """Every registered stage by its name."""

    def find_stage(self, name: str, version: int) -> Stage:
        """The registered stage, imported by this call; `LookupError` for one that is not registered."""

    def stage_names(self) -> Sequence[str]:
        """The names of all registered stages, without importing them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageProgress:
    """One progress report as the host receives it; the fraction lies in 0..1."""

    phase: str
    message: str
    fraction: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """How a cancelled stage ended: the live probe of a reasoner reports it (W 8.9)."""

    is_cooperative: bool
    """It ended by itself on being asked, within the polite step; otherwise it was killed."""
    took_s: float
    """From the cancellation to the process being dead and reaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A way in which a worker dies by itself, told apart by what it wrote to stderr."""

    sign: str
    """Found in the tail of stderr."""
    failure_type: str
    message: str
    """Fit for a stranger: no path, nothing of what the worker said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """One run beside the jobs that makes later starts faster; whether it works changes no answer."""

    argv: tuple[str, ...]
    """Started, greeted, warmed and told to leave; it writes something while it leaves."""
    finish: Callable[[], None]
    """Blocking: put into use what was written, after the process left with exit code 0."""
    discard: Callable[[], None]
    """Blocking: delete what was written, whatever became of it; called last, always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a worker that is no Python worker is started."""

    name: str
    """For the log."""
    kind: str
    """Workers of one kind can stand in for each other, however each was started."""
    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    """Added to what a worker inherits."""
    may_cooperate: bool = True
    """False for code known not to look at the flag: killed at once (decision 5)."""
    keeps_spare: bool = False
    """After its first use one process waits, warm, for the next, where the pool keeps any ready."""
    faults: tuple[Fault, ...] = ()
    rehearsal: Rehearsal | None = field(default=None, compare=False)


OnProgress = Callable[[StageProgress], Awaitable[None]]
OnStopped = Callable[[StopReport], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """The numbers of supervision; all waits of this room are bounded by one of them."""

    workers: int = limits.WORKERS
    hello_s: float = limits.PROBE_START_S  # decision 19: start-up has its own 30 s
    cancel_polite_s: float = limits.CANCEL_POLITE_S  # decision 5
    reap_s: float = limits.CANCEL_OUTER_S  # decision 5: the outer bound
    drain_s: float = 1.0  # ours: what a dead worker left in its pipes is read by then
    stderr_tail_bytes: int = 64 * limits.KIB  # ours
    frame_bytes: int = 2 * limits.MIB  # ours: a result of 1 MiB and its artifact rows
    artifacts: int = limits.SECONDARY_INPUTS  # ours: stages also pass files on; a job publishes 4
    artifact_bytes: int = limits.SECONDARY_FILE_BYTES  # ours: as large as a document may be
    guardian_restarts: int = 5  # ours
    spare_idle_s: float = limits.SPARE_IDLE_S  # decision 6
    rehearsal_s: float = 60.0  # ours: a rehearsal beside two busy workers takes 5 s
    steps_back: bool = True
    """Whether a worker runs at a lower priority, behind the editor and the backend (ours)."""
