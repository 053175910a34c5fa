"""The `request` of each job type: closed shapes with their defaults (W 4.1-4.4).

`start_job` takes the four of the seed; `EXPLANATION` is asked by an ordinary call or the command line
(decision 26).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import (
    DiffNetworkUnsupported,
    DiffScopeUnsupported,
    MaterializationDestinationUnavailable,
    MaterializationLiveLimitExceeded,
)
from jobs.values import JobType
from plugin_bridge.mcp_server.shapes import Choice, Flag, Integer, Object, OneOf, Problem, Several, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

_ABSOLUTE_IRI = '^[A-Za-z][A-Za-z0-9+.-]*:[^\\u0000-\\u0020<>"{}|\\\\^`\\u007F-\\u00A0\\uD800-\\uDFFF]+$'


def request_shapes(axioms_max: int) -> Mapping[JobType, Object]:
    """The shape of `request` by job type, for a window that takes so many axioms (decision 20)."""
    return {
        JobType.CLASSIFICATION: CLASSIFICATION,
        JobType.PROJECT_QC: PROJECT_QC,
        JobType.SEMANTIC_DIFF: SEMANTIC_DIFF,
        JobType.INFERENCE_MATERIALIZATION: _materialization(axioms_max),
    }


def _limit(about: str, default: int) -> tuple[Integer, int]:
    return Integer(about=about, least=0, most=limits.REQUEST_LIMIT_MAX), default


POLICY_PATH: Final = (
    Text(
        about="Project policy to use instead of the discovered one. Usually left out.",
        longest=limits.PATH_CHARACTERS,
    ),
    None,
)

CLASSIFICATION: Final = Object(
    about="Classify the active ontology and its imports with the selected reasoner. {} is enough.",
    optional={
        "limit": _limit(
            "Most unsatisfiable classes to list in the report.", limits.CLASSIFICATION_LIMIT_DEFAULT
        ),
        "policy_path": POLICY_PATH,
    },
)

PROJECT_QC: Final = Object(
    about="Run the project's quality checks. {} is enough.",
    optional={
        "limit": _limit("Most samples per check.", limits.QC_LIMIT_DEFAULT),
        "lock_mode": (
            Choice(
                about="Import lock: ignore it, verify and report, or require it to be valid.",
                words=("ignore", "verify", "required"),
            ),
            "ignore",
        ),
        "policy_path": POLICY_PATH,
    },
)

SEMANTIC_DIFF: Final = Object(
    about="Compare the active ontology (left) with one local file (right).",
    required={
        "right_document": Text(
            about="The other ontology file, inside the project; a relative path starts at the project root.",
            longest=limits.PATH_CHARACTERS,
        )
    },
    optional={
        "limit": _limit(
            "Most axiom rows per side in the report; counts stay exact.", limits.DIFF_LIMIT_DEFAULT
        ),
        "network": (
            Choice(
                about="Only deny: nothing is fetched.",
                words=("deny",),
                telling=DiffNetworkUnsupported,
            ),
            "deny",
        ),
        "include_imports": (
            Flag(
                about="Only false: the two documents themselves are compared.",
                only=False,
                telling=DiffScopeUnsupported,
            ),
            False,
        ),
        "policy_path": POLICY_PATH,
    },
)


def _named(about: str) -> Text:
    return Text(about=about, longest=limits.PATH_CHARACTERS, is_nonblank=True)


EXPLANATION: Final = Object(
    about="Tell why something follows: the smallest sets of axioms that it follows from. {} is enough.",
    optional={
        "goal": (
            OneOf(
                about="What to explain. Left out: the inconsistency of an inconsistent ontology, else the "
                "first root among the unsatisfiable classes. Classes by IRI, or by a label or short name "
                "that only one class has.",
                tag="kind",
                forms={
                    "unsatisfiable": {"class": _named("The unsatisfiable class.")},
                    "subsumption": {"sub": _named("The lower class."), "super": _named("The upper class.")},
                    "inconsistency": {},
                },
            ),
            None,
        ),
        "limit": (
            Integer(about="Most justifications to find.", least=1, most=limits.JUSTIFICATIONS),
            limits.JUSTIFICATIONS_DEFAULT,
        ),
        "policy_path": POLICY_PATH,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _DestinationKind(Choice):
    """The kinds a window offers; a known kind of other hosts has a code of its own (W 4.4)."""

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The kind."""
        if value != "project_file":
            return Choice.read(self, value, where, problems)
        problems.append(
            Problem(
                error=MaterializationDestinationUnavailable,
                message=f"{where} must be one of {', '.join(self.words)}: a window writes no project file.",
                field=where,
                is_telling=True,
            )
        )
        return value


_CATEGORIES = (
    "subclass_axioms",
    "equivalent_class_axioms",
    "class_assertions",
    "property_hierarchy_axioms",
    "object_property_assertions",
    "data_property_assertions",
)


def _materialization(axioms_max: int) -> Object:
    def count(about: str) -> Integer:
        return Integer(about=about, least=1, most=axioms_max, beyond=MaterializationLiveLimitExceeded)

    return Object(
        about="Compute inferred axioms into a private artifact; the ontology is not changed.",
        required={
            "categories": Several(about="What to infer, in order of importance.", words=_CATEGORIES),
            "destination": Object(
                about="Where the axioms are meant to go.",
                required={
                    "kind": _DestinationKind(
                        about="A new ontology, or the active one.", words=("new_ontology", "active_source")
                    ),
                    "identifier": Text(
                        about="IRI of that ontology.",
                        longest=limits.PATH_CHARACTERS,
                        pattern=_ABSOLUTE_IRI,
                        must="an absolute IRI of 1 to 4096 characters",
                    ),
                },
            ),
            "provenance": Object(
                about="Who made the axioms and why.",
                required={
                    "generator": Text(about="Name of the generator.", longest=512, is_nonblank=True),
                    "purpose": Text(about="What they are for.", longest=1024, is_nonblank=True),
                },
            ),
            "limits": Object(
                about="Bounds; exceeding any one discards everything.",
                required={
                    "max_axioms_per_category": count("Most axioms per category."),
                    "max_axioms_total": count("Most axioms together."),
                    "max_bytes": Integer(
                        about="Most bytes of axioms.", least=1024, most=limits.ARTIFACT_BYTES
                    ),
                    "timeout_ms": Integer(about="Most milliseconds.", least=1, most=3_600_000),
                },
            ),
        },
        optional={"policy_path": POLICY_PATH},
    )
