from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from jobs.operations import inputs, registry
from jobs.operations.labels import labels
from jobs.operations.report import ReportWriter
from jobs.values import JobType

if TYPE_CHECKING:
    from pathlib import Path


def test_every_stage_can_be_found_and_no_other() -> None:
    for name, entry in registry.STAGES.items():
        assert callable(registry.find_stage(name, entry.version))
        with pytest.raises(LookupError):
            registry.find_stage(name, entry.version + 1)
    with pytest.raises(LookupError):
        registry.find_stage("os.system", 1)


def test_operations_name_registered_stages() -> None:
    for operation in registry.OPERATIONS.values():
        assert set(operation.stages) <= registry.STAGES.keys()
        assert list(operation.required_capabilities) == sorted(operation.required_capabilities)
    assert registry.find_operation(JobType.SEMANTIC_DIFF) is not None
    classification = registry.find_operation(JobType.CLASSIFICATION)
    assert classification is not None
    assert classification.needs_reasoner
    assert registry.find_operation(JobType.PROJECT_QC) is None


def test_the_table_is_cheap_to_import() -> None:
    heavy = (
        "pyelk",
        "pyowl_core",
        "pyhornedowl",
        "pyoxigraph",
        "mcp",
        "pydantic",
        "anyio",
        "jobs.ontology.rdf",
    )
    code = f"import sys; import jobs.operations.registry; sys.exit(bool(set({heavy!r}) & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# --- Helpers of the stages ------------------------------------------------------------------------


def test_a_report_is_json_with_a_line_for_each_key_and_row(tmp_path: Path) -> None:
    with ReportWriter(tmp_path) as report:
        report.add("name", "Größe \ud800")
        report.add_rows("rows", [{"b": 1, "a": 2}, 3])
        assert report.add_rows("none", []) is True
        assert report.add_rows("large", ["x" * 50] * 100, 1_000) is False
        report.add("last", None)
    data = (tmp_path / "report.json").read_bytes()
    assert data.decode().splitlines() == [
        "{",
        '"name": "Größe \\ud800",',
        '"rows": [',
        '{"a":2,"b":1},',
        "3],",
        '"none": [],',
        '"large": [],',
        '"last": null',
        "}",
    ]
    assert json.loads(data)["rows"] == [{"a": 2, "b": 1}, 3]
    assert report.artifact().size_bytes == len(data)


def test_a_report_that_fails_is_closed(tmp_path: Path) -> None:
    with pytest.raises(TypeError), ReportWriter(tmp_path) as report:
        report.add("a", {1, 2})
    assert not (tmp_path / "report.json").read_bytes().endswith(b"}\n")


@pytest.mark.parametrize("value", [None, "1", True, -1, 1.5])
def test_inputs_of_another_shape_are_our_defect(value: object) -> None:
    with pytest.raises(Exception, match="another shape") as caught:
        inputs.integer({"limit": value}, "limit")
    assert caught.value.details == {"failure_type": "stage_inputs", "input": "limit"}  # type: ignore[attr-defined]


def test_labels_prefer_english_then_none() -> None:
    label = "AnnotationAssertion(<http://www.w3.org/2000/01/rdf-schema#label>"
    axioms = sorted(
        [
            f'{label} <a:1> "un"@fr)',
            f'{label} <a:1> "one")',
            f'{label} <a:2> "deux"@fr)',
            f'{label} <a:2> "two"@en)',
            f'{label} <a:2> "two plain")',
            f'{label} <a:22> "other")',
            f"{label} <a:3> <a:4>)",
        ]
    )
    assert labels(axioms, ["a:1", "a:2", "a:3", "a:5"]) == {"a:1": "one", "a:2": "two"}
