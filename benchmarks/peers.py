"""The commands that are measured: ours, and the peers that can be found on this machine.

ROBOT is fetched once through Maven into the user's cache folder and used offline afterwards; when
Maven or Java is absent, a row that needs it says so instead of failing.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import platformdirs

from benchmarks.figures import NotRun

_GOAL: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_FETCH_S: Final = 600


def our_command() -> list[str]:
    """The argv prefix of `protege-jobs`, from the environment that runs this."""
    script = Path(sys.executable).with_name("protege-jobs")
    if script.exists():
        return [str(script)]
    raise NotRun("protege-jobs is not installed in this environment: make setup")


def robot_command() -> list[str]:
    """The argv prefix of ROBOT, fetched now if it never was.

    Raises:
        NotRun: no Java, or ROBOT is not there and Maven is absent or fails.
    """
    return [_java("ROBOT"), "-cp", str(_jars("robot") / "*"), "org.obolibrary.robot.CommandLineInterface"]


def elk_command(heap_bytes: int) -> list[str]:
    """The argv prefix of ELK alone in one JVM, fetched now if it never was; compiled as it starts.

    Raises:
        NotRun: as `robot_command`.
    """
    source = Path(__file__).with_name("ElkAlone.java")
    heap = f"-Xmx{heap_bytes // 1024}k"
    return [_java("ELK"), heap, "-XX:+UseParallelGC", "-cp", str(_jars("elk") / "*"), str(source)]


def _java(peer: str) -> str:
    java = shutil.which("java")
    if java is None:
        raise NotRun(f"{peer} needs Java, and there is no java on the path")
    return java


def _jars(peer: str) -> Path:
    """Where a peer's jars live; another folder for another release, since the pom's text names it."""
    pom = Path(__file__).with_name(f"{peer}-pom.xml")
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:12]
    folder = Path(platformdirs.user_cache_dir("protege-jobs")) / "benchmarks" / f"{peer}-{digest}"
    if not folder.is_dir():
        _fetch(pom, folder)
    return folder


def _fetch(pom: Path, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise NotRun(f"{pom.stem} is fetched through Maven, and there is no mvn on the path")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        jars = Path(unfinished) / "jars"
        argv = [maven, "-B", "-q", "-f", str(pom), _GOAL, f"-DoutputDirectory={jars}"]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, timeout=_FETCH_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise NotRun(f"Maven did not fetch {pom.stem} within {_FETCH_S} s") from error
        if done.returncode != 0:
            raise NotRun(f"Maven could not fetch {pom.stem}: {(done.stdout + done.stderr).strip()[-400:]}")
        jars.rename(folder)  # only a whole download gets the name that later runs look for
