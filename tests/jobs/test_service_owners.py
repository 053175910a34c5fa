"""Only the exact owner sees a job; everyone else gets what absence gets, byte for byte (W 1)."""

from __future__ import annotations

import itertools
import json
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from jobs import JobService, MemoryStore, Owner, State, WorkspaceId, text_digest
from jobs.artifacts import ArtifactVault
from jobs.errors import (
    AuthorizationRevoked,
    InvalidJobCursor,
    InvalidJobLimit,
    ProtegeJobsError,
    UnknownJob,
    UnknownJobArtifact,
)
from tests.support import jobs_doubles as d

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

pytestmark = pytest.mark.anyio

OTHER_WORKSPACE = WorkspaceId("00000000-0000-4000-8000-00000000000b")
MATRIX = [
    Owner(
        workspace_id=workspace,
        principal_fingerprint=text_digest(principal),
        client_fingerprint=text_digest(client),
        grant_fingerprint=text_digest(grant),
    )
    for workspace, principal, client, grant in itertools.product(
        (d.WORKSPACE, OTHER_WORKSPACE), ("p1", "p2"), ("c1", "c2"), ("g1", "g2")
    )
]


async def answer(request: Callable[[], Awaitable[object]]) -> bytes:
    """The bytes of a refusal."""
    with pytest.raises(ProtegeJobsError) as caught:
        await request()
    return json.dumps([type(caught.value).__name__, caught.value.body()]).encode()


@pytest.mark.req("W-05", "W-06", "W-50", "W-67", "W-71", "W-74")
async def test_owner_matrix(tmp_path: Path) -> None:
    absent = json.dumps(["UnknownJob", UnknownJob().body()]).encode()
    no_cursor = json.dumps(["InvalidJobCursor", InvalidJobCursor().body()]).encode()
    mine = MATRIX[0]
    async with d.bench(tmp_path) as it:
        works = [d.Work(files=(d.staged_file(tmp_path),)), d.Work("compute"), d.Work("compute")]
        jobs = [(await it.start(work, mine, str(number))).job for number, work in enumerate(works)]
        done = await it.ended(jobs[0])
        assert done.result is not None
        artifact = done.result.artifacts[0].artifact_id
        page = await it.service.list(mine, 1)
        assert page.next_cursor is not None
        for who, job in itertools.product(MATRIX, jobs):
            calls: list[Callable[[], Awaitable[object]]] = [
                lambda who=who, job=job: it.service.get(who, job.job_id),
                lambda who=who, job=job: it.service.cancel(who, job.job_id),
                lambda who=who, job=job: it.service.artifact(who, job.job_id, artifact),
                lambda who=who, job=job: it.service.wait(who, job.job_id, 0),
                lambda who=who, job=job: it.service.discard_record(who, job.job_id),
                lambda who=who, job=job: it.service.keep_until(who, job.job_id, d.START),
            ]
            if who == mine:
                assert (await it.service.get(who, job.job_id)).job_id == job.job_id
                continue
            for call in calls:
                assert await answer(call) == absent
            assert (await it.service.list(who)).jobs == ()
            assert await it.service.find_idempotent(who, job.type, job.idempotency_key) is None
            assert await answer(lambda who=who: it.service.list(who, 1, page.next_cursor)) == no_cursor
        assert await answer(lambda: it.service.get(mine, str(uuid.uuid4()))) == absent
        assert len((await it.service.list(mine)).jobs) == 3
        states = {job.state for job in (await it.service.list(mine)).jobs}
        assert State.CANCELLED not in states
        it.clock.advance(3600)
        assert await answer(lambda: it.service.get(mine, done.job_id)) == absent
        await it.service.close()
        for job in jobs:
            assert await answer(lambda job=job: it.service.get(mine, job.job_id)) == absent


