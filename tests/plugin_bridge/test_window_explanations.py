"""Explanations in whole windows: real reasoners, real names, other owners, cancels, and the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from jobs.errors import JavaUnavailable, JobTypeDisabled, UnknownJob, UnknownJobType
from jobs.reasoners import hard_cases, profiles
from jobs.reasoners.explaining import explainer_of
from plugin_bridge.mcp_server import outputs
from plugin_bridge.mcp_server.arguments import read_explanation
from plugin_bridge.mcp_server.text import Reports
from tests.support.live_window import make_places, one_line, run_command, small, window_on

if TYPE_CHECKING:
    from pathlib import Path

    from jobs.values import Job
    from tests.support.live_window import Driver, Json, Places

pytestmark = pytest.mark.anyio
IRI = "https://example.org/small#"
BASE_IRI = "https://example.org/base"
BASE = (
    "SubClassOf(:Cup :Vessel)",
    "DisjointClasses(:Vessel :Handle)",
    'AnnotationAssertion(rdfs:label :Vessel "hollow vessel"@en)',
)
MAIN = (
    "SubClassOf(:Chimera ObjectUnionOf(:Cup :Mug))",
    "SubClassOf(:Mug :Cup)",
    "SubClassOf(:Chimera :Handle)",
    "SubClassOf(:Young :Chimera)",
    'AnnotationAssertion(rdfs:label :Chimera "cup | [handle]")',
)
CHIMERA = {"kind": "unsatisfiable", "class": "cup | [handle]"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return make_places(tmp_path, monkeypatch)


@pytest.fixture
def document(places: Places) -> Path:
    """A document whose import has half of what goes wrong in it."""
    (places.project / "base.ofn").write_text(small(*BASE, iri=BASE_IRI))
    (places.project / "catalog-v001.xml").write_text(
        '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        f'<uri name="{BASE_IRI}" uri="base.ofn"/></catalog>'
    )
    path = places.project / "main.ofn"
    path.write_text(small(*MAIN, imports=(BASE_IRI,)))
    return path


@pytest.fixture
def _explains() -> None:
    if not profiles.resolve("hermit").is_reviewed:
        pytest.skip("HermiT's jars are not built here, or are not those that were reviewed")


async def started(driver: Driver, request: Json, key: str | None = None) -> Job:
    """A job of an ordinary call."""
    session = driver.window.access.local_session()
    return (await driver.window.start_job(session, read_explanation(request, key))).job


async def explained(driver: Driver, request: Json) -> tuple[Json, Any, str]:
    """Descriptor, report and text of an explanation."""
    job = await started(driver, request)
    ended = await driver.ended(job.job_id)
    session = driver.window.access.local_session()
    text = await Reports(driver.window).of_job(session, await driver.window.get_job(session, job.job_id))
    report = None
    if ended["state"] == "succeeded":
        Draft202012Validator(outputs.get_job()).validate({"job": ended})
        wanted = ended["result"]["structured"]["report_artifact_id"]  # type: ignore[index]
        report = json.loads(await content(driver, ended, wanted))
    return ended, report, text


async def content(driver: Driver, job: Json, artifact_id: object) -> str:
    part = await driver.call("read_job_artifact", {"job_id": job["job_id"], "artifact_id": artifact_id})
    assert part["next_offset"] is None
    return str(part["text"])


# --- With Java ------------------------------------------------------------------------------------


@pytest.mark.java
@pytest.mark.usefixtures("_explains")
async def test_what_is_wrong_is_explained_down_to_the_document(document: Path) -> None:
    async with window_on(document, profile="hermit") as driver:
        job, report, text = await explained(driver, {"goal": CHIMERA})
        assert job["type"] == "reasoning_explain"
        assert str(job["idempotency_key"]) == f"call:{job['job_id']}"
        names = {row["id"]: row["name"] for row in report["documents"]}
        found = {row["reading"]: [names[each] for each in row["documents"]] for row in report["axioms"]}
        assert found == {
            "'cup | [handle]' SubClassOf Cup or Mug": ["main.ofn"],
            "Mug SubClassOf Cup": ["main.ofn"],
            "'cup | [handle]' SubClassOf Handle": ["main.ofn"],
            "Cup SubClassOf 'hollow vessel'": ["base.ofn"],
            "Handle DisjointWith 'hollow vessel'": ["base.ofn"],
        }
        assert report["all_found"] is True
        assert "Nothing can be an instance of 'cup | [handle]'." in text
        assert "Cup SubClassOf 'hollow vessel'   [base.ofn]" in text
        (markdown,) = [each for each in job["result"]["artifacts"] if each["media_type"] == "text/markdown"]
        ticket = await content(driver, job, markdown["artifact_id"])
        assert (
            f"[cup \\| \\[handle\\]](<{IRI}Chimera>) SubClassOf [Handle](<{IRI}Handle>) — `main.ofn`"
            in ticket
        )

        chosen, report, _ = await explained(driver, {})
        assert chosen["result"]["structured"]["goal_chosen"] == "default"
        assert report["goal"] == {"kind": "unsatisfiable", "class": f"{IRI}Chimera"}  # the root, not Young

        above = {"kind": "subsumption", "sub": "Mug", "super": "hollow vessel"}
        _, report, _ = await explained(driver, {"goal": above})
        assert [row["reading"] for row in report["axioms"]] == [
            "Mug SubClassOf Cup",
            "Cup SubClassOf 'hollow vessel'",
        ]

        denied, _, text = await explained(driver, {"goal": {**above, "super": "Handle"}})
        assert denied["result"]["structured"]["holds"] is False
        assert "It does not follow that every Mug is a Handle." in text

        unknown, _, text = await explained(driver, {"goal": {**above, "sub": "Mugg"}})
        assert (unknown["state"], unknown["error"]["code"]) == ("failed", "entity_unresolved")
        assert f"{IRI}Mug" in unknown["error"]["details"]["candidates"]
        stranger = driver.window.access.add_grant(
            principal_type="client",
            client_id="another",
            grant_id="g1",
            capabilities=driver.window.access.local_session().capabilities,
            token="a-token-for-the-test",
            expires_at=None,
        )
        with pytest.raises(UnknownJob):
            await driver.calls.call(stranger, "get_job", {"job_id": unknown["job_id"]})
        listed = [each["type"] for each in await driver.jobs()]
        assert listed == ["reasoning_explain"] * 5


@pytest.mark.java
@pytest.mark.usefixtures("_explains")
async def test_an_inconsistency_is_what_is_explained_first(places: Places) -> None:
    document = places.project / "broken.ofn"
    document.write_text(
        small("ClassAssertion(:A :x)", "SubClassOf(:A :B)", "DisjointClasses(:A :B)", "SubClassOf(:C :A)")
    )
    async with window_on(document, profile="pyelk-0.2.1") as driver:  # HermiT stands in
        job, report, text = await explained(driver, {"limit": 50})
        assert report["goal"] == {"kind": "inconsistency"}
        assert report["reasoner"]["profile_id"] == "hermit-1.4.3.456"
        assert job["input_identity"]["reasoner_digest"] == profiles.resolve("hermit").profile_key
        assert [row["reading"] for row in report["axioms"]] == [
            "x Type A",
            "A SubClassOf B",
            "A DisjointWith B",
        ]
        assert text.count("Justification 1 of 1 (3 axioms)") == 1


@pytest.mark.java
@pytest.mark.usefixtures("_explains")
async def test_elk_denies_nothing_outside_of_what_it_interprets(places: Places) -> None:
    document = places.project / "outside.ofn"
    document.write_text(
        small("SubClassOf(:A ObjectUnionOf(:B :C))", "SubClassOf(:B :D)", "SubClassOf(:C :D)")
    )
    async with window_on(document, profile="elk-0.4.3") as driver:
        goal = {"kind": "subsumption", "sub": "A", "super": "D"}
        job, report, text = await explained(driver, {"goal": goal})
        assert job["result"]["structured"]["holds"] is None
        assert report["incomplete_because"] == ["ObjectUnionOf"]
        assert "It is not known whether it follows that every A is a D." in text


@pytest.mark.java
@pytest.mark.usefixtures("_explains")
async def test_an_explanation_is_cancelled_at_work_and_leaves_nothing(places: Places) -> None:
    document = places.project / "hard.ofn"
    document.write_text("\n".join(["Ontology(<https://example.org/hard>", *hard_cases.pigeons(), ")", ""]))
    async with window_on(document, profile="hermit") as driver:
        session = driver.window.access.local_session()
        job = await started(driver, {"goal": {"kind": "unsatisfiable", "class": "c0p"}})
        with anyio.fail_after(60):
            while job.progress.phase != "explaining":
                assert not job.state.is_terminal, job.error
                job = await driver.window.wait_job(session, job.job_id, job.progress.sequence)
        await driver.window.cancel_job(session, job.job_id)
        ended = await driver.ended(job.job_id, within_s=5)
        assert (ended["state"], ended["result"]) == ("cancelled", None)
        (root,) = places.left()
        assert {each.name.split("-")[0] for each in root.iterdir()} <= {"lock", "artifacts", "capture"}
    assert places.left() == []


@pytest.mark.java
@pytest.mark.usefixtures("_explains")
def test_the_command_prints_the_explanation_or_a_ticket(document: Path, tmp_path: Path) -> None:
    ran = run_command("run", "reasoning_explain", document, "--profile", "hermit", "--class", "Chimera")
    assert ran.code == 0, ran.err
    assert "Nothing can be an instance of 'cup | [handle]'." in ran.out
    asked = (
        "run",
        "reasoning_explain",
        document,
        "--class",
        "Young",
        "--super",
        "Chimera",
        "--profile",
        "hermit",
    )
    ran = run_command(*asked, "--format", "markdown", "--artifacts", tmp_path / "kept")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("## Every [Young]")
    assert ran.out == (tmp_path / "kept" / "explanation.md").read_text()
    assert json.loads((tmp_path / "kept" / "report.json").read_text())["holds"] is True


# --- Without Java ---------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["pyelk-0.2.1", "structural", "elk"])
async def test_without_java_the_one_command_is_named(document: Path, profile: str) -> None:
    async with window_on(document, profile=profile) as driver:
        with pytest.raises(JavaUnavailable):
            await started(driver, {})
        assert await driver.jobs() == []


async def test_start_job_does_not_take_it(document: Path) -> None:
    async with window_on(document) as driver:
        with pytest.raises(UnknownJobType):
            await driver.start("reasoning_explain", {})
        assert "reasoning_explain" not in (await driver.call("describe_window", {}))["job_types"]  # type: ignore[operator]


async def test_a_policy_allows_it_with_classification_alone(document: Path, places: Places) -> None:
    policy = places.project / ".protege-jobs" / "project.yaml"
    policy.parent.mkdir()
    policy.write_text("version: 1\njobs: {allowed_types: [semantic_diff]}\n")
    async with window_on(document) as driver:
        with pytest.raises(JobTypeDisabled):
            await started(driver, {})
    policy.write_text("version: 1\njobs: {allowed_types: [classification]}\n")
    async with window_on(document) as driver:
        with pytest.raises(JavaUnavailable):
            await started(driver, {})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--super", "x"), "--super needs --class"),
        (("--class", "x", "--request", '{"goal": {"kind": "inconsistency"}}'), "not both"),
        (("--request", '{"limit": 0}'), "limit"),
        (("--request", '{"goal": {"kind": "dance"}}'), "goal"),
        (("--fail-on", "unsatisfiable"), "--fail-on"),
    ],
)
def test_wrong_requests_are_usage_errors(document: Path, options: tuple[str, ...], said: str) -> None:
    ran = run_command("run", "reasoning_explain", document, *options)
    assert ran.code == 2, ran
    assert said in one_line(ran)


@pytest.mark.parametrize("options", [("--class", "x"), ("--format", "markdown")])
def test_options_of_an_explanation_are_for_it_alone(document: Path, options: tuple[str, ...]) -> None:
    assert run_command("run", "classification", document, *options).code == 2


def test_a_java_profile_explains_its_own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.reasoners.explaining.get_runtime", lambda: None)
    for name in ("hermit-1.4.3.456", "elk-0.4.3"):
        assert explainer_of(profiles.resolve(name)).profile_id == name
    assert explainer_of(profiles.resolve("structural")).profile_id == "hermit-1.4.3.456"
