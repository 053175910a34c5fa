"""The published schemas: golden, valid, closed, and never at odds with the checks behind them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from jobs.descriptor import describe
from plugin_bridge.mcp_server import catalogue
from plugin_bridge.mcp_server.arguments import MATERIALIZATION_AXIOMS, MATERIALIZATION_LIVE_AXIOMS, StartShape

GOLDEN = Path(__file__).parents[2] / "golden"
LISTED = catalogue.tools(StartShape(MATERIALIZATION_LIVE_AXIOMS))


@pytest.mark.req("W-18", "W-33", "W-34", "W-37", "W-41", "W-90")
@pytest.mark.parametrize(
    ("name", "axioms"),
    [("tool_schemas", MATERIALIZATION_AXIOMS), ("tool_schemas_live", MATERIALIZATION_LIVE_AXIOMS)],
)
def test_the_published_tools_are_the_golden_ones(name: str, axioms: int) -> None:
    """`UPDATE_GOLDEN=1` rewrites the files; the diff is reviewed."""
    text = json.dumps(catalogue.tools(StartShape(axioms)), indent=1, ensure_ascii=False) + "\n"
    path = GOLDEN / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", LISTED, ids=lambda tool: tool["name"])
def test_schemas_are_valid_2020_12(tool: dict[str, object]) -> None:
    for key in ("inputSchema", "outputSchema"):
        Draft202012Validator.check_schema(tool[key])
        assert tool[key]["type"] == "object"


@pytest.mark.parametrize("tool", LISTED, ids=lambda tool: tool["name"])
def test_inputs_are_closed_at_every_depth(tool: dict[str, object]) -> None:
    def objects(schema: object) -> list[dict[str, object]]:
        if isinstance(schema, list):
            return [each for item in schema for each in objects(item)]
        if not isinstance(schema, dict):
            return []
        inner = [each for item in schema.values() for each in objects(item)]
        return [schema, *inner] if schema.get("type") == "object" and "properties" in schema else inner

    for each in objects(tool["inputSchema"]):
        assert each["additionalProperties"] is False


@pytest.mark.parametrize("tool", LISTED, ids=lambda tool: tool["name"])
def test_every_tool_says_what_it_does_to_the_world(tool: dict[str, object]) -> None:
    hints = tool["annotations"]
    assert set(hints) == {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert hints["openWorldHint"] is False
    assert 40 < len(tool["description"]) < 700


def test_descriptions_of_25_keys() -> None:
    job = next(each for each in LISTED if each["name"] == "get_job")["outputSchema"]["$defs"]["job"]
    assert len(job["properties"]) == 25
    assert job["required"] == list(job["properties"])
    assert describe.__doc__
