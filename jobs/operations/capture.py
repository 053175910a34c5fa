"""The worker stage that reads a window's document and keeps what it says as capture files.

`capture_document` reads a window's document with its import closure. Inputs (JSON):
    path, sha256: private copy of the document's bytes.
    name: what people call it; also the file's name in `folder`.
    document_iri: where it stands, or null.
    folder: the document's folder; root: the folder below which imports are read.
    catalogs: paths of catalog files, asked in order; one that does not exist is passed over.
    translations: documents that were read elsewhere (`translation`), optional.
Value: what the window says of the document (`_described`), and `sources`, the other files asked for
with their paths relative to `root` and digests (null for one that was not there, and may yet come).
Artifacts: `root.ofn`, the document alone, and `closure.ofn`, the axioms of the whole closure (the
same file when it declares no import); with documents that were imported also `origins.json` (`origins`).

Nothing is fetched; imports are found through the catalogs only.

Raises:
    InvalidOntology: a document or catalog cannot be read; the message names it.
    SnapshotTooLarge: the closure or a file of it is above its bound.
    InputChanged: a file moved while it was read.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jobs import limits
from jobs.errors import InvalidOntology, clip_utf8
from jobs.ontology import catalog as catalogs
from jobs.ontology import document as documents
from jobs.ontology import syntax
from jobs.ontology.closure import read_closure
from jobs.operations import handover, inputs, origins
from jobs.operations.opener import ConfinedOpener, read_regular
from jobs.operations.translation import Translations
from jobs.workers.contract import StageArtifact, StageResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobs.ontology.catalog import Catalog
    from jobs.ontology.closure import Closure
    from jobs.ontology.document import OntologyDocument
    from jobs.values import Json
    from jobs.workers.contract import Reporter, StageCall

MEDIA_TYPE: Final = "text/owl-functional"
_WARNINGS_MAX: Final = 100  # ours
_WARNING_BYTES: Final = 500  # ours


def capture_document(call: StageCall, reporter: Reporter) -> StageResult:
    """Read a document and all it imports, and write both captures."""
    name = inputs.text(call.inputs, "name")
    root, folder = Path(inputs.text(call.inputs, "root")), Path(inputs.text(call.inputs, "folder"))
    data = inputs.file_bytes(call.inputs, "path", digest_key="sha256")
    opener = ConfinedOpener(root)
    reporter.progress("loading", f"Reading {name}")
    closure = read_closure(
        data,
        opener,
        name=name,
        path=_relative(folder / name, root),
        catalogs=_catalogs(inputs.texts(call.inputs, "catalogs"), root, opener),
        axioms_max=limits.CLOSURE_AXIOMS,
        read=Translations(call).read,
    )
    reporter.progress("staging", "Keeping what was read")
    value, artifacts = keep(closure, call.work_dir, inputs.optional_text(call.inputs, "document_iri"))
    value["sources"] = [{"path": path, "sha256": digest} for path, digest in sorted(opener.opened.items())]
    return StageResult(value=value, artifacts=artifacts)


def keep(
    closure: Closure, work_dir: Path, document_iri: str | None
) -> tuple[Json, tuple[StageArtifact, ...]]:
    """Write both captures, and `origins.json` where there are imports; the value tells of the document."""
    root_file = _write(closure.root, work_dir, "root.ofn")
    # Before all that takes time still: a diff may wait for nothing else.
    handover.announce(
        work_dir / handover.CAPTURED, {"left": str(root_file.path), "left_sha256": root_file.sha256}
    )
    closure_file = replace(root_file, name="closure.ofn")
    files: tuple[StageArtifact, ...] = ()
    axioms = closure.root.axioms
    if len(closure.members) > 1:
        said_by = closure.said_by()
        axioms = tuple(sorted(said_by))
        data = origins.encoded(closure, axioms, said_by)
        files = (_written(data, work_dir, origins.FILE_NAME, origins.MEDIA_TYPE),)
    if closure.root.imports:  # found or missing: a closure has none, and no reasoner shall look for any
        closure_file = _write(replace(closure.root, imports=(), axioms=axioms), work_dir, "closure.ofn")
    return _described(closure, len(axioms), document_iri), (root_file, closure_file, *files)


def _described(closure: Closure, closure_axiom_count: int, document_iri: str | None) -> Json:
    root = closure.root
    root_key = closure.members[0].key
    semantic = documents.semantic_fingerprint(root)
    loaded = {edge.iri for edge in closure.edges if edge.member not in (None, root_key)}
    return {
        "document_path": closure.members[0].path,
        "ontology_iri": root.iri,
        "version_iri": root.version_iri,
        "format": root.format,
        "reader": root.reader,
        "imports": list(root.imports),
        "imports_loaded": sorted(loaded),
        "imports_missing": list(closure.missing),
        "closure_size": len(closure.members),
        "axiom_count": len(root.axioms),
        "logical_axiom_count": sum(map(syntax.is_logical, root.axioms)),
        "closure_axiom_count": closure_axiom_count,
        "semantic_fingerprint": semantic,
        "document_fingerprint": documents.document_fingerprint(root, document_iri, semantic=semantic),
        "closure_fingerprint": closure.fingerprint(semantic),
        "warnings": _warnings(closure),
    }


def _warnings(closure: Closure) -> list[str]:
    """What reading had to decide or leave out, for people; bounded."""
    found = list(closure.root.warnings)
    for member in closure.members[1:]:
        found += [f"{member.path or member.key}: {each}" for each in member.document.warnings]
    found += [f"Catalog entry left out: {each}" for each in closure.ignored]
    found += [f"The import {iri} is in no catalog, or its file is not there." for iri in closure.missing]
    return [clip_utf8(each, _WARNING_BYTES) for each in found[:_WARNINGS_MAX]]


def _catalogs(paths: Iterable[str], root: Path, opener: ConfinedOpener) -> list[Catalog]:
    """The catalogs that exist, each seen from its own folder; entries cannot leave the root."""
    found = []
    for text in paths:
        path = Path(text)
        try:
            data = read_regular(_open(path), path.name, catalogs.CATALOG_BYTES_MAX)
        except OSError:
            continue
        try:
            folder = os.path.relpath(path.parent, root).replace(os.sep, "/")
            found.append(catalogs.read_catalog(data, folder="" if folder == "." else folder, opener=opener))
        except InvalidOntology as error:
            raise InvalidOntology(f"{path.name}: {error.message}", details=error.details) from error
    return found


def _open(path: Path) -> int:
    """Open a catalog the host named; unlike an imported file it may be a link."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


def _relative(path: Path, root: Path) -> str | None:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else None


def _write(document: OntologyDocument, work_dir: Path, name: str) -> StageArtifact:
    return _written(documents.capture_bytes(document), work_dir, name, MEDIA_TYPE)


def _written(data: bytes, work_dir: Path, name: str, media_type: str) -> StageArtifact:
    """Write a private file; the digest is of the bytes that were written."""
    path = work_dir / name
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return StageArtifact(
        name=name,
        media_type=media_type,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
    )
