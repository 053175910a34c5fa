from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from jobs.digests import Digest, is_digest, text_digest
from jobs.errors import ClassificationNotSupported, ReasonerNotCancellable
from jobs.reasoners import capabilities, code_digest, profiles, reviewed
from jobs.reasoners.capabilities import Status
from jobs.reasoners.reviews import find_review


def test_names_resolve_to_exact_profiles() -> None:
    assert profiles.resolve("elk").profile_id == profiles.resolve("pyelk-0.2.1").profile_id == "pyelk-0.2.1"
    assert profiles.resolve("structural").owl_profile is None
    assert profiles.resolve("pyelk-0.2.1").owl_profile == "EL"


@pytest.mark.req("W-14")
@pytest.mark.parametrize("name", ["hermit-1", "ELK", "", "elk ", "pyelk-0.2.2", "x" * 10_000])
def test_an_unknown_profile_is_refused_and_the_known_ones_named(name: str) -> None:
    with pytest.raises(ReasonerNotCancellable, match=r"structural, pyelk-0\.2\.1, elk-0\.6\.0") as caught:
        profiles.resolve(name)
    assert caught.value.details["effects_prevented"] is True


@pytest.mark.parametrize("name", ["structural", "pyelk-0.2.1"])
def test_the_installed_profiles_are_reviewed(name: str) -> None:
    profile = profiles.resolve(name)
    assert profile.is_reviewed
    assert is_digest(profile.profile_key)
    profiles.require_classification(profile)
    assert profile.as_json()["profile_key"] == profile.profile_key


@pytest.mark.req("W-12")
@pytest.mark.parametrize("name", ["structural", "pyelk-0.2.1"])
@pytest.mark.parametrize(
    "change",
    [
        {"profile_id": "mine"},
        {"reasoner_name": "pyelk "},
        {"version": "0.2.2"},
        {"factory_class": "pyelk.Reasoner2"},
        {"code_digest": text_digest("other")},
        {"code_digest": None},
        {"settings": {"encoding": 1, "unsupported": "error"}},
        {"settings": {"encoding": 3, "unsupported": "ignore"}},
        {"buffering_mode": "buffering"},
        {"isolation": "in_process"},
    ],
    ids=lambda change: "-".join(change),
)
def test_one_changed_part_makes_everything_unknown(name: str, change: dict[str, Any]) -> None:
    identity = profiles.resolve(name).identity
    changed = replace(identity, **change)
    profile = profiles.profile_of(changed)
    assert changed.profile_key != identity.profile_key
    assert not profile.is_reviewed
    assert {row.status for row in profile.capabilities.values()} == {Status.UNKNOWN}
    with pytest.raises(ReasonerNotCancellable):
        profiles.require_classification(profile)


@pytest.mark.parametrize(
    ("capability", "error"),
    [("bounded_cancellation", ReasonerNotCancellable), ("class_hierarchy", ClassificationNotSupported)],
)
@pytest.mark.parametrize("status", [each for each in Status if each is not Status.SUPPORTED])
def test_each_needed_capability_must_be_supported(
    capability: str, error: type[Exception], status: Status
) -> None:
    profile = profiles.resolve("pyelk-0.2.1")
    row = capabilities.Capability(status=status, evidence="a test")
    table = capabilities.Table({**profile.capabilities, capability: row})
    with pytest.raises(error):
        profiles.require_classification(replace(profile, capabilities=table))


def test_every_table_has_every_capability_with_evidence() -> None:
    assert len(capabilities.IDS) == len(set(capabilities.IDS)) == 26
    reviewed_tables = [
        review.capabilities for name in ("structural", "pyelk-0.2.1") if (review := find_review(name))
    ]
    assert len(reviewed_tables) == 2
    for table in (*reviewed_tables, capabilities.UNREVIEWED):
        assert tuple(table) == capabilities.IDS
        assert all(0 < len(row.evidence) <= 1024 for row in table.values())


@pytest.mark.req("W-15")
def test_the_structural_profile_decides_neither_consistency_nor_satisfiability() -> None:
    profile = profiles.resolve("structural")
    assert profile.status("consistency") is profile.status("satisfiability") is Status.UNSUPPORTED


def test_statuses_aggregate_to_the_weakest() -> None:
    weak = [Status.UNSUPPORTED, Status.UNKNOWN, Status.UNTESTED, Status.SUPPORTED]
    for place, status in enumerate(weak):
        assert capabilities.aggregate(weak[place:]) is status
    assert capabilities.aggregate([]) is Status.SUPPORTED


def test_the_code_digest_covers_every_file_and_no_byte_code() -> None:
    rows = [("pyelk/a.py", "00"), ("pyelk/b.so", "11")]
    assert code_digest.files_digest(rows) == code_digest.files_digest(rows[::-1])
    assert code_digest.files_digest(rows) != code_digest.files_digest(rows[:1])
    assert not code_digest.is_code("pyelk/__pycache__/a.cpython-311.pyc", "pyelk")
    assert not code_digest.is_code("pyelk_reasoner-0.2.1.dist-info/RECORD", "pyelk")
    assert code_digest.installed_digest("no-such-distribution", "x") is None


def test_an_altered_file_changes_the_digest(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "thing"
    package.mkdir()
    (package / "__init__.py").write_text("1")
    info = tmp_path / "thing-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1\n")
    (info / "RECORD").write_text("thing/__init__.py,,\nthing-1.dist-info/METADATA,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = code_digest.installed_digest("thing", "thing")
    (package / "__init__.py").write_text("2")
    after = code_digest.installed_digest("thing", "thing")
    assert before is not None
    assert after is not None
    assert before != after
    (package / "__init__.py").unlink()
    assert code_digest.installed_digest("thing", "thing") is None


def test_reviewed_digests_are_digests_and_differ() -> None:
    for table in (reviewed.PYELK_0_2_1, reviewed.PYOWL_CORE_0_2_1):
        assert all(is_digest(Digest(each)) for each in table.values())
        assert len(set(table.values())) == len(table)


def test_every_published_wheel_of_the_carrier_is_reviewed() -> None:
    """Else the default classification is refused on that system, whatever else works there."""
    systems = ("linux arm64", "linux x86_64", "macos arm64", "macos x86_64", "windows x86_64")
    pythons = ("cp311", "cp312", "cp313", "cp314")
    assert {f"{each} {system}" for each in pythons for system in systems} | {"any"} == set(
        reviewed.PYOWL_CORE_0_2_1
    )
    assert set(reviewed.PYELK_0_2_1) == set(systems)


def test_looking_profiles_up_imports_no_reasoner() -> None:
    code = (
        "import sys; from jobs.reasoners import profiles; profiles.resolve('elk'); "
        "sys.exit(bool({'pyelk', 'pyowl_core', 'pyhornedowl', 'mcp'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
