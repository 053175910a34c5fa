"""The order of an export's guards in a real window (W 9.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from jobs.errors import ReadOnly
from plugin_bridge.export.project_lock import project_lock
from tests.support.live_window import make_places, small, window_on

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.live_window import Places

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)


async def test_a_read_only_window_says_so_before_it_waits_for_the_project_lock(places: Places) -> None:
    document = places.project / "left.ofn"
    document.write_text(small("SubClassOf(:A :B)"))
    (places.project / "right.ofn").write_text(small("SubClassOf(:A :C)"))
    async with window_on(document) as driver:
        job = (await driver.start("semantic_diff", {"right_document": "right.ofn"}))["job"]
        job = await driver.ended(job["job_id"])
        export = {
            "job_id": job["job_id"],
            "artifact_id": job["result"]["structured"]["report_artifact_id"],
            "destination": "report.json",
            "confirm": True,
        }
        driver.window.is_read_only = True
        with project_lock(places.project), anyio.fail_after(5), pytest.raises(ReadOnly):
            await driver.call("export_job_artifact", export)
        assert not (places.project / "report.json").exists()
        driver.window.is_read_only = False
        assert (await driver.call("export_job_artifact", export))["exported"] is True
