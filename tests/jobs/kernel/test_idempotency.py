from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from jobs.digests import text_digest
from jobs.errors import AdmissionExpired, IdempotencyConflict
from jobs.kernel import lifecycle
from jobs.kernel.idempotency import changed_inputs, check_first, check_same, is_bound
from jobs.kernel.quotas import PRODUCT
from jobs.kernel.record import Record
from jobs.values import InputIdentity, JobId, SecondaryInput
from tests.support.jobs_doubles import START, identity, submission

OTHER = text_digest("other")
FIRST = identity()
RIGHT = SecondaryInput(name="right_document", byte_digest=OTHER, provenance_digest=OTHER)


def record() -> Record:
    return Record(job=lifecycle.accept(submission(), JobId("j"), START), revision=1, settings=PRODUCT)


@pytest.mark.req("W-23")
@pytest.mark.parametrize(
    ("after", "bound"),
    [
        (timedelta(0), True),
        (timedelta(minutes=14, seconds=59, milliseconds=999), True),
        (timedelta(minutes=15) - timedelta(microseconds=1), True),
        (timedelta(minutes=15), False),
        (timedelta(minutes=16), False),
    ],
)
def test_window_is_fifteen_minutes_from_acceptance_exclusive(after: timedelta, bound: bool) -> None:
    assert is_bound(record(), START + after) is bound
    assert not is_bound(replace(record(), binds_key=False), START + after)


@pytest.mark.req("W-26", "W-25")
@pytest.mark.parametrize(
    ("name", "changed"),
    [
        *[
            (
                f"model_revision.{name}",
                replace(FIRST, model_revision=replace(FIRST.model_revision, **{name: value})),
            )
            for name, value in (
                ("workspace_id", "w"),
                ("session_revision", 2),
                ("semantic_fingerprint", OTHER),
                ("document_fingerprint", OTHER),
            )
        ],
        *[
            (name, replace(FIRST, **{name: OTHER}))
            for name in (
                "closure_fingerprint",
                "import_lock_digest",
                "mapping_revision",
                "policy_digest",
                "preflight_asset_digest",
                "reasoner_digest",
                "normalized_request_digest",
            )
        ],
        ("secondary_inputs.right_document", replace(FIRST, secondary_inputs=(RIGHT,))),
    ],
)
def test_any_single_part_is_a_difference_named_without_its_value(name: str, changed: InputIdentity) -> None:
    assert changed.identity_digest != FIRST.identity_digest
    with pytest.raises(IdempotencyConflict) as caught:
        check_same(record(), changed)
    assert caught.value.details == {"changed_inputs": [name], "job_id": "j", "effects_prevented": True}


def test_equal_inputs_pass_and_names_keep_to_sixteen() -> None:
    check_same(record(), identity())
    assert changed_inputs(FIRST, FIRST) == ()
    many = tuple(
        SecondaryInput(name=f"s{n:02}", byte_digest=OTHER, provenance_digest=OTHER) for n in range(32)
    )
    assert len(changed_inputs(FIRST, replace(FIRST, secondary_inputs=many))) == 16


def test_changed_bytes_of_a_secondary_input_are_named_by_the_input() -> None:
    left = replace(FIRST, secondary_inputs=(RIGHT,))
    right = replace(FIRST, secondary_inputs=(replace(RIGHT, byte_digest=text_digest("new")),))
    assert changed_inputs(left, right) == ("secondary_inputs.right_document",)


def test_retry_whose_job_has_gone_is_told_to_ask_again() -> None:
    check_first(was_retry=False)
    with pytest.raises(AdmissionExpired) as caught:
        check_first(was_retry=True)
    assert caught.value.retryable
