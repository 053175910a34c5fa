"""Every requirement in force is shown by a test, and every mark names a requirement.

A test shows a requirement by `@pytest.mark.req("W-21")` or a docstring line `Shows: W-21, W-22`.
Marks are read from the sources, so a skipped test still counts as a claim; the run says it skipped.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LIST = TESTS / "requirements.txt"
SHARED_TABLE = TESTS.parent.parent / "shared" / "spec" / "requirements.md"
ID = re.compile(r"[WD]-\d{2,}")
ROW = re.compile(r"^\| ([WD]-\d+)( !)? \|", re.MULTILINE)


def listed() -> dict[str, str]:
    rows = (line.split() for line in LIST.read_text().splitlines() if line and not line.startswith("#"))
    return {requirement: status for requirement, status in rows}


def claimed() -> dict[str, set[str]]:
    """Each requirement that some test names, with the files that do."""
    claims: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for requirement in claims_of(ast.parse(path.read_text(encoding="utf-8"))):
            claims.setdefault(requirement, set()).add(path.relative_to(TESTS).as_posix())
    return claims


def claims_of(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "req":
            found |= {each.value for each in node.args if isinstance(each, ast.Constant)}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            for line in (ast.get_docstring(node) or "").splitlines():
                if line.strip().startswith("Shows:"):
                    found |= set(ID.findall(line))
    return found


def test_every_requirement_in_force_is_shown_by_a_test() -> None:
    in_force = {requirement for requirement, status in listed().items() if status == "in-force"}
    assert sorted(in_force - claimed().keys()) == []


def test_every_mark_names_a_listed_requirement() -> None:
    assert sorted(claimed().keys() - listed().keys()) == []


def test_no_pending_requirement_is_claimed_already() -> None:
    pending = {requirement for requirement, status in listed().items() if status == "pending"}
    assert sorted(pending & claimed().keys()) == []


def test_the_list_is_the_contract_s_list() -> None:
    if not SHARED_TABLE.exists():
        pytest.skip("the contract's table is not here")
    assert {match[1] for match in ROW.finditer(SHARED_TABLE.read_text())} == listed().keys()
