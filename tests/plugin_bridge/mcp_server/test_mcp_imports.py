"""The SDK costs up to 1.4 s to import: only the modules that speak the wire may do it."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIGHT = [
    "access",
    *(f"mcp_server.{each}" for each in ("arguments", "catalogue", "port", "tools", "tokens", "wire")),
]


@pytest.mark.parametrize("module", LIGHT)
def test_a_module_without_wire_does_not_import_the_sdk(module: str) -> None:
    program = (
        f"import sys, plugin_bridge.{module}\n"
        "heavy = {'mcp', 'mcp_types', 'uvicorn', 'starlette', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
