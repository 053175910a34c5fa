"""Reading what a reasoner in a process of its own answered: `docs/worker-protocol.md`, operation `reason`.

The answer's nodes come in any order; here they get the one order that makes equal hierarchies
equal values. A shape that the protocol does not have is a defect of the worker, never a smaller
answer: nothing is skipped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from jobs.errors import ResultInvalid
from jobs.reasoners.taxonomy import (
    EXTREMES,
    NOTHING,
    Individuals,
    Outcome,
    Taxonomy,
    make_individuals,
    make_taxonomy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Row = tuple[list[str], list[int]]
"""The members of a node, and the numbers of the nodes above it (of its types, for an individual)."""


def read_outcome(value: Mapping[str, object], answer: bytes | None) -> Outcome:
    """The outcome in a worker's value and its file `answer.jsonl`.

    Args:
        answer: None exactly when the ontology is inconsistent: every hierarchy would be true of it.
    Raises:
        ResultInvalid: either does not have the shape of the protocol (`job_result_invalid`).
    """
    try:
        is_consistent = value["consistent"]
        reasons = value["incomplete_because"]
        doubtful = value.get("incomplete_sections", [])
        ignored = value.get("ignored_axioms") or 0
        if (
            not isinstance(is_consistent, bool)
            or not isinstance(reasons, list)
            or not isinstance(doubtful, list)
            or not isinstance(ignored, int)
        ):
            raise TypeError
        # A hierarchy of classes in doubt for no reason would pass for a whole one.
        if is_consistent is (answer is None) or ("classes" in doubtful and not reasons):
            raise ValueError
        taxonomies, individuals = _sections(answer) if answer is not None else ({}, None)
        classes = taxonomies.get("classes")
        if is_consistent and classes is None:
            raise ValueError
        return Outcome(
            is_consistent=is_consistent,
            taxonomy=classes,
            unsatisfiable=_unsatisfiable(classes),
            incomplete_because=tuple(sorted(map(str, reasons))),
            incomplete_sections=tuple(sorted(map(str, doubtful))),
            outside_axioms=ignored,
            object_properties=taxonomies.get("object_properties"),
            data_properties=taxonomies.get("data_properties"),
            individuals=individuals,
        )
    except (KeyError, TypeError, ValueError, IndexError, StopIteration) as error:
        raise ResultInvalid(
            "The reasoner's answer does not have its shape.",
            details={"failure_type": type(error).__name__},
        ) from error


def _sections(answer: bytes) -> tuple[dict[str, Taxonomy], Individuals | None]:
    taxonomies: dict[str, Taxonomy] = {}
    individuals: Individuals | None = None
    classes: list[Row] = []
    # One text for the decoder: told line by line it takes three times as long.
    values: Iterator[Any] = iter(json.loads(b"[" + b",".join(answer.splitlines()) + b"]"))
    while (head := next(values)) != {"section": "end"}:
        section = head["section"]
        rows = [_row(next(values)) for _ in range(head["nodes"])]
        if len({iri for members, _ in rows for iri in members}) < sum(len(members) for members, _ in rows):
            raise ValueError("an entity in two places")
        if section == "individuals":
            individuals = _individuals(rows, classes)
        elif section in taxonomies:
            raise ValueError(section)
        else:
            taxonomies[section] = make_taxonomy(
                (members for members, _ in rows), _parents_of(rows, head["bottom"]), EXTREMES[section]
            )
            if section == "classes":
                classes = rows
    if next(values, None) is not None:
        raise ValueError("lines after the end")
    return taxonomies, individuals


def _row(value: list[Any]) -> Row:
    members, above = value
    if not members or min(above, default=0) < 0:
        raise ValueError("a node without members, or below none")
    return members, above


def _parents_of(rows: list[Row], bottom: int) -> dict[str, list[str]]:
    return {
        members[0]: [rows[parent][0][0] for parent in parents]
        for number, (members, parents) in enumerate(rows)
        if number != bottom
    }


def _individuals(rows: list[Row], classes: list[Row]) -> Individuals:
    return make_individuals((members, (min(classes[node][0]) for node in types)) for members, types in rows)


def _unsatisfiable(classes: Taxonomy | None) -> tuple[str, ...]:
    if classes is None:
        return ()
    return tuple(iri for iri in classes.nodes[classes.bottom] if iri != NOTHING)
