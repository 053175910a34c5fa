"""A look sees a change of content, of the file and of what a link leads to, and opens nothing."""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING

import pytest

from jobs.errors import SecondaryInputInvalid
from plugin_bridge.files import ProjectRoot, copy_confined, digest_confined, is_fresh, look, look_at

if TYPE_CHECKING:
    from pathlib import Path


def test_a_look_changes_with_size_time_and_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert look(path) == ()
    path.write_text("one")
    seen = [look(path)]
    path.write_text("longer")
    seen.append(look(path))
    os.utime(path, ns=(0, 1))
    seen.append(look(path))
    (tmp_path / "other").write_text("longer")
    os.utime(tmp_path / "other", ns=(0, 1))
    (tmp_path / "other").replace(path)
    seen.append(look(path))
    assert len(set(seen)) == 4
    assert look(path) == seen[-1]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time of the last change of anything")
def test_an_edit_that_puts_size_and_time_back_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    before, times = look(path), path.stat()
    while look(path) == before:  # until the clock of the file system has gone on
        path.write_text("two")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    (identity,) = look(path)
    assert identity[:4] == before[0][:4]


def test_a_link_is_seen_with_what_it_leads_to(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    assert len(look(link)) == 1
    target.write_text("x")
    (own, aim) = look(link)
    assert (aim,) == look(target)
    target.write_text("edited")
    assert look(link)[0] == own
    assert look(link) != (own, aim)
    assert look_at([link, target]) == {link: look(link), target: look(target)}


def test_a_file_is_fresh_until_the_clock_has_gone_on(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    now = time.time_ns()
    os.utime(path, ns=(now, now))
    assert is_fresh(look(path))
    os.utime(path, ns=(now, now - 10**9))
    assert not is_fresh(look(path))
    os.utime(path, ns=(now, now + 10**12))  # of a clock that is ahead: waiting would not help
    assert not is_fresh(look(path))
    assert not is_fresh(())


def test_a_fifo_is_looked_at_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert len(look(tmp_path / "pipe")) == 1


def test_a_copy_carries_the_identity_that_a_look_sees(tmp_path: Path) -> None:
    project, private = tmp_path / "project", tmp_path / "private"
    project.mkdir()
    private.mkdir()
    (project / "file").write_bytes(b"content")
    with ProjectRoot.open(project) as root:
        copy = copy_confined(root, "file", into_dir=private)
        assert look(project / "file") == (copy.identity,)
        digest = digest_confined(root, "file", max_bytes=7)
        assert digest == copy.byte_digest == f"sha256:{hashlib.sha256(b'content').hexdigest()}"
        with pytest.raises(SecondaryInputInvalid):
            digest_confined(root, "file", max_bytes=6)
    assert len(list(private.iterdir())) == 1
