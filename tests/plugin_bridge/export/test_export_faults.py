"""What happens when the export is killed, starved, raced or deceived, at each of its steps."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jobs.digests import byte_digest
from jobs.errors import (
    ArtifactExportFailed,
    ArtifactExportOutcomeUnknown,
    ArtifactRecoveryAmbiguous,
    ArtifactTargetExists,
    ArtifactWriteVerificationFailed,
    ConfirmationStateChanged,
    ProtegeJobsError,
    TargetDigestMismatch,
    UnknownJobArtifact,
)
from plugin_bridge.export import renames, staging
from plugin_bridge.export.leftovers import SWAP, temporary_stem

if TYPE_CHECKING:
    from collections.abc import Callable

    from export_support import Exporter

NEW, OLD, OTHER = b"new bytes", b"old bytes", b"bytes of somebody else"
OLD_DIGEST = byte_digest(OLD)
VICTIM = Path(__file__).parents[2] / "support" / "export_victim.py"


class Interference:
    """Does something once, at the n-th step; `fired` says whether the export got that far."""

    def __init__(self, number: int, action: Callable[[], object]) -> None:
        self._number = number
        self._action = action
        self._count = 0
        self.fired: str | None = None

    def __call__(self, step: str) -> None:
        self._count += 1
        if self._count == self._number:
            self.fired = step
            self._action()


def attempt(call: Callable[..., object], *arguments: object, **named: object) -> ProtegeJobsError | None:
    try:
        call(*arguments, **named)
    except ProtegeJobsError as error:
        return error
    return None


# --- Killed ---------------------------------------------------------------------------------------


@pytest.mark.req("W-83")
@pytest.mark.parametrize("replacing", [False, True], ids=["new", "replacing"])
def test_a_kill_at_any_step_leaves_old_or_new_and_the_next_export_cleans(export: Exporter, replacing: bool):
    outcomes = set()
    for number in count(1):
        target = f"reports/r{number}.json"
        if replacing:
            export.write(target, OLD)
        order = {
            "root": str(export.folder),
            "base": str(export.base),
            "destination": target,
            "bytes": NEW.decode(),
            "expected": OLD_DIGEST if replacing else None,
            "step": number,
        }
        ended = subprocess.run(
            [sys.executable, str(VICTIM), json.dumps(order)], capture_output=True, timeout=30
        )
        left = (export.folder / target).read_bytes() if (export.folder / target).exists() else None
        if ended.returncode == 0:
            assert left == NEW
            break
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert left in ({OLD, NEW} if replacing else {None, NEW})
        outcomes.add(left)
        export(NEW, "reports/next.json")
        assert sorted(os.listdir(export.folder / "reports")) == sorted(
            ["next.json", *([] if left is None else [Path(target).name])]
        )
        assert left is None or (export.folder / target).read_bytes() == left
        (export.folder / "reports" / "next.json").unlink()
        (export.folder / target).unlink(missing_ok=True)
    assert number > 8
    assert len(outcomes) == 2  # the kills fell on both sides of the one step that counts


def _killed_at_call(export: Exporter, number: int, target: str, expected: str | None) -> bool:
    """Export in a forked child that dies before its n-th system call; whether it came to that."""
    child_id = os.fork()
    if child_id == 0:  # pragma: no cover
        calls = count(1)

        def before_call(*_: object) -> None:
            if next(calls) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        def profile(_: object, event: str, called: object) -> None:
            if event == "c_call" and getattr(called, "__module__", None) == "posix":
                before_call()

        real = renames._find_rename()
        if real is not None:  # called through ctypes, hence invisible to the profiler
            rename, *flags = real
            renames._find_rename = lambda: (lambda *each: (before_call(), rename(*each))[1], *flags)
        sys.setprofile(profile)
        try:
            export(NEW, target, expected=expected)
        finally:
            sys.setprofile(None)
            os._exit(0)
    _, status = os.waitpid(child_id, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL)
    return code != 0


@pytest.mark.req("W-83")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("expected", [None, OLD_DIGEST], ids=["new", "replacing"])
def test_a_kill_before_any_system_call_leaves_old_or_new(export: Exporter, way: str, expected: str | None):
    outcomes = []
    for number in count(1):
        if expected is not None:
            export.write("r.json", OLD)
        was_killed = _killed_at_call(export, number, "r.json", expected)
        left = export.tree().get("r.json")
        outcomes.append(left)
        if not was_killed:
            break
        export(NEW, "next.json")
        (export.folder / "next.json").unlink()
        assert export.tree() == {"reports": None, **({} if left is None else {"r.json": left})}, number
        (export.folder / "r.json").unlink(missing_ok=True)
    assert number > 40
    old = None if expected is None else OLD
    switch = outcomes.index(NEW)
    assert outcomes == [old] * switch + [NEW] * (len(outcomes) - switch)  # once, and never back


# --- Deceived: target -----------------------------------------------------------------------------


def _steps(export: Exporter, expected: str | None) -> int:
    """How many steps an undisturbed export has."""
    seen: list[str] = []
    export(NEW, "probe.json", at_step=seen.append) if expected is None else None
    if expected is not None:
        export.write("probe.json", OLD)
        export(NEW, "probe.json", expected=expected, at_step=seen.append)
    (export.folder / "probe.json").unlink()
    return len(seen)


@pytest.mark.req("W-84")
def test_a_target_created_at_any_step_is_never_clobbered(export: Exporter):
    refused = 0
    target = export.folder / "r.json"
    for number in range(1, _steps(export, None) + 1):
        at_step = Interference(number, lambda: target.exists() or target.write_bytes(OTHER))
        error = attempt(export, NEW, "r.json", at_step=at_step)
        if error is not None:
            assert isinstance(error, ArtifactTargetExists)
            assert target.read_bytes() == OTHER
            refused += 1
        else:
            assert target.read_bytes() == NEW
            assert at_step.fired in ("installed", "confirmed", "durable")
        assert set(export.tree()) == {"r.json", "reports"}
        target.unlink()
    assert refused >= 6


@pytest.mark.req("W-84")
@pytest.mark.parametrize("how", ["in place", "by rename"])
def test_a_target_changed_at_any_step_is_kept(export: Exporter, way: str, how: str):
    target = export.folder / "r.json"

    def change() -> None:
        if target.read_bytes() == NEW:
            return  # published already: what happens then is another edit
        if how == "in place":
            target.write_bytes(OTHER)
        else:
            (export.folder / "reports" / "x").write_bytes(OTHER)
            (export.folder / "reports" / "x").replace(target)

    for number in range(1, _steps(export, OLD_DIGEST) + 1):
        expected = export.write("r.json", OLD)
        at_step = Interference(number, change)
        error = attempt(export, NEW, "r.json", expected=expected, at_step=at_step)
        if error is not None:
            assert isinstance(error, TargetDigestMismatch), (at_step.fired, error)
            assert target.read_bytes() == OTHER
        else:
            assert target.read_bytes() == NEW
            assert at_step.fired in ("installed", "confirmed", "durable")
        assert set(export.tree()) == {"r.json", "reports"}, at_step.fired


def test_a_displaced_file_written_to_after_the_exchange_goes_back(export: Exporter, way: str):
    """Somebody who has the old file open writes just as it is displaced: their bytes stay at the name."""
    expected = export.write("r.json", OLD)
    with (export.folder / "r.json").open("ab", buffering=0) as writer:

        def at_step(step: str) -> None:
            if step == "installed":
                writer.write(b"!")

        with pytest.raises(TargetDigestMismatch):
            export(NEW, "r.json", expected=expected, at_step=at_step)
    assert export.tree() == {"r.json": OLD + b"!", "reports": None}


def test_a_double_deception_destroys_nobodys_bytes(export: Exporter):
    """Old file written to, and ours replaced, in one instant: unknown, and all three survive."""
    expected = export.write("r.json", OLD)
    with (export.folder / "r.json").open("ab", buffering=0) as writer:

        def at_step(step: str) -> None:
            if step == "installed":
                writer.write(b"!")
                (export.folder / "x").write_bytes(OTHER)
                (export.folder / "x").replace(export.folder / "r.json")

        with pytest.raises(ArtifactExportOutcomeUnknown):
            export(NEW, "r.json", expected=expected, at_step=at_step)
    assert {OLD + b"!", OTHER} <= set(export.tree().values())


# --- Deceived: parent -----------------------------------------------------------------------------


@pytest.mark.req("W-93")
@pytest.mark.parametrize("expected", [None, OLD_DIGEST], ids=["new", "replacing"])
@pytest.mark.parametrize("swap", ["renamed", "linked outside", "whole project"])
def test_a_parent_swapped_at_any_step_receives_nothing(
    export: Exporter, way: str, swap: str, expected: str | None
):
    outside = export.folder.parent / "outside"
    outside.mkdir()
    reports, away = export.folder / "reports", export.folder / "away"
    moved_project = export.folder.with_name("moved")

    def interfere() -> None:
        if swap == "whole project":
            export.folder.rename(moved_project)
            (export.folder / "reports").mkdir(parents=True)
            return
        reports.rename(away)
        if swap == "renamed":
            reports.mkdir()
        else:
            reports.symlink_to(outside)

    def restore() -> None:
        if swap == "whole project":
            reports.rmdir()
            export.folder.rmdir()
            moved_project.rename(export.folder)
            return
        if swap == "renamed":
            reports.rmdir()
        else:
            reports.unlink()
        away.rename(reports)

    refused = 0
    for number in range(0, _steps(export, expected) + 1):
        if expected is not None:
            export.write("reports/r.json", OLD)
        at_step = Interference(number, interfere)
        prepared = interfere if number == 0 else lambda: None
        error = attempt(
            export, NEW, "reports/r.json", expected=expected, at_step=at_step, after_prepare=prepared
        )
        # Removing the decoys proves that nothing landed in them.
        assert list(outside.iterdir()) == []
        restore()
        left = {name: data for name, data in export.tree().items() if name != "reports"}
        if error is None:
            assert at_step.fired in ("confirmed", "durable")
            assert left == {"reports/r.json": NEW}
        else:
            assert isinstance(error, ArtifactExportFailed), at_step.fired
            assert error.details["reason"] == "parent_changed"
            assert left == ({} if expected is None else {"reports/r.json": OLD})
            refused += 1
        (reports / "r.json").unlink(missing_ok=True)
    assert refused >= 7


# --- Rechecks and damaged artifacts ---------------------------------------------------------------


@pytest.mark.req("W-81", "W-89")
@pytest.mark.parametrize("at_call", [1, 2])
@pytest.mark.parametrize("expected", [None, OLD_DIGEST])
def test_a_recheck_that_refuses_stops_the_export(export: Exporter, at_call: int, expected: str | None):
    if expected:
        export.write("r.json", OLD)
    before = export.tree()
    calls = count(1)

    def recheck() -> None:
        if next(calls) == at_call:
            raise ConfirmationStateChanged

    with pytest.raises(ConfirmationStateChanged):
        export(NEW, "r.json", expected=expected, recheck=recheck)
    assert export.tree() == before


@pytest.mark.req("W-81")
def test_damaged_bytes_are_never_published(export: Exporter, tmp_path: Path):
    source = tmp_path / "artifact"
    for damaged in (b"new bytez", b"new byte", b"new bytes!", None):
        if damaged is not None:
            source.write_bytes(damaged)
        else:
            source.unlink()
        with pytest.raises(UnknownJobArtifact):
            export(source, "r.json", claimed=NEW)
    assert export.tree() == {"reports": None}


@pytest.mark.req("W-81", "W-83")
def test_what_does_not_read_back_is_not_published(export: Exporter):
    def at_step(step: str) -> None:
        if step == "written":
            (staged,) = (each for each in export.folder.iterdir() if each.name != "reports")
            assert staged.stat().st_mode & 0o777 == 0o600
            with staged.open("r+b") as file:
                file.write(b"X")

    with pytest.raises(ArtifactWriteVerificationFailed):
        export(NEW, "r.json", at_step=at_step)
    assert export.tree() == {"reports": None}


def test_a_staged_file_replaced_by_somebody_is_not_reported_as_published(export: Exporter):
    def at_step(step: str) -> None:
        if step == "rechecked":
            (staged,) = (each for each in export.folder.iterdir() if each.name != "reports")
            staged.unlink()
            staged.write_bytes(OTHER)

    with pytest.raises(ArtifactExportOutcomeUnknown):
        export(NEW, "r.json", at_step=at_step)


# --- System faults --------------------------------------------------------------------------------


needs_mounts = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="mounting a small disk needs root on Linux",
)


@pytest.fixture
def small_disk(export: Exporter):
    """The project on a file system of 256 KiB; remounts it with other options when called."""

    def mount(*options: str) -> int:
        command = [
            "mount",
            "-t",
            "tmpfs",
            "-o",
            ",".join(("size=256k", *options)),
            "tmpfs",
            str(export.folder),
        ]
        return subprocess.run(command, check=False, capture_output=True).returncode

    if mount() != 0:
        pytest.skip("cannot mount here")
    yield mount
    subprocess.run(["umount", str(export.folder)], check=True)


@needs_mounts
@pytest.mark.req("W-83")
@pytest.mark.parametrize("expected", [None, OLD_DIGEST], ids=["new", "replacing"])
def test_a_full_disk_changes_nothing(export: Exporter, small_disk, expected: str | None):
    if expected is not None:
        export.write("r.bin", OLD)
    before = export.tree()
    with pytest.raises(ArtifactExportFailed) as caught:
        export(b"x" * 1_000_000, "r.bin", expected=expected)
    assert caught.value.details["reason"] == "no_space"
    assert export.tree() == before
    export(NEW, "r.bin", expected=expected)
    assert export.tree() == {"r.bin": NEW}


@needs_mounts
@pytest.mark.parametrize("expected", [None, OLD_DIGEST], ids=["new", "replacing"])
def test_a_read_only_disk_is_refused(export: Exporter, small_disk, expected: str | None):
    if expected is not None:
        export.write("r.bin", OLD)
    assert small_disk("remount", "ro") == 0
    with pytest.raises(ArtifactExportFailed) as caught:
        export(NEW, "r.bin", expected=expected)
    assert caught.value.details["reason"] == "not_writable"


@pytest.mark.req("W-83")
@pytest.mark.parametrize("call", ["write", "fsync", "fchmod"])
def test_a_failing_call_while_staging_changes_nothing(export: Exporter, monkeypatch, call: str):
    expected = export.write("r.json", OLD)

    def failing(*_: object) -> int:
        raise OSError(errno.EIO, "disk fault")

    monkeypatch.setattr(staging.os, call, failing)
    with pytest.raises(ArtifactExportFailed):
        export(NEW, "r.json", expected=expected)
    monkeypatch.undo()
    assert export.tree() == {"r.json": OLD, "reports": None}


def test_a_folder_that_cannot_be_flushed_leaves_the_outcome_unknown(export: Exporter, monkeypatch):
    def failing(_: object) -> None:
        raise OSError(errno.EIO, "disk fault")

    monkeypatch.setattr("plugin_bridge.files.folders.PinnedFolder.sync", failing)
    with pytest.raises(ArtifactExportOutcomeUnknown):
        export(NEW, "r.json")


def test_a_file_system_without_any_safe_primitive_is_refused(export: Exporter, monkeypatch):
    def unsupported(*_: object, **__: object) -> None:
        raise renames.Unsupported

    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(renames, "_call", unsupported)
    export(NEW, "new.json")  # a hard link will do
    monkeypatch.setattr("plugin_bridge.files.folders.PinnedFolder.link", no_links)
    export.write("r.json", OLD)
    before = export.tree()
    for name, expected in (("other.json", None), ("r.json", OLD_DIGEST)):
        with pytest.raises(ArtifactExportFailed) as caught:
            export(NEW, name, expected=expected)
        assert caught.value.details["reason"] == "unsupported_file_system"
    assert export.tree() == before


# --- Concurrency ----------------------------------------------------------------------------------


@pytest.mark.req("W-84")
@pytest.mark.parametrize("expected", [None, OLD_DIGEST], ids=["new", "replacing"])
@pytest.mark.parametrize("shared_lock", [True, False])
def test_of_many_exporters_of_one_target_exactly_one_wins(
    export: Exporter, expected: str | None, shared_lock: bool
):
    """Also without the common lock, as between two users: the atomic steps alone decide."""
    if expected is not None:
        export.write("r.json", OLD)
    barrier = threading.Barrier(6)
    results: dict[int, ProtegeJobsError | None] = {}

    def one(number: int) -> None:
        mine = type(export)(export.folder, export.base if shared_lock else export.base / str(number))
        results[number] = attempt(
            mine, f"from {number}".encode(), "r.json", expected=expected, after_prepare=barrier.wait
        )

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [number for number, error in results.items() if error is None]
    assert len(winners) <= 1
    if shared_lock or expected is None:
        assert len(winners) == 1
        refusal = ArtifactTargetExists if expected is None else TargetDigestMismatch
        assert all(isinstance(error, refusal) for error in results.values() if error is not None)
        assert (export.folder / "r.json").read_bytes() == f"from {winners[0]}".encode()
    if shared_lock:
        assert set(export.tree()) == {"r.json", "reports"}


def test_a_held_project_lock_ends_in_a_refusal(export: Exporter, monkeypatch):
    monkeypatch.setattr("plugin_bridge.export.project_lock.PROJECT_LOCK_S", 0.1)
    errors = []

    def at_step(step: str) -> None:
        if step == "recovered":
            errors.append(attempt(export, NEW, "second.json"))

    export(NEW, "r.json", at_step=at_step)
    assert errors[0] is not None
    assert errors[0].details["reason"] == "busy"


# --- Leftovers ------------------------------------------------------------------------------------


class _Plan:
    def __init__(self, name: str, expected: str) -> None:
        self.name = name
        self.expected_target_digest = expected


def _leftover(export: Exporter, target: str, data: bytes) -> Path:
    """What a kill between the exchange and its check leaves of `target`, holding `data`."""
    stem = temporary_stem(_Plan(target, OLD_DIGEST), byte_digest(NEW))  # type: ignore[arg-type]
    path = export.folder / (stem + SWAP)
    path.write_bytes(data)
    return path


def test_unreviewed_bytes_displaced_by_a_killed_export_return_to_their_name(export: Exporter, way: str):
    export.write("r.json", NEW)
    _leftover(export, "r.json", OTHER)
    export(NEW, "reports/unrelated.json")  # another folder: not its business
    export(NEW, "unrelated.json")
    assert export.tree()["r.json"] == OTHER
    assert set(export.tree()) == {"r.json", "reports", "reports/unrelated.json", "unrelated.json"}


def test_unreviewed_bytes_whose_name_moved_on_wait_for_a_person(export: Exporter):
    expected = export.write("r.json", b"a third version")
    leftover = _leftover(export, "r.json", OTHER)
    with pytest.raises(ArtifactRecoveryAmbiguous) as caught:
        export(NEW, "r.json", expected=expected)
    assert caught.value.details["leftover"] == leftover.name
    export(NEW, "unrelated.json")  # only that target waits
    assert leftover.read_bytes() == OTHER
    leftover.unlink()
    export(NEW, "r.json", expected=expected)


def test_a_second_name_of_an_edited_target_is_just_removed(export: Exporter):
    """Killed after keeping the old file under a second name; then the old file was edited in place."""
    export.write("r.json", OTHER)
    leftover = _leftover(export, "r.json", b"")
    leftover.unlink()
    os.link(export.folder / "r.json", leftover)
    export(NEW, "next.json")
    assert export.tree() == {"next.json": NEW, "r.json": OTHER, "reports": None}


def test_similar_names_are_not_leftovers(export: Exporter):
    names = [".protege-jobs-notes.part", ".protege-jobs-x.swap", "a.part"]
    for name in names:
        export.write(name, OTHER)
    stem = temporary_stem(_Plan("r.json", OLD_DIGEST), byte_digest(NEW))  # type: ignore[arg-type]
    (export.folder / (stem + ".part")).symlink_to("a.part")
    (export.folder / (stem + ".swap")).mkdir()
    before = set(export.tree())
    export(NEW, "r.json")
    assert set(export.tree()) == before | {"r.json"}