@pytest.mark.req("W-07")
async def test_new_consent_is_a_new_owner_and_a_refreshed_token_is_not(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        job = (await it.start(d.Work(), d.owner("ann", grant="g1"))).job
        assert await it.service.get(d.owner("ann", grant="g1"), job.job_id)
        for grant in ("g2", None):
            with pytest.raises(UnknownJob):
                await it.service.get(d.owner("ann", grant=grant), job.job_id)


@pytest.mark.req("W-05")
async def test_owner_of_another_window_cannot_start(tmp_path: Path) -> None:
    stranger = replace(d.owner(), workspace_id=OTHER_WORKSPACE)
    async with d.bench(tmp_path) as it:
        with pytest.raises(AuthorizationRevoked):
            await it.start(d.Work(), stranger)


@pytest.mark.req("W-52")
async def test_ids_are_random_version_four(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        ids = [
            uuid.UUID((await it.ended((await it.start(d.Work(), key=str(number))).job)).job_id)
            for number in range(5)
        ]
    assert {each.version for each in ids} == {4}
    assert len(set(ids)) == 5


@pytest.mark.req("W-65", "W-86")
async def test_artifacts_of_jobs_that_did_not_succeed_are_unknown(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        job = (await it.start(d.Work("lease", files=(d.staged_file(tmp_path),)))).job
        ids = set()
        while not ids:
            job = await it.service.get(job.owner, job.job_id)
            held = it.service._artifacts._held.get(job.job_id)
            ids = set(held.kept) if held else set()
            await d.anyio.sleep(0)
        for artifact in ids:
            with pytest.raises(UnknownJobArtifact):
                await it.service.artifact(job.owner, job.job_id, artifact)
        await it.service.cancel(job.owner, job.job_id)
        await it.ended(job)
        for artifact in ids:
            with pytest.raises(UnknownJobArtifact):
                await it.service.artifact(job.owner, job.job_id, artifact)


@pytest.mark.req("W-72", "W-73", "W-75", "W-76", "W-77", "W-78")
@pytest.mark.parametrize("limit", [1, 7, 25, 50, 100])
async def test_pages_give_every_job_once_whatever_comes_between(tmp_path: Path, limit: int) -> None:
    """60 jobs of one owner, over several grants' worth of retention: made in the store itself."""
    async with d.bench(tmp_path) as it:
        made = [await _insert(it.store, number) for number in range(60)]
        seen: list[str] = []
        cursor, first = None, True
        while first or cursor:
            page = await it.service.list(d.owner(), limit, cursor)
            assert len(page.jobs) <= limit
            seen += [job.job_id for job in page.jobs]
            cursor, first = page.next_cursor, False
            await _insert(it.store, 1000 + len(seen))  # newer: it moves no page that follows
        assert seen == sorted(made, reverse=True)
        assert len((await it.service.list(d.owner())).jobs) == 50


async def _insert(store: MemoryStore, number: int) -> str:
    """A job accepted in a second shared with nine others; ids rise with time so that order is known."""
    from datetime import timedelta

    from jobs.kernel import lifecycle
    from jobs.kernel.quotas import PRODUCT
    from jobs.kernel.record import Record
    from jobs.values import JobId

    name = JobId(f"00000000-0000-4000-8000-{number:012}")
    at = d.START + timedelta(seconds=number // 10)
    job = lifecycle.accept(d.submission(key=str(number)), name, at)
    await store.insert_if_absent(Record(job=job, revision=1, settings=PRODUCT), at)
    return name


@pytest.mark.req("W-75")
@pytest.mark.parametrize("limit", [0, 101, -1, True, 2.0, "5", None])
async def test_limit_outside_its_range_is_refused(tmp_path: Path, limit: object) -> None:
    async with d.bench(tmp_path) as it:
        with pytest.raises(InvalidJobLimit):
            await it.service.list(d.owner(), limit)  # type: ignore[arg-type]


@pytest.mark.req("W-74")
async def test_cursor_whose_anchor_has_gone_is_the_same_refusal(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        for number in range(3):
            await it.ended((await it.start(d.Work(), key=str(number))).job)
            it.clock.advance(1)
        cursor = (await it.service.list(d.owner(), 1)).next_cursor
        assert cursor is not None
        it.clock.advance(4000)
        with pytest.raises(InvalidJobCursor) as caught:
            await it.service.list(d.owner(), 1, cursor)
        assert caught.value.body() == InvalidJobCursor().body()


@pytest.mark.req("W-10")
async def test_second_service_starts_empty_and_knows_no_older_id(tmp_path: Path) -> None:
    async with d.bench(tmp_path) as it:
        job = await it.ended((await it.start(d.Work(files=(d.staged_file(tmp_path),)))).job)
    assert list((tmp_path / "artifacts").iterdir()) == []
    async with JobService(
        workspace_id=d.WORKSPACE,
        store=MemoryStore(),
        artifacts=ArtifactVault(tmp_path / "artifacts", lambda: str(uuid.uuid4())),
    ) as again:
        assert (await again.list(job.owner)).jobs == ()
        with pytest.raises(UnknownJob):
            await again.get(job.owner, job.job_id)
