"""The closed model of `.protege-jobs/project.yaml`: every key, its bounds and its default.

Immutable after loading. `null` in `project_id` and `root_ontology` means "the folder's name" and
"the active ontology's IRI"; `ResolvedPolicy` and the window fill them in, since neither is a
property of the document. Source: policy sample of the contract; W 4.4, 4.6; decisions 14 and 27.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from jobs import limits
from jobs.values import START_TYPES, JobType

BUILT_IN_PREFIXES: Final[Mapping[str, str]] = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefixes that every policy may use; `prefixes` adds to them and may redefine them."""

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>\"{}|\\^`]+")
_CURIE = re.compile(r"[A-Za-z_][\w.\-]*:[^\s/:<>\"{}|\\^`][^\s:<>\"{}|\\^`]*")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")


def _iri(text: str) -> str:
    if not _IRI.fullmatch(text):
        raise ValueError("must be an absolute IRI")
    return text


def _iri_or_curie(text: str) -> str:
    if not _IRI.fullmatch(text) and not _CURIE.fullmatch(text):
        raise ValueError("must be an absolute IRI or prefix:name")
    return text


def _inner_path(text: str) -> str:
    """Lexical only; what a path leads to is checked when it is opened."""
    if text.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", text):
        raise ValueError("must be a path relative to the project root")
    if ".." in re.split(r"[/\\]", text):
        raise ValueError("may not use '..'")
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        raise ValueError("must be a regular expression") from None
    return text


def _unique(items: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(items)) != len(items):
        raise ValueError("may not name anything twice")
    return items


def _start_type(found: object) -> object:
    if found not in START_TYPES:
        raise ValueError(f"must be one of {', '.join(START_TYPES)}")
    return found


def _language(text: str) -> str:
    if not _LANGUAGE.fullmatch(text):
        raise ValueError("must be a language tag such as en or pt-BR")
    return text


Iri = Annotated[str, Field(max_length=4096), AfterValidator(_iri)]
IriOrCurie = Annotated[str, Field(max_length=4096), AfterValidator(_iri_or_curie)]
InnerPath = Annotated[
    str, Field(min_length=1, max_length=limits.PATH_CHARACTERS), AfterValidator(_inner_path)
]
Language = Annotated[str, AfterValidator(_language)]
Line = Annotated[str, Field(min_length=1, max_length=1024, pattern=r"\S")]
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.\-]{0,127}$")]
StartType = Annotated[JobType, BeforeValidator(_start_type)]
TimeoutMs = Annotated[int, Field(ge=1, le=3_600_000)]
Severity = Literal["error", "warning", "info"]
Stage = Literal[
    "interoperability",
    "reasoner",
    "profile",
    "governance",
    "structural",
    "invariants",
    "cqs",
    "shacl",
    "rules",
]
StructuralCheck = Literal[
    "missing_label",
    "missing_definition",
    "duplicate_label",
    "multiple_labels",
    "deprecated_in_use",
    "undeclared_entity",
    "property_missing_domain",
    "property_missing_range",
    "self_subclass",
    "subclass_cycle",
    "isolated_class",
]
Category = Literal[
    "subclass_axioms",
    "equivalent_class_axioms",
    "class_assertions",
    "property_hierarchy_axioms",
    "object_property_assertions",
    "data_property_assertions",
]
_CATEGORIES: Final[tuple[Category, ...]] = (
    "subclass_axioms",
    "equivalent_class_axioms",
    "class_assertions",
    "property_hierarchy_axioms",
    "object_property_assertions",
    "data_property_assertions",
)


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class Filesystem(_Block):
    """Whether files outside the project may be read at all (never as a right document)."""

    allow_external_paths: bool = False


class Network(_Block):
    """Nothing is fetched; hosts are named for later use."""

    default: Literal["deny"] = "deny"
    allowed_hosts: tuple[Line, ...] = ()


class Audit(_Block):
    """How long the audit log is kept and how large it may grow."""

    retention_days: int = Field(default=90, ge=1, le=3650)
    max_file_bytes: int = Field(default=10 * limits.MIB, ge=64 * limits.KIB, le=1024 * limits.MIB)
    max_files: int = Field(default=10, ge=1, le=1000)


class Imports(_Block):
    """Import lock and what a missing import means."""

    mode: Literal["unlocked", "locked"] = "unlocked"
    fail_on_missing: bool = False
    lockfile: InnerPath = "imports.lock.json"

    @property
    def declares_lockfile(self) -> bool:
        """Whether the file names a lock file, rather than leaving the default (W 4.2)."""
        return "lockfile" in self.model_fields_set


class Reasoning(_Block):
    """The project's reasoner profile and OWL profile."""

    profile: Identifier = "elk"
    owl_profile: Literal["DL", "EL", "QL", "RL", "FULL", "NONE"] = "DL"
    required: bool = False
    timeout_ms: TimeoutMs = 120_000


class Jobs(_Block):
    """Admission bounds; they can only tighten the product's (W 4.6)."""

    allowed_types: Annotated[tuple[StartType, ...], AfterValidator(_unique)] = START_TYPES
    workers: int = Field(default=limits.WORKERS, ge=1, le=limits.WORKERS)
    queue_capacity: int = Field(default=limits.QUEUE_CAPACITY, ge=1, le=limits.QUEUE_CAPACITY)
    active_per_principal: int = Field(
        default=limits.ACTIVE_PER_PRINCIPAL, ge=1, le=limits.ACTIVE_PER_PRINCIPAL
    )
    retained_per_principal: int = Field(
        default=limits.RETAINED_PER_PRINCIPAL, ge=1, le=limits.RETAINED_PER_PRINCIPAL
    )
    retained_per_backend: int = Field(
        default=limits.RETAINED_PER_BACKEND, ge=1, le=limits.RETAINED_PER_BACKEND
    )
    retention_seconds: int = Field(
        default=limits.RETENTION_S, ge=limits.RETENTION_MIN_S, le=limits.RETENTION_S
    )


