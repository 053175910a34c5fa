"""`protege-jobs serve FILE`: a window for MCP clients, on stdio or over HTTP with a token."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import anyio

from jobs.descriptor import describe
from jobs.errors import InvalidRequest, ProtegeJobsError
from plugin_bridge.cli.exit_codes import ExitCode
from plugin_bridge.cli.interrupts import take_sigterm_as_ctrl_c, until_interrupted
from plugin_bridge.cli.logs import log_to_stderr
from plugin_bridge.cli.settings import window_settings
from plugin_bridge.cli.terminal import note, say_error
from plugin_bridge.window import open_window

if TYPE_CHECKING:
    import argparse

    from plugin_bridge.mcp_server.tools import ToolCalls
    from plugin_bridge.settings import WindowSettings
    from plugin_bridge.window import Window

_USUAL_THRESHOLD: Final = (700, 10, 10)


def serve(options: argparse.Namespace) -> int:
    """Serve until the client leaves (stdio) or a signal comes (HTTP)."""
    log_to_stderr()
    take_sigterm_as_ctrl_c()
    try:
        settings = replace(window_settings(options), read_only=options.read_only)
        work = _serve_stdio if options.http is None else _serve_http
        anyio.run(until_interrupted, partial(work, options, settings))
    except ProtegeJobsError as error:
        say_error(error)
        return ExitCode.USAGE if isinstance(error, InvalidRequest) else ExitCode.FAILED
    except KeyboardInterrupt:
        return ExitCode.CANCELLED
    return ExitCode.SUCCEEDED


async def _serve_stdio(options: argparse.Namespace, settings: WindowSettings) -> None:
    from plugin_bridge.mcp_server.server import build_server
    from plugin_bridge.mcp_server.stdio import serve_stdio

    async with open_window(settings) as window:
        session = window.access.local_session()
        server = build_server(_calls(window), lambda _: session, version("protege-jobs"))
        window.warm_up()
        _collect_as_usual()
        if os.isatty(0):
            note("protege-jobs: waiting for an MCP client on standard input; Ctrl-C ends the window")
        await serve_stdio(server)


async def _serve_http(options: argparse.Namespace, settings: WindowSettings) -> None:
    from plugin_bridge.mcp_server.http import HttpSettings, serve_http
    from plugin_bridge.mcp_server.server import build_server, session_of_request
    from plugin_bridge.mcp_server.tokens import find_token

    host, port = _address(options.http)
    try:
        token = find_token(os.environ, options.token_file)
    except ValueError as error:
        raise InvalidRequest(f"{error}.") from error
    if token is None:
        raise InvalidRequest("HTTP is never anonymous: set PROTEGE_JOBS_TOKEN or give --token-file FILE.")
    async with open_window(settings) as window, anyio.create_task_group() as tasks:
        window.access.add_static_token(token)
        server = build_server(_calls(window), session_of_request, version("protege-jobs"))
        try:
            address = await tasks.start(serve_http, server, window.access, HttpSettings(host=host, port=port))
        except (OSError, ValueError) as error:
            raise InvalidRequest(f"--http: {options.http} cannot be used: {error}.") from error
        note(f"protege-jobs: {window.title} is served at {address.url}")
        window.warm_up()
        _collect_as_usual()
        await anyio.sleep_forever()


def _collect_as_usual() -> None:
    """Let the collector do its work from now on, but not look at what was imported, which stays for good."""
    gc.freeze()
    gc.set_threshold(*_USUAL_THRESHOLD)


def _calls(window: Window) -> ToolCalls:
    from plugin_bridge.mcp_server.tools import ToolCalls

    return ToolCalls(window, window.access, window.requests, window.clock, describe)


def _address(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`, `[IPv6]:PORT` or `:PORT`; port 0 takes a free one."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise InvalidRequest("--http takes HOST:PORT, for example 127.0.0.1:8123.")
    return host.strip("[]") or "127.0.0.1", int(port)
