from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobs.workers.contract import StageCall

SUPPORT = Path(__file__).parents[2] / "support"
sys.path.insert(0, str(SUPPORT))  # the process doubles are scripts, not a package

DOUBLE = (sys.executable, "-I", "-X", "utf8", str(SUPPORT / "worker_double.py"))

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]  # /proc is how these tests look


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def double() -> tuple[str, ...]:
    return DOUBLE


@pytest.fixture
def make_call(tmp_path: Path):
    from jobs.workers.contract import StageCall

    work_dir = tmp_path / "work"
    work_dir.mkdir()

    def make(operation: str, version: int = 1, **inputs: object) -> StageCall:
        return StageCall(operation=operation, version=version, inputs=inputs, work_dir=work_dir)

    return make


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    """Every test ends without a child of this process, zombies included."""
    from process_table import children_of

    before = set(children_of(os.getpid()))
    yield
    assert set(children_of(os.getpid())) <= before
