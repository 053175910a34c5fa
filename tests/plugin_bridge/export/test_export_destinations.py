"""Where an export may write, and what it says otherwise."""

from __future__ import annotations

import os
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from jobs import limits
from jobs.digests import byte_digest
from jobs.errors import (
    ArtifactExportFailed,
    ArtifactTargetExists,
    ArtifactTargetTooLarge,
    ConfirmationRequired,
    ExpectedTargetDigestRequired,
    ExpectedTargetMissing,
    InvalidRequest,
    PolicyRequired,
    TargetDigestMismatch,
)
from plugin_bridge.export import Published, check_arguments, export_answer

if TYPE_CHECKING:
    from export_support import Exporter

NEW, OLD = b'{"new": true}\n', b"old\n"
OLD_DIGEST = byte_digest(OLD)


@pytest.mark.req("W-79", "W-88", "W-91")
def test_exact_bytes_arrive_and_may_arrive_again(export: Exporter):
    for name in ("reports/job-result.json", "again.json"):
        published = export(NEW, name)
        assert (export.folder / name).read_bytes() == NEW
        assert published == Published(
            path=name, sha256=byte_digest(NEW), size_bytes=len(NEW), overwritten=False
        )
    assert export.tree() == {"again.json": NEW, "reports": None, "reports/job-result.json": NEW}


@pytest.mark.req("W-79")
@pytest.mark.parametrize("size_bytes", [0, 1, limits.MIB, limits.MIB * 3 + 1])
def test_artifacts_of_any_size_arrive_from_a_private_file(export: Exporter, tmp_path, size_bytes: int):
    source = tmp_path / "artifact"
    source.write_bytes(os.urandom(size_bytes))
    export(source, "out.bin")
    assert (export.folder / "out.bin").read_bytes() == source.read_bytes()


@pytest.mark.req("W-88", "W-90")
def test_the_answer_has_exactly_the_eight_fields(export: Exporter):
    expected = export.write("r.json", OLD)
    published = export(NEW, str(export.folder / "r.json"), expected=expected)
    answer = export_answer(published, job_id="j", artifact_id="a", interactive_write_confirmation=False)
    assert answer == {
        "exported": True,
        "job_id": "j",
        "artifact_id": "a",
        "path": "r.json",
        "sha256": byte_digest(NEW),
        "bytes": len(NEW),
        "overwritten": True,
        "interactive_write_confirmation": False,
    }


@pytest.mark.req("W-82", "W-84")
def test_arguments_are_checked_in_the_contracts_order():
    for bad in (False, None, 1, "true"):
        with pytest.raises(ConfirmationRequired):
            check_arguments(confirm=bad, overwrite=True, expected_target_digest=None)
    for overwrite, digest in ((True, None), (False, OLD_DIGEST)):
        with pytest.raises(ExpectedTargetDigestRequired):
            check_arguments(confirm=True, overwrite=overwrite, expected_target_digest=digest)
    with pytest.raises(InvalidRequest):
        check_arguments(confirm=True, overwrite=True, expected_target_digest=OLD_DIGEST.upper())
    check_arguments(confirm=True, overwrite=True, expected_target_digest=OLD_DIGEST)
    check_arguments(confirm=True, overwrite=False, expected_target_digest=None)


@pytest.mark.req("W-80")
@pytest.mark.parametrize(
    ("destination", "reason"),
    [
        ("../out.json", "outside_project"),
        ("reports/../out.json", "outside_project"),
        ("/out.json", "outside_project"),
        ("{root}-sibling/out.json", "outside_project"),
        ("https://x.org/out.json", "not_local"),
        ("", "malformed"),
        ("a\0.json", "malformed"),
        ("a\r\n.json", "malformed"),
        ("x" * 300, "malformed"),
        ("x" * 300 + "/a.json", "malformed"),
        ("reports/", "not_regular"),
        (".", "not_regular"),
    ],
)
def test_a_destination_outside_is_an_invalid_request(export: Exporter, destination: str, reason: str):
    with pytest.raises(InvalidRequest) as caught:
        export(NEW, destination.replace("{root}", str(export.folder)))
    assert caught.value.details["reason"] == reason
    assert export.tree() == {"reports": None}


