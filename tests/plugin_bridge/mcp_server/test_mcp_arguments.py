"""Every family of bad arguments, and that schema and check are one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from jobs.errors import Refused
from jobs.values import START_TYPES, JobType
from plugin_bridge.mcp_server import arguments, catalogue
from plugin_bridge.mcp_server.arguments import MATERIALIZATION_AXIOMS, MATERIALIZATION_LIVE_AXIOMS, StartShape
from plugin_bridge.mcp_server.request_shapes import EXPLANATION

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = Path(__file__).parents[4] / "shared" / "seeds" / "002_71d571ee487b0ad2.txt"
ID = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
DIGEST = "sha256:" + "0" * 64
MATERIALIZATION = {
    "categories": ["subclass_axioms", "class_assertions"],
    "destination": {"kind": "new_ontology", "identifier": "http://example.org/inferred"},
    "provenance": {"generator": "protege-jobs", "purpose": "release"},
    "limits": {
        "max_axioms_per_category": 500,
        "max_axioms_total": 500,
        "max_bytes": 1024,
        "timeout_ms": 1000,
    },
}
REQUESTS = {
    "classification": {"limit": 10, "policy_path": "p.yaml"},
    "project_qc": {"limit": 10, "lock_mode": "verify", "policy_path": "p.yaml"},
    "semantic_diff": {"right_document": "r.ttl", "limit": 1, "network": "deny", "include_imports": False},
    "inference_materialization": MATERIALIZATION,
}
LIVE = StartShape(MATERIALIZATION_LIVE_AXIOMS)
READERS: dict[str, tuple[Callable[..., object], dict[str, object]]] = {
    **{
        f"start_job {kind}": (LIVE.read, {"type": kind, "idempotency_key": "k", "request": request})
        for kind, request in REQUESTS.items()
    },
    "get_job": (arguments.read_job, {"job_id": ID}),
    "list_jobs": (arguments.read_list, {"limit": 25, "cursor": "c"}),
    "export_job_artifact": (
        arguments.read_export,
        {
            "job_id": ID,
            "artifact_id": OTHER,
            "destination": "a.json",
            "confirm": True,
            "overwrite": True,
            "expected_target_digest": DIGEST,
            "policy_path": "p.yaml",
        },
    ),
    "read_job_artifact": (
        arguments.read_read,
        {"job_id": ID, "artifact_id": OTHER, "offset": 0, "length": 9},
    ),
    "describe_window": (arguments.read_nothing, {}),
}


def start(kind: str = "classification", request: object = None, **others: object) -> dict[str, object]:
    return {"type": kind, "idempotency_key": "k", "request": {} if request is None else request, **others}


def code(read: Callable[..., object], raw: object) -> str:
    with pytest.raises(Refused) as caught:
        read(raw)
    assert caught.value.retryable is False
    assert caught.value.details["effects_prevented"] is True
    return caught.value.code


def objects_in(value: object) -> list[dict[str, object]]:
    if not isinstance(value, dict):
        return []
    return [value, *(each for item in value.values() for each in objects_in(item))]


# --- Shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", READERS)
def test_good_arguments_are_read_and_satisfy_the_published_schema(name: str) -> None:
    read, good = READERS[name]
    read(good)
    schema = _schema(name.split()[0])
    Draft202012Validator(schema).validate(good)


@pytest.mark.req("W-29", "W-31", "W-33", "W-34", "W-37")
@settings(max_examples=60, deadline=None)
@given(data=st.data(), key=st.text(max_size=12), value=st.one_of(st.none(), st.integers(), st.text()))
@pytest.mark.parametrize("name", READERS)
def test_a_random_key_anywhere_is_refused(name: str, data: st.DataObject, key: str, value: object) -> None:
    read, good = READERS[name]
    raw = copy.deepcopy(good)
    target = data.draw(st.sampled_from(objects_in(raw)))
    if key in target or key in ("policy_path", "overwrite", "network", "include_imports", "cursor"):
        return
    if key in ("limit", "lock_mode", "offset", "length", "expected_target_digest"):
        return
    target[key] = value
    assert code(read, raw) == "invalid_request"
    assert not Draft202012Validator(_schema(name.split()[0])).is_valid(raw)


WRONG = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "x\x00",
    "\ud800",
    [],
    {},
    [[]],
]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", READERS)
def test_a_wrong_value_anywhere_is_refused_or_valid_by_the_schema(name: str, data: st.DataObject) -> None:
    """Nothing but a refusal or a value that the published schema allows: never another exception."""
    read, good = READERS[name]
    raw = copy.deepcopy(good)
    target = data.draw(st.sampled_from(objects_in(raw)))
    if not target:
        return
    key = data.draw(st.sampled_from(sorted(target)))
    target[key] = data.draw(st.one_of(st.sampled_from(WRONG), st.text(max_size=5), st.integers()))
    is_valid = Draft202012Validator(_schema(name.split()[0])).is_valid(raw)
    try:
        read(raw)
    except Refused:
        # The schema allows more only where it cannot say it: surrogates, pairs, the form of a type.
        assert not is_valid or _odd_text(target[key]) or "overwrite" in raw or "request" in raw
    else:
        assert is_valid


def _odd_text(value: object) -> bool:
    return isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value)


@pytest.mark.parametrize("name", READERS)
def test_each_missing_required_key_is_named(name: str) -> None:
    read, good = READERS[name]
    required = _schema(name.split()[0])["required"]
    for key in required:
        raw = {each: value for each, value in good.items() if each != key}
        with pytest.raises(Refused) as caught:
            read(raw)
        assert caught.value.details["field"] == key


@pytest.mark.parametrize("raw", [[], "x", 3, None, True])
def test_a_request_that_is_no_object_is_refused(raw: object) -> None:
    assert (
        code(LIVE.read, {"type": "classification", "idempotency_key": "k", "request": raw})
        == "invalid_request"
    )


# --- start_job ------------------------------------------------------------------------------------


@pytest.mark.req("W-11")
@pytest.mark.parametrize(
    "kind", ["Classification", "classification ", "diff", "", None, 1, ["classification"], {}]
)
def test_any_other_type_is_unknown(kind: object) -> None:
    assert code(LIVE.read, {"type": kind, "idempotency_key": 3, "extra": 1}) == "unknown_job_type"


@pytest.mark.req("W-29")
def test_type_key_and_request_are_required_and_nothing_else_is_taken() -> None:
    for key in ("type", "idempotency_key", "request"):
        raw = {each: value for each, value in start().items() if each != key}
        assert code(LIVE.read, raw) == "invalid_request"
    assert code(LIVE.read, start(limit=3)) == "invalid_request"


@pytest.mark.req("W-30")
@pytest.mark.parametrize("key", ["k", "x" * 128, "two words", "clé", "-leading", "🦄", "  ", "a/b\\c"])
def test_any_printable_key_up_to_128_characters_is_taken_exactly(key: str) -> None:
    assert LIVE.read(start() | {"idempotency_key": key}).idempotency_key == key


@pytest.mark.req("W-30")
@pytest.mark.parametrize(
    "key", ["", "x" * 129, "a\nb", "a\x00", "a\x7f", "a\x85", "\ud800", "a\udfff", 3, None, True]
)
def test_other_keys_are_refused(key: object) -> None:
    assert code(LIVE.read, start() | {"idempotency_key": key}) == "invalid_request"


@pytest.mark.req("W-32")
@pytest.mark.parametrize("kind", ["classification", "project_qc", "semantic_diff"])
def test_limit_is_an_integer_from_0_to_10000(kind: str) -> None:
    base = {"right_document": "r"} if kind == "semantic_diff" else {}
    for limit in (0, 1, 10_000, 25.0):
        assert LIVE.read(start(kind, {**base, "limit": limit})).request["limit"] == limit
    for limit in (-1, 10_001, True, False, "10", 1.5, None, [], float("nan"), 10**400):
        assert code(LIVE.read, start(kind, {**base, "limit": limit})) == "invalid_request"


@pytest.mark.req("W-33", "W-36")
def test_defaults_are_filled_in() -> None:
    assert LIVE.read(start()).request == {"limit": 100, "policy_path": None}
    assert LIVE.read(start("project_qc")).request == {"limit": 25, "lock_mode": "ignore", "policy_path": None}
    assert LIVE.read(start("semantic_diff", {"right_document": "r"})).request == {
        "right_document": "r",
        "limit": 50,
        "network": "deny",
        "include_imports": False,
        "policy_path": None,
    }


@pytest.mark.req("W-34")
@pytest.mark.parametrize("mode", ["Verify", "off", "", None, True, "required "])
def test_lock_mode_is_one_of_three_words(mode: object) -> None:
    assert code(LIVE.read, start("project_qc", {"lock_mode": mode})) == "invalid_request"


@pytest.mark.req("W-36")
@pytest.mark.parametrize("kind", START_TYPES)
def test_policy_path_is_optional_in_every_type(kind: JobType) -> None:
    request = {key: value for key, value in REQUESTS[kind].items() if key != "policy_path"}
    assert LIVE.read(start(kind, request)).request["policy_path"] is None
    assert LIVE.read(start(kind, {**request, "policy_path": "p"})).request["policy_path"] == "p"
    for bad in ("", "x" * 4097, "a\x00b", None, 3):
        assert code(LIVE.read, start(kind, {**request, "policy_path": bad})) == "invalid_request"


@pytest.mark.req("W-37")
def test_right_document_is_required() -> None:
    assert code(LIVE.read, start("semantic_diff", {})) == "invalid_request"
    for bad in ("", "x" * 4097, None, 7, ["r"]):
        assert code(LIVE.read, start("semantic_diff", {"right_document": bad})) == "invalid_request"


@pytest.mark.req("W-39")
@pytest.mark.parametrize("value", ["allow", "", None, True, 0, "DENY"])
def test_network_other_than_deny_has_its_own_code(value: object) -> None:
    raw = start("semantic_diff", {"right_document": "r", "network": value, "surplus": 1})
    assert code(LIVE.read, raw) == "job_semantic_diff_network_unsupported"


@pytest.mark.req("W-39")
@pytest.mark.parametrize("value", [True, 0, "false", None])
def test_include_imports_other_than_false_has_its_own_code(value: object) -> None:
    raw = start("semantic_diff", {"right_document": "r", "include_imports": value})
    assert code(LIVE.read, raw) == "job_semantic_diff_scope_unsupported"


# --- Materialization ------------------------------------------------------------------------------


def materialize(*path: str, value: object) -> dict[str, object]:
    request = copy.deepcopy(MATERIALIZATION)
    inner: dict[str, object] = request
    for key in path[:-1]:
        inner = inner[key]  # type: ignore[assignment]
    inner[path[-1]] = value
    return start("inference_materialization", request)


@pytest.mark.req("W-41")
@pytest.mark.parametrize("key", ["categories", "destination", "provenance", "limits"])
def test_materialization_requires_four_blocks(key: str) -> None:
    request = {each: value for each, value in MATERIALIZATION.items() if each != key}
    assert code(LIVE.read, start("inference_materialization", request)) == "invalid_request"


@pytest.mark.req("W-41")
@pytest.mark.parametrize("value", [[], ["x"], ["subclass_axioms"] * 2, "subclass_axioms", [[]], None, {}])
def test_categories_are_different_known_words(value: object) -> None:
    assert code(LIVE.read, materialize("categories", value=value)) == "invalid_request"


@pytest.mark.req("W-42")
def test_destination_kinds() -> None:
    for kind in ("new_ontology", "active_source"):
        LIVE.read(materialize("destination", "kind", value=kind))
    for kind in ("elsewhere", "", None, 1):
        assert code(LIVE.read, materialize("destination", "kind", value=kind)) == "invalid_request"
    told = code(LIVE.read, materialize("destination", "kind", value="project_file"))
    assert told == "materialization_destination_unavailable"
    for iri in ("", "no-scheme", "http:", "http://a b", "http://x\x00", "http://x\ud800", "a" * 4097, None):
        assert code(LIVE.read, materialize("destination", "identifier", value=iri)) == "invalid_request"
    for iri in ("urn:x", "http://example.org/é#ü", "https://example.org/a?b=c"):
        LIVE.read(materialize("destination", "identifier", value=iri))


@pytest.mark.req("W-43")
@pytest.mark.parametrize(("key", "longest"), [("generator", 512), ("purpose", 1024)])
def test_provenance_is_not_blank(key: str, longest: int) -> None:
    LIVE.read(materialize("provenance", key, value="x" * longest))
    for bad in ("", "   ", "\n", "x" * (longest + 1), None, 3):
        assert code(LIVE.read, materialize("provenance", key, value=bad)) == "invalid_request"


@pytest.mark.req("W-44", "W-45")
@pytest.mark.parametrize("key", ["max_axioms_per_category", "max_axioms_total"])
def test_count_limits_stop_at_500_in_a_live_window_and_at_100000_elsewhere(key: str) -> None:
    elsewhere = StartShape(MATERIALIZATION_AXIOMS)
    LIVE.read(materialize("limits", key, value=500))
    elsewhere.read(materialize("limits", key, value=100_000))
    assert code(LIVE.read, materialize("limits", key, value=501)) == "materialization_live_limit_exceeded"
    told = code(elsewhere.read, materialize("limits", key, value=100_001))
    assert told == "materialization_live_limit_exceeded"
    for bad in (0, -1, True, "5", None):
        assert code(LIVE.read, materialize("limits", key, value=bad)) == "invalid_request"


@pytest.mark.req("W-44")
@pytest.mark.parametrize(
    ("key", "least", "most"), [("max_bytes", 1024, 67_108_864), ("timeout_ms", 1, 3_600_000)]
)
def test_the_other_limits_have_their_bounds(key: str, least: int, most: int) -> None:
    for good in (least, most):
        LIVE.read(materialize("limits", key, value=good))
    for bad in (least - 1, most + 1):
        assert code(LIVE.read, materialize("limits", key, value=bad)) == "invalid_request"


# --- The other tools ------------------------------------------------------------------------------


@pytest.mark.req("W-51", "W-67")
@pytest.mark.parametrize("version", range(9))
def test_any_well_formed_lower_case_uuid_is_taken(version: int) -> None:
    text = f"0190a6e8-1111-{version}222-8333-0123456789ab"
    assert arguments.read_job({"job_id": text}).job_id == text


@pytest.mark.req("W-51", "W-67")
@pytest.mark.parametrize(
    "text",
    ["", "x", ID.replace("0", "A"), ID + "\n", ID[:-1], "{" + ID + "}", ID.replace("-", ""), None, 1, [ID]],
)
def test_text_that_is_no_uuid_is_refused(text: object) -> None:
    assert code(arguments.read_job, {"job_id": text}) == "invalid_request"


@pytest.mark.req("W-75")
def test_list_limit_is_1_to_100_and_50_by_default() -> None:
    assert arguments.read_list({}).limit == 50
    assert [arguments.read_list({"limit": each}).limit for each in (1, 100)] == [1, 100]
    for bad in (0, 101, -1, True, "5", None, 2.5):
        assert code(arguments.read_list, {"limit": bad}) == "invalid_job_limit"
    assert code(arguments.read_list, {"cursor": "x" * 513}) == "invalid_request"


@pytest.mark.req("W-82", "W-84")
def test_export_wants_confirmation_then_the_pair() -> None:
    good = {"job_id": ID, "artifact_id": OTHER, "destination": "a.json"}
    for confirm in ({}, {"confirm": False}, {"confirm": 1}, {"confirm": "true"}, {"confirm": None}):
        assert code(arguments.read_export, {**good, **confirm, "surplus": 1}) == "confirmation_required"
    confirmed = {**good, "confirm": True}
    assert arguments.read_export(confirmed).overwrite is False
    paired = code(arguments.read_export, {**confirmed, "overwrite": True})
    assert paired == "expected_target_digest_required"
    paired = code(arguments.read_export, {**confirmed, "expected_target_digest": DIGEST})
    assert paired == "expected_target_digest_required"
    upper = {**confirmed, "overwrite": True, "expected_target_digest": DIGEST.replace("0", "A")}
    assert code(arguments.read_export, upper) == "invalid_request"


def test_messages_repeat_names_but_no_values() -> None:
    with pytest.raises(Refused) as caught:
        LIVE.read(start(request={"limit": "s3cret", "\ud800\n" * 50: 1}))
    assert "s3cret" not in caught.value.message
    caught.value.message.encode()
    assert "\n" not in caught.value.message


@pytest.mark.req("W-48", "W-70", "W-78")
@pytest.mark.skipif(not SEED.exists(), reason="the seed documents are not here")
def test_the_seed_s_examples_are_valid_as_written() -> None:
    text = SEED.read_text(encoding="utf-8")
    found, at = [], 0
    while (at := text.find("Example\n", at)) >= 0:
        value, _ = json.JSONDecoder().raw_decode(text[text.index("{", at) :])
        found.append(value)
        at += 1
    diff, get, cancel, listed, export = found
    assert LIVE.read(diff).type is JobType.SEMANTIC_DIFF
    assert arguments.read_job(get).job_id == arguments.read_job(cancel).job_id == ID
    assert arguments.read_list(listed).limit == 25
    assert arguments.read_export(export).destination == "reports/job-result.json"


SCHEMAS = {each["name"]: each["inputSchema"] for each in catalogue.tools(LIVE)}


def _schema(name: str) -> dict[str, object]:
    return SCHEMAS[name]


# --- Explanations ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        ({}, {"goal": None, "limit": 3, "policy_path": None}),
        (
            {"goal": {"kind": "inconsistency"}, "limit": 50.0},
            {"goal": {"kind": "inconsistency"}, "limit": 50},
        ),
        (
            {"goal": {"kind": "unsatisfiable", "class": "a b"}},
            {"goal": {"kind": "unsatisfiable", "class": "a b"}},
        ),
        (
            {"goal": {"kind": "subsumption", "sub": "a", "super": "<u:b>"}, "policy_path": "p.yaml"},
            {"goal": {"kind": "subsumption", "sub": "a", "super": "<u:b>"}, "policy_path": "p.yaml"},
        ),
    ],
)
def test_an_explanation_is_read_with_its_defaults(
    request_: dict[str, object], read: dict[str, object]
) -> None:
    asked = arguments.read_explanation(request_)
    assert asked.type is JobType.REASONING_EXPLAIN
    assert asked.idempotency_key is None
    assert asked.request == {"goal": None, "limit": 3, "policy_path": None, **read}
    assert Draft202012Validator(EXPLANATION.schema()).is_valid(request_)


@pytest.mark.parametrize(
    "request_",
    [
        {"goal": None},
        {"goal": "inconsistency"},
        {"goal": {}},
        {"goal": {"kind": ["inconsistency"]}},
        {"goal": {"kind": "dance"}},
        {"goal": {"kind": "unsatisfiable"}},
        {"goal": {"kind": "unsatisfiable", "class": " "}},
        {"goal": {"kind": "unsatisfiable", "class": "a", "super": "b"}},
        {"goal": {"kind": "inconsistency", "class": "a"}},
        {"goal": {"kind": "subsumption", "sub": "a"}},
        {"limit": 0},
        {"limit": 51},
        {"limit": True},
        {"unknown": 1},
    ],
)
def test_an_explanation_of_another_shape_is_refused(request_: dict[str, object]) -> None:
    assert code(arguments.read_explanation, request_) == "invalid_request"
    assert not Draft202012Validator(EXPLANATION.schema()).is_valid(request_)
