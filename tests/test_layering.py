"""Imports point down the page of ARCHITECTURE.md, and each foreign library has one room."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FACADE = "jobs"

# Room of `jobs` -> the rooms it may import besides itself. `base` is what everyone may import.
BASE = {"errors", "limits", "digests", "job_types", "values", "clock"}
MAY_IMPORT: dict[str, set[str]] = {
    "limits": set(),
    "errors": {"limits"},
    "digests": set(),
    "clock": set(),
    "tasks": set(),
    "job_types": set(),
    "values": {"errors", "limits", "digests", "job_types"},
    "kernel": BASE,
    "stores": BASE | {"kernel"},
    "audit": BASE,
    "audit_file": BASE | {"audit"},
    "artifact_files": BASE,
    "artifacts": BASE | {"artifact_files"},
    "computation": BASE,
    "cursors": BASE | {"stores"},
    "descriptor": BASE,
    "workers": BASE | {"tasks"},
    "ontology": BASE,
    "java": BASE | {"workers"},
    "reasoners": BASE | {"workers", "ontology", "java"},
    "operations": BASE | {"workers", "ontology", "reasoners", "artifacts"},
    "descriptor_reading": BASE | {"descriptor"},
    "steps": BASE | {"kernel", "stores", "audit", "computation"},
    "publishing": BASE | {"kernel", "audit", "artifacts", "computation", "descriptor", "steps"},
    "running": BASE | {"kernel", "audit", "artifacts", "computation", "steps", "publishing"},
    "scheduling": BASE | {"kernel", "steps", "running"},
    "admitting": BASE | {"kernel", "audit", "computation", "steps", "scheduling"},
    "service": BASE
    | {"kernel", "stores", "audit", "artifacts", "artifact_files", "computation", "cursors"}
    | {"steps", "running", "scheduling", "admitting"},
}
# What `plugin_bridge` must not know of; the composition root may name a store to build it.
INSIDE = {"kernel", "cursors", "stores", "steps", "publishing", "running", "scheduling", "admitting"}
COMPOSITION_ROOT = "plugin_bridge/window.py"

ONE_ROOM: dict[str, tuple[str, ...]] = {
    "py4j": ("plugin_bridge/host/gateway.py",),
    "mcp": ("plugin_bridge/mcp_server/",),
    "mcp_types": ("plugin_bridge/mcp_server/",),
    "starlette": ("plugin_bridge/mcp_server/",),
    "uvicorn": ("plugin_bridge/mcp_server/",),
    "sqlite3": ("jobs/stores/sqlite/",),
    "subprocess": ("jobs/workers/", "jobs/java/runtime.py"),
    "multiprocessing": ("jobs/workers/",),
    "pyhornedowl": ("jobs/ontology/",),
    "pyoxigraph": ("jobs/ontology/",),
    "pyelk": ("jobs/reasoners/",),
    "cryptography": ("jobs/cursors.py", "jobs/stores/sqlite/"),
    "pydantic": ("plugin_bridge/",),
    "rich": ("plugin_bridge/cli/",),
    "ruamel": ("plugin_bridge/policy/",),
    "platformdirs": ("plugin_bridge/", "jobs/java/archive.py"),
}

SOURCES = sorted(path for room in ("jobs", "plugin_bridge") for path in (ROOT / room).rglob("*.py"))


def imports_of(path: Path) -> list[str]:
    """Every module that a file imports, wherever the statement stands."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            module = node.module or ""
            inner = [f"{module}.{alias.name}" for alias in node.names if is_module(f"{module}.{alias.name}")]
            found += inner if len(inner) == len(node.names) else [module, *inner]
    return found


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def room_of(module: str) -> str:
    """`jobs.kernel.queue` -> `kernel`; the package itself is the façade."""
    return module.split(".")[1] if "." in module else FACADE


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down_and_foreign_libraries_keep_to_their_room(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    for module in imports_of(path):
        top = module.split(".")[0]
        if top in ONE_ROOM:
            assert place.startswith(ONE_ROOM[top]), f"{place} imports {module}"
        if top == "plugin_bridge":
            assert place.startswith("plugin_bridge/"), f"{place} imports {module}: nothing points back"
        if top == "jobs" and place.startswith("plugin_bridge/"):
            may = place == COMPOSITION_ROOT or room_of(module) not in INSIDE
            assert may, f"{place} imports {module}: use the façade"
        if top == "jobs" and place.startswith("jobs/") and place != "jobs/__init__.py":
            here = room_of(place.removesuffix(".py").replace("/", "."))
            there = room_of(module)
            assert there == here or there in MAY_IMPORT[here], f"{place} imports {module}"


def test_every_room_is_placed() -> None:
    rooms = {path.stem for path in (ROOT / "jobs").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "py"} == MAY_IMPORT.keys()
