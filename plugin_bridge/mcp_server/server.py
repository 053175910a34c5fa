"""The SDK server over one window: `tools/list`, `tools/call`, and nothing else yet.

It is the SDK's low-level `Server`, not `MCPServer`: the latter drops unknown arguments of decorated
tools silently (decision 28), derives schemas from signatures and converts results; here schemas,
checks and bodies are ours already. What the coming tasks adapter needs is public on the low-level
server as well: the `middleware` list (legacy creation replies, `initialize` and `tools/list` edits),
`extensions` (the advert), `add_request_handler` (`tasks/*`, `subscriptions/listen`), `lifespan` (its
task group), and `mcp.server.extension.compose_tool_call_handler` to wrap `answer` with an
extension's interceptor (modern creation replies). Both generations are codecs over `ToolCalls`.

Importing this module imports the SDK, which takes 0.5 to 1.4 s; do it late.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, PaginatedRequestParams
from mcp_types.jsonrpc import INVALID_PARAMS

from jobs.errors import ProtegeJobsError
from plugin_bridge.mcp_server import catalogue, errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext

    from jobs.values import Json
    from plugin_bridge.access import Session
    from plugin_bridge.mcp_server.tools import ToolCalls

    Context = ServerRequestContext[dict[str, Any], Any]

logger = logging.getLogger(__name__)

NAME: Final = "protege-jobs"
SESSION_KEY: Final = "protege_jobs.session"
"""Where the HTTP door leaves the authenticated session in the request's ASGI scope."""


def build_server(
    calls: ToolCalls, session_of: Callable[[Context], Session], version: str
) -> Server[dict[str, Any]]:
    """The server of one window on one transport.

    Args:
        session_of: the authenticated caller of a request: one fixed session on stdio, the session
            the HTTP door found otherwise.
        version: shown to clients.
    """
    # The tools of a server never change; the modern generation is told how long it may keep them.
    listed: Json = {
        "tools": catalogue.tools(calls.start_shape),
        "resultType": "complete",
        "ttlMs": 3_600_000,
        "cacheScope": "private",
    }
    known = frozenset(calls.names)

    async def list_tools(ctx: Context, params: PaginatedRequestParams) -> Json:
        if params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "tools/list has one page; leave cursor out.")
        return listed

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> Json:
        if params.name not in known:
            raise MCPError(INVALID_PARAMS, f"Unknown tool. This window has {', '.join(calls.names)}.")
        return await answer(calls, session_of(ctx), params.name, params.arguments or {})

    server: Server[dict[str, Any]] = Server(
        NAME,
        version=version,
        title="Protégé jobs",
        instructions=catalogue.INSTRUCTIONS,
        get_tool_input_schema=lambda name: None,  # no argument is mirrored into an HTTP header
    )
    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    return server


async def answer(calls: ToolCalls, session: Session, name: str, arguments: Json) -> Json:
    """Run one tool and dress its answer, or its error, as a tool result.

    Raises:
        MCPError: a machine fault, an uncertain outcome, or a defect of ours.
    """
    try:
        answered = await calls.call(session, name, arguments)
    except ProtegeJobsError as error:
        return errors.as_answer(error)
    except Exception as error:  # the MCP entry: one of the three named doors
        logger.exception("mcp.call_failed", extra={"operation": name})
        raise errors.internal_error() from error
    return {
        "content": [{"type": "text", "text": answered.words}],
        "structuredContent": answered.structured,
        "isError": False,
        "resultType": "complete",
    }


def session_of_request(ctx: Context) -> Session:
    """The session that the HTTP door authenticated for this very request."""
    request = ctx.request
    assert request is not None  # this server is mounted behind the HTTP door only
    session: Session = request.scope[SESSION_KEY]
    return session
