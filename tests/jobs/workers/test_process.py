"""A worker finds the packages that its backend runs on, however these were installed."""

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from jobs.workers import process

ROOT = Path(__file__).parents[3]
GREETING = """
import subprocess
from jobs.workers.process import WORKER_COMMAND
pipe = subprocess.PIPE
command = [*WORKER_COMMAND, "--parent", "1"]
with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
    options = [each for each in WORKER_COMMAND if each in ("-I", "-E", "-P", "-s")]
    print(b"hello" in worker.stdout.read(32), options)
    worker.stdin.close()
    print(worker.stderr.read().decode())
"""
PACKAGES = (ROOT, Path(anyio.__file__).parents[1])
# The interpreter behind the virtual environment, which has none of our packages itself.
BARE = getattr(sys, "_base_executable", sys.executable)


def greeting(tmp_path: Path, **extra: str) -> str:
    """Whether a worker greets a backend that runs under this environment, and how it was isolated."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env = {**kept, "HOME": str(tmp_path), **extra}
    ran = subprocess.run(
        [BARE, "-c", GREETING], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    return ran.stdout + ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the folder of user packages is set by another variable")
def test_a_worker_of_an_installation_for_one_user_starts(tmp_path: Path) -> None:
    where = [BARE, "-c", "import site; print(site.getusersitepackages())"]
    env = {"HOME": str(tmp_path)}
    folder = Path(subprocess.run(where, env=env, capture_output=True, text=True, check=True).stdout.strip())
    folder.mkdir(parents=True)
    (folder / "packages.pth").write_text("\n".join(map(str, PACKAGES)), encoding="utf-8")
    assert greeting(tmp_path).startswith("True ['-E', '-P']")


def test_a_worker_of_an_installation_on_the_python_path_starts(tmp_path: Path) -> None:
    path = os.pathsep.join(map(str, PACKAGES))
    assert greeting(tmp_path, PYTHONPATH=path).startswith("True ['-P'")


def test_a_worker_in_a_virtual_environment_is_wholly_isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(process.site, "ENABLE_USER_SITE", False)
    assert process._isolation() == ("-I",)
