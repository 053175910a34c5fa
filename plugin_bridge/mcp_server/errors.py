"""The only mapping from the exception tree to the wire (decision 4).

Refused and Unfit become a tool result with `isError`; Failed and Uncertain an internal JSON-RPC
error with the four fields as data; anything outside the tree one constant internal error. No cause
text, path, IRI or token leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INTERNAL_ERROR

from jobs.errors import Refused, Unfit

if TYPE_CHECKING:
    from jobs.errors import ProtegeJobsError
    from jobs.values import Json

_INTERNAL_MESSAGE: Final = "The window failed while serving this call; its log says more."


def as_answer(error: ProtegeJobsError) -> Json:
    """The tool result of a refusal or of unfit input.

    Raises:
        MCPError: for a machine fault or an uncertain outcome: -32603 with the four fields as data.
    """
    body = error.body()
    if not isinstance(error, Refused | Unfit):
        fields = {key: body[key] for key in ("code", "message", "retryable", "details")}
        raise MCPError(INTERNAL_ERROR, error.message, fields) from error
    again = " It may be retried." if error.retryable else ""
    words = f"{error.message} (code {error.code}){again}"
    return {
        "content": [{"type": "text", "text": words}],
        "structuredContent": body,
        "isError": True,
        "resultType": "complete",
    }


def internal_error() -> MCPError:
    """The one answer to everything that is a defect of ours."""
    fields: Json = {
        "code": "internal_error",
        "message": _INTERNAL_MESSAGE,
        "retryable": False,
        "details": {},
    }
    return MCPError(INTERNAL_ERROR, _INTERNAL_MESSAGE, fields)
