"""The command line: `protege-jobs serve | run | init`.

Nothing heavy is imported before it is known to be needed: `run` never imports the MCP SDK.
"""

from plugin_bridge.cli.main import main

__all__ = ["main"]
