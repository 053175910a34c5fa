"""Private artifacts: digests, budgets, damage, a full disk, erasing."""

from __future__ import annotations

import os
import shutil
import signal
import stat
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from jobs import limits, random_id
from jobs.artifact_files import prepare_folder
from jobs.artifacts import ArtifactVault
from jobs.digests import byte_digest
from jobs.errors import (
    ArtifactBackendQuotaExceeded,
    ArtifactQuotaExceeded,
    ArtifactTooLarge,
    ResultInvalid,
    StorageFailed,
    UnknownJobArtifact,
)
from jobs.values import ArtifactId, ArtifactReference, JobId, StagedFile
from tests.support.jobs_doubles import START, staged_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.anyio

JOB, OTHER = JobId("job"), JobId("other")
HOUR = START + timedelta(hours=1)
MIB = limits.MIB


@pytest.fixture
def vault(tmp_path: Path) -> ArtifactVault:
    made = ArtifactVault(tmp_path / "private", random_id)
    prepare_folder(made.folder)
    return made


async def stage(vault: ArtifactVault, *files: StagedFile, job: JobId = JOB) -> tuple[ArtifactReference, ...]:
    vault.reserve(job, files)
    await vault.stage(job, files, START, START)
    return vault.publish(job, HOUR)


def sized(size_bytes: int) -> StagedFile:
    """A file that is only spoken of."""
    return StagedFile(
        name="x",
        media_type="a/b",
        path=None,
        sha256=byte_digest(b""),
        size_bytes=size_bytes,  # type: ignore[arg-type]
    )


def kept_files(vault: ArtifactVault) -> list[Path]:
    return sorted(vault.folder.iterdir())


@pytest.mark.parametrize("size", [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 7])
async def test_every_size_reads_back_whole_and_in_pieces(
    vault: ArtifactVault, tmp_path: Path, size: int
) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    (reference,) = await stage(vault, staged_file(tmp_path, data=data))
    assert (reference.sha256, reference.size_bytes) == (byte_digest(data), size)
    assert reference.expires_at == HOUR
    handle = vault.open(JOB, reference.artifact_id, START)
    assert await handle.read_all() == data
    for offset in (0, 1, 65_535, 65_536, 65_537, max(0, size - 3), size, size + 10):
        for length in (0, 1, 65_536, 10**9):
            assert await handle.read(offset, length) == data[offset : offset + min(length, 65_536)]
    assert len(kept_files(vault)) == (size > MIB)
    for path in kept_files(vault):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ValueError, match="negative"):
        await handle.read(-1, 5)


