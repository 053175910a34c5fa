from __future__ import annotations

import subprocess
import sys

import pytest

import jobs


def test_every_name_of_the_facade_is_there() -> None:
    assert sorted(jobs._HOMES) == sorted(jobs.__all__)
    for name in jobs.__all__:
        assert getattr(jobs, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = jobs.nothing  # type: ignore[attr-defined]


def test_a_room_costs_no_more_than_itself() -> None:
    names = "{'anyio', 'cryptography', 'jobs.service'}"
    code = f"import sys, jobs.values; print(sorted({names} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "[]\n"
