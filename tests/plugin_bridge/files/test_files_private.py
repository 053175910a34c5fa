"""The private folder: owner-only, gone when closed, swept when its backend died, and only then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobs.errors import StorageFailed
from plugin_bridge.files import PrivateRoot, folders, private, private_base, sweep

HOLDER = Path(__file__).parents[2] / "support" / "private_root_holder.py"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and signals")


@contextmanager
def backend(base: Path, *arguments: str):
    process = subprocess.Popen(
        [sys.executable, str(HOLDER), str(base), *arguments], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        path, child_id = process.stdout.readline().split()
        yield process, Path(path), int(child_id)
    finally:
        process.kill()
        process.communicate(timeout=10)


def test_everything_in_it_is_for_the_owner_alone(tmp_path: Path):
    with PrivateRoot.create(tmp_path) as root:
        for path in (root.path.parent, root.path, root.new_dir("work")):
            assert path.stat().st_mode & 0o777 == 0o700
        assert (root.path / "lock").stat().st_mode & 0o777 == 0o600


def test_close_removes_all_and_may_be_repeated(tmp_path: Path):
    root = PrivateRoot.create(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    work = root.new_dir("work")
    (work / "file").write_text("x")
    (work / "link").symlink_to(outside)
    root.close()
    root.close()
    assert not root.path.exists()
    assert (outside / "kept").exists()


def test_two_new_dirs_never_share_a_name(tmp_path: Path):
    with PrivateRoot.create(tmp_path) as root:
        assert root.new_dir("work") != root.new_dir("work")


def test_a_live_backend_keeps_its_folder_and_a_killed_one_is_swept(tmp_path: Path):
    with PrivateRoot.create(tmp_path) as own, backend(tmp_path) as (process, path, _):
        assert sweep(tmp_path) == 0
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        assert (path / "lock").exists()
        assert sweep(tmp_path) == 1
        assert not path.exists()
        assert own.path.exists()


def test_a_surviving_worker_does_not_keep_the_folder(tmp_path: Path):
    with backend(tmp_path, "worker") as (process, path, child_id):
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        try:
            os.kill(child_id, 0)
            assert sweep(tmp_path) == 1
            assert not path.exists()
        finally:
            os.kill(child_id, signal.SIGKILL)


def test_a_forked_child_does_not_hold_the_lock(tmp_path: Path):
    root = PrivateRoot.create(tmp_path)
    lock_fd = root._lock_fd
    child_id = os.fork()
    if child_id == 0:  # pragma: no cover
        try:
            os.fstat(lock_fd)
        except OSError:
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child_id, 0)
    root.close()
    assert os.waitstatus_to_exitcode(status) == 0


def test_what_is_not_ours_is_left_alone(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "lock").write_text("")
    runs = tmp_path / "base" / "run"
    runs.mkdir(parents=True, mode=0o700)
    (runs / "link").symlink_to(outside)
    (runs / "stray").write_text("x")
    (runs / "foreign").mkdir()
    (runs / "foreign" / "file").write_text("x")
    (runs / "linked-lock").mkdir()
    (runs / "linked-lock" / "lock").symlink_to(outside / "lock")
    assert sweep(tmp_path / "base") == 0
    assert sorted(each.name for each in runs.iterdir()) == ["foreign", "link", "linked-lock", "stray"]
    assert (outside / "lock").exists()


def test_a_half_swept_folder_is_finished(tmp_path: Path):
    (tmp_path / "run" / "empty").mkdir(parents=True)
    assert sweep(tmp_path) == 1
    assert list((tmp_path / "run").iterdir()) == []


def test_a_linked_or_open_base_is_refused(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").symlink_to("elsewhere")
    with pytest.raises(StorageFailed):
        PrivateRoot.create(tmp_path)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(StorageFailed):
        PrivateRoot.create(shared)
    shared.chmod(0o1777)
    PrivateRoot.create(shared).close()


def test_the_environment_moves_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PROTEGE_JOBS_RUNTIME_DIR", str(tmp_path / "mine"))
    assert private_base() == tmp_path / "mine"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROTEGE_JOBS_RUNTIME_DIR", "mine")
    assert private_base() == tmp_path / "mine"
    monkeypatch.delenv("PROTEGE_JOBS_RUNTIME_DIR")
    assert private_base().name == "protege-jobs"


@pytest.mark.parametrize("moment", ["before the lock file", "before the lock"])
def test_a_maker_overtaken_by_a_sweeper_takes_another_name(tmp_path: Path, monkeypatch, moment: str):
    swept: list[int] = []

    def first_sweep_then(real):
        def call(*arguments):
            if not swept:
                swept.append(0)
                swept[0] = sweep(tmp_path)
            return real(*arguments)

        return call

    if moment == "before the lock":
        monkeypatch.setattr(private, "try_lock", first_sweep_then(private.try_lock))
    else:
        real = folders.PinnedFolder.create_file
        monkeypatch.setattr(folders.PinnedFolder, "create_file", first_sweep_then(real))
    with PrivateRoot.create(tmp_path) as root:
        assert swept == [1]
        assert [root.path] == list((tmp_path / "run").iterdir())


def test_makers_and_sweepers_race_without_losing_a_live_folder(tmp_path: Path):
    """Every maker's folder must exist while held, however many sweepers run beside it."""
    wrong: list[Path] = []
    done = threading.Event()

    def make() -> None:
        for _ in range(60):
            with PrivateRoot.create(tmp_path) as root:
                work = root.new_dir("work")
                if not work.exists() or not (root.path / "lock").exists():
                    wrong.append(root.path)

    def clean() -> None:
        while not done.is_set():
            sweep(tmp_path)

    makers = [threading.Thread(target=make) for _ in range(3)]
    sweepers = [threading.Thread(target=clean) for _ in range(3)]
    for thread in (*makers, *sweepers):
        thread.start()
    for thread in makers:
        thread.join()
    done.set()
    for thread in sweepers:
        thread.join()
    assert wrong == []
    sweep(tmp_path)
    assert list((tmp_path / "run").iterdir()) == []
