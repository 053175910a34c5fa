from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.cursors import CursorSeal
from jobs.errors import InvalidJobCursor
from jobs.stores.contract import Anchor
from jobs.values import JobId, WorkspaceId
from tests.support.jobs_doubles import START, owner

SEAL = CursorSeal()
ANCHOR = Anchor(START + timedelta(microseconds=123457), JobId("00000000-0000-4000-8000-000000000001"))
CURSOR = SEAL.seal(owner(), ANCHOR)


@pytest.mark.req("W-73")
@given(st.datetimes(timezones=st.just(START.tzinfo)), st.uuids(version=4))
@settings(max_examples=100)
def test_cursor_keeps_its_place_to_the_microsecond(at, name) -> None:  # type: ignore[no-untyped-def]
    anchor = Anchor(at, JobId(str(name)))
    cursor = SEAL.seal(owner(), anchor)
    assert SEAL.open(owner(), cursor) == anchor
    assert len(cursor) <= 512


@pytest.mark.req("W-74")
@given(st.integers(0, len(CURSOR) - 1), st.sampled_from("ABCDEFGabcdefg0123456789-_=+/ é"))
@settings(max_examples=300)
def test_no_altered_cursor_opens(place: int, character: str) -> None:
    altered = CURSOR[:place] + character + CURSOR[place + 1 :]
    if altered != CURSOR:
        with pytest.raises(InvalidJobCursor):
            SEAL.open(owner(), altered)


@pytest.mark.req("W-74")
@given(st.one_of(st.text(max_size=600), st.binary(max_size=100).map(lambda raw: raw.hex())))
@settings(max_examples=200)
def test_no_invented_cursor_opens(text: str) -> None:
    with pytest.raises(InvalidJobCursor):
        SEAL.open(owner(), text)


@pytest.mark.req("W-74")
@pytest.mark.parametrize("wrong", ["owner", "workspace", "backend", "padding", "short", "version", "bits"])
def test_foreign_and_reshaped_cursors_get_one_answer(wrong: str) -> None:
    seal, who, cursor = SEAL, owner(), CURSOR
    raw = base64.urlsafe_b64decode(CURSOR + "=" * (-len(CURSOR) % 4))
    match wrong:
        case "owner":
            who = owner("bob")
        case "workspace":
            who = who.of(WorkspaceId("w"), principal_type="user", client_id="ann", grant_id="g1")
        case "backend":
            seal = CursorSeal()
        case "padding":
            cursor += "="
        case "short":
            cursor = cursor[:20]
        case "version":
            cursor = base64.urlsafe_b64encode(b"\x02" + raw[1:]).decode().rstrip("=")
        case "bits":
            last = chr(ord(cursor[-1]) + 1)
            cursor = cursor[:-1] + last
    with pytest.raises(InvalidJobCursor) as caught:
        seal.open(who, cursor)
    assert caught.value.body() == InvalidJobCursor().body()


@pytest.mark.req("W-52")
def test_cursor_shows_nothing_of_what_it_holds() -> None:
    raw = base64.urlsafe_b64decode(CURSOR + "=" * (-len(CURSOR) % 4))
    assert ANCHOR.job_id.encode() not in raw
    assert SEAL.seal(owner(), ANCHOR) != CURSOR
