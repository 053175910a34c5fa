from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from plugin_bridge.mcp_server.tokens import find_token, new_token

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "abcdefghijklmnop"


def written(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_file_wins_over_the_environment(tmp_path: Path) -> None:
    file = written(tmp_path / "t", GOOD + "\n")
    assert find_token({"PROTEGE_JOBS_TOKEN": "x" * 16}, file) == GOOD
    assert find_token({"PROTEGE_JOBS_TOKEN": "x" * 16}, None) == "x" * 16
    assert find_token({}, None) is None


def test_new_tokens_are_usable_and_differ() -> None:
    assert find_token({"PROTEGE_JOBS_TOKEN": new_token()}, None)
    assert new_token() != new_token()


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 513, "with blank in it", "umlaut-äöü-umlaut", "new\nline" * 3]
)
def test_odd_tokens_are_refused_without_repeating_them(token: str) -> None:
    with pytest.raises(ValueError, match="16 to 512") as caught:
        find_token({"PROTEGE_JOBS_TOKEN": token}, None)
    assert not token or token not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such bits")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ValueError, match="chmod 600") as caught:
        find_token({}, written(tmp_path / "t", GOOD, mode))
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX file kinds")
def test_pipes_folders_and_absent_files_are_no_token_files(tmp_path: Path) -> None:
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    for each in (pipe, tmp_path, tmp_path / "absent"):
        with pytest.raises(ValueError, match="token file"):
            find_token({}, each)
    link.symlink_to(written(tmp_path / "real", GOOD))  # mounted secrets are links; the target counts
    assert find_token({}, link) == GOOD
