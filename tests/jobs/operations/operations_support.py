"""Running stages in this process, as a worker would, on documents and on the shared cases."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from jobs.ontology import grammar, read_document
from jobs.ontology.document import OntologyDocument, capture_bytes
from jobs.ontology.syntax import canonical, canonical_axioms
from jobs.operations import registry
from jobs.reasoners import profiles
from jobs.workers.contract import StageCall, StageResult

SHARED = Path(__file__).parents[4] / "shared"
CASES, DATA = SHARED / "cases", SHARED / "data"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")
EX = "http://example.org/t#"


Answer = tuple[Any, dict[str, Any]]
"""Summary and report."""


class Reports:
    """Keeps what a stage reports."""

    is_cancelled = False

    def __init__(self) -> None:
        self.phases: list[str] = []

    def progress(self, phase: str, message: str, fraction: float | None = None) -> None:
        assert message.strip()
        assert fraction is None or 0 <= fraction <= 1
        if self.phases[-1:] != [phase]:
            self.phases.append(phase)


def run(stage: str, work_dir: Path, **inputs: object) -> StageResult:
    """Run a registered stage; its inputs go through JSON, as over the wire."""
    work_dir.mkdir(parents=True, exist_ok=True)
    wired = json.loads(json.dumps(inputs))
    call = StageCall(operation=stage, version=1, inputs=wired, work_dir=work_dir)
    result = registry.find_stage(stage, 1)(call, Reports())
    json.dumps(result.value, allow_nan=False)
    for artifact in result.artifacts:
        data = artifact.path.read_bytes()
        assert (hashlib.sha256(data).hexdigest(), len(data)) == (artifact.sha256, artifact.size_bytes)
    return result


def report_of(result: StageResult) -> dict[str, Any]:
    (artifact,) = result.artifacts
    assert (artifact.name, artifact.media_type) == ("report.json", "application/json")
    found = json.loads(artifact.path.read_bytes())
    assert isinstance(found, dict)
    return found


# --- Diff -----------------------------------------------------------------------------------------


def document(*axioms: str, **parts: Any) -> OntologyDocument:
    """A document of axioms with the prefixes `:`, `owl:`, `rdfs:`, `xsd:`."""
    prefixes = {"": EX, "owl": grammar.OWL, "rdfs": grammar.RDFS, "xsd": grammar.XSD}
    return OntologyDocument(
        iri=parts.pop("iri", "http://example.org/t"),
        version_iri=parts.pop("version_iri", None),
        imports=parts.pop("imports", ()),
        annotations=canonical_axioms(canonical(each, prefixes) for each in parts.pop("annotations", ())),
        axioms=canonical_axioms(canonical(each, prefixes) for each in axioms),
        format="functional",
        reader="test",
        **parts,
    )


def stored(found: OntologyDocument, path: Path) -> dict[str, str]:
    """Write a capture; its path and digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = capture_bytes(found)
    path.write_bytes(data)
    return {"path": str(path), "sha256": hashlib.sha256(data).hexdigest()}


def diff(left: OntologyDocument, right: OntologyDocument, folder: Path, limit: int = 50) -> Answer:
    """Summary and report of two documents, both as captures."""
    one, other = stored(left, folder / "left.ofn"), stored(right, folder / "right.ofn")
    result = run(
        "semantic_diff",
        folder / f"work-{limit}-{len(list(folder.iterdir()))}",
        left=one["path"],
        left_sha256=one["sha256"],
        right=other["path"],
        right_sha256=other["sha256"],
        right_name="right.ofn",
        limit=limit,
    )
    return result.value, report_of(result)


def diff_files(left: Path, right: Path, folder: Path, limit: int = 50) -> Answer:
    """Summary and report of two files: the left captured, the right as bytes."""
    one = stored(read_document(left.read_bytes(), name=left.name), folder / "left.ofn")
    result = run(
        "semantic_diff",
        folder / "work",
        left=one["path"],
        left_sha256=one["sha256"],
        right=str(right),
        right_sha256="sha256:" + hashlib.sha256(right.read_bytes()).hexdigest(),
        right_name=right.name,
        limit=limit,
    )
    return result.value, report_of(result)


def axioms_of(side: dict[str, Any]) -> list[str]:
    """The axioms in the groups of one side of a report."""
    return sorted(row["axiom"] for rows in side["groups"].values() for row in rows)


# --- Classification -------------------------------------------------------------------------------


def capture(path: Path, folder: Path) -> StageResult:
    return run(
        "capture_document",
        folder / "capture",
        path=str(path),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        name=path.name,
        document_iri=path.as_uri(),
        folder=str(path.parent),
        root=str(path.parent),
        catalogs=[str(path.parent / "catalog-v001.xml")],
    )


def classify_file(path: Path, profile: str, folder: Path, limit: int = 100) -> Answer:
    captured = capture(path, folder)
    closure = {each.name: each for each in captured.artifacts}["closure.ofn"]
    value: Any = captured.value
    result = run(
        "classification",
        folder / "work",
        closure=str(closure.path),
        closure_sha256=closure.sha256,
        profile_id=profiles.resolve(profile).profile_id,
        limit=limit,
        imports_loaded=value["imports_loaded"],
        imports_missing=value["imports_missing"],
    )
    return result.value, report_of(result)


def classify(found: OntologyDocument, profile: str, folder: Path, limit: int = 100) -> Answer:
    closure = stored(found, folder / "closure.ofn")
    result = run(
        "classification",
        folder / f"work-{profile}-{limit}-{len(list(folder.iterdir()))}",
        closure=closure["path"],
        closure_sha256=closure["sha256"],
        profile_id=profiles.resolve(profile).profile_id,
        limit=limit,
        imports_loaded=[],
        imports_missing=[],
    )
    return result.value, report_of(result)


def superclasses(report: dict[str, Any], iri: str) -> list[str]:
    """Direct named superclasses, without owl:Thing."""
    groups = {group["id"]: group for group in report["groups"]}
    (node,) = [group for group in groups.values() if iri in group["members"]]
    found = [each for parent in node["parents"] for each in groups[parent]["members"]]
    return sorted(set(found) - {f"{grammar.OWL}Thing"})
