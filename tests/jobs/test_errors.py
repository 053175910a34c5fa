"""One leaf, one code, for ever. `REWRITE_GOLDEN=1` rewrites the list; the diff is reviewed."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from jobs import errors, limits
from jobs.errors import Failed, ProtegeJobsError, Refused, Uncertain, Unfit, from_wire, type_of_code

GOLDEN = Path(__file__).parents[1] / "golden" / "error_codes.json"
BRANCHES = (Refused, Unfit, Failed, Uncertain)


def listed() -> dict[str, dict[str, object]]:
    return {
        code: {
            "class": kind.__name__,
            "branch": next(branch.__name__ for branch in BRANCHES if issubclass(kind, branch)),
            "retryable": kind.retryable,
        }
        for code, kind in sorted(type_of_code.items())
    }


def test_codes_are_the_golden_ones() -> None:
    text = json.dumps(listed(), indent=1) + "\n"
    if os.environ.get("REWRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text


def test_every_leaf_is_listed_well_formed_and_described() -> None:
    def leaves(kind: type[ProtegeJobsError]) -> set[type[ProtegeJobsError]]:
        below = kind.__subclasses__()
        return set().union(*map(leaves, below)) if below else {kind}

    found = leaves(ProtegeJobsError)
    assert found == set(type_of_code.values())
    for kind in found:
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", kind.code)
        assert kind.__doc__
        assert sum(issubclass(kind, branch) for branch in BRANCHES) == 1


def test_a_code_cannot_be_taken_twice() -> None:
    with pytest.raises(TypeError, match="is taken"):
        type("Again", (errors.WorkerLost,), {"code": "job_worker_lost"})


def test_bodies_say_what_may_be_concluded() -> None:
    assert errors.UnknownJob().body() == {
        "error": "No such job of yours in this window.",
        "code": "unknown_job",
        "message": "No such job of yours in this window.",
        "details": {"effects_prevented": True},
        "retryable": False,
    }
    assert errors.CommitOutcomeUnknown("x").details == {"retry_requires_state_check": True}


@pytest.mark.req("W-59")
def test_messages_and_details_keep_to_their_bounds() -> None:
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(10):
        inner["x"] = {}
        inner = inner["x"]  # type: ignore[assignment]
    error = errors.WorkerLost(
        "é" * 5000,
        details={
            "many": list(range(1000)),
            "long": "é" * 10_000,
            "deep": deep,
            "nan": float("nan"),
            **{f"k{number}": number for number in range(100)},
        },
    )
    assert len(error.message.encode()) <= limits.ERROR_MESSAGE_BYTES
    assert len(error.details) <= limits.ERROR_DETAILS_KEYS
    assert len(error.details["many"]) == limits.ERROR_DETAILS_ITEMS  # type: ignore[arg-type]
    assert len(error.details["long"].encode()) <= limits.ERROR_DETAILS_STRING_BYTES  # type: ignore[attr-defined]
    json.dumps(error.details, allow_nan=False)
    huge = errors.WorkerLost("x", details={f"k{number}": "y" * 4000 for number in range(32)})
    assert huge.details == {"truncated": True}


def test_worker_of_another_version_cannot_invent_codes() -> None:
    assert type(from_wire("job_worker_lost", "m", {})) is errors.WorkerLost
    invented = from_wire("new_code", "m", {"a": 1})
    assert type(invented) is errors.ExecutionFailed
    assert invented.details == {"a": 1, "failure_type": "new_code"}


@pytest.mark.parametrize("character", ["x", "\x01", "é", "\ud800", '"', "\U0001f600"])
@pytest.mark.parametrize("count", [1, 3, 15, 17, 32])
def test_details_keep_to_their_bytes_as_json(character: str, count: int) -> None:
    details = errors.bounded_details({f"key{number}": character * 4_000 for number in range(count)})
    text = json.dumps(details, separators=(",", ":"), ensure_ascii=False)
    assert len(text.encode()) <= limits.ERROR_DETAILS_BYTES
    assert (details == {"truncated": True}) is (len(details) != count)


def test_what_may_be_concluded_is_never_cut_off() -> None:
    many = {f"key{number}": number for number in range(100)}
    assert errors.InvalidRequest("x", details=many).details["effects_prevented"] is True
    assert errors.CommitOutcomeUnknown("x", details=many).details["retry_requires_state_check"] is True
