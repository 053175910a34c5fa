"""A bare server of the MCP SDK with one trivial tool: what a tool call costs when it does nothing.

python -m benchmarks.bare_server
"""

from mcp.server import MCPServer

server = MCPServer("bare")


@server.tool()
def echo(text: str) -> str:
    """Give the text back."""
    return text


if __name__ == "__main__":
    server.run("stdio")
