"""The two digests of the contract: of text components and of bytes.

Source: window jobs contract, "Shared lexical forms".
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Digest = NewType("Digest", str)
"""`sha256:` and 64 lower-case hexadecimal digits."""

_ABSENT = "<absent>"
_AT_ONCE = 1000
"""Components hashed in one call: a call each would cost more than the hashing."""
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def text_digest(*components: str | None) -> Digest:
    """Digest text components so that no two different lists share a digest by concatenation.

    Each component is preceded by its UTF-8 byte length (4 bytes, big-endian); an absent
    component (`None`) is hashed as the string `<absent>`. Lone surrogates are encoded as they
    stand, so hostile text cannot raise here; requests refuse them earlier.
    """
    state = hashlib.sha256()
    for start in range(0, len(components), _AT_ONCE):
        parts: list[bytes] = []
        for component in components[start : start + _AT_ONCE]:
            raw = (_ABSENT if component is None else component).encode("utf-8", "surrogatepass")
            parts += (len(raw).to_bytes(4, "big"), raw)
        state.update(b"".join(parts))
    return Digest(f"sha256:{state.hexdigest()}")


def byte_digest(data: bytes) -> Digest:
    """Plain SHA-256 of the bytes: files and artifacts."""
    return Digest(f"sha256:{hashlib.sha256(data).hexdigest()}")


def chunks_digest(chunks: Iterable[bytes]) -> Digest:
    """`byte_digest` of a stream that is not held in memory."""
    state = hashlib.sha256()
    for chunk in chunks:
        state.update(chunk)
    return Digest(f"sha256:{state.hexdigest()}")


def is_digest(text: str) -> bool:
    """Whether the text has the one accepted spelling of a digest (lower case only)."""
    return _DIGEST.fullmatch(text) is not None


def canonical_json(value: Mapping[str, object] | list[object]) -> str:
    """JSON with sorted keys and no blanks: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def json_digest(value: Mapping[str, object] | list[object]) -> Digest:
    """Byte digest of the canonical JSON text."""
    return byte_digest(canonical_json(value).encode("utf-8", "surrogatepass"))
