"""What a wheel carries: built here without a network, and read like an installed one."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from jobs.java.jars import class_path_names, find_classpath

ROOT = Path(__file__).parents[3]


@pytest.mark.java
def test_the_wheel_carries_the_jars_and_finds_them_without_maven(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    building = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    ran = subprocess.run([*building, str(ROOT)], capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    jars = tmp_path / "site" / "jobs" / "java" / "jars"
    names = class_path_names(jars)
    assert names == class_path_names()
    assert {"reasoner-elk", "reasoner-owlapi"} <= set(names)
    for name in names:
        assert find_classpath(name, jars) is not None
    assert not list(jars.glob("headless*"))
    print(f"the wheel has {wheel.stat().st_size / 1e6:.0f} MB")
