"""A class path is whole and unaltered, or is not there."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.java.jars import MANIFEST, class_path_names, find_classpath

if TYPE_CHECKING:
    from types import ModuleType

STUB = Path(__file__).parents[3] / "java-stub"


@pytest.fixture
def collect_jars(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(STUB))
    import collect_jars

    return collect_jars


def jar(path: Path, *entries: str, group: str | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        for entry in entries:
            file.writestr(entry, path.stem)
        if group is not None:
            artifact, _, version = path.stem.rpartition("-")
            text = f"groupId={group}\nartifactId={artifact}\nversion={version}\n"
            file.writestr(f"META-INF/maven/{group}/{artifact}/pom.properties", text)
    return path


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Modules as Maven leaves them: one shared jar, one name with two contents, one module for tests."""
    for module in ("reasoner-one", "reasoner-two", "headless-host"):
        folder = tmp_path / "stub" / module / "target" / "classpath"
        main = "org/protegejobs/elk/Main.class"
        jar(folder / f"{module}-0.1.0.jar", main, group="org.protegejobs")
        jar(folder / "gson-2.11.0.jar", "G.class", group="com.google.code.gson")
        jar(folder / "guava.jar", f"{module}.class")
    jar(tmp_path / "stub" / "reasoner-cut" / "target" / "classpath" / "gson-2.11.0.jar", "G.class")
    return tmp_path / "stub"


def test_what_is_collected_is_found(collect_jars, built: Path, tmp_path: Path) -> None:
    target = tmp_path / "jars"
    assert collect_jars.collect(built, target) == ["reasoner-one", "reasoner-two"]
    assert class_path_names(target) == ("reasoner-one", "reasoner-two")
    found = find_classpath("reasoner-two", target)
    assert found is not None
    assert found.main_class == "org.protegejobs.elk.Main"
    groups = {each.name: each.group for each in found.jars}
    other = next(name for name in groups if name.startswith("guava"))
    assert other != "guava.jar", "two jars of one name are both kept"
    assert groups == {
        "gson-2.11.0.jar": "com.google.code.gson",
        other: None,
        "reasoner-two-0.1.0.jar": "org.protegejobs",
    }
    for each in found.jars:
        assert hashlib.sha256(Path(each.path).read_bytes()).hexdigest() == each.sha256
    assert find_classpath("headless-host", target) is None


def test_collecting_again_keeps_the_time_of_equal_jars_and_drops_strange_ones(
    collect_jars, built, tmp_path
) -> None:
    target = tmp_path / "jars"
    collect_jars.collect(built, target)
    os.utime(target / "gson-2.11.0.jar", (1, 1))
    (target / "stranger.jar").write_bytes(b"")
    jar(built / "reasoner-one" / "target" / "classpath" / "guava.jar", "new.class")
    collect_jars.collect(built, target)
    assert (target / "gson-2.11.0.jar").stat().st_mtime == 1
    assert not (target / "stranger.jar").exists()
    assert find_classpath("reasoner-one", target) is not None


@pytest.mark.parametrize("how", ["missing", "altered", "outside", "no_manifest", "other_format", "torn"])
def test_a_class_path_that_is_not_whole_is_not_there(collect_jars, built, tmp_path, how, caplog) -> None:
    target = tmp_path / "jars"
    collect_jars.collect(built, target)
    manifest = target / MANIFEST
    said = json.loads(manifest.read_text())
    assert find_classpath("reasoner-one", target) is not None
    match how:
        case "missing":
            (target / "gson-2.11.0.jar").unlink()
        case "altered":
            jar(target / "gson-2.11.0.jar", "Other.class")
        case "outside":
            (tmp_path / "x.jar").write_bytes(b"x")
            row = {"sha256": hashlib.sha256(b"x").hexdigest()}
            said["jars"]["../x.jar"] = row
            said["class_paths"]["reasoner-one"]["jars"] = ["../x.jar"]
            manifest.write_text(json.dumps(said))
        case "no_manifest":
            manifest.unlink()
        case "other_format":
            manifest.write_text(json.dumps({**said, "format": 2}))
        case "torn":
            manifest.write_text(manifest.read_text()[:100])
    assert find_classpath("reasoner-one", target) is None
    assert str(tmp_path) not in caplog.text


def test_an_unknown_class_path_is_not_there(tmp_path: Path) -> None:
    assert find_classpath("no-such", tmp_path) is None
    assert class_path_names(tmp_path) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="make")
def test_without_maven_the_build_says_what_is_missing_and_ends_well(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.syspath_prepend(str(STUB))
    import build

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(build, "JARS", tmp_path / "jars")
    for goal, said in (("package", "Java: not built: Maven"), ("verify", "Java tests: not run: Maven")):
        monkeypatch.setattr(sys, "argv", ["build.py", goal])
        assert build.main() == 0
        assert said in capsys.readouterr().err
