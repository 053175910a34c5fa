"""Sealed list cursors: bound to owner and anchor, unreadable and unforgeable (W 3.6).

Foreign, altered and malformed cursors fail alike, in `open`; an anchor that has gone is the
caller's to find, and must give the same answer.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from jobs import limits
from jobs.errors import InvalidJobCursor
from jobs.stores.contract import Anchor
from jobs.values import JobId

if TYPE_CHECKING:
    from jobs.values import Owner

_VERSION: Final = b"\x01"
_NONCE_BYTES: Final = 12
_TIME_BYTES: Final = 8
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class CursorSeal:
    """Seals and opens cursors with a key that lives as long as the backend."""

    def __init__(self, key: bytes | None = None) -> None:
        self._cipher = AESGCM(key or AESGCM.generate_key(bit_length=256))

    def seal(self, owner: Owner, anchor: Anchor) -> str:
        """A cursor for the page behind the anchor, at most 512 characters for ids up to 300 bytes."""
        plain = ((anchor.created_at - _EPOCH) // _MICROSECOND).to_bytes(_TIME_BYTES, "big", signed=True)
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, plain + anchor.job_id.encode(), _bound_to(owner))
        return base64.urlsafe_b64encode(_VERSION + nonce + sealed).rstrip(b"=").decode("ascii")

    def open(self, owner: Owner, cursor: str) -> Anchor:
        """The anchor of a cursor that this seal made for this owner.

        Raises:
            InvalidJobCursor: anything else (`invalid_job_cursor`).
        """
        raw = _decoded(cursor)
        nonce, sealed = raw[1 : 1 + _NONCE_BYTES], raw[1 + _NONCE_BYTES :]
        try:
            plain = self._cipher.decrypt(nonce, sealed, _bound_to(owner))
        except (InvalidTag, ValueError):
            raise InvalidJobCursor from None
        micros = int.from_bytes(plain[:_TIME_BYTES], "big", signed=True)
        return Anchor(_EPOCH + micros * _MICROSECOND, JobId(plain[_TIME_BYTES:].decode()))


def _bound_to(owner: Owner) -> bytes:
    return _VERSION + owner.owner_fingerprint.encode("ascii")


def _decoded(cursor: str) -> bytes:
    if not 0 < len(cursor) <= limits.CURSOR_CHARACTERS or not cursor.isascii():
        raise InvalidJobCursor
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise InvalidJobCursor from None
    # One spelling only: unused bits of the last character must be zero.
    if base64.urlsafe_b64encode(raw).rstrip(b"=") != cursor.encode("ascii") or raw[:1] != _VERSION:
        raise InvalidJobCursor
    return raw