@pytest.mark.req("W-80")
@pytest.mark.parametrize(
    "destination",
    [
        ".protege-jobs/project.yaml",
        ".protege-jobs/report.json",
        ".Protege-Jobs/report.json",
        "custom.lock",
        "CUSTOM.LOCK",
        "custom.lock.",
        "maps/m.sssom.tsv",
        "maps/./m.sssom.tsv",
        "meta/crate.json",
        "imports.lock.json",
        "reports/imports.lock.json",
        "catalog-v001.xml",
        ".git/config",
        ".GIT/hooks/x",
        ".git./config",
        ".git /config",
        ".g\u200cit/config",
        "git~1/config",
        ".git::$INDEX_ALLOCATION/config",
        ".git",
        ".hg/hgrc",
        ".svn/x",
        ".gitattributes",
        "\uff0egit/config",
        ".protege-jobs-0.part",
    ],
)
def test_the_projects_own_records_are_never_written(export: Exporter, destination: str):
    for folder in (".protege-jobs", ".git", "maps", "meta"):
        (export.folder / folder).mkdir(exist_ok=True)
    (export.folder / ".protege-jobs" / "project.yaml").write_text(
        "version: 1\nimports: {lockfile: custom.lock}\nmappings: {path: maps/m.sssom.tsv}\n"
        "interoperability: {crate: meta/crate.json}\n"
    )
    before = export.tree()
    with pytest.raises(InvalidRequest) as caught:
        export(NEW, destination)
    assert caught.value.details["reason"] == "protected"
    assert export.tree() == before


@pytest.mark.req("W-80")
def test_another_name_of_a_record_is_protected_too(export: Exporter):
    expected = export.write("imports.lock.json", OLD)
    os.link(export.folder / "imports.lock.json", export.folder / "plain.json")
    with pytest.raises(InvalidRequest):
        export(NEW, "plain.json", expected=expected)


@pytest.mark.req("W-87")
def test_a_policy_that_does_not_load_allows_no_export(export: Exporter):
    (export.folder / ".protege-jobs").mkdir()
    (export.folder / ".protege-jobs" / "project.yaml").write_text("surprise: 1")
    with pytest.raises(PolicyRequired):
        export(NEW, "out.json")


@pytest.mark.req("W-92")
@pytest.mark.parametrize("destination", ["missing/out.json", "reports/a/b/out.json", "file/out.json"])
def test_a_missing_parent_is_refused_and_nothing_is_created(export: Exporter, destination: str):
    (export.folder / "file").write_bytes(OLD)
    before = export.tree()
    with pytest.raises(ArtifactExportFailed) as caught:
        export(NEW, destination)
    assert caught.value.details["reason"] == "parent_missing"
    assert export.tree() == before


@pytest.mark.req("W-80")
@pytest.mark.parametrize("destination", ["out/x.json", "inner/x.json", "final.json", "dangling.json"])
def test_links_are_not_followed_anywhere(export: Exporter, destination: str):
    outside = export.folder.parent / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(OLD)
    for link, target in {
        "out": "../outside",
        "inner": "reports",
        "final.json": "../outside/file",
        "dangling.json": "../outside/gone",
    }.items():
        (export.folder / link).symlink_to(target)
    for expected in (None, OLD_DIGEST):
        with pytest.raises((ArtifactExportFailed, ExpectedTargetMissing)) as caught:
            export(NEW, destination, expected=expected)
        assert caught.value.details["reason"] == "symlink"
    assert [each.name for each in outside.iterdir()] == ["file"]
    assert (outside / "file").read_bytes() == OLD


