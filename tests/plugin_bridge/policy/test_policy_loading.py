"""The policy file: every key, hostile YAML, errors with their place, and the digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from jobs import limits
from jobs.errors import (
    BackendRetentionBelowPrincipal,
    PolicyInvalid,
    PolicyRequired,
    ProtegeJobsError,
    RetentionBelowActive,
)
from plugin_bridge.policy.document import PolicyDocument
from plugin_bridge.policy.loading import find_problems, policy_digest, read_policy
from plugin_bridge.policy.template import TEMPLATE

if TYPE_CHECKING:
    import random

SAMPLE = Path(__file__).parents[4] / "shared" / "spec" / "policy-sample.yaml"
DEFAULTS = PolicyDocument(version=1)


def refusal(text: str | bytes) -> ProtegeJobsError:
    with pytest.raises(ProtegeJobsError) as caught:
        read_policy(text if isinstance(text, bytes) else text.encode())
    assert caught.value.details["effects_prevented"] is True
    return caught.value


# --- Keys and defaults ----------------------------------------------------------------------------


def test_version_alone_is_a_policy_with_all_defaults():
    assert read_policy(b"version: 1") == DEFAULTS


def test_the_template_is_the_defaults_and_stays_so_when_uncommented():
    assert read_policy(TEMPLATE.encode()) == DEFAULTS
    lines = [
        line.removeprefix("# ")
        if line.startswith("# ") and ":" in line and "." not in line.split(":")[0]
        else line
        for line in TEMPLATE.splitlines()
    ]
    document = read_policy(
        "\n".join(line if not line.startswith("#   ") else line[2:] for line in lines).encode()
    )
    assert document.jobs == DEFAULTS.jobs
    assert document.imports.mode == "locked"
    assert document.validation.invariants.paths == ("queries/*.rq",)


@pytest.mark.skipif(not SAMPLE.exists(), reason="the contract's sample is not here")
def test_the_contracts_sample_loads_and_its_defaults_are_ours():
    document = read_policy(SAMPLE.read_bytes())
    examples = {"project_id", "root_ontology", "prefixes"}
    assert document.model_dump(exclude=examples) == DEFAULTS.model_dump(exclude=examples)
    named = set(SAMPLE.read_text().replace("{", " ").replace(",", " ").split())
    assert {f"{key}:" for key in _all_keys(PolicyDocument)} <= named | {
        # named by the sample only in comments or examples
        f"{key}:"
        for key in ("ontology_iri", "path", "owned_namespaces")
    } | {f"{key}:" for key in ("rule_id", "focus_iri", "reason", "owner", "expires")}


def _all_keys(model: type[BaseModel]) -> set[str]:
    keys = set(model.model_fields)
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            keys |= _all_keys(field.annotation)
    return keys


def _blocks(model: type[BaseModel], path: tuple[str, ...] = ()):
    yield path
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _blocks(field.annotation, (*path, name))


@pytest.mark.parametrize("block", list(_blocks(PolicyDocument)), ids=".".join)
def test_an_unknown_key_is_refused_in_every_block(block: tuple[str, ...]):
    text = "version: 1\n" + "".join("  " * depth + f"{name}:\n" for depth, name in enumerate(block))
    text += "  " * len(block) + "surprise: 1\n"
    error = refusal(text)
    assert isinstance(error, PolicyRequired)
    assert error.details["reason"] == "unknown_key"
    assert error.details["key"] == ".".join((*block, "surprise"))
    assert error.details["line"] == len(block) + 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jobs: {workers: 1}", ("jobs.workers", 1)),
        ("network: {allowed_hosts: [a.org]}", ("network.allowed_hosts", ("a.org",))),
        ("reasoning: {profile: hermit-1.4.3.456, owl_profile: EL}", ("reasoning.owl_profile", "EL")),
        ("interoperability: {rdfc_digest: off}", ("interoperability.rdfc_digest", "off")),
        ("iri_policy: {pattern: 'X[0-9]{7}$'}", ("iri_policy.pattern", "X[0-9]{7}$")),
        ("mappings: {path: m.sssom.tsv}", ("mappings.path", "m.sssom.tsv")),
        ("prefixes: {'': 'urn:x:', ex: 'https://x/'}", ("prefixes", {"": "urn:x:", "ex": "https://x/"})),
        (
            "validation: {structural: {severity_overrides: {isolated_class: error}}}",
            ("validation.structural.severity_overrides", {"isolated_class": "error"}),
        ),
    ],
)
def test_values_arrive(text: str, expected: tuple[str, object]):
    value: object = read_policy(f"version: 1\n{text}".encode())
    for name in expected[0].split("."):
        value = getattr(value, name)
    assert value == expected[1]


def test_waivers_and_modules_are_read():
    document = read_policy(
        b"version: 1\n"
        b"modules: [{ontology_iri: 'https://x/m', path: m.ofn, owned_namespaces: ['https://x/m/']}]\n"
        b"validation: {waivers: [{rule_id: missing_label, reason: x, owner: me, expires: 2027-01-01}]}\n"
    )
    assert document.modules[0].path == "m.ofn"
    assert document.validation.waivers[0].expires.isoformat() == "2027-01-01"


def test_names_expand_by_declared_and_built_in_prefixes():
    document = read_policy(b"version: 1\nprefixes: {ex: 'https://x/', skos: 'https://mine/'}")
    assert document.expand("ex:a") == "https://x/a"
    assert document.expand("skos:a") == "https://mine/a"
    assert document.expand("rdfs:label").endswith("rdf-schema#label")
    assert document.expand("http://y/z") == "http://y/z"
    assert document.expand("unknown:a") == "unknown:a"


def test_a_declared_lock_file_is_told_from_the_default():
    assert not DEFAULTS.imports.declares_lockfile
    assert read_policy(b"version: 1\nimports: {lockfile: imports.lock.json}").imports.declares_lockfile


@pytest.mark.parametrize(
    "text",
    [
        "version: 2",
        "version: true",
        "version: 1.0",
        "version: '1'",
        "project_id: 1",
        "version: 1\nfilesystem: {allow_external_paths: yes}",
        "version: 1\nnetwork: {default: allow}",
        "version: 1\nproject_root: ..",
        "version: 1\nproject_root: /etc",
        "version: 1\nproject_root: ''",
        "version: 1\nmappings: {path: a/../b}",
        "version: 1\nmappings: {path: 'https://x/m.tsv'}",
        "version: 1\nmappings: {path: 'C:\\x'}",
        "version: 1\nroot_ontology: not an iri",
        "version: 1\nvalidation: {required_stages: [structural, structural]}",
        "version: 1\nvalidation: {required_stages: [everything]}",
        "version: 1\nvalidation: {waivers: [{rule_id: a, reason: b, owner: c, expires: tomorrow}]}",
        "version: 1\nannotations: {labels: {required_languages: ['not a tag']}}",
        "version: 1\niri_policy: {pattern: '('}",
        "version: 1\naudit: {retention_days: 0}",
        "version: 1\nreasoning: {timeout_ms: 3600001}",
        "version: 1\nmaterialization: {max_bytes: 67108865}",
        "version: 1\njobs: []",
        "version: 1\njobs:",
    ],
)
def test_a_wrong_value_does_not_load(text: str):
    error = refusal(text)
    assert isinstance(error, PolicyRequired)
    assert error.details["key"] is not None


def test_more_than_128_waivers_are_refused():
    waiver = "{rule_id: a, reason: b, owner: c}"
    text = "version: 1\nvalidation: {waivers: [%s]}"
    assert len(read_policy((text % ", ".join([waiver] * 128)).encode()).validation.waivers) == 128
    refusal(text % ", ".join([waiver] * 129))


# --- The jobs block -------------------------------------------------------------------------------

JOBS_RANGES = {
    "workers": (1, 2),
    "queue_capacity": (1, 32),
    "active_per_principal": (1, 8),
    "retained_per_principal": (8, 32),
    "retained_per_backend": (32, 128),
    "retention_seconds": (60, 3600),
}


@pytest.mark.parametrize("key", JOBS_RANGES)
def test_the_jobs_bounds_hold_at_and_beyond_their_ends(key: str):
    low, high = JOBS_RANGES[key]
    for value in (low, high):
        assert getattr(read_policy(f"version: 1\njobs: {{{key}: {value}}}".encode()).jobs, key) == value
    error = refusal(f"version: 1\njobs:\n  {key}: {high + 1}")
    assert type(error) is PolicyInvalid
    assert (error.details["line"], error.details["key"]) == (3, f"jobs.{key}")
    assert isinstance(refusal(f"version: 1\njobs: {{{key}: 0}}"), PolicyInvalid)


def test_an_unknown_job_type_is_out_of_bounds():
    assert type(refusal("version: 1\njobs: {allowed_types: [dance]}")) is PolicyInvalid


def test_retention_may_not_be_below_what_it_retains():
    below_active = refusal("version: 1\njobs: {active_per_principal: 5, retained_per_principal: 4}")
    assert type(below_active) is RetentionBelowActive
    below_principal = refusal("version: 1\njobs: {retained_per_backend: 31}")
    assert type(below_principal) is BackendRetentionBelowPrincipal
    assert below_principal.details["line"] == 2


# --- Hostile YAML ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        (b"", "not_a_mapping", None),
        (b"- version: 1", "not_a_mapping", None),
        (b"version: 1\nversion: 1", "duplicate_key", 2),
        (b"version: 1\njobs:\n  workers: 1\n  'workers': 1", "duplicate_key", 4),
        (b"version: &a 1", "alias", 1),
        (b"a: &a [x]\nb: *a", "alias", 1),
        (b"&a a: 1", "alias", 1),
        (b"version: 1\na: *b", "alias", 2),
        (b"version: !!int 1", "tag", 1),
        (b"version: 1\na: !!python/object:os.system x", "tag", 2),
        (b"version: 1\na: ! x", "tag", 2),
        (b"%YAML 1.1\n---\nversion: 1", "directive", 2),
        (b"%TAG ! tag:x,2000:\n---\nversion: 1", "directive", 2),
        (b"version: 1\n---\nversion: 1", "several_documents", 2),
        (b"version: 1\n...\n---\n", "several_documents", 3),
        (b"? [a]\n: 1", "bad_key", 1),
        (b"version: 1\na: 'x\n", "not_yaml", 3),
        (b"version: 1\n\tjobs: {}", "not_yaml", 2),
        (b"version: 1\n}", "not_yaml", 2),
        (b'version: 1\na: "\\0"', "bad_character", 2),
        (b'version: 1\na: "\\ud800"', "bad_character", 2),
        (b'version: 1\n"a\\x07": 1', "bad_character", 2),
        (b"version: 1\na: \xff", "not_utf8", 2),
        ("version: 1".encode("utf-16"), "not_utf8", 1),
        (b"version: 1\na: 12345678901234567890", "bad_number", 2),
        (b"[" * 100_000, "too_deep", 1),
        (b"{a: " * 100_000, "too_deep", 1),
        (b"- " * 100_000, "too_deep", 1),
        (b"a: [" + b"x, " * 20_000 + b"]", "too_large", 1),
        (b"#" * (limits.POLICY_FILE_BYTES + 1), "too_large", None),
    ],
)
def test_hostile_yaml_is_refused_with_its_line(text: bytes, reason: str, line: int | None):
    error = refusal(text)
    assert isinstance(error, PolicyRequired)
    assert (error.details["reason"], error.details["line"]) == (reason, line)


def test_nothing_is_merged_or_guessed():
    assert refusal("version: 1\n<<: {jobs: {}}").details["reason"] == "unknown_key"
    assert read_policy(b"version: 1\nproject_id: no").project_id == "no"
    assert read_policy(b"version: 1\nproject_id: 2027-01-01").project_id == "2027-01-01"


def test_windows_text_is_fine():
    assert read_policy(b"\xef\xbb\xbfversion: 1\r\njobs:\r\n  workers: 1\r\n").jobs.workers == 1


def test_the_bounds_are_exact():
    room = limits.POLICY_FILE_BYTES - len(b"version: 1\n#")
    assert read_policy(b"version: 1\n#" + b"x" * room) == DEFAULTS


def test_all_problems_are_found_in_their_order():
    problems = find_problems(b"version: 1\nb: 1\njobs: {workers: 9}\na: 1\n")
    assert [(each.line, each.key) for each in problems] == [(2, "b"), (3, "jobs.workers"), (4, "a")]
    assert refusal("version: 1\nb: 1\na: 1").details["problems"] == 2
    assert "line 2: b is not a key" in problems[0].sentence


@given(st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_load_or_are_refused(raw: bytes):
    problems = find_problems(raw)
    assert problems or read_policy(raw)


@given(st.text(alphabet="version:1 \n-[]{}&*!'\"#,?|>%ab\\", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_yaml_like_text_loads_or_is_refused(text: str):
    find_problems(text.encode())
    find_problems(b"version: 1\n" + text.encode())


# --- The digest -----------------------------------------------------------------------------------

json_values = st.fixed_dictionaries(
    {},
    optional={
        "project_id": st.sampled_from(["a", "b"]),
        "jobs": st.fixed_dictionaries(
            {}, optional={"workers": st.integers(1, 2), "queue_capacity": st.integers(1, 32)}
        ),
        "imports": st.fixed_dictionaries({}, optional={"fail_on_missing": st.booleans()}),
        "prefixes": st.dictionaries(st.sampled_from(["ex", "obo", "a"]), st.just("https://x/")),
        "validation": st.fixed_dictionaries({}, optional={"fail_on": st.sampled_from(["error", "info"])}),
    },
)


@given(json_values, st.randoms())
@settings(max_examples=60, deadline=None)
def test_key_order_comments_and_written_defaults_do_not_change_the_digest(
    values: dict[str, object], order: random.Random
):
    document = read_policy(json.dumps({"version": 1, **values}).encode())
    everything = _shuffled(document.model_dump(mode="json"), order)
    text = "# a comment\n" + json.dumps(everything, indent=1)
    again = read_policy(text.encode())
    assert policy_digest(again) == policy_digest(document)
    assert (policy_digest(document) == policy_digest(DEFAULTS)) == (
        document.model_dump() == DEFAULTS.model_dump()
    )


def _shuffled(value: object, order: random.Random) -> object:
    if not isinstance(value, dict):
        return value
    items = [(key, _shuffled(each, order)) for key, each in value.items()]
    order.shuffle(items)
    return dict(items)


def test_the_digest_of_the_defaults_is_stable_within_a_version():
    # A change here silently ends every idempotency window of running clients: change it knowingly.
    assert policy_digest(DEFAULTS) == policy_digest(read_policy(b"version: 1"))
    assert policy_digest(read_policy(b"version: 1\njobs: {workers: 1}")) != policy_digest(DEFAULTS)
