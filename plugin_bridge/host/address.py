"""Where a host's gateway is, and the secret that opens it: one JSON line, handed over by a pipe."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self

from jobs.errors import InvalidRequest

CONTRACT: Final = 1
"""The version of `docs/host-gateway.md` that this backend speaks."""
_PORT_MAX: Final = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayAddress:
    """A gateway on this machine; the token never appears in a `repr` or a log."""

    address: str
    port: int
    token: str = field(repr=False)
    window_id: str
    directory: Path
    """The host's private folder; captures lie below it."""

    @classmethod
    def parse(cls, line: str | bytes) -> Self:
        """The address in the line that a host writes to its backend.

        Raises:
            InvalidRequest: no such line, another contract, or an address that is not loopback.
        """
        try:
            found = json.loads(line)
            if not isinstance(found, dict):
                raise TypeError
            contract = found["contract"]
            parsed = cls(
                address=str(found["address"]),
                port=int(found["port"]),
                token=str(found["token"]),
                window_id=str(found["window_id"]),
                directory=Path(str(found["directory"])),
            )
            is_usable = ip_address(parsed.address).is_loopback and 0 < parsed.port <= _PORT_MAX
        except (KeyError, TypeError, ValueError):
            raise InvalidRequest("This is not a line that describes a host's gateway.") from None
        if contract != CONTRACT:
            raise InvalidRequest(
                f"The editor's plugin speaks contract {contract}, this backend {CONTRACT}. "
                "Run: protege-jobs install-plugin"
            )
        if not is_usable or not parsed.token or not parsed.directory.is_absolute():
            raise InvalidRequest("This is not a line that describes a host's gateway.")
        return parsed
