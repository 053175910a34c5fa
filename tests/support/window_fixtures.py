"""Fixtures of the rooms whose tests open windows; a room's conftest imports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.live_window import Places, make_places

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"  # decision 38: the wire runs on asyncio


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)
