"""`protege-jobs run`: one job in a window that lives as long as the command (decision 2).

Ctrl-C and SIGTERM end the window's block, which cancels the job, ends its processes and deletes
what it held; the exit code is then 130.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import anyio.lowlevel
from anyio import to_thread

from jobs.errors import InvalidRequest, ProtegeJobsError, RunTimedOut
from jobs.tasks import open_tasks
from jobs.values import JobType, State
from jobs.workers.contract import WorkerLimits
from jobs.workers.pool import open_worker_pool
from plugin_bridge.cli.exit_codes import ExitCode
from plugin_bridge.cli.interrupts import take_sigterm_as_ctrl_c, until_interrupted
from plugin_bridge.cli.logs import log_to_stderr
from plugin_bridge.cli.places import check_places
from plugin_bridge.cli.settings import existing_file, window_settings
from plugin_bridge.cli.terminal import note, progress_line, say_error

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from jobs.values import Job, Json
    from jobs.workers.pool import WorkerPool
    from plugin_bridge.mcp_server.arguments import StartArguments
    from plugin_bridge.settings import WindowSettings
    from plugin_bridge.window import Window

FAIL_ON: Final = {
    "semantic_diff": ("never", "difference", "breaking"),
    "classification": ("never", "unsatisfiable"),
    "reasoning_explain": ("never",),
}
"""The levels that mean something to a job type."""
_FOREGROUND: Final = WorkerLimits(steps_back=False)
"""The command is what its user waits for; there is no editor to step behind."""
WORKERS: Final = {
    "semantic_diff": ("capture_document", "semantic_diff"),
    "classification": ("capture_document", "reasoner_probe", "classification"),
    "reasoning_explain": ("capture_document", "explanation_goal", "reasoning_explain"),
}
"""The stages that a job will run, in the order in which their workers are asked for."""
_EXPLANATION: Final = JobType.REASONING_EXPLAIN.value
_REASONING: Final = (JobType.CLASSIFICATION, JobType.REASONING_EXPLAIN)
_WINDOW: Final = "plugin_bridge.window"
_DELIVERY: Final = "plugin_bridge.cli.delivery"
_STOPPING_S: Final = 10.0
"""How long a job past its deadline is waited for; its own bound is 5 s."""


def run(options: argparse.Namespace) -> int:
    """Run the job and say how it ended; see `main` for the exit codes."""
    log_to_stderr()
    take_sigterm_as_ctrl_c()
    try:
        settings, request = _checked(options)
        return anyio.run(until_interrupted, partial(_run, options, settings, request))
    except ProtegeJobsError as error:
        say_error(error)
        return ExitCode.USAGE if isinstance(error, InvalidRequest) else ExitCode.FAILED
    except KeyboardInterrupt:
        note("protege-jobs: cancelled")
        return ExitCode.CANCELLED


def _checked(options: argparse.Namespace) -> tuple[WindowSettings, Json]:
    """The window's settings and the job's request, as far as the command line alone can tell."""
    levels = FAIL_ON[options.type]
    if options.fail_on not in levels:
        raise InvalidRequest(f"--fail-on for {options.type} is one of: {', '.join(levels)}.")
    settings, request = replace(window_settings(options), works_ahead=True), dict(options.request)
    inputs = (options.file, options.right, options.catalog)
    check_places(options.output, options.artifacts, inputs)
    if options.format == "markdown" and options.type != _EXPLANATION:
        raise InvalidRequest(f"--format for {options.type} is text or json.")
    _add_goal(options, request)
    if options.type != "semantic_diff":
        if options.right is not None:
            raise InvalidRequest(f"{options.type} takes one file; {options.right} is one too many.")
        return settings, request
    if options.right is None:
        raise InvalidRequest("semantic_diff compares two files: protege-jobs run semantic_diff FILE RIGHT")
    right = existing_file(options.right, "RIGHT")
    request["right_document"] = str(right)
    return replace(settings, named_files=frozenset({right})), request


def _add_goal(options: argparse.Namespace, request: Json) -> None:
    """What `--class` and `--super` ask for, as the goal of the request."""
    explained, above = options.explained, options.above
    if explained is None and above is None:
        return
    if options.type != _EXPLANATION:
        raise InvalidRequest(
            f"--class and --super are for {_EXPLANATION}; {options.type} does not take them."
        )
    if explained is None:
        raise InvalidRequest("--super needs --class: why CLASS lies below SUPER.")
    if "goal" in request:
        raise InvalidRequest("Give --class or the goal of --request, not both.")
    if above is None:
        request["goal"] = {"kind": "unsatisfiable", "class": explained}
    else:
        request["goal"] = {"kind": "subsumption", "sub": explained, "super": above}


async def _run(options: argparse.Namespace, settings: WindowSettings, request: Json) -> int:
    async with open_worker_pool(_FOREGROUND) as pool:
        pool.spawn_ahead(WORKERS[options.type])
        await _import(_WINDOW)  # half of all that is imported: the workers start meanwhile, on another core
        return await _run_in_window(pool, options, settings, request)


async def _run_in_window(
    pool: WorkerPool, options: argparse.Namespace, settings: WindowSettings, request: Json
) -> int:
    from plugin_bridge.mcp_server.arguments import StartShape, read_explanation
    from plugin_bridge.window import open_window

    async with open_window(settings, pool=pool) as window, open_tasks() as tasks:
        if options.type == _EXPLANATION:
            arguments = read_explanation(request, "run")
        else:
            arguments = StartShape(window.materialization_axioms_max).read(
                {"type": options.type, "idempotency_key": "run", "request": request}
            )
        if arguments.type in _REASONING:
            window.prove_ahead(arguments.type)
        # What comes after the job is imported while workers read, and not before they can.
        tasks.start_soon(_import, _DELIVERY)
        job = await _ended(window, arguments, options.timeout)
        from plugin_bridge.cli.delivery import deliver

        return await deliver(window, job, options)


async def _import(module: str) -> None:
    await to_thread.run_sync(importlib.import_module, module)


async def _ended(window: Window, arguments: StartArguments, timeout_s: float | None) -> Job:
    """Start the job and follow it to its end.

    Raises:
        RunTimedOut: the deadline passed; the job was cancelled first (`run_timed_out`).
    """
    accepted: Job | None = None
    with progress_line() as show:
        with anyio.move_on_after(timeout_s) as deadline:
            accepted = (await window.start_job(window.access.local_session(), arguments)).job
            return await _follow(window, accepted, show)
        assert deadline.cancelled_caught
        if accepted is not None:
            await window.cancel_job(window.access.local_session(), accepted.job_id)
            with anyio.move_on_after(_STOPPING_S):
                job = await _follow(window, accepted, show)
                if job.state is State.SUCCEEDED:  # it won against the cancellation
                    return job
    raise RunTimedOut(f"There was no result after {timeout_s:g} s; the job was cancelled.")


async def _follow(window: Window, job: Job, show: Callable[[Job], None]) -> Job:
    while not job.state.is_terminal:
        show(job)
        job = await window.wait_job(window.access.local_session(), job.job_id, job.progress.sequence)
    return job
