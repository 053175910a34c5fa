"""All inputs of a capture are of one moment, wherever an edit falls; what was captured stays."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import pytest

from jobs.errors import IdempotencyConflict, InputChanged
from tests.support.live_window import Driver, Gate, small, window_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.live_window import Json, Places

pytestmark = pytest.mark.anyio
REQUEST = {"right_document": "right.ofn"}
IMPORTED = "https://example.org/imported"
CATALOG = """<?xml version="1.0"?>
<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
  <uri name="https://example.org/imported" uri="{target}"/>
</catalog>
"""
IDENTITY = (
    "closure_fingerprint",
    "import_lock_digest",
    "mapping_revision",
    "policy_digest",
    "normalized_request_digest",
    "secondary_inputs",
)


class Project:
    """A document with an import by catalog, a right document, a policy, a lock and a mapping file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.document = folder / "document.ofn"
        (folder / ".protege-jobs").mkdir()

    def files(self, generation: int) -> dict[str, str]:
        """Every input, in one of two generations that agree in no file."""
        name = f"Generation{generation}"
        return {
            "document.ofn": small(f"SubClassOf(:A :{name})", imports=(IMPORTED,)),
            "imported-1.ofn": small(f"SubClassOf(:I :{name})", iri=IMPORTED),
            "imported-2.ofn": small(f"SubClassOf(:J :{name})", iri=IMPORTED),
            "catalog-v001.xml": CATALOG.format(target=f"imported-{generation}.ofn"),
            "right.ofn": small(f"SubClassOf(:R :{name})"),
            ".protege-jobs/project.yaml": "version: 1\nimports: {lockfile: imports.lock.json}\n"
            f"mappings: {{path: mappings.sssom.tsv}}\nproject_id: {name.lower()}\n",
            "imports.lock.json": f'{{"version": 1, "imports": [], "x": {generation}}}',
            "mappings.sssom.tsv": f"subject_id\tobject_id\n:{name}\t:x\n",
        }

    def write(self, generation: int, *names: str) -> None:
        """Replace files as editors do: a new file in the old one's place."""
        for name, text in self.files(generation).items():
            if not names or name in names:
                path = self.folder / name
                new = path.with_name(f"{path.name}.new")
                new.write_text(text, encoding="utf-8")
                os.replace(new, path)


@pytest.fixture
def project(places: Places) -> Project:
    project = Project(places.project)
    project.write(1)
    return project


def identity_of(job: Json) -> Json:
    identity = job["input_identity"]
    parts = {name: identity[name] for name in IDENTITY}  # type: ignore[index]
    model = identity["model_revision"]  # type: ignore[index]
    return parts | {name: model[name] for name in ("semantic_fingerprint", "document_fingerprint")}


@contextmanager
def between_steps(driver: Driver, edit: Callable[[], None], at: int | str) -> Iterator[list[str]]:
    """Edit once, in front of a step of what runs here, given by number or name: a blocking call in a
    thread, a worker's stage, or the end of one. The list tells the step; empty when it never came."""
    steps, done = 0, list[str]()
    pool = driver.window._pool
    in_thread, execute = anyio.to_thread.run_sync, pool.execute

    def step(name: str) -> None:
        nonlocal steps
        if at in (steps, name) and not done:
            edit()
            done.append(name)
        steps += 1

    async def threaded(func, *args, **options):  # type: ignore[no-untyped-def]
        step(getattr(func, "__qualname__", "?"))
        return await in_thread(func, *args, **options)

    async def executed(call, **options):  # type: ignore[no-untyped-def]
        if call.operation != "capture_document":
            return await execute(call, **options)
        step("before the stage")
        result = await execute(call, **options)
        step("after the stage")
        return result

    anyio.to_thread.run_sync, pool.execute = threaded, executed  # type: ignore[assignment,method-assign]
    try:
        yield done
    finally:
        anyio.to_thread.run_sync, pool.execute = in_thread, execute  # type: ignore[assignment,method-assign]