@pytest.mark.req("W-84")
@pytest.mark.parametrize("present", [None, OLD, b"other"])
@pytest.mark.parametrize("expected", [None, OLD_DIGEST])
def test_every_combination_of_target_and_expectation(
    export: Exporter, present: bytes | None, expected: str | None, way: str
):
    if present is not None:
        export.write("r.json", present)
    before = export.tree()
    refusal = {
        (True, False): None,
        (True, True): ExpectedTargetMissing,
        (False, False): ArtifactTargetExists,
        (False, True): None if present == OLD else TargetDigestMismatch,
    }[present is None, expected is not None]
    if refusal is None:
        assert export(NEW, "r.json", expected=expected).overwritten is (present is not None)
        assert export.tree() == {"r.json": NEW, "reports": None}
    else:
        with pytest.raises(refusal):
            export(NEW, "r.json", expected=expected)
        assert export.tree() == before


def test_systems_without_pinned_lookup_export_too(export: Exporter, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("plugin_bridge.files.folders.HAS_PINNED_LOOKUP", False)
    export(OLD, "reports/r.json")
    with pytest.raises(ArtifactTargetExists):
        export(NEW, "reports/r.json")
    export(NEW, "reports/r.json", expected=OLD_DIGEST)
    with pytest.raises(ArtifactExportFailed):
        export(NEW, "missing/r.json")
    assert export.tree() == {"reports": None, "reports/r.json": NEW}


@pytest.mark.req("W-84")
def test_a_target_above_64_mib_is_not_replaced(export: Exporter):
    with (export.folder / "big").open("wb") as file:
        file.truncate(limits.EXPORT_TARGET_BYTES + 1)
    with pytest.raises(ArtifactTargetTooLarge):
        export(NEW, "big", expected=OLD_DIGEST)


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket"])
@pytest.mark.parametrize("expected", [None, OLD_DIGEST])
def test_a_target_that_is_no_file_is_refused_without_waiting(
    export: Exporter, kind: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(export.folder)
    with socket.socket(socket.AF_UNIX) as listener:
        {
            "fifo": lambda: os.mkfifo("target"),
            "folder": lambda: os.mkdir("target"),
            "socket": lambda: listener.bind("target"),
        }[kind]()
        with pytest.raises(ArtifactExportFailed) as caught:
            export(NEW, "target", expected=expected)
    assert caught.value.details["reason"] == "not_regular"


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_new_files_get_0644_less_the_umask(export: Exporter, umask: int):
    before = os.umask(umask)
    try:
        export(NEW, "r.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE((export.folder / "r.json").stat().st_mode) == 0o644 & ~umask


def test_overwriting_keeps_the_mode_bits_and_other_names_of_the_old_file(export: Exporter, way: str):
    expected = export.write("r.json", OLD)
    (export.folder / "r.json").chmod(0o640)
    os.link(export.folder / "r.json", export.folder / "second.json")
    export(NEW, "r.json", expected=expected)
    assert stat.S_IMODE((export.folder / "r.json").stat().st_mode) == 0o640
    assert export.tree() == {"r.json": NEW, "reports": None, "second.json": OLD}


@pytest.mark.parametrize(
    "name",
    [
        "отчёт 報告 🧬.json",
        "e\u0301.json",
        "trailing.",
        "trailing ",
        ".hidden",
        "-rf",
        "a" * 255,
        "é" * 127,
        "a:b",
    ],
)
def test_unusual_names_are_written_as_they_are(export: Exporter, name: str, way: str):
    path = f"./{name}"
    export(OLD, path)
    assert export(NEW, path, expected=OLD_DIGEST).path == name
    assert (export.folder / name).read_bytes() == NEW
    assert os.listdir(export.folder / "reports") == []


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_rights_is_refused(export: Exporter):
    (export.folder / "reports").chmod(0o500)
    with pytest.raises(ArtifactExportFailed):
        export(NEW, "reports/r.json")
