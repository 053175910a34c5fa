"""What all tests share: most run as on a machine without Java, the marked ones with the real thing."""

from __future__ import annotations

import pytest

from jobs.java.jars import find_classpath
from jobs.java.runtime import VARIABLE, find_runtime

NEEDED = "reasoner-owlapi"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Class archives of this run stay in its own folder, one for all tests."""
    monkeypatch.setenv("PROTEGE_JOBS_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def _java_or_none(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test says `java` when it wants a JVM; all others must not depend on one being there."""
    if request.node.get_closest_marker("java") is None:
        monkeypatch.setenv(VARIABLE, "none")
        return
    if find_runtime() is None:
        pytest.skip("no Java runtime here")
    if find_classpath(NEEDED) is None:
        pytest.skip("the jars are not built here: make java")
