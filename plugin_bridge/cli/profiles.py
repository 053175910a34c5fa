"""`protege-jobs profiles [--probe]`: which reasoners there are, what each can do, and how each stops."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread

from jobs.errors import ProtegeJobsError
from jobs.java.runtime import find_runtime
from jobs.reasoners import profiles
from jobs.reasoners.capabilities import Status
from jobs.reasoners.probe import CancellationProbe
from jobs.workers.pool import open_worker_pool
from plugin_bridge.cli.exit_codes import ExitCode
from plugin_bridge.cli.interrupts import take_sigterm_as_ctrl_c, until_interrupted
from plugin_bridge.cli.logs import log_to_stderr
from plugin_bridge.cli.terminal import note, say
from plugin_bridge.files import PrivateRoot, sweep

if TYPE_CHECKING:
    import argparse

    from jobs.reasoners.identity import ReasonerProfile
    from jobs.values import Json

_SHORT_NAMES: Final = ("elk", "hermit")


def show_profiles(options: argparse.Namespace) -> int:
    """Print every profile; with `--probe` each usable one is cancelled at work, and a failure exits 1."""
    log_to_stderr()
    take_sigterm_as_ctrl_c()
    try:
        found = anyio.run(until_interrupted, partial(_found, is_probing=options.probe))
    except KeyboardInterrupt:
        note("protege-jobs: cancelled")
        return ExitCode.CANCELLED
    if options.format == "json":
        say(json.dumps(found.as_json(), ensure_ascii=False, indent=2))
    else:
        say(found.text())
    has_failed = any(row.probe is not None and not row.probe["passed"] for row in found.rows)
    return ExitCode.FAILED if has_failed else ExitCode.SUCCEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One profile as it is here."""

    profile: ReasonerProfile
    obstacle: str | None
    """Why a classification would be refused; None when it would not."""
    probe: Json | None

    def as_json(self) -> Json:
        return {
            **self.profile.as_json(),
            "owl_profile": self.profile.owl_profile,
            "usable": self.obstacle is None,
            "obstacle": self.obstacle,
            "capabilities": self.profile.capability_rows(),
            "probe": self.probe,
        }

    def lines(self) -> list[str]:
        inside = f"OWL 2 {self.profile.owl_profile}" if self.profile.owl_profile else "told structure"
        name = f"{self.profile.profile_id}  ({self.profile.identity.reasoner_name})"
        lines = ["", name, f"  {self.obstacle or f'reviewed, complete in {inside}'}"]
        if self.obstacle is None:
            can = [
                each for each in self.profile.capabilities if self.profile.status(each) is Status.SUPPORTED
            ]
            lines.append(f"  supports: {', '.join(can)}")
        if self.probe is not None:
            lines.append(f"  {_probe_text(self.probe)}")
        return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """All profiles, and what they are called."""

    java: str | None
    short_names: dict[str, str]
    rows: list[_Row]

    def as_json(self) -> Json:
        return {
            "java": self.java,
            "short_names": self.short_names,
            "profiles": [each.as_json() for each in self.rows],
        }

    def text(self) -> str:
        lines = [f"Java: {self.java or 'none found'}"]
        lines += [f"{name} means {profile_id} here" for name, profile_id in self.short_names.items()]
        return "\n".join([*lines, *(line for row in self.rows for line in row.lines())])


async def _found(*, is_probing: bool) -> _Found:
    every = await to_thread.run_sync(lambda: [profiles.resolve(name) for name in profiles.exact_names()])
    short = await to_thread.run_sync(
        lambda: {name: profiles.resolve(name).profile_id for name in _SHORT_NAMES}
    )
    java = await to_thread.run_sync(find_runtime)
    probes = await _probed(every) if is_probing else {}
    return _Found(
        java=None if java is None else java.version,
        short_names=short,
        rows=[
            _Row(profile=each, obstacle=_obstacle(each), probe=probes.get(each.profile_id)) for each in every
        ],
    )


def _obstacle(profile: ReasonerProfile) -> str | None:
    """Why a classification with the profile would be refused; None when it would not."""
    try:
        profiles.require_classification(profile)
    except ProtegeJobsError as error:
        return error.message
    return None


async def _probed(every: list[ReasonerProfile]) -> dict[str, Json]:
    """The probe's report of each usable profile, one after the other: they are compared by their times."""
    await to_thread.run_sync(sweep)
    reports: dict[str, Json] = {}
    async with open_worker_pool() as pool:
        private = PrivateRoot.create()
        pool.guard_directory(private.path)
        try:
            probe = CancellationProbe(pool.execute, lambda: private.new_dir("probe"))
            for profile in every:
                if _obstacle(profile) is None:
                    reports[profile.profile_id] = await _report(probe, profile)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(private.close)
            pool.release_directory(private.path)
    return reports


async def _report(probe: CancellationProbe, profile: ReasonerProfile) -> Json:
    try:
        return (await probe.prove(profile)).as_json()
    except ProtegeJobsError as error:
        kept = probe.report(profile)
        if kept is not None:
            return kept.as_json()
        return {"profile_id": profile.profile_id, "passed": False, "problem": error.message}


def _probe_text(report: Json) -> str:
    if not report["passed"]:
        return f"cancellation probe FAILED: {report['problem']}"
    how = "ended by itself" if report["stopped_by"] == "itself" else "killed"
    return (
        f"cancellation probe: computing after {report['started_in_s']} s, "
        f"gone {report['stopped_in_s']} s after the request ({how})"
    )
