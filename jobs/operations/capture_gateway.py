"""The worker stage that reads what a live host wrote of its ontology, and keeps it as capture files.

`capture_gateway` reads one functional-syntax file for each member of the import closure. Inputs (JSON):
    folder: where the files lie.
    title: what people call the root, for messages.
    root: the folder below which a member's own document has a path, or null.
    members: rows of the host's manifest, the root first: `ontology_iri`, `version_iri`, `document_iri`,
        `format`, `prefixes`, `imports` (rows of `iri` and `member`, the number of a row or null),
        `file`, `sha256`.
Value and artifacts: as `capture_document`, without `sources`. The files hold no Import lines, since the
host knows what each import led to; the documents kept here do, so that equal content has equal
fingerprints whichever host it came from.

Raises:
    InvalidOntology: the editor holds something that functional syntax cannot say.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from jobs.ontology.closure import join_closure
from jobs.ontology.reading import read_document
from jobs.operations import inputs
from jobs.operations.capture import keep
from jobs.workers.contract import StageResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobs.ontology.document import OntologyDocument
    from jobs.workers.contract import Reporter, StageCall

READER: Final = "owlapi"
"""The host's OWL API read the document; we read what it wrote."""
OTHER_FORMAT: Final = "other"


def run(call: StageCall, reporter: Reporter) -> StageResult:
    """Read all members and write both captures."""
    folder, title = Path(inputs.text(call.inputs, "folder")), inputs.text(call.inputs, "title")
    root = inputs.optional_text(call.inputs, "root")
    rows = _rows(call.inputs)
    order = _breadth_first(rows)
    place = {number: at for at, number in enumerate(order)}
    documents = []
    for at, number in enumerate(order):
        row = rows[number]
        path = _path(row, root)
        name = title if at == 0 else path or inputs.optional_text(row, "ontology_iri") or "an import"
        reporter.progress("loading", f"Reading {name}", at / len(order))
        imports = [(iri, None if member is None else place[member]) for iri, member in _imports(row)]
        documents.append((_document(row, folder, name), path, imports))
    reporter.progress("staging", "Keeping what was read")
    value, artifacts = keep(
        join_closure(documents), call.work_dir, inputs.optional_text(rows[0], "document_iri")
    )
    return StageResult(value=value, artifacts=artifacts)


def _rows(values: Mapping[str, object]) -> list[Mapping[str, object]]:
    rows = values.get("members")
    if not isinstance(rows, list) or not rows or not all(isinstance(each, dict) for each in rows):
        raise inputs.malformed("members")
    return rows


def _imports(row: Mapping[str, object]) -> list[tuple[str, int | None]]:
    """What a member declares, sorted."""
    found = row.get("imports")
    if not isinstance(found, list):
        raise inputs.malformed("members")
    return sorted((str(each["iri"]), each["member"]) for each in found)


def _breadth_first(rows: Sequence[Mapping[str, object]]) -> list[int]:
    """The numbers of the rows as `read_closure` would meet them; the host's own order is free."""
    order, queue = [0], deque([0])
    while queue:
        for _, member in _imports(rows[queue.popleft()]):
            if member is not None and member not in order:
                order.append(member)
                queue.append(member)
    return order


def _document(row: Mapping[str, object], folder: Path, name: str) -> OntologyDocument:
    written = read_document(_content(row, folder), name=name)
    prefixes = row.get("prefixes")
    return replace(
        written,
        imports=tuple(iri for iri, _ in _imports(row)),
        format=inputs.optional_text(row, "format") or OTHER_FORMAT,
        prefixes=prefixes if isinstance(prefixes, dict) else {},
        reader=READER,
    )


def _content(row: Mapping[str, object], folder: Path) -> bytes:
    """The bytes of a member's file, hashed as they are read."""
    file = inputs.text(row, "file")
    if Path(file).name != file:
        raise inputs.malformed("members")
    return inputs.file_bytes({**row, "file": str(folder / file)}, "file", digest_key="sha256")


def _path(row: Mapping[str, object], root: str | None) -> str | None:
    """Where a member's document lies below the project root; its IRI when it lies elsewhere."""
    iri = inputs.optional_text(row, "document_iri")
    if iri is None or root is None:
        return iri
    parts = urlsplit(iri)
    if parts.scheme != "file":
        return iri
    path = unquote(parts.path)
    start = Path(root).as_posix().rstrip("/") + "/"
    if not start.startswith("/"):
        start = "/" + start  # a drive letter
    return path[len(start) :] if path.startswith(start) else iri
