"""The MCP face of a window: `tools` is the service, `server` its codec, `stdio` and `http` the transports.

Nothing is imported here: the SDK takes up to 1.4 s to import, and `arguments`, `text` and `port`
serve the command line without it.
"""
