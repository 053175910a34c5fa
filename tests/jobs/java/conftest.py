from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.java.runtime import get_runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobs.java.jars import ClassPath
    from jobs.java.runtime import JavaRuntime
    from jobs.workers.contract import StageCall

SUPPORT = Path(__file__).parents[2] / "support"
sys.path.insert(0, str(SUPPORT))

collect_ignore_glob = [] if sys.platform == "linux" else ["test_java_worker*.py"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def runtime() -> JavaRuntime:
    return get_runtime()


@pytest.fixture(scope="session")
def double_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The double as a jar in a folder with a space and an umlaut."""
    javac, jar = shutil.which("javac"), shutil.which("jar")
    if javac is None or jar is None:
        pytest.skip("no JDK here to compile the double")
    folder = tmp_path_factory.mktemp("doubles") / "a jär's place"
    folder.mkdir()
    made = folder / "double.jar"
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    source = str(SUPPORT / "JavaDouble.java")
    compiling = [javac, "--release", "11", "-nowarn", "-encoding", "UTF-8", "-d", str(folder / "out"), source]
    subprocess.run(compiling, check=True, timeout=60, env=env)
    packing = [jar, "--create", "--file", str(made), "-C", str(folder / "out"), "."]
    subprocess.run(packing, check=True, timeout=60, env=env)
    return made


@pytest.fixture
def class_path(double_jar: Path) -> ClassPath:
    from java_support import class_path_of

    return class_path_of(double_jar)


@pytest.fixture
def make_call(tmp_path: Path) -> Callable[..., StageCall]:
    from jobs.workers.contract import StageCall

    def make(operation: str, **inputs: object) -> StageCall:
        return StageCall(operation=operation, version=1, inputs=inputs, work_dir=tmp_path)

    return make


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    """Every test ends without a child of this process, zombies included."""
    from process_table import children_of

    before = set(children_of(os.getpid()))
    yield
    assert set(children_of(os.getpid())) <= before
