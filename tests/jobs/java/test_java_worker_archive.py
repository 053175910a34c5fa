"""The class archive: made beside the jobs, used by the next start, and never a danger."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import anyio
import pytest
from process_table import become, children_of, has_mapped

from jobs import limits
from jobs.java import archive
from jobs.java.archive import VARIABLE, archive_of, prune
from jobs.java.jars import file_digest
from jobs.java.launch import java_command
from jobs.java.runtime import JavaRuntime
from jobs.workers.contract import StageCall, WorkerLimits
from jobs.workers.pool import open_worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobs.java.jars import ClassPath
    from jobs.workers.contract import Launch

    MakeCall = Callable[..., StageCall]

pytestmark = [pytest.mark.anyio, pytest.mark.java]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "java"


@pytest.fixture
def make_launch(runtime: JavaRuntime, class_path: ClassPath) -> Callable[[], Launch]:
    if runtime.major < archive.OLDEST:
        pytest.skip("this runtime writes no archive in one run")
    return lambda: java_command(runtime, class_path, heap_bytes=64 * limits.MIB, keeps_spare=True)


async def rehearsed(
    make_launch: Callable[[], Launch], call: StageCall, cache: Path, but: Path | None = None
) -> Path:
    """Use a JVM once in a pool that keeps spares, until its archive lies there."""
    async with open_worker_pool(WorkerLimits(workers=1)) as pool:
        pool.warm()
        with anyio.fail_after(60):
            await pool.execute(call, launch=make_launch())
            await become(lambda: any(each != but or is_sound(each) for each in jsa(cache)), within_s=60)
    (made,) = jsa(cache)
    return made


def jsa(cache: Path) -> list[Path]:
    return list(cache.glob("*.jsa"))


def is_sound(path: Path) -> bool:
    return file_digest(path).startswith(path.suffixes[-2][1:])


async def value_of(launch: Launch, call: StageCall) -> object:
    async with open_worker_pool() as pool:
        with anyio.fail_after(30):
            return (await pool.execute(call, launch=launch)).value


async def test_an_archive_is_made_after_the_first_use_and_used_from_then_on(
    make_launch, make_call, cache
) -> None:
    before = make_launch()
    assert await value_of(before, make_call("archive")) == "none"
    assert list(cache.glob("*")) == [], "nothing is made where nothing is kept warm"
    made = await rehearsed(make_launch, make_call("archive"), cache)
    assert made.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700
    after = make_launch()
    assert after.rehearsal is None
    assert after.kind == before.kind, "a spare that was started without it still serves"
    assert await value_of(after, make_call("archive")) == "mapped"


@pytest.mark.parametrize("how", ["empty", "cut", "garbage", "flipped"])
async def test_a_broken_archive_is_passed_over(make_launch, make_call, cache, how, runtime) -> None:
    made = await rehearsed(make_launch, make_call("archive"), cache)
    data = made.read_bytes()
    match how:
        case "empty":
            data = b""
        case "cut":
            data = data[: len(data) // 2]
        case "garbage":
            data = os.urandom(100_000)
        case "flipped":
            data = data[:64] + bytes(64) + data[128:]
    made.write_bytes(data)
    assert await value_of(make_launch(), make_call("archive")) == "none"
    again = await rehearsed(make_launch, make_call("is_warm"), cache, but=made)
    assert not made.exists() or made == again
    assert await value_of(make_launch(), make_call("archive")) == "mapped"


async def test_an_archive_of_altered_jars_is_of_another_kind(
    make_launch, make_call, cache, double_jar: Path
) -> None:
    await rehearsed(make_launch, make_call("archive"), cache)
    now_ns = os.stat(double_jar).st_mtime_ns
    os.utime(double_jar, ns=(now_ns, now_ns + 10**9))
    launch = make_launch()
    assert launch.rehearsal is not None
    assert not any("SharedArchiveFile" in each for each in launch.argv)
    launch.rehearsal.discard()


async def test_a_pool_closed_during_a_rehearsal_leaves_no_process_and_no_file(
    make_launch, make_call, cache
) -> None:
    async with open_worker_pool(WorkerLimits(workers=1)) as pool:
        pool.warm()
        with anyio.fail_after(30):
            await pool.execute(make_call("is_warm"), launch=make_launch())
            await become(lambda: len([p for p in children_of(os.getpid()) if has_mapped(p, "libjvm")]) == 2)
    assert children_of(os.getpid()) == []
    assert [each for each in cache.glob("*") if each.suffix != ".jsa"] == []


async def test_a_rehearsal_that_fails_costs_nothing(make_launch, make_call, cache, monkeypatch) -> None:
    launch = make_launch()
    assert launch.rehearsal is not None
    cache.chmod(0o500)
    try:
        async with open_worker_pool(WorkerLimits(workers=1)) as pool:
            pool.warm()
            with anyio.fail_after(30):
                assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "false"
                await pool.wait_spare()
                assert (await pool.execute(make_call("is_warm"), launch=launch)).value == "true"
    finally:
        cache.chmod(0o700)


def test_an_archive_that_others_could_write_is_not_used(runtime, class_path, cache) -> None:
    kept = archive_of(runtime, class_path, ())
    if kept is None:
        pytest.skip("this runtime writes no archive in one run")
    assert kept.find() is None
    cache.mkdir(parents=True, mode=0o700)
    path = cache / f"{kept.stem}.{hashlib.sha256(b'x').hexdigest()[:32]}.jsa"
    path.write_bytes(b"x")
    path.chmod(0o600)
    assert kept.find() == path
    path.chmod(0o620)
    assert kept.find() is None
    path.rename(cache.parent / "elsewhere")
    path.symlink_to(cache.parent / "elsewhere")
    assert kept.find() is None


def test_a_cache_that_others_could_write_is_not_used(runtime, class_path, cache) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    launch = java_command(runtime, class_path, keeps_spare=True)
    assert launch.rehearsal is None


def test_a_runtime_before_13_has_no_archive(class_path) -> None:
    old = JavaRuntime(executable="/opt/11/bin/java", version="11.0.2", home="/opt/11", source="PATH")
    launch = java_command(old, class_path, keeps_spare=True)
    assert launch.rehearsal is None
    assert not any("Archive" in each for each in launch.argv)


def test_old_archives_go_first_and_the_newest_stays(tmp_path: Path) -> None:
    for number in range(12):
        path = tmp_path / f"a-{number}.jsa"
        path.write_bytes(b"x")
        os.utime(path, (1000 + number, 1000 + number))
    os.utime(tmp_path / "a-0.jsa", (1, 1))
    (tmp_path / ".a-1.1.part").write_bytes(b"")
    os.utime(tmp_path / ".a-1.1.part", (1, 1))
    os.utime(tmp_path / "a-0.jsa", (5000, 5000))
    prune(tmp_path, keep=tmp_path / "a-5.jsa")
    left = {each.name for each in tmp_path.iterdir()}
    assert left == {"a-5.jsa", "a-0.jsa", *(f"a-{number}.jsa" for number in (6, 7, 8, 9, 10, 11))}
