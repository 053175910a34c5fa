"""The job engine: it has never heard of Protégé, MCP, Py4J or HTTP."""
