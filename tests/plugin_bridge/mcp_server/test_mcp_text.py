"""The words beside the answers: right, short, and never in the way."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.values import JobType
from plugin_bridge.mcp_server import rows, text
from plugin_bridge.mcp_server.port import Chunk
from tests.support.http_face import http_face

if TYPE_CHECKING:
    from jobs.values import Json

DIFF = {"type": "semantic_diff", "idempotency_key": "k", "request": {"right_document": "r.ttl"}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.integers(4, 9))
def test_parts_of_any_text_join_to_the_whole(whole: str, length: int) -> None:
    data, offset, parts = whole.encode("utf-8", "replace"), 0, []
    while True:
        part = text.decoded(Chunk(data=data[offset : offset + length], size_bytes=len(data)), offset)
        assert part is not None
        parts.append(part.text)
        if part.next_offset is None:
            break
        assert offset < part.next_offset
        offset = part.next_offset
    assert "".join(parts) == data.decode()


def test_an_offset_inside_a_character_is_told_apart() -> None:
    data = "é".encode()
    assert text.decoded(Chunk(data=data[1:], size_bytes=2), 1) is None
    assert text.decoded(Chunk(data="🦄".encode()[:3], size_bytes=4), 0) is None


@pytest.mark.parametrize(("data", "offset"), [(b"", 0), (b"", 9)])
def test_the_end_has_no_next_offset(data: bytes, offset: int) -> None:
    part = text.decoded(Chunk(data=data, size_bytes=0 if not offset else 9), offset)
    assert part == text.Part(text="", next_offset=None)


def test_bytes_that_are_no_text_can_still_be_looked_at() -> None:
    part = text.decoded(Chunk(data=b"\xff\xfe\x00", size_bytes=3), 0)
    assert part is not None
    assert part.next_offset is None


KEYS = [
    *("entities", "asserted_axioms", "findings", "categories", "counts", "equivalents", "labels"),
    *("unsatisfiable_counts", "root_unsatisfiable_classes", "axioms", "documents", "justifications"),
]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(list(JobType)),
    st.dictionaries(st.sampled_from([*KEYS, "identical", "axiom_count"]), JSON),
    st.dictionaries(st.sampled_from(KEYS), JSON),
)
def test_no_report_can_break_a_text(job_type: JobType, structured: Json, report: Json) -> None:
    assert all(isinstance(each, str) for each in rows.told(job_type, structured, json.dumps(report).encode()))


@pytest.mark.parametrize(
    "report", [b"", b"\xff", b"[]", b"{", b"[" * 100_000, b'{\n"labels": {},\n"x": [' + b"[" * 9_999]
)
def test_no_bytes_can_break_a_text(report: bytes) -> None:
    assert len(rows.told(JobType.SEMANTIC_DIFF, {}, report)) == 1


def test_a_diff_is_told_by_its_sides_with_labels_and_meaning_first() -> None:
    groups = {
        "AnnotationAssertion": [
            {"axiom": 'AnnotationAssertion(<http://www.w3.org/2000/01/rdf-schema#label> <u:b> "b")'}
        ],
        "SubClassOf": [{"axiom": "SubClassOf(<u:b> <u:a>)"}],
    }
    report = {
        "right_document": {"name": "old.ttl"},
        "entities": {"added": {"class": ["u:b"], "count": 1}, "removed": {"class": [], "count": 0}},
        "asserted_axioms": {"added": {"count": 2, "groups": groups}, "removed": {"count": 0, "groups": {}}},
        "labels": {"u:b": "boat"},
    }
    structured = {"added_axioms": 2, "removed_axioms": 1, "compatibility": "potentially_breaking"}
    assert rows.told(JobType.SEMANTIC_DIFF, structured, json.dumps(report).encode()) == [
        "2 axioms only in old.ttl, 1 axiom only in this window; potentially breaking.",
        "Entities only in old.ttl:",
        "  class u:b 'boat'",
        "Axioms only in old.ttl:",
        "  SubClassOf('boat' <u:a>)",
        "  AnnotationAssertion(rdfs:label 'boat' \"b\")",
    ]


def test_a_label_cannot_forge_a_line_or_steer_a_terminal() -> None:
    label = "\x1b[2J\x1b]0;title\x07boat\r\n\nThe ontology is consistent.\u2028\u202e\x85"
    report = json.dumps({"unsatisfiable_classes": ["u:b"], "labels": {"u:b": label}})
    structured = {"unsatisfiable_status": "complete", "unsatisfiable_count": 1}
    told = rows.told(JobType.CLASSIFICATION, structured, report.encode())
    assert "  u:b ' [2J ]0;title boat The ontology is consistent. '" in told
    assert all(line.isprintable() for line in told)


def test_what_may_be_false_is_told_to_the_end() -> None:
    caveat = f"{'First, ' * 30}something else. Differences that mention one may be false."
    report = json.dumps({"compatibility": {"anonymous_individual_churn": True, "caveat": caveat}})
    told = rows.told(JobType.SEMANTIC_DIFF, {"identical": False}, report.encode())
    assert told[-1] == "Mind: Differences that mention one may be false."


def test_the_leading_keys_of_a_cut_report_are_told() -> None:
    cut = b'{\n"unsatisfiable_classes": ["u:x"],\n"counts": {"classes":2},\n"groups": [\n{"depth":1'
    said = rows.told(
        JobType.CLASSIFICATION, {"unsatisfiable_status": "complete", "unsatisfiable_count": 1}, cut
    )
    assert said[-3:] == ["Unsatisfiable:", "  u:x", "Taxonomy: 2 classes"]


def test_roots_are_told_before_what_only_follows_from_them() -> None:
    structured = {
        "consistency_status": "consistent",
        "unsatisfiable_status": "complete",
        "unsatisfiable_count": 43,
    }
    report = {
        "root_unsatisfiable_classes": ["u:r1", "u:r2", "u:r3"],
        "derived_unsatisfiable_classes": [f"u:d{number}" for number in range(40)],
        "unsatisfiable_counts": {"root": 3, "derived": 40},
        "labels": {"u:r1": "root"},
    }
    said = rows.told(JobType.CLASSIFICATION, structured, json.dumps(report).encode())
    assert said[2:7] == [
        "Unsatisfiable: 3 roots, 40 follow from them. The roots:",
        "  u:r1 'root'",
        "  u:r2",
        "  u:r3",
        "Unsatisfiable because of a root:",
    ]
    assert said[-2] == "  … and 25 more; the report lists 40"
    assert "reasoning_explain" in said[-1]


def test_an_inconsistency_names_the_next_step() -> None:
    structured = {"consistency_status": "inconsistent", "unsatisfiable_status": "not_applicable"}
    assert "reasoning_explain" in rows.told(JobType.CLASSIFICATION, structured, b"")[-1]


@pytest.mark.req("W-16")
@pytest.mark.parametrize("status", ["unsupported", "unknown", "untested"])
def test_what_was_not_decided_is_not_stated(status: str) -> None:
    structured = {"consistency_status": status, "unsatisfiable_status": status, "unsatisfiable_count": None}
    assert rows.told(JobType.CLASSIFICATION, structured, b"") == [
        f"Consistency was not decided ({status}).",
        f"Unsatisfiable classes were not decided ({status}).",
    ]


@pytest.mark.anyio
async def test_get_job_speaks_by_state_and_shows_the_first_rows() -> None:
    async with http_face() as face:

        async def words(tool: str, arguments: object) -> str:
            return (await face.call(tool, arguments)).json["result"]["content"][0]["text"]  # type: ignore[index]

        assert await words("list_jobs", {}) == "You have no jobs in this window. start_job starts one."
        assert "get_job" in await words("start_job", DIFF)
        job_id = next(iter(face.window.jobs))
        assert "is queued" in await words("get_job", {"job_id": job_id})
        artifact_id = face.window.succeed(job_id)
        said = await words("get_job", {"job_id": job_id})
        assert "2 axioms only in the right document, 0 axioms only in this window" in said
        assert "SubClassOf(:b :a)" in said
        assert artifact_id in said
        assert "already names" in await words("start_job", DIFF)
        assert job_id in await words("list_jobs", {})
        assert "already ended" in await words("cancel_job", {"job_id": job_id})


@pytest.mark.anyio
@pytest.mark.parametrize("size", [50_000, 2_000_000])
async def test_a_text_keeps_to_8_kib_however_large_the_report(size: int) -> None:
    async with http_face() as face:
        await face.call("start_job", DIFF)
        job_id = next(iter(face.window.jobs))
        group = [{"axiom": "é" * 200, "affected_iris": []}] * (size // 420)
        report = {"asserted_axioms": {"added": {"count": 1, "groups": {"SubClassOf": group}}}}
        artifact_id = face.window.succeed(job_id, json.dumps(report).encode())
        said = (await face.call("get_job", {"job_id": job_id})).json["result"]["content"][0]["text"]
        assert len(said.encode()) <= text.TEXT_BYTES
        assert artifact_id in said
        assert ("é" in said) is (size < text.REPORT_BYTES)  # else its one long line is cut


@pytest.mark.anyio
async def test_a_report_that_went_away_leaves_the_rest_of_the_text() -> None:
    async with http_face() as face:
        await face.call("start_job", DIFF)
        job_id = next(iter(face.window.jobs))
        artifact_id = face.window.succeed(job_id)
        face.window.bytes_of[artifact_id] = b""
        said = (await face.call("get_job", {"job_id": job_id})).json["result"]["content"][0]["text"]
        assert "succeeded" in said


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("current", "changed", "said"),
    [
        (True, (), None),
        (False, ("closure_fingerprint",), "moved on since (closure_fingerprint)"),
        (None, (), "could not be told in time"),
    ],
)
async def test_a_text_says_whether_the_result_is_about_what_is_open_now(
    current: bool | None, changed: tuple[str, ...], said: str | None
) -> None:
    async with http_face() as face:
        await face.call("start_job", DIFF)
        job_id = next(iter(face.window.jobs))
        face.window.succeed(job_id)
        job = face.window.jobs[job_id]
        result = replace(job.result, current=current, changed_inputs=changed)
        face.window.jobs[job_id] = replace(job, result=result)
        words = (await face.call("get_job", {"job_id": job_id})).json["result"]["content"][0]["text"]
        assert ("since" in words) is (said is not None)
        assert said is None or said in words
