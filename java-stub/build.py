"""Build the Java side where Maven and a JDK are there, and collect its jars into the Python package.

    python java-stub/build.py [package | verify]

`package` (the default) does nothing when no source is newer than what was collected. `verify` also
runs the Java tests and the formatter's check. Without Maven or a JDK it says so and ends well:
everything that needs no Java works without. Standard library only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import collect_jars

STUB = Path(__file__).resolve().parent
JARS = STUB.parent / "jobs" / "java" / "jars"
JDK = 17  # the formatter's check needs it; the bytecode is Java 11's
BOUND_S = 1800


def main() -> int:
    """Build and collect."""
    goal = sys.argv[1] if len(sys.argv) > 1 else "package"
    if goal not in ("package", "verify"):
        sys.stderr.write("usage: build.py [package | verify]\n")
        return 2
    if goal == "package" and is_fresh():
        return 0
    if (lacking := lack()) is not None:
        what = "Java tests: not run" if goal == "verify" else "Java: not built"
        sys.stderr.write(f"{what}: {lacking}. Everything that needs no Java works without.\n")
        return 0
    sys.stderr.write(f"Java: mvn {goal} (the first time it downloads what it needs) …\n")
    command = [maven(), "-f", str(STUB / "pom.xml"), "-q", "-B", goal]
    if goal == "package":
        command.append("-DskipTests")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=BOUND_S, check=False)
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"Java: mvn {goal} took more than {BOUND_S} s and was ended.\n")
        return 1
    if done.returncode != 0:
        sys.stderr.write(f"Java: mvn {goal} failed.\n")
        return 1
    if not collect_jars.collect(STUB, JARS):
        sys.stderr.write("Java: Maven built no class path.\n")
        return 1
    (JARS / "manifest.json").touch()
    return 0


def is_fresh() -> bool:
    """Whether the collected jars are newer than every source."""
    try:
        built = (JARS / "manifest.json").stat().st_mtime
    except OSError:
        return False
    sources = [STUB / "pom.xml", *STUB.glob("*/pom.xml"), *STUB.glob("*.py")]
    sources += [path for path in STUB.glob("*/src/main/**/*") if path.is_file()]
    return all(path.stat().st_mtime <= built for path in sources)


def lack() -> str | None:
    """What is missing for a build; None when nothing is."""
    if not shutil.which("mvn"):
        return "Maven (mvn) is not on PATH"
    home = os.environ.get("JAVA_HOME")
    javac = shutil.which("javac", path=str(Path(home) / "bin")) if home else shutil.which("javac")
    if not javac:
        return "no JDK (javac) was found"
    said = subprocess.run([javac, "-version"], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"javac (\d+)", said.stdout + said.stderr)
    if not found or int(found[1]) < JDK:
        return f"the JDK is older than {JDK}"
    return None


def maven() -> str:
    """The launcher; on Windows it is a script with another ending."""
    return shutil.which("mvn") or "mvn"


if __name__ == "__main__":
    sys.exit(main())
