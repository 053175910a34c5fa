"""Class-data-sharing archives: the classes of a worker as the runtime has them in memory, kept in a file
of the user's cache so that the next start maps them instead of reading jars.

An archive belongs to one runtime, class path and choice of collector. It is written by a rehearsal
beside the jobs after the first use, put in place whole, and is only ever a gain: the runtime checks it
against itself and the jars and goes on without it when anything differs. Only runtimes from 13 on write
one in a single run; an older one goes without.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import platformdirs

from jobs import limits
from jobs.java.jars import file_digest
from jobs.workers.contract import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jobs.java.jars import ClassPath
    from jobs.java.runtime import JavaRuntime

OLDEST: Final = 13
"""The first runtime with `-XX:ArchiveClassesAtExit`."""
VARIABLE: Final = "PROTEGE_JOBS_CACHE_DIR"
_KEPT: Final = 8
_KEPT_BYTES: Final = 512 * limits.MIB
_SUFFIX: Final = ".jsa"


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of one kind of worker, written or not."""

    folder: Path
    stem: str

    def find(self) -> Path | None:
        """The file, when it is ours alone and still is what was written; may block, to read it once.

        Its name holds its digest: the runtime checks an archive against the jars, but one that was cut
        short or damaged would crash it.
        """
        for path in self.folder.glob(f"{self.stem}.*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                status = path.lstat()
                if (
                    stat.S_ISREG(status.st_mode)
                    and _is_ours(status)
                    and path == self._named(file_digest(path))
                ):
                    return path
        return None

    def rehearsal(self, argv_with: Callable[[str], tuple[str, ...]]) -> Rehearsal | None:
        """The run that writes it; None when the cache folder cannot be used."""
        try:
            _make_private(self.folder)
        except OSError:
            return None
        # One name for each process: two windows may rehearse at once, and the later one wins.
        written = self.folder / f".{self.stem}.{os.getpid()}.part"
        return Rehearsal(
            argv=argv_with(f"-XX:ArchiveClassesAtExit={written}"),
            finish=lambda: self._take(written),
            discard=lambda: written.unlink(missing_ok=True),
        )

    def _take(self, written: Path) -> None:
        if not written.is_file():
            return  # this runtime cannot write one
        written.chmod(0o600)
        kept = self._named(file_digest(written))
        written.replace(kept)
        for path in self.folder.glob(f"{self.stem}.*{_SUFFIX}"):
            if path != kept:
                path.unlink(missing_ok=True)
        prune(self.folder, keep=kept)

    def _named(self, digest: str) -> Path:
        return self.folder / f"{self.stem}.{digest[:32]}{_SUFFIX}"


def archive_of(runtime: JavaRuntime, class_path: ClassPath, flags: Iterable[str]) -> Archive | None:
    """The archive of a kind of worker; None when its runtime has no use for one."""
    if runtime.major < OLDEST:
        return None
    collector = [each for each in flags if "GC" in each]
    told = [runtime.executable, runtime.version, *collector, class_path.main_class]
    told += [f"{each.path} {each.sha256} {_mtime_ns(each.path)}" for each in class_path.jars]
    key = hashlib.sha256("\0".join([*told, _mtime_ns(runtime.executable)]).encode()).hexdigest()
    return Archive(_folder(), f"{class_path.name}-{key[:24]}")


def prune(folder: Path, *, keep: Path) -> None:
    """Delete what was used longest ago beyond the bounds, and what a killed rehearsal left."""
    found: list[tuple[float, int, Path]] = []
    for path in folder.glob(f"*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((max(status.st_atime, status.st_mtime), status.st_size, path))
    total = 0
    for number, (_, size, path) in enumerate(sorted(found, key=lambda row: (row[2] != keep, -row[0]))):
        total += size
        if number >= _KEPT or total > _KEPT_BYTES:
            with contextlib.suppress(OSError):
                path.unlink()
    for path in folder.glob(".*.part"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < keep.stat().st_mtime - limits.SPARE_IDLE_S:
                path.unlink()


def _folder() -> Path:
    chosen = os.environ.get(VARIABLE)
    return (Path(chosen) if chosen else platformdirs.user_cache_path("protege-jobs", False)) / "java"


def _make_private(folder: Path) -> None:
    """The folder, ours alone: what lies in it is run as code."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or not _is_ours(status):
        raise PermissionError
    with tempfile.TemporaryFile(dir=folder):
        pass  # it can be written to


def _is_ours(status: os.stat_result) -> bool:
    if sys.platform == "win32":
        return True  # the user's profile is the user's
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _mtime_ns(path: str) -> str:
    try:
        return str(os.stat(path).st_mtime_ns)
    except OSError:
        return ""
