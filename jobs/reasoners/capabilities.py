"""What a reasoner profile can do, as four-valued evidence (W 11.3–11.5).

`supported` is said only of what a fixture of this project shows for the profile. Absence is never
support: an unreviewed profile has every capability `unknown`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Status(StrEnum):
    """The vocabulary of W 11.3, strongest doubt first."""

    UNSUPPORTED = "unsupported"
    UNKNOWN = "unknown"
    UNTESTED = "untested"
    SUPPORTED = "supported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """One row: a status and what it rests on (1–1024 characters)."""

    status: Status
    evidence: str


IDS: Final = (
    "owl2_dl", "owl2_el", "owl2_ql", "owl2_rl",
    "class_hierarchy", "equivalent_classes", "class_assertions",
    "object_property_hierarchy", "data_property_hierarchy",
    "object_property_assertions", "data_property_assertions",
    "property_chains", "inverse_object_properties", "nominals",
    "cardinality_restrictions", "qualified_cardinality_restrictions", "datatypes",
    "consistency", "satisfiability", "incremental_reasoning",
    "native_explanations", "black_box_explanations", "bounded_cancellation",
    "swrl_rules", "dl_safe_rules", "swrl_builtins",
)  # fmt: skip
"""The 23 capabilities of OWL reasoning and the three of rules, in the order of W 11.4."""

Table = MappingProxyType[str, Capability]


def aggregate(statuses: Iterable[Status]) -> Status:
    """The weakest of several: unsupported over unknown over untested over supported."""
    order = list(Status)
    return min(statuses, key=order.index, default=Status.SUPPORTED)


def table(rows: Mapping[str, tuple[Status, str]], *, other: tuple[Status, str]) -> Table:
    """All capabilities in order; those without a row of their own get `other`."""
    if not rows.keys() <= set(IDS):
        raise ValueError("a row names no capability")
    found = {each: rows.get(each, other) for each in IDS}
    return MappingProxyType(
        {each: Capability(status=status, evidence=evidence) for each, (status, evidence) in found.items()}
    )


UNREVIEWED: Final = table(
    {}, other=(Status.UNKNOWN, "This exact reasoner, version and configuration has not been reviewed.")
)
