"""What a message must satisfy before the SDK parses it: size, depth, characters.

The SDK's two parsers survive hostile JSON, but stdio then stays silent, so a caller would wait for
ever, and HTTP answers differently by generation. This door answers every such message alike, with
the id of the request where one can be read, and costs an ordinary message two counts of a byte.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobs.values import Json

MESSAGE_BYTES: Final = 4 * limits.MIB  # ours; the largest honest request is far below 64 KiB
DEPTH: Final = 64  # ours; the deepest honest request has 7 levels
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602

# A string may end with the message: else each quote of an endless one would be tried to the end again.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.?)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_ID: Final = re.compile(rb'\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,1024}")(?=\s*[,}])')
_ODD_ID: Final = re.compile(rb'\s*:\s*(?:[^-\d"\s]|-?\d+[.eE])')
_ODD_ID_ANYWHERE: Final = re.compile(rb'"id"' + _ODD_ID.pattern)
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why a message is not passed on, as the JSON-RPC error that answers it."""

    request_id: int | str | None
    code: int
    message: str

    def body(self) -> Json:
        """The whole JSON-RPC message."""
        return {"jsonrpc": "2.0", "id": self.request_id, "error": self.error()}

    def error(self) -> Json:
        """The error object; its data are the four fields every failure has."""
        fields = InvalidRequest(self.message).body()
        data = {key: fields[key] for key in ("code", "message", "retryable", "details")}
        return {"code": self.code, "message": self.message, "data": data}


def too_large() -> Rejection:
    """The answer to a message above the bound, of which nothing was read."""
    text = f"A message may have at most {MESSAGE_BYTES} bytes."
    return Rejection(request_id=None, code=PARSE_ERROR, message=text)


def inspect(raw: bytes) -> Rejection | None:
    """Why this message must not reach a parser; None for every ordinary one."""
    if len(raw) > MESSAGE_BYTES:
        return too_large()
    if raw.count(b"{") + raw.count(b"[") > DEPTH and _is_deep(raw):
        return _rejected(raw, PARSE_ERROR, f"JSON may be nested at most {DEPTH} levels deep.")
    if b"\\u" in raw and _SURROGATE_ESCAPE.search(raw) and _has_lone_surrogate(raw):
        return _rejected(raw, INVALID_PARAMS, "Text must not contain lone surrogates.")
    if b'"id"' in raw and b'"method"' in raw and _has_odd_id(raw):
        # The SDK takes it for a notification, and its sender would wait for ever.
        text = "The id of a request is a string or an integer."
        return Rejection(request_id=None, code=INVALID_REQUEST, message=text)
    return None


def unparsed(raw: bytes) -> Rejection:
    """The answer to a message that is no JSON-RPC message."""
    return _rejected(raw, PARSE_ERROR, "This is not a JSON-RPC 2.0 message in UTF-8.")


def _rejected(raw: bytes, code: int, message: str) -> Rejection:
    return Rejection(request_id=_request_id(raw), code=code, message=message)


def _is_deep(raw: bytes) -> bool:
    depth = 0
    for token in _TOKEN.finditer(raw):
        byte = raw[token.start()]
        if byte in b"{[":
            depth += 1
            if depth > DEPTH:
                return True
        elif byte in b"}]":
            depth -= 1
    return False


def _has_lone_surrogate(raw: bytes) -> bool:
    """Whether the parsed text has one; a message that does not parse is left to the parser."""
    try:
        json.dumps(json.loads(raw), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _request_id(raw: bytes) -> int | str | None:
    """The `id` of the outermost object, read without parsing the rest."""
    for place in _outer_ids(raw):
        if found := _ID.match(raw, place):
            return _scalar(found.group(1))
    return None


def _has_odd_id(raw: bytes) -> bool:
    return bool(_ODD_ID_ANYWHERE.search(raw)) and any(_ODD_ID.match(raw, place) for place in _outer_ids(raw))


def _outer_ids(raw: bytes) -> Iterator[int]:
    """Where the outermost object has said `"id"`."""
    depth = 0
    for token in _TOKEN.finditer(raw):
        byte = raw[token.start()]
        if byte in b"{[":
            depth += 1
        elif byte in b"}]":
            depth -= 1
        elif depth == 1 and token.group() == b'"id"':
            yield token.end()


def _scalar(raw: bytes) -> int | str | None:
    try:
        value = json.loads(raw)
        str(value).encode()
    except ValueError:  # no UTF-8, or a lone surrogate
        return None
    return value if isinstance(value, int | str) else None
