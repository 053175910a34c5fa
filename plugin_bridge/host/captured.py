"""The answer of a capture stage as a value; every host's captures pass here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobs import limits
from jobs.digests import Digest
from jobs.errors import ResultInvalid, SnapshotTooLarge
from plugin_bridge.host.values import CaptureFile, OntologyCapture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.workers.contract import StageResult
    from plugin_bridge.host.values import SelectedReasoner


def captured(
    result: StageResult, revision: int, reasoner: SelectedReasoner | None = None
) -> tuple[OntologyCapture, Mapping[str, Any]]:
    """The capture, and the stage's value; a missing key is a defect of ours and raises KeyError.

    Raises:
        SnapshotTooLarge: the closure is above the bound (`job_snapshot_too_large`).
    """
    value = result.value
    if not isinstance(value, dict):
        raise ResultInvalid("The capture returned no object.")
    files = {
        each.name: CaptureFile(path=each.path, sha256=Digest(f"sha256:{each.sha256}"))
        for each in result.artifacts
    }
    closure_axioms = _number(value, "closure_axiom_count")
    if closure_axioms > limits.CLOSURE_AXIOMS:
        raise SnapshotTooLarge(
            f"The import closure has {closure_axioms:,} axioms; at most {limits.CLOSURE_AXIOMS:,} are taken.",
            details={"axioms": closure_axioms, "maximum": limits.CLOSURE_AXIOMS},
        )
    ontology = OntologyCapture(
        revision=revision,
        ontology_iri=_optional(value, "ontology_iri"),
        version_iri=_optional(value, "version_iri"),
        format=str(value["format"]),
        reader=str(value["reader"]),
        axiom_count=_number(value, "axiom_count"),
        logical_axiom_count=_number(value, "logical_axiom_count"),
        closure_axiom_count=closure_axioms,
        imports=_texts(value, "imports"),
        imports_loaded=_texts(value, "imports_loaded"),
        imports_missing=_texts(value, "imports_missing"),
        semantic_fingerprint=Digest(str(value["semantic_fingerprint"])),
        document_fingerprint=Digest(str(value["document_fingerprint"])),
        closure_fingerprint=Digest(str(value["closure_fingerprint"])),
        root=files["root.ofn"],
        closure=files["closure.ofn"],
        origins=files.get("origins.json"),
        document_path=_optional(value, "document_path"),
        warnings=_texts(value, "warnings"),
        reasoner=reasoner,
    )
    return ontology, value


def _optional(value: Mapping[str, object], key: str) -> str | None:
    found = value[key]
    return None if found is None else str(found)


def _number(value: Mapping[str, object], key: str) -> int:
    found = value[key]
    if not isinstance(found, int):
        raise ResultInvalid("The capture's answer does not have its shape.")
    return found


def _texts(value: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = value[key]
    if not isinstance(found, list):
        raise ResultInvalid("The capture's answer does not have its shape.")
    return tuple(str(each) for each in found)
