"""What a window says of itself to a caller (decision 24): enough to know what to ask for next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.operations.registry import find_operation
from jobs.values import START_TYPES

if TYPE_CHECKING:
    from jobs.reasoners.probe import ProbeReport
    from jobs.reasoners.profiles import ReasonerProfile
    from jobs.values import Json, WorkspaceId
    from plugin_bridge.access import Session
    from plugin_bridge.host.values import OntologyCapture
    from plugin_bridge.policy import ResolvedPolicy

_WARNINGS = 20
"""Reading warnings shown; the count tells the rest."""


def describe(
    *,
    title: str,
    workspace_id: WorkspaceId,
    ontology: OntologyCapture,
    policy: ResolvedPolicy,
    profile: ReasonerProfile | None,
    profile_name: str,
    probe: ProbeReport | None,
    session: Session,
    is_read_only: bool,
) -> Json:
    """A closed JSON object; paths in it are relative to the project root.

    Args:
        profile: what `profile_name` stands for; None when there is no such profile.
        probe: how its cancellation probe ended; None when no verdict is kept (W 8.9).
    """
    return {
        "title": title,
        "workspace_id": workspace_id,
        "session_revision": ontology.revision,
        "ontology": _ontology(ontology),
        "imports": {
            "declared": list(ontology.imports),
            "loaded": list(ontology.imports_loaded),
            "missing": list(ontology.imports_missing),
        },
        "reasoner": _reasoner(profile, profile_name, probe),
        "policy": {
            "loaded": policy.loaded,
            "path": policy.relative_policy_path,
            "digest": policy.digest,
            "project_id": policy.project_id,
        },
        "job_types": [
            each.value
            for each in sorted(policy.quotas.allowed_types)
            if each in START_TYPES and find_operation(each) is not None
        ],
        "capabilities": sorted(each.value for each in session.capabilities),
        "read_only": is_read_only,
    }


def _reasoner(profile: ReasonerProfile | None, name: str, probe: ProbeReport | None) -> Json:
    if profile is None:
        nothing: Json = {"name": None, "version": None, "reviewed": False, "capabilities": {}}
        return {"profile_id": name, **nothing, "probe": None}
    return {
        "profile_id": profile.profile_id,
        "name": profile.identity.reasoner_name,
        "version": profile.identity.version,
        "reviewed": profile.is_reviewed,
        "capabilities": {str(row["id"]): row["status"] for row in profile.capability_rows()},
        "probe": None if probe is None else probe.as_json(),
    }


def _ontology(ontology: OntologyCapture) -> Json:
    return {
        "iri": ontology.ontology_iri,
        "version_iri": ontology.version_iri,
        "format": ontology.format,
        "axioms": ontology.axiom_count,
        "logical_axioms": ontology.logical_axiom_count,
        "closure_axioms": ontology.closure_axiom_count,
        "semantic_fingerprint": ontology.semantic_fingerprint,
        "reading_warnings": list(ontology.warnings[:_WARNINGS]),
        "reading_warning_count": len(ontology.warnings),
    }
