"""Reading project files: what is accepted, what is refused, and what moves meanwhile."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs import limits
from jobs.digests import text_digest
from jobs.errors import (
    DiffNetworkUnsupported,
    InputChanged,
    InvalidRequest,
    PolicyRequired,
    ProtegeJobsError,
    SecondaryInputInvalid,
    StorageFailed,
)
from plugin_bridge.files import (
    ProjectRoot,
    ReferenceKind,
    classify_reference,
    confined,
    copy_confined,
    folders,
    read_confined,
)
from plugin_bridge.files.confined import ErrorChoice
from plugin_bridge.files.folders import PlainFolder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="fixtures need links and FIFOs")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "right.ttl").write_bytes(b"right")
    (tmp_path / "secret.ttl").write_bytes(b"secret")
    return folder


@pytest.fixture(params=["pinned", "plain"])
def root(request: pytest.FixtureRequest, project: Path):
    """The project by descriptors, and by the fallback of systems without them."""
    if request.param == "plain":
        yield ProjectRoot(project, project, PlainFolder(project))
    else:
        with ProjectRoot.open(project) as opened:
            yield opened


def reason_of(caught: pytest.ExceptionInfo[ProtegeJobsError]) -> object:
    return caught.value.details["reason"]


def test_a_copy_is_private_whole_and_hashed(root: ProjectRoot, project: Path, tmp_path: Path):
    copy = copy_confined(root, "sub/right.ttl", into_dir=tmp_path)
    assert copy.private_path.read_bytes() == b"right"
    assert copy.private_path.stat().st_mode & 0o777 == 0o600
    assert copy.byte_digest == "sha256:" + hashlib.sha256(b"right").hexdigest()
    assert copy.provenance_digest == text_digest(str(project / "sub" / "right.ttl"))
    assert (copy.size_bytes, copy.relative_path) == (5, "sub/right.ttl")


@pytest.mark.parametrize("spelling", ["sub/right.ttl", "./sub//right.ttl", "{root}/sub/right.ttl"])
def test_relative_and_absolute_spellings_name_one_file(root: ProjectRoot, project: Path, spelling: str):
    read = read_confined(root, spelling.format(root=project), max_bytes=5)
    assert (read.data, read.relative_path, read.size_bytes) == (b"right", "sub/right.ttl", 5)


@pytest.mark.parametrize("prefix", ["file://", "file:", "file://localhost", "FILE://"])
def test_file_iris_are_local_paths(root: ProjectRoot, project: Path, prefix: str):
    (project / "naïve file.ttl").write_bytes(b"x")
    iri = prefix + str(project / "na%C3%AFve%20file.ttl")
    assert read_confined(root, iri, max_bytes=5).relative_path == "naïve file.ttl"


def test_a_root_reached_through_a_link_takes_both_spellings(project: Path, tmp_path: Path):
    (tmp_path / "alias").symlink_to(project)
    with ProjectRoot.open(tmp_path / "alias") as root:
        for folder in (project, tmp_path / "alias"):
            read = read_confined(root, str(folder / "sub" / "right.ttl"), max_bytes=5)
            assert read.provenance_digest == text_digest(str(project / "sub" / "right.ttl"))


def test_the_users_own_spelling_of_the_root_is_understood(project: Path, tmp_path: Path):
    (tmp_path / "home").symlink_to(tmp_path)
    spelled = tmp_path / "home" / "project"
    with ProjectRoot.open(project, seen_from=spelled / "sub") as root:
        assert read_confined(root, str(spelled / "sub" / "right.ttl"), max_bytes=5).data == b"right"
    with ProjectRoot.open(project) as root, pytest.raises(InvalidRequest):
        read_confined(root, str(spelled / "sub" / "right.ttl"), max_bytes=5)


def test_hard_links_are_accepted(root: ProjectRoot, project: Path):
    os.link(project / "sub" / "right.ttl", project / "second.ttl")
    assert read_confined(root, "second.ttl", max_bytes=5).data == b"right"


@pytest.mark.req("W-38")
@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("../secret.ttl", "outside_project"),
        ("sub/../sub/right.ttl", "outside_project"),
        ("sub/../../secret.ttl", "outside_project"),
        ("/etc/passwd", "outside_project"),
        ("{root}-sibling/x.ttl", "outside_project"),
        ("{root}/../secret.ttl", "outside_project"),
        ("file://{root}/%2e%2e/secret.ttl", "outside_project"),
        ("file:///etc/passwd", "outside_project"),
        ("a\0b", "malformed"),
        ("file://{root}/a%00b", "malformed"),
        ("file://{root}/a%FFb", "malformed"),
        ("file://{root}/a?b", "malformed"),
        ("a\nb", "malformed"),
        ("a\ud800", "malformed"),
        ("", "malformed"),
        ("x" * 4097, "malformed"),
        ("a.zip!/b.ttl", "nested_archive"),
        ("jar:file:{root}/a.jar!/b.ttl", "nested_archive"),
        ("sub/", "not_regular"),
        (".", "not_regular"),
        ("{root}", "outside_project"),
    ],
)
def test_a_text_that_names_no_file_inside_is_refused_unopened(
    root: ProjectRoot, project: Path, reference: str, reason: str
):
    with pytest.raises(InvalidRequest) as caught:
        read_confined(root, reference.replace("{root}", str(project)), max_bytes=5)
    assert reason_of(caught) == reason
    assert str(project) not in caught.value.message


@pytest.mark.req("W-38", "W-39")
@pytest.mark.parametrize(
    "reference",
    ["http://x.org/a.ttl", "HTTPS://x", "ftp://x/a", "data:text/plain,x", "file://host/a", "GO:1"],
)
def test_other_schemes_are_not_local(root: ProjectRoot, reference: str):
    assert classify_reference(reference) is ReferenceKind.REMOTE
    with pytest.raises(DiffNetworkUnsupported):
        read_confined(root, reference, max_bytes=5)


def test_a_name_with_a_colon_is_local_behind_a_dot(root: ProjectRoot, project: Path):
    (project / "GO:1").write_bytes(b"x")
    assert read_confined(root, "./GO:1", max_bytes=5).data == b"x"


@pytest.mark.req("W-38")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.ttl", "missing"),
        ("sub/missing/x.ttl", "missing"),
        ("sub", "not_regular"),
        ("sub/right.ttl/x", "not_regular"),
        ("fifo", "not_regular"),
        ("socket", "not_regular"),
        ("link.ttl", "symlink"),
        ("inner.ttl", "symlink"),
        ("dangling.ttl", "symlink"),
        ("loop", "symlink"),
        ("out/secret.ttl", "symlink"),
        ("circle/circle/sub/right.ttl", "symlink"),
        ("x" * 300, "missing"),
    ],
)
def test_what_is_no_plain_file_is_refused_with_its_reason(
    root: ProjectRoot, project: Path, name: str, reason: str, monkeypatch: pytest.MonkeyPatch
):
    os.mkfifo(project / "fifo")
    monkeypatch.chdir(project)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")  # relative: such names are short
        for link, target in {
            "link.ttl": "../secret.ttl",
            "inner.ttl": "sub/right.ttl",
            "dangling.ttl": "nowhere",
            "loop": "loop",
            "out": "..",
            "circle": ".",
        }.items():
            (project / link).symlink_to(target)
        with pytest.raises(SecondaryInputInvalid) as caught:
            read_confined(root, name, max_bytes=5)
    assert reason_of(caught) == reason


def test_devices_are_refused():
    with ProjectRoot.open(Path("/dev")) as root, pytest.raises(SecondaryInputInvalid) as caught:
        read_confined(root, "zero", max_bytes=5)
    assert reason_of(caught) == "not_regular"


def test_the_bound_is_exact(root: ProjectRoot):
    assert read_confined(root, "sub/right.ttl", max_bytes=5).size_bytes == 5
    with pytest.raises(SecondaryInputInvalid) as caught:
        read_confined(root, "sub/right.ttl", max_bytes=4)
    assert reason_of(caught) == "too_large"


def test_a_sparse_file_one_byte_over_the_limit_is_refused_unread(
    root: ProjectRoot, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with (project / "huge.ttl").open("wb") as file:
        file.truncate(limits.SECONDARY_FILE_BYTES + 1)
    monkeypatch.setattr(confined, "_read_all", lambda *_: pytest.fail("it was read"))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SecondaryInputInvalid) as caught:
        copy_confined(root, "huge.ttl", into_dir=tmp_path)
    assert reason_of(caught) == "too_large"
    assert sorted(tmp_path.iterdir()) == before


# --- Moving while it is read: the interference happens inside the first read ----------------------


@pytest.fixture
def during_read(monkeypatch: pytest.MonkeyPatch):
    """Run something once, after the file was opened and before its first byte is read."""
    real_read = os.read

    def arrange(interfere) -> None:
        pending = [interfere]

        def read(fd: int, count: int) -> bytes:
            if pending:
                pending.pop()()
            return real_read(fd, count)

        monkeypatch.setattr(confined.os, "read", read)

    return arrange


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


INTERFERENCES = {
    "grows": lambda folder: _append(folder / "right.ttl"),
    "shrinks": lambda folder: os.truncate(folder / "right.ttl", 2),
    "is rewritten": lambda folder: (
        (folder / "right.ttl").write_bytes(b"wrong"),
        os.utime(folder / "right.ttl", ns=(1, 1)),
    ),
    "is replaced": lambda folder: (
        (folder / "new").write_bytes(b"right"),
        (folder / "new").replace(folder / "right.ttl"),
    ),
    "becomes a link": lambda folder: (
        (folder / "right.ttl").rename(folder / "kept"),
        (folder / "right.ttl").symlink_to("kept"),
    ),
    "becomes a FIFO": lambda folder: ((folder / "right.ttl").unlink(), os.mkfifo(folder / "right.ttl")),
    "disappears": lambda folder: (folder / "right.ttl").unlink(),
    "folder swapped": lambda folder: (
        folder.rename(folder.with_name("away")),
        folder.mkdir(),
        (folder / "right.ttl").write_bytes(b"other"),
    ),
    "folder becomes a link": lambda folder: (
        folder.rename(folder.with_name("away")),
        folder.symlink_to("away"),
    ),
}


@pytest.mark.req("W-38")
@pytest.mark.parametrize("what", INTERFERENCES)
def test_a_file_that_moves_while_it_is_read_is_refused(
    root: ProjectRoot, project: Path, tmp_path: Path, during_read, what: str
):
    private = tmp_path / "private"
    private.mkdir()
    during_read(lambda: INTERFERENCES[what](project / "sub"))
    with pytest.raises(InputChanged):
        copy_confined(root, "sub/right.ttl", into_dir=private)
    assert list(private.iterdir()) == []


def test_a_file_that_grows_for_ever_does_not_hold_us(root: ProjectRoot, project: Path, monkeypatch):
    calls = []
    real_read = os.read

    def read(fd: int, count: int) -> bytes:
        _append(project / "sub" / "right.ttl")
        calls.append(count)
        return real_read(fd, count)

    monkeypatch.setattr(confined.os, "read", read)
    with pytest.raises(InputChanged):
        read_confined(root, "sub/right.ttl", max_bytes=100)
    assert len(calls) == 1


@pytest.mark.parametrize("swap", ["link", "fifo", "folder"])
def test_a_swap_between_look_and_open_is_refused(project: Path, monkeypatch, swap: str):
    target = project / "sub" / "right.ttl"
    real = folders.PinnedFolder.open_file

    def open_file(self, name: str) -> int:
        target.unlink()
        {
            "link": lambda: target.symlink_to("../../secret.ttl"),
            "fifo": lambda: os.mkfifo(target),
            "folder": lambda: target.mkdir(),
        }[swap]()
        return real(self, name)

    monkeypatch.setattr(folders.PinnedFolder, "open_file", open_file)
    with ProjectRoot.open(project) as root, pytest.raises(SecondaryInputInvalid):
        read_confined(root, "sub/right.ttl", max_bytes=5)


def test_the_fallback_notices_a_swap_between_look_and_open(project: Path, monkeypatch):
    target = project / "sub" / "right.ttl"
    real_open = os.open

    def swapped_open(path, flags: int, mode: int = 0o777, **named) -> int:
        target.unlink()
        target.write_bytes(b"other")
        return real_open(path, flags, mode, **named)

    (project / "keep the old inode busy").hardlink_to(target)
    root = ProjectRoot(project, project, PlainFolder(project))
    monkeypatch.setattr(folders.os, "open", swapped_open)
    with pytest.raises(SecondaryInputInvalid):
        read_confined(root, "sub/right.ttl", max_bytes=5)


def test_the_caller_chooses_the_errors(root: ProjectRoot, project: Path, during_read):
    errors = ErrorChoice(invalid=PolicyRequired, changed=StorageFailed, remote=InvalidRequest)
    with pytest.raises(PolicyRequired):
        read_confined(root, "missing", max_bytes=5, errors=errors)
    with pytest.raises(InvalidRequest):
        read_confined(root, "http://x", max_bytes=5, errors=errors)
    during_read(lambda: _append(project / "sub" / "right.ttl"))
    with pytest.raises(StorageFailed):
        read_confined(root, "sub/right.ttl", max_bytes=50, errors=errors)


def test_a_full_private_disk_is_a_storage_failure_and_leaves_nothing(
    root: ProjectRoot, tmp_path: Path, monkeypatch
):
    def write(*_: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(confined.os, "write", write)
    with pytest.raises(StorageFailed, match="no space"):
        copy_confined(root, "sub/right.ttl", into_dir=private)
    assert list(private.iterdir()) == []


def test_no_descriptor_is_lost(project: Path, tmp_path: Path):
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    before = len(os.listdir("/proc/self/fd"))
    with ProjectRoot.open(project) as root:
        for name in ("sub/right.ttl", "missing/x", "sub", "../x"):
            try:
                copy_confined(root, name, into_dir=tmp_path)
            except ProtegeJobsError:
                pass
    assert len(os.listdir("/proc/self/fd")) == before


@given(st.text(max_size=60))
def test_any_text_is_classified_and_never_leaves_the_root(text: str):
    kind = classify_reference(text)
    root = ProjectRoot(Path("/projects/one"), Path("/projects/one"), PlainFolder(Path("/")))
    try:
        components = root.components(text)
    except (InvalidRequest, DiffNetworkUnsupported):
        return
    assert kind is ReferenceKind.LOCAL
    assert all(each not in ("", ".", "..") and "/" not in each and "\0" not in each for each in components)
