"""Tokens and grants of one window: who a token is, what it may do, and when that ends (W 1.2-1.6).

Owns the live grants, the tombstones and the leases. It knows nothing of jobs: revocation reports
the owners it concerns, and the window cancels their jobs.

Invariants:
- tokens are kept as SHA-256 digests only;
- a revoked or expired grant and a revoked client never come back within the table's life;
- when `revoke_grant` or `revoke_client` has returned, no lease of them runs or can be taken.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio

from jobs.errors import AuthorizationRevoked
from jobs.values import Owner
from plugin_bridge.access.capabilities import ALL
from plugin_bridge.access.gate import Gate
from plugin_bridge.access.sessions import GrantKey, Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
    from datetime import datetime

    from jobs.clock import Clock
    from jobs.values import WorkspaceId
    from plugin_bridge.access.capabilities import Capability

logger = logging.getLogger(__name__)

STATIC: Final = GrantKey(principal_type="static", client_id="local", grant_id=None)
EXPIRY_CHECK_S: Final = 30.0  # ours: the longest sleep between two looks at the clock
CANCEL_JOBS_S: Final = 5.0  # ours: deciding cancellations is a matter of milliseconds
_NO_TOKEN: Final = bytes(32)


@dataclass(slots=True, kw_only=True)
class _Grant:
    session: Session
    gate: Gate
    token: bytes | None
    expires_at: datetime | None


class AccessTable:
    """The grants of one window; see the module for its invariants.

    Args:
        workspace_id: the window's own id, part of every owner.
        clock: decides what has expired.
        cancel_where: cancels the unfinished jobs of the owners it is told of, without waiting for
            them to stop. It runs twice per revocation: at once, and when the calls under way have
            ended, for what those still started.
    """

    def __init__(
        self,
        workspace_id: WorkspaceId,
        clock: Clock,
        cancel_where: Callable[[Callable[[Owner], bool]], Awaitable[object]],
    ) -> None:
        self._workspace_id = workspace_id
        self._clock = clock
        self._cancel_where = cancel_where
        self._grants: dict[GrantKey, _Grant] = {}
        self._by_token: dict[bytes, _Grant] = {}
        self._by_owner: dict[Owner, _Grant] = {}
        self._dead_grants: set[GrantKey] = set()
        self._dead_clients: set[str] = set()
        self._changed = anyio.Event()
        self._add(STATIC, ALL, None, None)

    # --- Grants -----------------------------------------------------------------------------------

    def add_static_token(self, token: str) -> Session:
        """Let one more token speak for the window's local owner; all such callers are one owner."""
        grant = self._grants[STATIC]
        self._by_token[_hash(token)] = grant
        return grant.session

    def local_session(self) -> Session:
        """The static local owner, for a transport that is the person's own pipe (stdio)."""
        return self._grants[STATIC].session

    def add_grant(
        self,
        *,
        principal_type: str,
        client_id: str,
        grant_id: str,
        capabilities: Iterable[Capability],
        token: str,
        expires_at: datetime | None,
    ) -> Session:
        """Enter a consent: a new grant id is a new owner.

        Raises:
            AuthorizationRevoked: the grant or its client was revoked here.
            ValueError: the grant is already in force.
        """
        key = GrantKey(principal_type=principal_type, client_id=client_id, grant_id=grant_id)
        if key in self._dead_grants or client_id in self._dead_clients:
            raise AuthorizationRevoked
        if key in self._grants:
            raise ValueError("this grant is already in force; renew it instead")
        return self._add(key, frozenset(capabilities), token, expires_at).session

    def renew(self, key: GrantKey, *, token: str, expires_at: datetime | None) -> Session:
        """Replace a grant's token and expiry; owner, and so its jobs, stay the same.

        Raises:
            AuthorizationRevoked: the grant is unknown, expired or revoked.
        """
        grant = self._grants.get(key)
        if grant is None or not self._is_live(grant):
            raise AuthorizationRevoked
        if grant.token is not None:
            self._by_token.pop(grant.token, None)
        grant.token, grant.expires_at = _hash(token), expires_at
        self._by_token[grant.token] = grant
        self._announce()
        return grant.session

    # --- Calls ------------------------------------------------------------------------------------

    def authenticate(self, token: str) -> Session | None:
        """The session of a token; None for an unknown, expired or revoked one.

        The table is searched by digest, so what timing could tell is about SHA-256 values, and the
        final comparison takes constant time.
        """
        wanted = _hash(token)
        grant = self._by_token.get(wanted)
        known = grant is not None and self._is_live(grant)
        matches = hmac.compare_digest(wanted, wanted if known else _NO_TOKEN)
        return grant.session if grant is not None and matches else None

    @asynccontextmanager
    async def lease(self, session: Session) -> AsyncIterator[None]:
        """Hold the session's authority for a whole tool call, its audit record included.

        Raises:
            AuthorizationRevoked: revoked or expired, before or during the block.
        """
        grant = self._grants.get(session.grant)
        if grant is None or not self._is_live(grant):
            raise AuthorizationRevoked
        async with grant.gate.shared():
            yield

    @asynccontextmanager
    async def lease_of(self, owner: Owner) -> AsyncIterator[None]:
        """The same authority for a job's publication, asked for by its owner (W 8.5)."""
        grant = self._by_owner.get(owner)
        if grant is None:
            raise AuthorizationRevoked
        async with self.lease(grant.session):
            yield

    async def wait_revoked(self, session: Session) -> None:
        """Return when the session's grant is revoked; at once when it already is."""
        grant = self._grants.get(session.grant)
        if grant is not None:
            await grant.gate.wait_closed()

    # --- Ends -------------------------------------------------------------------------------------

    async def revoke_grant(self, key: GrantKey) -> None:
        """End one grant for ever; a grant never seen is tombstoned all the same."""
        self._dead_grants.add(key)
        grant = self._grants.get(key)
        await self._end([grant] if grant else [])

    async def revoke_client(self, client_id: str) -> None:
        """End every grant of a client, present and future."""
        self._dead_clients.add(client_id)
        await self._end([each for key, each in self._grants.items() if key.client_id == client_id])

    async def revoke_all(self) -> None:
        """End every grant: the window is closing."""
        await self._end(list(self._grants.values()))

    async def expire_due(self) -> None:
        """Revoke what has expired by the clock."""
        now = self._clock.now()
        await self._end(
            [each for each in self._grants.values() if each.expires_at and each.expires_at <= now]
        )

    async def watch_expiry(self) -> None:
        """Revoke grants as they expire, for ever; the window runs it in its task group."""
        while True:
            changed = self._changed
            with anyio.move_on_after(self._until_expiry_s()):
                await changed.wait()
            await self.expire_due()

    # --- Inside -----------------------------------------------------------------------------------

    def _add(
        self,
        key: GrantKey,
        capabilities: frozenset[Capability],
        token: str | None,
        expires_at: datetime | None,
    ) -> _Grant:
        owner = Owner.of(
            self._workspace_id,
            principal_type=key.principal_type,
            client_id=key.client_id,
            grant_id=key.grant_id,
        )
        session = Session(owner=owner, capabilities=capabilities, grant=key)
        hashed = None if token is None else _hash(token)
        grant = _Grant(session=session, gate=Gate(), token=hashed, expires_at=expires_at)
        self._grants[key] = self._by_owner[owner] = grant
        if hashed is not None:
            self._by_token[hashed] = grant
        self._announce()
        return grant

    def _is_live(self, grant: _Grant) -> bool:
        expired = grant.expires_at is not None and grant.expires_at <= self._clock.now()
        return not expired and not grant.gate.is_closed

    async def _end(self, grants: Sequence[_Grant]) -> None:
        """Close, cancel, wait for the calls under way, and cancel what those still started."""
        if not grants:
            return
        owners = frozenset(each.session.owner for each in grants)
        for grant in grants:
            grant.gate.close()
            self._dead_grants.add(grant.session.grant)
        # Shielded: a revocation half done would let a call commit; each wait inside is bounded.
        with anyio.CancelScope(shield=True):
            await self._cancel_jobs(owners)  # running jobs stop now, not after the slowest call
            async with anyio.create_task_group() as waits:
                for grant in grants:
                    waits.start_soon(grant.gate.drained)
            await self._cancel_jobs(owners)
        self._forget(grants)

    async def _cancel_jobs(self, owners: frozenset[Owner]) -> None:
        with anyio.move_on_after(CANCEL_JOBS_S) as waiting:
            await self._cancel_where(owners.__contains__)
        if waiting.cancelled_caught:
            logger.error("access.jobs_not_cancelled", extra={"owners": len(owners)})

    def _forget(self, grants: Sequence[_Grant]) -> None:
        ended = {id(each) for each in grants}
        self._by_token = {key: each for key, each in self._by_token.items() if id(each) not in ended}
        self._by_owner = {key: each for key, each in self._by_owner.items() if id(each) not in ended}
        self._grants = {key: each for key, each in self._grants.items() if id(each) not in ended}

    def _until_expiry_s(self) -> float:
        ends = [each.expires_at for each in self._grants.values() if each.expires_at is not None]
        if not ends:
            return EXPIRY_CHECK_S
        return min(EXPIRY_CHECK_S, max(0.0, (min(ends) - self._clock.now()).total_seconds()))

    def _announce(self) -> None:
        """Let `watch_expiry` look again: the earliest expiry may have moved."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
