"""A real stdio server over the fake window, run as a subprocess by tests.

`--succeed` ends every started job well at once, so that a client sees a result.
"""

from __future__ import annotations

import sys

import anyio

from jobs.descriptor import describe
from plugin_bridge.access import AccessTable, NoAudit
from plugin_bridge.mcp_server.server import build_server
from plugin_bridge.mcp_server.stdio import serve_stdio
from plugin_bridge.mcp_server.tools import ToolCalls
from tests.support.fake_window import FakeWindow


class EagerWindow(FakeWindow):
    """Succeeds every job as it is started."""

    async def start_job(self, session, arguments):  # type: ignore[no-untyped-def]
        accepted = await super().start_job(session, arguments)
        if not accepted.reused:
            self.succeed(accepted.job.job_id)
        return accepted


async def main() -> None:
    window = EagerWindow() if "--succeed" in sys.argv else FakeWindow()
    access = AccessTable(window.workspace_id, window.clock, window.cancel_where)
    calls = ToolCalls(window, access, NoAudit(), window.clock, describe)
    print("a stray line that must not reach the protocol", file=sys.stderr)
    server = build_server(calls, lambda ctx: access.local_session(), "0.0.0")
    await serve_stdio(server)


if __name__ == "__main__":
    anyio.run(main)
