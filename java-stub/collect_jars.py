"""Collect the class paths that Maven built into the Python package: jobs/java/jars and its manifest.

    python java-stub/collect_jars.py [--from DIRECTORY] [--to DIRECTORY]

Each jar is stored once, whichever class paths need it. A jar that is already there is not touched:
its time is part of what a runtime's class archive is checked against. Standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMAT = 1  # jobs/java/jars.py reads it
FOR_TESTS = {"headless-host", "reasoner-stuck"}
OWN_GROUP = "org.protegejobs"
MAIN = re.compile(r"org/protegejobs/\w+/Main\.class")


def main() -> int:
    """Collect, and say what was collected."""
    parser = argparse.ArgumentParser(description="collect the built jars into the Python package")
    parser.add_argument("--from", dest="source", type=Path, default=ROOT / "java-stub")
    parser.add_argument("--to", dest="target", type=Path, default=ROOT / "jobs" / "java" / "jars")
    options = parser.parse_args()
    found = collect(options.source, options.target)
    if not found:
        sys.stderr.write("No class path has been built below java-stub; `make java` builds them.\n")
        return 1
    size = sum(path.stat().st_size for path in options.target.glob("*.jar"))
    sys.stderr.write(f"Java class paths: {', '.join(found)} ({size / 1e6:.0f} MB of jars)\n")
    return 0


def collect(source: Path, target: Path) -> list[str]:
    """Make `target` hold exactly the jars of the modules below `source`; the names of the class paths."""
    class_paths: dict[str, object] = {}
    jars: dict[str, dict[str, object]] = {}
    files: dict[str, Path] = {}
    for folder in sorted(source.glob("*/target/classpath")):
        module = folder.parents[1].name
        built = sorted(folder.glob("*.jar"))
        main_class = main_class_of(built)
        if module in FOR_TESTS or main_class is None:
            continue
        names = []
        for path in built:
            row = described(path)
            name = path.name
            if name in jars and jars[name]["sha256"] != row["sha256"]:
                name = f"{path.stem}-{str(row['sha256'])[:8]}.jar"
            jars[name], files[name] = row, path
            names.append(name)
        class_paths[module] = {"main_class": main_class, "jars": names}
    if class_paths:
        store(target, files, {"format": FORMAT, "class_paths": class_paths, "jars": jars})
    return list(class_paths)


def main_class_of(built: list[Path]) -> str | None:
    """The entry point in a class path; None when it has none, as after a build that failed midway."""
    for path in built:
        with zipfile.ZipFile(path) as jar:
            for name in jar.namelist():
                if MAIN.fullmatch(name):
                    return name.removesuffix(".class").replace("/", ".")
    return None


def described(path: Path) -> dict[str, object]:
    """The manifest's row of one jar."""
    data = path.read_bytes()
    row: dict[str, object] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    coordinates = []
    with zipfile.ZipFile(path) as jar:
        for name in jar.namelist():
            if re.fullmatch(r"META-INF/maven/[^/]+/[^/]+/pom\.properties", name):
                text = jar.read(name).decode("utf-8", "replace")
                coordinates.append(dict(re.findall(r"^(\w+)=(\S+)", text, re.MULTILINE)))
    # A jar that holds others' classes names them too: its own is the one that fits its file name.
    for each in coordinates:
        if path.name == f"{each.get('artifactId')}-{each.get('version')}.jar":
            row |= {"group": each["groupId"], "artifact": each["artifactId"], "version": each["version"]}
    return row


def store(target: Path, files: dict[str, Path], manifest: dict[str, object]) -> None:
    """Copy what is new, put the manifest in place, then delete what it does not name."""
    target.mkdir(parents=True, exist_ok=True)
    jars = manifest["jars"]
    assert isinstance(jars, dict)
    for name, path in files.items():
        kept = target / name
        if kept.is_file() and hashlib.sha256(kept.read_bytes()).hexdigest() == jars[name]["sha256"]:
            continue
        part = target / f".{name}.part"
        shutil.copyfile(path, part)
        os.replace(part, kept)
    part = target / ".manifest.part"
    part.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(part, target / "manifest.json")
    for path in target.iterdir():
        if path.name not in files and path.name != "manifest.json":
            path.unlink()


if __name__ == "__main__":
    sys.exit(main())
