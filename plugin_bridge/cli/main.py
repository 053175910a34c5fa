"""Arguments in, exit code out. Source: overview, "Command line"; decisions 37.

Exit codes: 0 succeeded; 1 failed, refused, or a result at or above `--fail-on`; 2 usage;
130 cancelled.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugin_bridge.cli.exit_codes import ExitCode
from plugin_bridge.cli.terminal import prepare_streams, say

if TYPE_CHECKING:
    from collections.abc import Sequence

TYPES: Final = ("classification", "semantic_diff", "reasoning_explain")
"""The job types that this version runs; the table of operations is not imported just for `--help`."""
_FORMATS: Final = ("text", "json")
_FAIL_ON: Final = ("never", "difference", "breaking", "unsatisfiable")

_COLLECT_EVERY: Final = 100_000
"""Containers made between two looks for cycles (ours): a command ends before cycles could matter, and at the
usual 700 the looks cost it an eighth of its imports."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; usage errors exit with 2 by themselves."""
    prepare_streams()
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except KeyboardInterrupt:
        return ExitCode.CANCELLED
    finally:
        gc.freeze()  # the interpreter's last look for cycles would go through all modules for nothing


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="protege-jobs",
        description="Long ontology work as cancellable, owner-private jobs.",
        epilog="Exit codes: 0 succeeded, 1 failed or a result at or above --fail-on, 2 usage, 130 cancelled.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_serve(commands)
    _add_init(commands)
    _add_profiles(commands)
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="run one job on a file and print its result",
        description="Run one job: progress on standard error, result on standard output.",
    )
    run.add_argument("type", choices=TYPES, help="what to do")
    run.add_argument("file", type=Path, metavar="FILE", help="the ontology (also .gz)")
    run.add_argument(
        "right", type=Path, metavar="RIGHT", nargs="?", help="semantic_diff: what to compare with"
    )
    run.add_argument(
        "--request",
        type=_json_object,
        default={},
        metavar="JSON|@FILE",
        help="further request fields, for example '{\"limit\": 500}'",
    )
    run.add_argument(
        "--class",
        dest="explained",
        metavar="NAME",
        help="reasoning_explain: why this class (IRI, label or short name) is unsatisfiable",
    )
    run.add_argument(
        "--super", dest="above", metavar="NAME", help="reasoning_explain: why --class lies below this class"
    )
    _add_window_options(run)
    run.add_argument(
        "--format",
        choices=(*_FORMATS, "markdown"),
        default="text",
        help="json is the whole job descriptor; markdown, of reasoning_explain, goes into a ticket",
    )
    run.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the result there")
    run.add_argument("--artifacts", type=Path, metavar="DIR", help="also write the job's artifacts there")
    run.add_argument("--fail-on", choices=_FAIL_ON, default="never", help="exit with 1 on such a result")
    run.add_argument("--timeout", type=_seconds, metavar="S", help="cancel the job after S seconds")
    run.set_defaults(command=_run)


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    serve = commands.add_parser(
        "serve",
        help="open a file as a window for MCP clients",
        description="Open a file as a window: MCP on standard input and output, or over HTTP with a token.",
    )
    serve.add_argument("file", type=Path, metavar="FILE", help="the ontology (also .gz)")
    _add_window_options(serve)
    serve.add_argument(
        "--http",
        nargs="?",
        const="127.0.0.1:0",
        metavar="HOST:PORT",
        help="streamable HTTP instead of stdio; the token comes from PROTEGE_JOBS_TOKEN or --token-file",
    )
    serve.add_argument(
        "--token-file", type=Path, metavar="FILE", help="file with the bearer token, readable by you alone"
    )
    serve.add_argument("--read-only", action="store_true", help="refuse every export")
    serve.set_defaults(command=_serve)


def _add_window_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--profile",
        metavar="ID",
        help="reasoner profile: elk, hermit, or an exact id of `protege-jobs profiles`",
    )
    command.add_argument(
        "--project", type=Path, metavar="DIR", help="project folder; default: found from FILE"
    )
    command.add_argument(
        "--catalog", type=Path, metavar="FILE", help="import catalog, after the catalog-v001.xml beside FILE"
    )


def _add_init(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    init = commands.add_parser(
        "init",
        help="write a commented minimal policy",
        description="Write .protege-jobs/project.yaml, commented, with the defaults in force.",
    )
    init.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="default: here")
    init.add_argument("--force", action="store_true", help="also inside a folder that has a policy above it")
    init.set_defaults(command=_init)


def _add_profiles(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    profiles = commands.add_parser(
        "profiles",
        help="show the reasoners and what each can do",
        description="Show the reasoner profiles with their capability tables.",
    )
    profiles.add_argument(
        "--probe", action="store_true", help="also cancel each at work and measure how soon it is gone"
    )
    profiles.add_argument("--format", choices=_FORMATS, default="text")
    profiles.set_defaults(command=_profiles)


class _Version(argparse.Action):
    """Prints the version; reading it from the installed metadata costs too much to do at each start."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        say(f"{parser.prog} {version('protege-jobs')}")
        parser.exit()


def _run(options: argparse.Namespace) -> int:
    gc.set_threshold(_COLLECT_EVERY)
    from plugin_bridge.cli.run import run

    return run(options)


def _serve(options: argparse.Namespace) -> int:
    gc.set_threshold(_COLLECT_EVERY)  # until the window is open, see `serve`
    from plugin_bridge.cli.serve import serve

    return serve(options)


def _init(options: argparse.Namespace) -> int:
    from plugin_bridge.cli.init import init

    return init(options)


def _profiles(options: argparse.Namespace) -> int:
    from plugin_bridge.cli.profiles import show_profiles

    return show_profiles(options)


def _json_object(text: str) -> dict[str, object]:
    """A JSON object, given as it stands or as `@FILE`."""
    try:
        source = Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text
        value = json.loads(source)
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"not readable as JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError('a JSON object is needed, for example {"limit": 10}')
    return value


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("a number of seconds is needed") from error
    if not 0 < seconds <= 7 * 86_400:
        raise argparse.ArgumentTypeError("must be more than 0 and at most a week")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