async def undisturbed(driver: Driver, key: str) -> Json:
    job = (await driver.start("semantic_diff", REQUEST, key))["job"]
    await driver.call("cancel_job", {"job_id": job["job_id"]})
    await driver.ended(job["job_id"])
    return identity_of(job)


@pytest.mark.req("W-19", "W-20")
@pytest.mark.timeout(240)
async def test_an_edit_of_everything_between_any_two_steps_never_makes_a_mix(project: Project) -> None:
    async with window_on(project.document) as driver:
        driver.window._pool.warm()
        first = await undisturbed(driver, "1")
        project.write(2)
        second = await undisturbed(driver, "2")
        assert all(first[name] != second[name] for name in first if name != "normalized_request_digest")
        seen = {"first": 0, "second": 0, "refused": 0}
        for at in range(100):
            project.write(1)
            await undisturbed(driver, f"settle-{at}")
            # The import set changes as well, so that newly found imports are raced, too.
            with between_steps(driver, lambda: project.write(2), at) as done:
                try:
                    job = (await driver.start("semantic_diff", REQUEST, f"raced-{at}"))["job"]
                except InputChanged:
                    seen["refused"] += 1
                    continue
                await driver.call("cancel_job", {"job_id": job["job_id"]})
            await driver.ended(job["job_id"])
            got = identity_of(job)
            assert got in (first, second), f"a mix of two moments: edited before {done or 'nothing'}"
            seen["first" if got == first else "second"] += 1
            if not done:  # past the last step; whether the job's own come in time for an edit is a race
                assert got == first
                break
        assert seen["refused"] > 3
        assert seen["first"] > 0
        assert seen["second"] > 0


@pytest.mark.req("W-20")
@pytest.mark.parametrize("step", ["before the stage", "after the stage"])
@pytest.mark.parametrize("name", ["document.ofn", "imported-1.ofn", "catalog-v001.xml"])
async def test_an_edit_in_the_first_capture_of_a_window(project: Project, name: str, step: str) -> None:
    """No import is watched yet; the shelf's second look takes everything of the new generation."""
    async with window_on(project.document) as driver:
        with between_steps(driver, lambda: project.write(2, name), step) as done:
            job = (await driver.start("semantic_diff", REQUEST))["job"]
        assert done == [step]
        assert identity_of(job) == await undisturbed(driver, "after")


@pytest.mark.req("W-25", "W-26")
async def test_each_input_alone_makes_another_identity(project: Project) -> None:
    async with window_on(project.document) as driver:
        driver.window._pool.warm()
        job = (await driver.start("semantic_diff", REQUEST))["job"]
        for name, field in (
            ("document.ofn", "model_revision.semantic_fingerprint"),
            ("imported-1.ofn", "closure_fingerprint"),
            ("catalog-v001.xml", "closure_fingerprint"),
            ("right.ofn", "secondary_inputs.right_document"),
            (".protege-jobs/project.yaml", "policy_digest"),
            ("imports.lock.json", "import_lock_digest"),
            ("mappings.sssom.tsv", "mapping_revision"),
        ):
            project.write(2, name)
            with pytest.raises(IdempotencyConflict) as caught:
                await driver.start("semantic_diff", REQUEST)
            assert field in caught.value.details["changed_inputs"]
            assert caught.value.details["job_id"] == job["job_id"]
            project.write(1, name)
        with pytest.raises(IdempotencyConflict) as caught:
            await driver.start("semantic_diff", {**REQUEST, "limit": 51})
        assert "normalized_request_digest" in caught.value.details["changed_inputs"]


@pytest.mark.req("W-20")
async def test_an_import_edited_between_its_reading_and_its_watching_is_noticed(project: Project) -> None:
    async with window_on(project.document) as driver:
        pool, runs = driver.window._pool, 0
        execute = pool.execute

        async def executed(call, **options):  # type: ignore[no-untyped-def]
            nonlocal runs
            result = await execute(call, **options)
            if call.operation == "capture_document":
                runs += 1
                if runs == 1:
                    project.write(2, "imported-1.ofn")
            return result

        pool.execute = executed  # type: ignore[method-assign]
        job = (await driver.start("semantic_diff", REQUEST))["job"]
        assert runs == 2
        assert identity_of(job) == await undisturbed(driver, "after")


