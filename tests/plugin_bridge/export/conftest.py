from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from export_support import Exporter

from plugin_bridge.export import renames

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def export(tmp_path: Path) -> Exporter:
    (tmp_path / "project" / "reports").mkdir(parents=True)
    return Exporter(tmp_path / "project", tmp_path / "private")


@pytest.fixture(params=["exchange", "link and rename"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of installing: by the system's exclusive renames, and as on a system that lacks them."""
    if request.param != "exchange":

        def lacking(*_: object, **__: object) -> None:
            raise renames.Unsupported

        monkeypatch.setattr(renames, "_call", lacking)
    return str(request.param)
