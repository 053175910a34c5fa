from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs import describe, describe_identity, parse_descriptor, parse_identity
from jobs.descriptor import check_result, describe_result
from jobs.digests import text_digest
from jobs.errors import ResultInvalid, ResultTooLarge
from jobs.values import ArtifactId, ArtifactReference, Fence, JobType, Result, SecondaryInput, State
from tests.support.jobs_doubles import START, identity
from tests.support.jobs_snapshots import ALL, RESULT, job_in

if TYPE_CHECKING:
    from jobs.values import Job

KEYS = [
    "job_id", "workspace_id", "owner_fingerprint", "principal_fingerprint", "client_fingerprint",
    "grant_fingerprint", "type", "state", "created_at", "started_at", "completed_at", "base_revision",
    "policy_digest", "phase", "progress_message", "progress_sequence", "cancellation_requested",
    "cancellation_effective", "commit_started", "idempotency_key", "required_capabilities",
    "input_identity", "result_discriminator", "result", "error",
]  # fmt: skip
ARTIFACT = ArtifactReference(
    artifact_id=ArtifactId("00000000-0000-4000-8000-000000000002"),
    media_type="application/json",
    sha256=text_digest("x"),
    size_bytes=3,
    created_at=START,
    expires_at=START + timedelta(hours=1),
)
FULL = replace(RESULT, artifacts=(ARTIFACT,), structured={"kind": "x"}, changed_inputs=("policy_digest",))


def shown(job: Job) -> dict[str, object]:
    """As a client gets it: through JSON."""
    made: dict[str, object] = json.loads(json.dumps(describe(job)))
    return made


@pytest.mark.req("W-46", "W-53", "W-58", "W-60")
@pytest.mark.parametrize(("state", "fence"), ALL)
def test_descriptor_has_exactly_its_keys_and_reads_back(state: State, fence: Fence) -> None:
    job = job_in(state, fence)
    if state is State.SUCCEEDED:
        job = replace(job, result=FULL)
    shape = shown(job)
    assert list(shape) == KEYS
    assert shape["base_revision"] == shape["input_identity"]["model_revision"]  # type: ignore[index]
    assert shape["result_discriminator"] == shape["type"]
    told = job if fence is not Fence.PUBLICATION_STARTED or state is State.SUCCEEDED else None
    if told is not None:
        assert parse_descriptor(shape) == told
    assert shape["created_at"] == "2026-01-05T10:00:00.000000Z"


def test_artifact_reference_gives_neither_path_nor_owner() -> None:
    (shape,) = describe_result(JobType.CLASSIFICATION, FULL)["artifacts"]  # type: ignore[misc, attr-defined]
    assert list(shape) == ["artifact_id", "media_type", "sha256", "bytes", "created_at", "expires_at"]


@pytest.mark.req("W-46")
@settings(max_examples=150)
@given(
    st.sampled_from(KEYS),
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.just([]), st.just({}), st.floats()
    ),
)
def test_any_changed_field_is_refused_or_means_the_same_job(name: str, value: object) -> None:
    job = replace(job_in(State.SUCCEEDED, Fence.PUBLICATION_STARTED), result=FULL)
    shape = {**shown(job), name: value}
    try:
        read = parse_descriptor(shape)
    except ValueError:
        return
    assert json.dumps(describe(read)) == json.dumps(shape)


def test_numbers_do_not_stand_for_flags() -> None:
    shape = shown(job_in(State.RUNNING, Fence.OPEN))
    with pytest.raises(ValueError, match="commit_started"):
        parse_descriptor({**shape, "commit_started": 0})


@pytest.mark.parametrize("where", ["top", "identity", "result", "artifact", "revision", "missing"])
def test_unknown_or_missing_keys_are_refused(where: str) -> None:
    shape = shown(replace(job_in(State.SUCCEEDED, Fence.COMMIT_STARTED), result=FULL))
    inner: dict[str, object] = {
        "top": shape,
        "identity": shape["input_identity"],
        "result": shape["result"],
        "artifact": shape["result"]["artifacts"][0],  # type: ignore[index]
        "revision": shape["base_revision"],
        "missing": shape,
    }[where]  # type: ignore[assignment]
    if where == "missing":
        del inner["error"]
    else:
        inner["extra"] = None
    with pytest.raises(ValueError, match=r"\w"):
        parse_descriptor(shape)


@pytest.mark.req("W-53")
def test_identity_digest_is_recomputed() -> None:
    right = SecondaryInput(
        name="right_document", byte_digest=text_digest("a"), provenance_digest=text_digest("b")
    )
    whole = replace(identity(), secondary_inputs=(right,), reasoner_digest=text_digest("r"))
    shape = describe_identity(whole)
    assert parse_identity(shape) == whole
    for change in (
        {"identity_digest": text_digest("wrong")},
        {"closure_fingerprint": text_digest("moved")},
        {"secondary_inputs": []},
        {"reasoner_digest": None},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            parse_identity({**shape, **change})


@pytest.mark.req("W-02", "W-58")
def test_result_of_one_mebibyte_passes_and_one_byte_more_does_not() -> None:
    empty = describe_result(
        JobType.CLASSIFICATION, replace(FULL, structured={"x": ""}, audit_incomplete=False)
    )
    room = 1024 * 1024 - len(json.dumps(empty, separators=(",", ":")).encode())
    check_result(JobType.CLASSIFICATION, replace(FULL, structured={"x": "y" * room}))
    with pytest.raises(ResultTooLarge):
        check_result(JobType.CLASSIFICATION, replace(FULL, structured={"x": "y" * (room + 1)}))
    # `true` is a byte shorter than `false`: the longer form counts, whichever is shown in the end.
    with pytest.raises(ResultTooLarge):
        check_result(
            JobType.CLASSIFICATION,
            replace(FULL, structured={"x": "y" * (room + 1)}, audit_incomplete=True),
        )


@pytest.mark.req("W-60")
@pytest.mark.parametrize(
    "bad",
    [
        replace(FULL, artifacts=(ARTIFACT,) * 5),
        replace(FULL, changed_inputs=("x",) * 17),
        replace(FULL, structured={"x": float("nan")}),
        replace(FULL, structured={"x": object()}),
        replace(FULL, structured={"x": "\ud800"}),
        replace(FULL, artifacts=(replace(ARTIFACT, media_type="no type"),)),
    ],
)
def test_malformed_result_is_refused(bad: Result) -> None:
    with pytest.raises(ResultInvalid):
        check_result(JobType.CLASSIFICATION, bad)
    check_result(JobType.CLASSIFICATION, replace(FULL, artifacts=(ARTIFACT,) * 4))
