"""A peer that cannot be found is said to be missing, and nothing is left behind."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.figures import NotRun


def tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty cache, whose only tools are those the test puts into `bin`."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(peers.platformdirs, "user_cache_dir", lambda _: str(tmp_path / "cache"))
    return tmp_path


def test_without_java_robot_is_missing(machine: Path) -> None:
    with pytest.raises(NotRun, match="Java"):
        peers.robot_command()


def test_without_maven_and_jars_robot_is_missing(machine: Path) -> None:
    tool(machine / "bin", "java", "exit 0")
    with pytest.raises(NotRun, match="Maven"):
        peers.robot_command()


def test_a_failed_fetch_is_reported_and_leaves_no_folder(machine: Path) -> None:
    tool(machine / "bin", "java", "exit 0")
    tool(machine / "bin", "mvn", "echo no such artifact; exit 1")
    with pytest.raises(NotRun, match="no such artifact"):
        peers.robot_command()
    assert list((machine / "cache" / "benchmarks").iterdir()) == []


def test_robot_is_fetched_once_and_used_offline_afterwards(machine: Path) -> None:
    tool(machine / "bin", "java", "exit 0")
    tool(
        machine / "bin",
        "mvn",
        'for a; do case "$a" in -DoutputDirectory=*) /bin/mkdir "${a#*=}";; esac; done',
    )
    first = peers.robot_command()
    (machine / "bin" / "mvn").unlink()
    assert peers.robot_command() == first
    assert first[0] == str(machine / "bin" / "java")
    assert Path(first[2]).parent.is_dir()
