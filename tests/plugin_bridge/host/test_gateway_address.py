"""The line that hands a gateway over: strict, and local."""

from __future__ import annotations

import json

import pytest

from jobs.errors import InvalidRequest
from plugin_bridge.host.address import CONTRACT, GatewayAddress

LINE = {
    "contract": CONTRACT,
    "address": "127.0.0.1",
    "port": 1234,
    "token": "t",
    "window_id": "w",
    "directory": "/x",
}


@pytest.mark.parametrize(
    "change",
    [
        {"contract": 2},
        {"address": "192.0.2.1"},
        {"address": "example.org"},
        {"port": 0},
        {"port": "x"},
        {"token": ""},
        {"directory": "relative"},
    ],
)
def test_a_line_that_describes_no_local_gateway_is_refused(change: dict[str, object]) -> None:
    assert GatewayAddress.parse(json.dumps(LINE)).port == 1234
    with pytest.raises(InvalidRequest):
        GatewayAddress.parse(json.dumps({**LINE, **change}))
    with pytest.raises(InvalidRequest):
        GatewayAddress.parse("[]")
