from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.errors import AuthorizationDenied, AuthorizationRevoked
from jobs.values import Owner, WorkspaceId
from plugin_bridge.access import AccessTable, Capability, GrantKey
from plugin_bridge.access.capabilities import ALL, EXPORT, READ, require

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugin_bridge.access import Session

WORKSPACE = WorkspaceId("00000000-0000-4000-8000-00000000000a")
KEY = GrantKey(principal_type="client", client_id="c", grant_id="g")


@dataclass
class Clock:
    at: datetime = datetime(2026, 1, 5, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at


class Jobs:
    """Notes whose jobs were cancelled, and when."""

    def __init__(self) -> None:
        self.rounds: list[frozenset[Owner]] = []
        self.known: list[Owner] = []

    async def cancel_where(self, concerns: Callable[[Owner], bool]) -> int:
        self.rounds.append(frozenset(each for each in self.known if concerns(each)))
        return len(self.rounds[-1])


def table(clock: Clock | None = None, jobs: Jobs | None = None) -> AccessTable:
    return AccessTable(WORKSPACE, clock or Clock(), (jobs or Jobs()).cancel_where)


def add(
    access: AccessTable, token: str = "t", key: GrantKey = KEY, expires_at: datetime | None = None
) -> Session:
    assert key.grant_id is not None
    return access.add_grant(
        principal_type=key.principal_type,
        client_id=key.client_id,
        grant_id=key.grant_id,
        capabilities=READ,
        token=token,
        expires_at=expires_at,
    )


@pytest.mark.anyio
async def test_tokens_of_the_static_kind_are_one_owner_with_every_capability() -> None:
    access = table()
    first, second = access.add_static_token("one"), access.add_static_token("two")
    assert first == second == access.local_session() == access.authenticate("two")
    assert first.capabilities == ALL
    expected = Owner.of(WORKSPACE, principal_type="static", client_id="local", grant_id=None)
    assert first.owner == expected


@pytest.mark.anyio
async def test_unknown_tokens_are_nobody() -> None:
    access = table()
    add(access, "secret")
    for token in ("", "secret ", "Secret", "\ud800", "x" * 10_000):
        assert access.authenticate(token) is None


@pytest.mark.anyio
async def test_no_token_is_kept() -> None:
    access = table()
    session = add(access, "very-secret-token")
    assert "very-secret-token" not in repr(vars(access))
    assert "client_id" not in repr(session)


@pytest.mark.anyio
@pytest.mark.req("W-06")
async def test_owners_differ_in_every_part() -> None:
    access = table()
    keys = [GrantKey(principal_type=p, client_id=c, grant_id=g) for p, c, g in product("pq", "cd", "gh")]
    owners = {add(access, f"token {n}", key).owner for n, key in enumerate(keys)}
    assert len(owners) == len(keys)
    assert len({each.owner_fingerprint for each in owners}) == len(keys)


@pytest.mark.anyio
@pytest.mark.req("W-07")
async def test_a_refreshed_token_keeps_the_owner_and_a_new_consent_does_not() -> None:
    access = table()
    old = add(access, "first")
    renewed = access.renew(KEY, token="second", expires_at=None)
    assert renewed.owner == old.owner
    assert access.authenticate("first") is None
    assert access.authenticate("second") == renewed
    other = add(access, "third", GrantKey(principal_type="client", client_id="c", grant_id="g2"))
    assert other.owner != old.owner


@pytest.mark.anyio
async def test_a_grant_in_force_is_not_entered_twice() -> None:
    access = table()
    add(access)
    with pytest.raises(ValueError, match="renew"):
        add(access, "other")


@pytest.mark.anyio
async def test_a_revoked_grant_is_gone_for_ever() -> None:
    jobs = Jobs()
    access = table(jobs=jobs)
    session = add(access)
    jobs.known = [session.owner, access.local_session().owner]
    await access.revoke_grant(KEY)
    assert jobs.rounds == [frozenset({session.owner})] * 2
    assert access.authenticate("t") is None
    for again in (lambda: add(access, "t2"), lambda: access.renew(KEY, token="t3", expires_at=None)):
        with pytest.raises(AuthorizationRevoked):
            again()
    with pytest.raises(AuthorizationRevoked):
        async with access.lease(session):
            pass
    with pytest.raises(AuthorizationRevoked):
        async with access.lease_of(session.owner):
            pass
    await access.revoke_grant(KEY)


@pytest.mark.anyio
async def test_a_revoked_client_loses_present_and_future_grants() -> None:
    access = table()
    for grant in ("g1", "g2"):
        add(access, grant, GrantKey(principal_type="client", client_id="c", grant_id=grant))
    other = add(access, "o", GrantKey(principal_type="client", client_id="d", grant_id="g1"))
    await access.revoke_client("c")
    assert access.authenticate("g1") is access.authenticate("g2") is None
    assert access.authenticate("o") == other
    with pytest.raises(AuthorizationRevoked):
        add(access, "g3", GrantKey(principal_type="client", client_id="c", grant_id="g3"))


@pytest.mark.anyio
async def test_revocation_returns_only_after_the_calls_under_way() -> None:
    """What a call under way still started is cancelled by the second round."""
    jobs, order = Jobs(), []
    access = table(jobs=jobs)
    session = add(access)
    entered, leave = anyio.Event(), anyio.Event()

    async def call() -> None:
        async with access.lease(session):
            entered.set()
            await leave.wait()
            jobs.known.append(session.owner)
            order.append("committed")

    async def revoke() -> None:
        await access.revoke_grant(KEY)
        order.append("revoked")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await entered.wait()
            tasks.start_soon(revoke)
            while not jobs.rounds:
                await anyio.lowlevel.checkpoint()
            assert order == []
            leave.set()
    assert order == ["committed", "revoked"]
    assert jobs.rounds == [frozenset(), frozenset({session.owner})]


@pytest.mark.anyio
async def test_a_cancelled_revocation_still_closes_everything() -> None:
    access = table()
    session = add(access)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await access.revoke_grant(KEY)
    with pytest.raises(AuthorizationRevoked):
        async with access.lease(session):
            pass


@pytest.mark.anyio
async def test_expiry_is_a_revocation_unless_renewed_in_time() -> None:
    clock, jobs = Clock(), Jobs()
    access = table(clock, jobs)
    session = add(access, expires_at=clock.at + timedelta(seconds=10))
    clock.at += timedelta(seconds=9.999)
    access.renew(KEY, token="t2", expires_at=clock.at + timedelta(seconds=10))
    clock.at += timedelta(seconds=9.999)
    assert access.authenticate("t2") == session
    clock.at += timedelta(seconds=0.001)
    assert access.authenticate("t2") is None
    with pytest.raises(AuthorizationRevoked):
        async with access.lease(session):
            pass
    with pytest.raises(AuthorizationRevoked):
        access.renew(KEY, token="t3", expires_at=None)
    jobs.known = [session.owner]
    await access.expire_due()
    assert jobs.rounds == [frozenset({session.owner})] * 2
    with pytest.raises(AuthorizationRevoked):
        add(access, "t4")


@pytest.mark.anyio
async def test_the_watch_revokes_what_expires_and_notices_new_grants() -> None:
    clock, jobs = Clock(), Jobs()
    access = table(clock, jobs)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(access.watch_expiry)
            await anyio.lowlevel.checkpoint()
            add(access, expires_at=clock.at)
            while len(jobs.rounds) < 2:
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize("held", [frozenset(), READ, frozenset({Capability.SERVER_ADMIN})])
def test_missing_capabilities_are_named(held: frozenset[Capability]) -> None:
    with pytest.raises(AuthorizationDenied) as caught:
        require(held, EXPORT)
    assert caught.value.details["missing_capabilities"] == sorted(EXPORT - held)
    assert set(caught.value.details) == {"missing_capabilities", "effects_prevented"}


def test_enough_is_enough() -> None:
    require(EXPORT, EXPORT)
    require(ALL, READ)
