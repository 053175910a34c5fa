"""Which policy holds, which folder is the project, and what a named policy may not do."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from jobs.errors import InvalidRequest, PolicyRequired, PolicyUnavailable, ProtegeJobsError
from jobs.values import JobType
from plugin_bridge.policy import discover_policy, essentials, init_project, resolve_policy
from plugin_bridge.policy.essentials import essentials_of
from plugin_bridge.policy.loading import read_policy

if TYPE_CHECKING:
    from pathlib import Path

MINIMAL = "version: 1\n"


def write_policy(folder: Path, text: str = MINIMAL, name: str = ".protege-jobs/project.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "ontology").mkdir(parents=True)
    return folder


def reason_of(caught: pytest.ExceptionInfo[ProtegeJobsError]) -> object:
    return caught.value.details["reason"]


@pytest.mark.req("W-36")
def test_without_a_file_the_defaults_hold_in_the_documents_folder(project: Path):
    policy = resolve_policy(project)
    assert (policy.loaded, policy.policy_path, policy.project_root) == (False, None, project)
    assert policy.project_id == "project"
    assert policy.document.validation.fail_on == "error"
    assert policy.document.materialization.allowed_destinations == ("new_ontology",)
    assert policy.quotas.allowed_types == frozenset(JobType)
    assert (policy.quotas.retention_s, policy.audit.max_files) == (3600, 10)
    assert policy.relative_policy_path is None


@pytest.mark.req("W-36")
def test_the_nearest_policy_above_the_document_is_found(project: Path):
    write_policy(project.parent, "version: 1\nproject_id: outer")
    path = write_policy(project, "version: 1\nproject_id: inner\njobs: {workers: 1}")
    policy = resolve_policy(project / "src" / "ontology")
    assert (policy.loaded, policy.policy_path, policy.project_root) == (True, path, project)
    assert (policy.project_id, policy.quotas.workers) == ("inner", 1)
    assert policy.relative_policy_path == ".protege-jobs/project.yaml"


def test_a_marker_folder_without_a_policy_does_not_stop_the_search(project: Path):
    write_policy(project)
    (project / "src" / ".protege-jobs").mkdir()
    assert resolve_policy(project / "src").project_root == project


@pytest.mark.req("W-36")
def test_a_window_without_a_folder_has_no_policy():
    with pytest.raises(PolicyRequired) as caught:
        resolve_policy(None)
    assert reason_of(caught) == "no_folder"


def test_a_folder_that_is_gone_is_told(project: Path):
    with pytest.raises(PolicyUnavailable):
        resolve_policy(project / "gone")


@pytest.mark.req("W-36")
def test_a_broken_policy_is_an_error_and_never_the_defaults(project: Path):
    write_policy(project, "version: 1\nsurprise: 1\n")
    with pytest.raises(PolicyRequired) as caught:
        resolve_policy(project / "src")
    assert caught.value.details["line"] == 2


@pytest.mark.parametrize("kind", ["file", "dangling", "folder", "marker", "fifo", "too large"])
def test_a_policy_that_is_no_plain_file_is_refused(project: Path, kind: str):
    marker = project / ".protege-jobs"
    policy = marker / "project.yaml"
    real = write_policy(project.parent / "elsewhere")
    if kind == "marker":
        marker.symlink_to(real.parent)
    else:
        marker.mkdir()
        {
            "file": lambda: policy.symlink_to(real),
            "dangling": lambda: policy.symlink_to("nowhere"),
            "folder": policy.mkdir,
            "fifo": lambda: os.mkfifo(policy),
            "too large": lambda: policy.write_bytes(b"#" * (1024 * 1024 + 1)),
        }[kind]()
    with pytest.raises(PolicyRequired) as caught:
        resolve_policy(project)
    expected = {"folder": "not_regular", "fifo": "not_regular", "too large": "too_large"}
    assert reason_of(caught) == expected.get(kind, "symlink")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to give files away")
def test_a_strangers_policy_in_a_shared_folder_above_is_not_ours(project: Path):
    marker = write_policy(project.parent).parent
    assert resolve_policy(project).loaded
    os.chown(marker, 12345, 12345)
    assert not resolve_policy(project).loaded
    os.chown(project, 12345, 12345)  # their project: then their policy is the right one
    assert resolve_policy(project).loaded


# --- A named policy -------------------------------------------------------------------------------


@pytest.mark.req("W-36", "W-87")
def test_a_named_policy_inside_the_project_is_used_and_anchors_at_its_folder(project: Path):
    write_policy(project)
    path = write_policy(project, "version: 1\nproject_id: named", "src/strict.yaml")
    for spelling in ("src/strict.yaml", str(path), path.as_uri()):
        policy = resolve_policy(project, spelling)
        assert (policy.project_id, policy.project_root, policy.policy_path) == (
            "named",
            project / "src",
            path,
        )


@pytest.mark.req("W-36", "W-87")
def test_the_discovered_policy_may_be_named(project: Path):
    path = write_policy(project, "version: 1\nproject_root: src")
    # A relative name starts at the project root, and this policy lies above it.
    assert resolve_policy(project, str(path)).project_root == project / "src"
    write_policy(project)
    assert resolve_policy(project, ".protege-jobs/project.yaml").project_root == project


@pytest.mark.req("W-36", "W-87")
@pytest.mark.parametrize("spelling", ["../other/p.yaml", "{other}", "file://{other}", "https://x.org/p.yaml"])
def test_naming_a_file_outside_never_makes_its_folder_the_project(project: Path, spelling: str):
    other = write_policy(project.parent / "other", MINIMAL, "p.yaml")
    with pytest.raises(InvalidRequest):
        resolve_policy(project, spelling.replace("{other}", str(other)))


@pytest.mark.req("W-36")
def test_a_named_policy_that_is_missing_or_no_policy_is_refused(project: Path):
    (project / "onto.ofn").write_text("Ontology(<https://x>)")
    (project / "link.yaml").symlink_to("real.yaml")
    (project / "real.yaml").write_text(MINIMAL)
    for name, reason in {"gone.yaml": "missing", "onto.ofn": "not_a_mapping", "link.yaml": "symlink"}.items():
        with pytest.raises(PolicyRequired) as caught:
            resolve_policy(project, name)
        assert reason_of(caught) == reason


# --- The project's root ---------------------------------------------------------------------------


def test_project_root_may_lie_below_the_anchor(project: Path):
    write_policy(project, "version: 1\nproject_root: ./src/ontology/")
    assert resolve_policy(project).project_root == project / "src" / "ontology"


@pytest.mark.parametrize("declared", ["link", "inner", "missing", "file", "src/link/ontology"])
def test_project_root_may_not_be_a_link_or_no_folder(project: Path, declared: str):
    (project / "link").symlink_to("..")
    (project / "inner").symlink_to("src")
    (project / "src" / "link").symlink_to(".")
    (project / "file").write_text("x")
    write_policy(project, f"version: 1\nproject_root: {declared}")
    with pytest.raises(PolicyRequired) as caught:
        resolve_policy(project)
    assert reason_of(caught) == "bad_project_root"


def test_a_linked_document_folder_has_one_canonical_project(project: Path):
    write_policy(project)
    (project.parent / "alias").symlink_to(project)
    assert resolve_policy(project.parent / "alias" / "src").project_root == project


# --- init -----------------------------------------------------------------------------------------


def test_init_writes_a_policy_that_loads_and_equals_the_defaults(project: Path):
    before = resolve_policy(project)
    path = init_project(project)
    assert path == project / ".protege-jobs" / "project.yaml"
    after = discover_policy(project / "src")
    assert (after.loaded, after.digest, after.project_root) == (True, before.digest, project)


def test_init_never_overwrites(project: Path):
    path = write_policy(project, "version: 1\nproject_id: mine\n")
    for force in (False, True):
        with pytest.raises(InvalidRequest) as caught:
            init_project(project, force=force)
        assert reason_of(caught) == "exists"
    assert "mine" in path.read_text()


def test_init_inside_a_project_wants_force(project: Path):
    init_project(project)
    with pytest.raises(InvalidRequest) as caught:
        init_project(project / "src")
    assert reason_of(caught) == "nested"
    init_project(project / "src", force=True)
    assert discover_policy(project / "src").project_root == project / "src"


def test_init_does_not_follow_a_linked_marker_folder(project: Path):
    outside = project.parent / "outside"
    outside.mkdir()
    (project / ".protege-jobs").symlink_to(outside)
    with pytest.raises(InvalidRequest):
        init_project(project, force=True)
    assert list(outside.iterdir()) == []


def test_the_built_in_essentials_are_those_of_an_empty_policy() -> None:
    empty = essentials_of(read_policy(b"version: 1\n"))
    assert essentials.BUILT_IN == empty


def test_a_folder_without_a_policy_never_imports_the_model(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from plugin_bridge.policy import resolve_policy;"
        "resolve_policy(Path(sys.argv[1])); assert 'pydantic' not in sys.modules, 'imported'"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, timeout=30)