@pytest.mark.req("W-81")
@pytest.mark.parametrize("size", [1000, 3 * MIB])
@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
async def test_damaged_bytes_are_never_given_out(
    vault: ArtifactVault, tmp_path: Path, size: int, damage: str
) -> None:
    (reference,) = await stage(vault, staged_file(tmp_path, data=b"y" * size))
    kept = vault._held[JOB].kept[reference.artifact_id]
    if kept.memory is not None:
        kept.memory[size // 2] ^= 1
    elif damage == "flip":
        raw = bytearray(kept_files(vault)[0].read_bytes())
        raw[size // 2] ^= 1
        kept_files(vault)[0].write_bytes(raw)
    elif damage == "cut":
        kept_files(vault)[0].write_bytes(b"y" * (size // 2))
    else:
        kept_files(vault)[0].unlink()
    handle = vault.open(JOB, reference.artifact_id, START)
    with pytest.raises(UnknownJobArtifact):
        await handle.read_all()
    with pytest.raises(UnknownJobArtifact):
        await handle.read(size // 2, 10)


@pytest.mark.parametrize("size", [1000, 3 * MIB])
@pytest.mark.parametrize("lie", ["digest", "longer", "shorter"])
async def test_file_that_is_not_what_was_said_is_refused(
    vault: ArtifactVault, tmp_path: Path, size: int, lie: str
) -> None:
    file = staged_file(tmp_path, data=b"z" * size)
    said = {
        "digest": replace(file, sha256=byte_digest(b"other")),
        "longer": replace(file, size_bytes=size + 1),
        "shorter": replace(file, size_bytes=size - 1),
    }[lie]
    vault.reserve(JOB, [said])
    with pytest.raises(ResultInvalid):
        await vault.stage(JOB, [said], START, HOUR)
    vault.condemn(JOB)
    await vault.erase()
    assert (vault.total_bytes, kept_files(vault)) == (0, [])


async def test_missing_file_is_a_storage_fault_without_its_path(vault: ArtifactVault, tmp_path: Path) -> None:
    file = staged_file(tmp_path)
    shutil.move(file.path, tmp_path / "elsewhere")
    vault.reserve(JOB, [file])
    with pytest.raises(StorageFailed) as caught:
        await vault.stage(JOB, [file], START, HOUR)
    assert str(tmp_path) not in str(caught.value.body())


@pytest.mark.req("W-02")
def test_budgets_hold_at_their_bounds_and_refuse_beyond(vault: ArtifactVault) -> None:
    vault.reserve(JobId("1"), [sized(64 * MIB), sized(64 * MIB)])
    with pytest.raises(ArtifactTooLarge):
        vault.reserve(JobId("2"), [sized(64 * MIB + 1)])
    with pytest.raises(ArtifactQuotaExceeded):
        vault.reserve(JobId("2"), [sized(64 * MIB), sized(64 * MIB), sized(1)])
    with pytest.raises(ArtifactQuotaExceeded):
        vault.reserve(JobId("2"), [sized(1)] * 5)
    vault.reserve(JobId("2"), [sized(32 * MIB)] * 4)
    vault.reserve(JobId("3"), [sized(32 * MIB)] * 4)
    vault.reserve(JobId("4"), [sized(32 * MIB)] * 4)
    assert vault.total_bytes == 512 * MIB
    with pytest.raises(ArtifactBackendQuotaExceeded):
        vault.reserve(JobId("5"), [sized(1)])
    vault.reserve(JobId("5"), [])
    vault.condemn(JobId("4"))
    vault.reserve(JobId("6"), [sized(32 * MIB)] * 4)


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file of this process may grow beyond 2 MiB: the errors of a full disk, without filling one."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * MIB, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


async def test_full_disk_fails_the_staging_and_gives_the_budget_back(
    vault: ArtifactVault, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    small, large = staged_file(tmp_path, data=b"s"), staged_file(tmp_path, data=b"l" * (3 * MIB))
    request.getfixturevalue("full_disk")
    vault.reserve(JOB, [small, large])
    with pytest.raises(StorageFailed, match="disk full"):
        await vault.stage(JOB, [small, large], START, HOUR)
    vault.condemn(JOB)
    await vault.erase()
    assert (vault.total_bytes, kept_files(vault)) == (0, [])


async def test_condemned_artifacts_are_unreachable_at_once_and_overwritten(
    vault: ArtifactVault, tmp_path: Path
) -> None:
    small, large = staged_file(tmp_path, data=b"secret"), staged_file(tmp_path, data=b"l" * (2 * MIB))
    references = await stage(vault, small, large)
    memory = vault._held[JOB].kept[references[0].artifact_id].memory
    handles = [vault.open(JOB, each.artifact_id, START) for each in references]
    assert vault.condemn(JOB)
    assert not vault.condemn(JOB)
    assert memory == bytes(6)
    for handle in handles:
        with pytest.raises(UnknownJobArtifact):
            await handle.read(0, 1)
    assert len(kept_files(vault)) == 1
    await vault.erase()
    assert (vault.total_bytes, kept_files(vault)) == (0, [])


async def test_artifacts_expire_exactly_when_said(vault: ArtifactVault, tmp_path: Path) -> None:
    (reference,) = await stage(vault, staged_file(tmp_path))
    just_before = HOUR - timedelta(microseconds=1)
    vault.condemn_expired(just_before)
    assert vault.open(JOB, reference.artifact_id, just_before)
    with pytest.raises(UnknownJobArtifact):
        vault.open(JOB, reference.artifact_id, HOUR)
    vault.condemn_expired(HOUR)
    assert vault.total_bytes == 0


@pytest.mark.req("W-86")
async def test_ids_of_other_jobs_and_unpublished_artifacts_are_unknown(
    vault: ArtifactVault, tmp_path: Path
) -> None:
    (mine,) = await stage(vault, staged_file(tmp_path))
    other = staged_file(tmp_path)
    vault.reserve(OTHER, [other])
    (staged,) = await vault.stage(OTHER, [other], START, HOUR)
    for job, artifact in (
        (OTHER, mine.artifact_id),
        (JOB, staged.artifact_id),
        (OTHER, staged.artifact_id),
        (JobId("none"), mine.artifact_id),
        (JOB, ArtifactId("none")),
    ):
        with pytest.raises(UnknownJobArtifact):
            vault.open(job, artifact, START)


async def test_artifact_that_cannot_be_unlinked_stays_counted_and_is_tried_again(
    vault: ArtifactVault, tmp_path: Path
) -> None:
    await stage(vault, staged_file(tmp_path, data=b"l" * (2 * MIB)))
    (path,) = kept_files(vault)
    path.unlink()
    (path / "x").mkdir(parents=True)  # a directory in its place resists unlinking, also for root
    vault.condemn(JOB)
    await vault.erase()
    assert vault.total_bytes == 2 * MIB
    shutil.rmtree(path)
    await vault.erase()
    assert vault.total_bytes == 0


async def test_file_that_a_thread_writes_after_it_was_condemned_is_erased_too(
    vault: ArtifactVault, tmp_path: Path
) -> None:
    """A forced close does not wait for a copy; the source is a pipe, so the thread hangs until we write."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = b"p" * (2 * MIB)
    said = StagedFile(name="x", media_type="a/b", path=pipe, sha256=byte_digest(data), size_bytes=len(data))
    vault.reserve(JOB, [said])
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(vault.stage, JOB, [said], START, HOUR)
            await anyio.wait_all_tasks_blocked()
            vault.condemn(JOB)
            await vault.erase()
            await anyio.to_thread.run_sync(pipe.write_bytes, data)
    assert len(kept_files(vault)) == 1
    await vault.erase()
    assert (vault.total_bytes, kept_files(vault)) == (0, [])


async def test_interrupted_erasing_is_done_next_time(vault: ArtifactVault, tmp_path: Path) -> None:
    await stage(vault, staged_file(tmp_path, data=b"l" * (2 * MIB)))
    vault.condemn(JOB)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await vault.erase()
    await vault.erase()
    assert (vault.total_bytes, kept_files(vault)) == (0, [])


def test_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "new")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    prepare_folder(tmp_path / "new")
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(StorageFailed):
        prepare_folder(tmp_path / "open")
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailed):
        prepare_folder(tmp_path / "file")
