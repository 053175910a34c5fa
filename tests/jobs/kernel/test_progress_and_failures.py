from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.errors import InvalidOntology, WorkerLost
from jobs.kernel.failures import clean, error_of, unforeseen
from jobs.kernel.progress import Throttle, check_progress


@pytest.mark.req("W-56")
@pytest.mark.parametrize("message", ["x", "x" * 1024, "é" * 512, "a\n"])
def test_message_up_to_1024_bytes_is_heard(message: str) -> None:
    check_progress("loading", message)


@pytest.mark.req("W-56")
@pytest.mark.parametrize(
    ("phase", "message"),
    [
        ("loading", ""),
        ("loading", " \t\n"),
        ("loading", "x" * 1025),
        ("loading", "é" * 512 + "x"),
        ("Loading", "x"),
        ("", "x"),
        ("a" * 65, "x"),
        ("1a", "x"),
        ("commit", "x"),
        ("succeeded", "x"),
        ("queued", "x"),
        ("loading\n", "x"),
    ],
)
def test_blank_long_or_badly_phased_progress_is_a_programming_error(phase: str, message: str) -> None:
    with pytest.raises(ValueError, match="progress"):
        check_progress(phase, message)


def test_throttle_lets_twenty_a_second_through_and_the_newest_wins() -> None:
    throttle, heard = Throttle(20), []
    for tick in range(2000):  # one report per millisecond, for two seconds
        now_s = tick / 1000
        throttle.offer("loading", str(tick))
        if throttle.wait_s(now_s) == 0:
            heard.append(throttle.take(now_s))
    assert 38 <= len(heard) <= 40
    assert throttle.wait_s(2.0) is not None
    assert throttle.take(2.1) == ("loading", "1999")
    assert throttle.wait_s(2.1) is None
    assert throttle.take(2.2) is None


@pytest.mark.req("W-59")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("cannot open /home/ann/secret/pizza.owl", "secret"),
        ("cannot open '/home/ann b/pizza x.owl' now", "pizza"),
        (r"in C:\Users\Ann\onto.owl line 3", "Ann"),
        (r"in \\server\share\onto.owl", "share"),
        ("see file:///srv/data/x.ttl", "srv"),
        ("~/private/x.owl is gone", "private"),
        ("Authorization: Bearer abcdef123456.x", "abcdef"),
        ("token=abcdef123", "abcdef"),
        ('"api_key": "s3cr3tvalue"', "s3cr3t"),
        ("https://ann:hunter2@example.org/x", "hunter2"),
        ("PROTEGE_JOBS_TOKEN=zzz999", "zzz999"),
    ],
)
def test_paths_and_credentials_are_scrubbed(text: str, secret: str) -> None:
    assert secret not in clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "Line 3: <http://purl.obolibrary.org/obo/CL_0000000> has no label",
        "text/turtle and application/rdf+xml are read",
        "an and/or a relative path reports/x.json",
        "the construct ObjectUnionOf is not in EL",
        "ratio 1/2",
    ],
)
def test_iris_media_types_and_relative_paths_stay_readable(text: str) -> None:
    assert clean(text) == text


@pytest.mark.req("W-59")
@settings(max_examples=100)
@given(st.lists(st.from_regex(r"[a-z][a-z0-9_]{2,8}", fullmatch=True), min_size=2, max_size=5))
def test_no_absolute_path_survives_in_message_or_details(parts: list[str]) -> None:
    path = "/" + "/".join(["zzsecret", *parts])
    error = error_of(InvalidOntology(f"cannot read {path}", details={"at": [path, {"deep": path}]}))
    assert "zzsecret" not in json.dumps([error.message, error.details])


@pytest.mark.parametrize("unit", ["a-", "a", "/a", "-token-", "x://", "'/", "~/", "a.a", "bearer ", "\\\\a"])
def test_hostile_text_is_cleaned_in_linear_time(unit: str) -> None:
    """4 KiB take about a millisecond; a pattern that backtracks takes more than a thousand times that."""
    began_s = time.perf_counter()
    clean(unit * (4096 // len(unit)))
    assert time.perf_counter() - began_s < 0.2


def test_known_errors_keep_their_code_and_unforeseen_ones_only_their_kind() -> None:
    error = error_of(WorkerLost("gone", details={"exit": 9}))
    assert (error.code, error.retryable, error.details) == ("job_worker_lost", True, {"exit": 9})
    error = unforeseen("ZeroDivisionError")
    assert (error.code, error.details) == ("job_execution_failed", {"failure_type": "ZeroDivisionError"})
