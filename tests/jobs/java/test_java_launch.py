"""The command line of a JVM worker, without starting one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from jobs import limits
from jobs.errors import JavaUnavailable
from jobs.java import launch
from jobs.java.jars import ClassPath, Jar
from jobs.java.launch import java_command, java_launch
from jobs.java.runtime import JavaRuntime

if TYPE_CHECKING:
    from pathlib import Path

RUNTIME = JavaRuntime(executable="/opt/a java/bin/java", version="17.0.1", home="/opt/a java", source="PATH")
JARS = tuple(
    Jar(name=name, sha256=name, group=None, path=f"/opt/the jars/{name}") for name in ("a.jar", "b.jar")
)
CLASS_PATH = ClassPath(name="reasoner", main_class="org.x.Main", jars=JARS)


def test_nothing_of_the_command_needs_a_shell_or_quotes() -> None:
    argv = java_command(RUNTIME, CLASS_PATH).argv
    assert argv[0] == "/opt/a java/bin/java"
    assert argv[-3:] == ("-cp", f"/opt/the jars/a.jar{os.pathsep}/opt/the jars/b.jar", "org.x.Main")


def test_the_heap_is_what_was_asked_for() -> None:
    assert "-Xmx65536k" in java_command(RUNTIME, CLASS_PATH, heap_bytes=64 * limits.MIB).argv
    assert "-Xmx1024k" in java_command(RUNTIME, CLASS_PATH, heap_bytes=0).argv


@pytest.mark.parametrize(
    ("container", "heap"),
    [("max\n", None), (f"{2 * limits.GIB}\n", limits.GIB), ("1000\n", 512 * limits.MIB), ("\n", None)],
)
def test_the_default_heap_keeps_to_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, container: str, heap: int | None
) -> None:
    (tmp_path / "memory.max").write_text(container)
    monkeypatch.setattr(launch, "_CONTAINER_LIMITS", (str(tmp_path / "memory.max"), str(tmp_path / "none")))
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    expected = heap or max(512 * limits.MIB, min(16 * limits.GIB, machine // 2))
    assert f"-Xmx{expected // 1024}k" in java_command(RUNTIME, CLASS_PATH).argv


def test_launches_of_other_jars_or_limits_are_of_another_kind() -> None:
    base = java_command(RUNTIME, CLASS_PATH)
    altered = ClassPath(name="reasoner", main_class="org.x.Main", jars=JARS[:1])
    kinds = {
        base.kind,
        java_command(RUNTIME, altered).kind,
        java_command(RUNTIME, CLASS_PATH, heap_bytes=1 << 30).kind,
    }
    assert len(kinds) == 3
    assert java_command(RUNTIME, CLASS_PATH, keeps_spare=True).kind == base.kind


def test_without_a_runtime_or_jars_the_error_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JavaUnavailable) as caught:
        java_launch("reasoner-owlapi")
    assert caught.value.details["missing"] == "runtime"
    monkeypatch.setattr(launch, "get_runtime", lambda: RUNTIME)
    with pytest.raises(JavaUnavailable, match="make java") as caught:
        java_launch("no-such-class-path")
    assert caught.value.details["missing"] == "jars"


def test_no_message_of_a_fault_shows_a_path() -> None:
    for fault in launch.FAULTS:
        assert "/" not in fault.message
        assert fault.failure_type.isidentifier()