async def test_an_import_that_comes_into_being_moves_the_revision(project: Project) -> None:
    imported = project.folder / "imported-1.ofn"
    text = imported.read_text()
    imported.unlink()
    async with window_on(project.document) as driver:
        assert (await driver.call("describe_window", {}))["imports"]["missing"] == [IMPORTED]
        imported.write_text(text)
        window = await driver.call("describe_window", {})
        assert window["imports"]["missing"] == []
        assert window["session_revision"] == 2


# --- After the capture ----------------------------------------------------------------------------


@pytest.mark.req("W-03", "W-19")
async def test_what_changes_after_the_capture_changes_no_result(project: Project) -> None:
    async with window_on(project.document, profile="structural") as driver:
        plain = {
            kind: await driver.ended((await driver.start(kind, request, "plain"))["job"]["job_id"])
            for kind, request in (("semantic_diff", REQUEST), ("classification", {}))
        }
        gate = Gate(driver.window)
        late = [
            (await driver.start(kind, request, "late"))["job"]["job_id"]
            for kind, request in (("semantic_diff", REQUEST), ("classification", {}))
        ]
        await gate.arrived.wait()
        project.write(2)
        gate.opened.set()
        for job_id in late:
            job = await driver.ended(job_id)
            before = plain[job["type"]]["result"]
            assert job["state"] == "succeeded"
            assert [each["sha256"] for each in job["result"]["artifacts"]] == [
                each["sha256"] for each in before["artifacts"]
            ]
            assert before["current"] is True
            assert job["result"]["current"] is False
            assert "model_revision.semantic_fingerprint" in job["result"]["changed_inputs"]
            assert "policy_digest" in job["result"]["changed_inputs"]
            assert "model_revision.session_revision" not in job["result"]["changed_inputs"]


@pytest.mark.parametrize(
    ("victim", "names"),
    [
        ("document.ofn", ["closure_fingerprint"]),
        ("right.ofn", ["secondary_inputs.right_document"]),
        ("imports.lock.json", ["import_lock_digest"]),
    ],
)
async def test_an_input_that_is_gone_at_publication_has_changed(
    project: Project, victim: str, names: list[str]
) -> None:
    async with window_on(project.document) as driver:
        gate = Gate(driver.window)
        job_id = (await driver.start("semantic_diff", REQUEST))["job"]["job_id"]
        await gate.arrived.wait()
        (project.folder / victim).unlink()
        gate.opened.set()
        result = (await driver.ended(job_id))["result"]
        assert (result["current"], result["changed_inputs"]) == (False, names)


async def test_an_edit_taken_back_before_the_end_leaves_the_result_current(project: Project) -> None:
    async with window_on(project.document) as driver:
        gate = Gate(driver.window)
        job_id = (await driver.start("semantic_diff", REQUEST))["job"]["job_id"]
        await gate.arrived.wait()
        project.write(2)
        assert (await driver.call("describe_window", {}))["session_revision"] == 2
        project.write(1)
        gate.opened.set()
        result = (await driver.ended(job_id))["result"]
        assert (result["current"], result["changed_inputs"]) == (True, [])


async def test_an_invalid_edit_counts_as_a_change(project: Project) -> None:
    async with window_on(project.document) as driver:
        gate = Gate(driver.window)
        job_id = (await driver.start("semantic_diff", REQUEST))["job"]["job_id"]
        await gate.arrived.wait()
        project.document.write_text("this is no ontology")
        gate.opened.set()
        result = (await driver.ended(job_id))["result"]
        assert (result["current"], result["changed_inputs"]) == (False, ["closure_fingerprint"])