class Materialization(_Block):
    """What an inference materialization may produce, and where to."""

    allowed_profiles: Annotated[tuple[Identifier, ...], AfterValidator(_unique)] = ("elk", "hermit")
    allowed_categories: Annotated[tuple[Category, ...], AfterValidator(_unique)] = _CATEGORIES
    allowed_destinations: Annotated[
        tuple[Literal["new_ontology", "active_source"], ...], AfterValidator(_unique)
    ] = ("new_ontology",)
    allow_source_write: bool = False
    max_axioms_per_category: int = Field(default=100_000, ge=1, le=100_000)
    max_axioms_total: int = Field(default=100_000, ge=1, le=100_000)
    max_bytes: int = Field(default=64 * limits.MIB, ge=limits.KIB, le=64 * limits.MIB)
    timeout_ms: TimeoutMs = 600_000


class Module(_Block):
    """One module document and the namespaces it owns."""

    ontology_iri: Iri
    path: InnerPath
    owned_namespaces: tuple[Iri, ...] = ()


class Labels(_Block):
    """Rules for labels."""

    properties: tuple[IriOrCurie, ...] = ("rdfs:label",)
    required_languages: tuple[Language, ...] = ()
    one_preferred_per_language: bool = True


class Definitions(_Block):
    """Rules for definitions."""

    properties: tuple[IriOrCurie, ...] = ("skos:definition", "http://purl.obolibrary.org/obo/IAO_0000115")
    required: bool = False
    required_languages: tuple[Language, ...] = ()


class Annotations(_Block):
    """Rules for annotations; `required` are properties that every owned entity must carry."""

    labels: Labels = Labels()
    definitions: Definitions = Definitions()
    required: tuple[IriOrCurie, ...] = ()


class IriPolicy(_Block):
    """Where owned entities live, and how their IRIs look."""

    required_namespaces: tuple[Iri, ...] = ()
    pattern: Annotated[str, Field(max_length=1024), AfterValidator(_pattern)] | None = None


class Lifecycle(_Block):
    """Status values and replacement of deprecated entities."""

    status_property: IriOrCurie | None = None
    allowed_values: tuple[Line, ...] = ()
    deprecated_values: tuple[Line, ...] = ()
    replaced_by_properties: tuple[IriOrCurie, ...] = ("http://purl.obolibrary.org/obo/IAO_0100001",)
    require_replacement: bool = False


class Mappings(_Block):
    """An SSSOM TSV file."""

    path: InnerPath | None = None


class Interoperability(_Block):
    """A metadata crate to validate, and what the dataset digest is for."""

    crate: InnerPath | None = None
    rdfc_digest: Literal["off", "report", "required"] = "report"


class Structural(_Block):
    """Checks switched off, and other severities for the rest."""

    disabled: Annotated[tuple[StructuralCheck, ...], AfterValidator(_unique)] = ()
    severity_overrides: Mapping[StructuralCheck, Severity] = Field(default_factory=dict)


class Paths(_Block):
    """Files of one validation stage; globs are allowed."""

    paths: tuple[InnerPath, ...] = ()


class CompetencyQuestions(_Block):
    """Where competency questions are and how they are written down."""

    convention: Literal["robot-sparql-dir", "sidecar-manifest", "ontology-annotations"] = "robot-sparql-dir"
    path: InnerPath | None = None


class Waiver(_Block):
    """One accepted finding: exactly this rule on this entity, until it expires."""

    rule_id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.]{0,127}$")]
    focus_iri: Iri | None = None
    reason: Line
    owner: Line
    expires: date | None = None


class Validation(_Block):
    """What project QC runs and what makes it fail."""

    required_stages: Annotated[tuple[Stage, ...], AfterValidator(_unique)] = ("structural",)
    fail_on: Severity = "error"
    structural: Structural = Structural()
    invariants: Paths = Paths()
    shacl: Paths = Paths()
    competency_questions: CompetencyQuestions = CompetencyQuestions()
    waivers: Annotated[tuple[Waiver, ...], Field(max_length=128)] = ()


class PolicyDocument(_Block):
    """A whole policy; only `version` must be written."""

    version: int = Field(ge=1, le=1)
    project_id: Line | None = None
    root_ontology: Iri | None = None
    project_root: InnerPath = "."
    prefixes: Mapping[Annotated[str, Field(pattern=r"^(?:[A-Za-z_][\w.\-]{0,63})?$")], Iri] = Field(
        default_factory=dict
    )
    filesystem: Filesystem = Filesystem()
    network: Network = Network()
    audit: Audit = Audit()
    imports: Imports = Imports()
    reasoning: Reasoning = Reasoning()
    jobs: Jobs = Jobs()
    materialization: Materialization = Materialization()
    modules: tuple[Module, ...] = ()
    annotations: Annotations = Annotations()
    iri_policy: IriPolicy = IriPolicy()
    lifecycle: Lifecycle = Lifecycle()
    mappings: Mappings = Mappings()
    interoperability: Interoperability = Interoperability()
    validation: Validation = Validation()

    def expand(self, name: str) -> str:
        """The IRI of a `prefix:name` of this policy; any other text is returned as it stands."""
        prefix, colon, rest = name.partition(":")
        namespace = {**BUILT_IN_PREFIXES, **self.prefixes}.get(prefix) if colon else None
        return name if namespace is None or rest.startswith("//") else namespace + rest
