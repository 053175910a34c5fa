"""Atomic renames that never destroy a file: the operating system's part of publication.

Linux has `renameat2`, macOS `renameatx_np`; both move without replacing and exchange two names.
Where the system or the file system lacks them, `move_new` falls back to a hard link and removal,
and `exchange` reports `Unsupported`, so that the caller takes its verified second way.
Invariant: none of these calls can overwrite anything.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugin_bridge.files.folders import Folder

    _Rename = Callable[[int, bytes, int, bytes, int], int]

_UNSUPPORTED: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP})
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EOPNOTSUPP})
# (function, flag "do not replace", flag "exchange"); numbers from linux/fs.h and sys/stdio.h
_LINUX: Final = ("renameat2", 1, 2)
_DARWIN: Final = ("renameatx_np", 4, 2)


class Unsupported(Exception):
    """This file system lacks the primitive; nothing was changed."""


def move_new(folder: Folder, name: str, new_name: str) -> None:
    """Give a file a new name in the same folder, in one step that fails if the name exists.

    Raises: `FileExistsError`; `Unsupported`; other `OSError`s of the move.
    """
    try:
        _call(folder, name, new_name, exchanging=False)
    except Unsupported:
        _link_and_remove(folder, name, new_name)


def exchange(folder: Folder, name: str, other: str) -> None:
    """Exchange two names of one folder in one step; both must exist.

    Raises: `Unsupported`, and `OSError` of the exchange.
    """
    _call(folder, name, other, exchanging=True)


def _link_and_remove(folder: Folder, name: str, new_name: str) -> None:
    try:
        folder.link(name, new_name)
    except OSError as fault:
        if fault.errno in _NO_LINKS:
            raise Unsupported from None
        raise
    with suppress(OSError):  # published already; a second name left here is removed by the next export
        folder.remove_file(name)


def _call(folder: Folder, name: str, other: str, *, exchanging: bool) -> None:
    found = _find_rename()
    if found is None or folder.fd is None:
        raise Unsupported
    rename, no_replace_flag, exchange_flag = found
    flag = exchange_flag if exchanging else no_replace_flag
    if rename(folder.fd, os.fsencode(name), folder.fd, os.fsencode(other), flag) == 0:
        return
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        raise Unsupported
    raise OSError(code, os.strerror(code))


@cache
def _find_rename() -> tuple[_Rename, int, int] | None:
    if not sys.platform.startswith(("linux", "darwin")):
        return None
    symbol, no_replace_flag, exchange_flag = _LINUX if sys.platform.startswith("linux") else _DARWIN
    try:
        function = getattr(ctypes.CDLL(None, use_errno=True), symbol)
    except (OSError, AttributeError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    return function, no_replace_flag, exchange_flag
