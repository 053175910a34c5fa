"""Bad input of every kind gets one clear answer with a code, over MCP and on the command line."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pytest

from jobs import limits
from tests.support.live_window import (
    SHARED,
    call,
    ended,
    one_line,
    refused,
    run_command,
    served,
    small,
    start,
    window_on,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcp import Client

    from tests.support.live_window import Places

pytestmark = pytest.mark.anyio
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">'
    '<owl:Ontology rdf:about="https://example.org/o"/>{body}</rdf:RDF>'
)
CLASS = '<owl:Class rdf:about="https://example.org/o#A"/>'
DEPTH = 10_000


def bomb() -> str:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 11))
    label = '<owl:Class rdf:about="https://example.org/o#A"><rdfs:label>&e10;</rdfs:label></owl:Class>'
    return f'<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY e0 "ha">{levels}]>' + RDF.format(body=label)


def deep_functional() -> str:
    inner = "ObjectComplementOf(" * DEPTH + ":B" + ")" * DEPTH
    return small(f"SubClassOf(:A {inner})")


def deep_turtle() -> str:
    head = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <https://example.org/o#> .\n"
    return head + ":A owl:complementOf " + "[ owl:complementOf " * DEPTH + ":B" + " ]" * DEPTH + " ."


def deep_xml() -> str:
    opening = "<owl:Class><owl:complementOf>" * DEPTH
    closing = "</owl:complementOf></owl:Class>" * DEPTH
    return RDF.format(body=opening + closing)


PLAIN = small("SubClassOf(:A :B)").encode()
BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty.owl": (lambda: b"", "empty"),
    "blank.ofn": (lambda: b" \n\t\r\n", "empty"),
    "page.owl": (lambda: b"<!DOCTYPE html><html><body>Sign in</body></html>", "HTML"),
    "cut.owl": (lambda: RDF.format(body=CLASS).encode()[:-20], ""),
    "cut.ofn": (lambda: PLAIN[:-5], ""),
    "bomb.owl": (lambda: bomb().encode(), "entit"),
    "cut.ofn.gz": (lambda: gzip.compress(PLAIN * 50)[:-12], "gzip"),
    "garbage.ttl": (lambda: bytes(range(256)) * 8, ""),
    "nul.ofn": (lambda: PLAIN.replace(b":B", b":B\0"), ""),
    "deep.ofn": (lambda: deep_functional().encode(), ""),
    "deep.ttl": (lambda: deep_turtle().encode(), ""),
    "deep.owl": (lambda: deep_xml().encode(), ""),
    "deep.json": (lambda: b"[" * DEPTH + b"]" * DEPTH, ""),
    "editors.obo": (lambda: b"format-version: 1.2\n\n[Term]\nid: X:1\nname: x\n", "OBO"),
    "picture.owl": (lambda: b"\x89PNG\r\n\x1a\n" + os.urandom(64), ""),
}


def write(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(BAD[name][0]())
    return path


def is_clear(message: str, name: str) -> bool:
    """It names the file and not its folder, and says something about it."""
    return (
        name in message and "/tmp" not in message and "Traceback" not in message and BAD[name][1] in message
    )


async def test_each_bad_right_document_fails_its_job_with_a_code(places: Places) -> None:
    document = places.project / "good.ofn"
    document.write_bytes(PLAIN)
    async with served(document) as client:
        for name in BAD:
            write(places.project, name)
            job = await ended(client, await start(client, "semantic_diff", {"right_document": name}, name))
            assert job["state"] == "failed", name
            assert job["result"] is None
            assert job["error"]["code"] == "invalid_ontology", (name, job["error"])
            assert job["error"]["retryable"] is False
            assert is_clear(job["error"]["message"], name), job["error"]["message"]
        good = await ended(client, await start(client, "semantic_diff", {"right_document": "good.ofn"}))
        assert good["result"]["structured"]["identical"] is True


@pytest.mark.parametrize("name", ["empty.owl", "page.owl", "bomb.owl", "deep.ofn", "editors.obo"])
def test_each_bad_document_ends_the_command_with_one_line(places: Places, name: str) -> None:
    ran = run_command("run", "classification", write(places.project, name), "--profile", "structural")
    assert ran.code == 1
    line = one_line(ran)
    assert line.endswith("[invalid_ontology]")
    assert is_clear(line, name)
    assert places.left() == []


async def test_each_bad_document_in_a_window_is_said_and_harms_nothing(places: Places) -> None:
    """The window stays open: once the document is whole again, it works."""
    document = places.project / "document.ofn"
    document.write_bytes(PLAIN)
    async with window_on(document, profile="structural") as driver:
        for name in BAD:
            document.write_bytes(BAD[name][0]())
            if name.endswith(".gz"):
                continue
            code = await driver.code_of("classification", {}, name)
            assert code == "invalid_ontology", name
        document.write_bytes(PLAIN)
        assert (await driver.call("describe_window", {}))["ontology"]["axioms"] > 0
        assert await driver.jobs() == []
    assert places.left() == []


# --- What is unusual and right --------------------------------------------------------------------


@pytest.mark.parametrize("how", ["bom and crlf", "gzip", "gzip of bom and crlf", "odd name"])
def test_what_is_unusual_and_legal_is_read(places: Places, how: str) -> None:
    marked = b"\xef\xbb\xbf" + PLAIN.replace(b"\n", b"\r\n")
    name, data = {
        "bom and crlf": ("x.ofn", marked),
        "gzip": ("x.ofn.gz", gzip.compress(PLAIN)),
        "gzip of bom and crlf": ("x", gzip.compress(marked)),
        "odd name": ("-ö x:y%20#?.ofn", PLAIN),
    }[how]
    (places.project / name).write_bytes(data)
    (places.project / "right.ofn").write_bytes(PLAIN)
    document = places.project / name
    ran = run_command("run", "semantic_diff", document, places.project / "right.ofn", "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.descriptor["result"]["structured"]["identical"] is True


@pytest.mark.parametrize("raw", [b"bad-\xff.ofn", b"two\nlines.ofn", b"bell\x07.ofn"])
def test_a_name_that_no_client_could_be_told_is_refused_at_once(places: Places, raw: bytes) -> None:
    document = places.project / os.fsdecode(raw)
    document.write_bytes(PLAIN)
    for arguments in (("run", "classification", document), ("serve", document)):
        ran = run_command(*arguments)
        assert ran.code == 2
        assert ran.err.startswith("protege-jobs: FILE: the path ")
        assert ran.err.endswith("Rename the file. [invalid_request]\n")


# --- Files that are none --------------------------------------------------------------------------


@pytest.mark.req("W-38")
@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("absent.ofn", "job_secondary_input_invalid"),
        ("link.ofn", "job_secondary_input_invalid"),
        ("linked/right.ofn", "job_secondary_input_invalid"),
        ("pipe.ofn", "job_secondary_input_invalid"),
        ("folder", "job_secondary_input_invalid"),
        ("sparse.ofn", "job_secondary_input_invalid"),
        ("right.ofn/x", "job_secondary_input_invalid"),
        ("../outside.ofn", "invalid_request"),
        ("sub/../../outside.ofn", "invalid_request"),
        ("/etc/passwd", "invalid_request"),
        ("file:///etc/passwd", "invalid_request"),
        ("nul\0.ofn", "invalid_request"),
        (".", "invalid_request"),
        ("", "invalid_request"),
        ("x" * 4097, "invalid_request"),
        ("archive.zip!/x.owl", "invalid_request"),
        ("https://example.org/x.owl", "job_semantic_diff_network_unsupported"),
        ("file://elsewhere/x.owl", "job_semantic_diff_network_unsupported"),
    ],
)
async def test_right_documents_that_are_no_files_of_the_project(
    places: Places, reference: str, code: str
) -> None:
    project = places.project
    (project / "document.ofn").write_bytes(PLAIN)
    (project / "right.ofn").write_bytes(PLAIN)
    (project.parent / "outside.ofn").write_bytes(PLAIN)
    (project / "link.ofn").symlink_to(project / "right.ofn")
    (project / "linked").symlink_to(project)
    os.mkfifo(project / "pipe.ofn")
    (project / "folder").mkdir()
    with (project / "sparse.ofn").open("wb") as file:
        file.truncate(limits.SECONDARY_FILE_BYTES + 1)
    async with window_on(project / "document.ofn") as driver:
        assert await driver.code_of("semantic_diff", {"right_document": reference}) == code
        assert await driver.jobs() == []
        (root,) = places.left()
        assert {each.name.split("-")[0] for each in root.iterdir()} <= {"lock", "artifacts", "capture"}


async def test_a_document_that_goes_or_grows_after_the_start_is_said(places: Places) -> None:
    document = places.project / "document.ofn"
    document.write_bytes(PLAIN)
    async with served(document, "--profile", "structural") as client:
        await call(client, "describe_window", {})

        async def code() -> tuple[object, object]:
            body = await refused(client, "describe_window", {})
            again = await _start_refused(client)
            assert again == body["code"]
            assert str(places.project) not in str(body)
            return body["code"], body["retryable"]

        document.unlink()
        assert await code() == ("host_unavailable", True)
        document.mkdir()
        assert await code() == ("host_unavailable", True)
        document.rmdir()
        os.mkfifo(document)
        assert await code() == ("host_unavailable", True)
        document.unlink()
        with document.open("wb") as file:
            file.truncate(limits.SECONDARY_FILE_BYTES + 1)
        assert await code() == ("job_snapshot_too_large", False)
        document.unlink()
        document.write_bytes(PLAIN)
        assert (await call(client, "describe_window", {}))["ontology"]["axioms"] > 0
        document.unlink()
        places.project.rename(places.project.with_name("moved"))
        body = await refused(client, "describe_window", {})
        assert body["code"] in ("job_policy_unavailable", "host_unavailable")
        assert body["retryable"] is True


async def _start_refused(client: Client) -> object:
    arguments = {"type": "classification", "idempotency_key": "k", "request": {}}
    return (await refused(client, "start_job", arguments))["code"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_document_is_said(places: Places) -> None:
    document = places.project / "document.ofn"
    document.write_bytes(PLAIN)
    document.chmod(0)
    ran = run_command("run", "classification", document)
    assert ran.code == 1
    assert one_line(ran).endswith("[host_unavailable]")


# --- Strings and ids ------------------------------------------------------------------------------


async def test_strings_and_ids_that_name_nothing(places: Places) -> None:
    document = places.project / "document.ofn"
    document.write_bytes(PLAIN)
    async with served(document) as client:
        for key in ("", "x" * 129, "a\0b", "a\nb"):
            body = await refused(client, "start_job", {**_diff(), "idempotency_key": key})
            assert body["code"] == "invalid_request", key
        for extra in ({"unknown": 1}, {"limit": True}, {"limit": "5"}, {"limit": -1}, {"limit": 10_001}):
            arguments = {**_diff(), "request": {"right_document": "document.ofn", **extra}}
            assert (await refused(client, "start_job", arguments))["code"] == "invalid_request"
        for job_id in ("x", "A0000000-0000-4000-8000-000000000001", "0" * 36):
            assert (await refused(client, "get_job", {"job_id": job_id}))["code"] == "invalid_request"
        for job_id in ("00000000-0000-0000-0000-000000000000", "018f0000-0000-7000-8000-000000000001"):
            assert (await refused(client, "get_job", {"job_id": job_id}))["code"] == "unknown_job"
        for cursor in ("x", "A" * 512):
            assert (await refused(client, "list_jobs", {"cursor": cursor}))["code"] == "invalid_job_cursor"
        assert (await call(client, "list_jobs", {}))["jobs"] == []


def _diff() -> dict[str, object]:
    return {"type": "semantic_diff", "idempotency_key": "k", "request": {"right_document": "document.ofn"}}


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="the shared data are not here")
def test_a_real_obo_file_is_refused_with_the_reason(places: Places) -> None:
    ran = run_command(
        "run", "classification", SHARED / "data" / "pato-edit.obo.gz", "--profile", "structural"
    )
    assert ran.code == 1
    assert "OBO" in one_line(ran)
