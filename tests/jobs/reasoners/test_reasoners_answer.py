"""What a Java worker answered becomes the one value that equal hierarchies share, or is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.errors import ResultInvalid
from jobs.reasoners.answer import read_outcome
from jobs.reasoners.taxonomy import NOTHING, THING

EX = "http://example.org/"
VALUE = {"consistent": True, "incomplete_because": ["ObjectUnionOf", "DLSafeRule"], "ignored_axioms": None}


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in values)


def answer(rows: list[tuple[list[str], list[int]]], *more: object) -> bytes:
    top = next(number for number, (members, _) in enumerate(rows) if THING in members)
    bottom = next(number for number, (members, _) in enumerate(rows) if NOTHING in members)
    head = {"section": "classes", "nodes": len(rows), "top": top, "bottom": bottom}
    return lines(head, *rows, *more, {"section": "end"})


SMALL: list[tuple[list[str], list[int]]] = [
    ([THING], []),
    ([f"{EX}b", f"{EX}a"], [0]),
    ([f"{EX}c"], [1]),
    ([f"{EX}bad", NOTHING], []),
]


def test_a_whole_answer_is_read() -> None:
    found = read_outcome(
        VALUE,
        answer(
            SMALL,
            {"section": "object_properties", "nodes": 3, "top": 0, "bottom": 2},
            [["http://www.w3.org/2002/07/owl#topObjectProperty"], []],
            [[f"{EX}p"], [0]],
            [["http://www.w3.org/2002/07/owl#bottomObjectProperty"], []],
            {"section": "individuals", "nodes": 2},
            [[f"{EX}j", f"{EX}i"], [1, 2]],
            [[f"{EX}h"], [0]],
        ),
    )
    assert found.is_consistent is True
    assert found.unsatisfiable == (f"{EX}bad",)
    assert found.incomplete_because == ("DLSafeRule", "ObjectUnionOf")
    assert found.taxonomy is not None
    assert (f"{EX}a", f"{EX}b") in found.taxonomy.nodes
    assert found.object_properties is not None
    assert (f"{EX}p",) in found.object_properties.nodes
    assert found.data_properties is None
    assert found.individuals is not None
    assert found.individuals.nodes == ((f"{EX}h",), (f"{EX}i", f"{EX}j"))
    assert found.individuals.types == ((THING,), (f"{EX}a", f"{EX}c"))


def test_what_the_reasoner_does_not_vouch_for_is_kept() -> None:
    """ELK answers for the classes of an ontology with disjointness, not for its properties."""
    found = read_outcome(
        {"consistent": True, "incomplete_because": [], "incomplete_sections": ["object_properties"]},
        answer(SMALL),
    )
    assert (found.incomplete_because, found.incomplete_sections) == ((), ("object_properties",))


def test_an_inconsistent_ontology_has_no_answer_file() -> None:
    found = read_outcome({"consistent": False, "incomplete_because": []}, None)
    assert found.is_consistent is False
    assert found.taxonomy is None


@given(st.integers(0, 2**32), st.integers(2, 12))
def test_the_order_of_nodes_and_members_is_free(seed: int, count: int) -> None:
    chance = random.Random(seed)
    rows: list[tuple[list[str], list[int]]] = [([THING], []), ([NOTHING], [])]
    for number in range(count):
        rows.append(
            (
                [f"{EX}{number}{twin}" for twin in range(chance.randint(1, 3))],
                sorted({0, *(2 + chance.randrange(number) for _ in range(min(number, 2)))} - {-1}),
            )
        )
    order = list(range(len(rows)))
    chance.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    shuffled = [
        (
            chance.sample(rows[old][0], len(rows[old][0])),
            chance.sample([place[up] for up in rows[old][1]], len(rows[old][1])),
        )
        for old in order
    ]
    assert read_outcome(VALUE, answer(rows)) == read_outcome(VALUE, answer(shuffled))


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ({}, answer(SMALL)),
        ({**VALUE, "consistent": "yes"}, answer(SMALL)),
        ({**VALUE, "incomplete_because": "ObjectUnionOf"}, answer(SMALL)),
        (VALUE, None),
        ({**VALUE, "consistent": False}, answer(SMALL)),
        (VALUE, answer(SMALL)[:-20]),
        (VALUE, answer(SMALL) + b"[]\n"),
        (VALUE, lines({"section": "end"})),
        (VALUE, lines({"section": "plants", "nodes": 0, "top": 0, "bottom": 0}, {"section": "end"})),
        (VALUE, answer([*SMALL, ([f"{EX}d"], [9])])),
        (VALUE, answer([*SMALL, ([f"{EX}d"], [-1])])),
        (VALUE, answer([*SMALL, ([], [0])])),
        (VALUE, answer([*SMALL, ([f"{EX}a"], [0])])),
        ({**VALUE, "incomplete_sections": "classes"}, answer(SMALL)),
        ({**VALUE, "incomplete_because": [], "incomplete_sections": ["classes"]}, answer(SMALL)),
        (VALUE, b"not json"),
    ],
)
def test_another_shape_is_a_defect_and_never_a_smaller_answer(
    value: dict[str, Any], data: bytes | None
) -> None:
    with pytest.raises(ResultInvalid):
        read_outcome(value, data)
