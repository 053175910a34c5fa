"""Running a stage that may meet documents which only the OWL API reads.

The stage says which (`jobs.operations.translation`); a Java worker reads each, strictly and with its
syntax pinned, and the stage runs again with the result. Without Java the stage's own error stands: it
says what would add the reader.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from jobs.errors import InvalidOntology, JavaUnavailable, ResultInvalid
from jobs.workers.contract import StageCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.values import Json
    from jobs.workers.contract import OnProgress, StageResult
    from jobs.workers.pool import WorkerPool

READER_CLASS_PATH: Final = "reasoner-owlapi"
_DOCUMENTS_MAX: Final = 256
"""Documents of one closure that may need it (ours)."""


async def execute(pool: WorkerPool, call: StageCall, *, on_progress: OnProgress | None = None) -> StageResult:
    """As `WorkerPool.execute` on a Python worker, translating what the stage cannot read itself.

    Raises:
        InvalidOntology: a document cannot be read, by the OWL API either, or there is no Java.
    """
    rows: list[Json] = []
    while True:
        inputs = {**call.inputs, "translations": rows} if rows else call.inputs
        try:
            return await pool.execute(replace(call, inputs=inputs), on_progress=on_progress)
        except InvalidOntology as error:
            from jobs.operations.translation import NEEDED  # here: it brings the readers along

            needed = error.details.get(NEEDED)
            plain = {key: value for key, value in error.details.items() if key != NEEDED}
            told = InvalidOntology(error.message, details=plain)
            if not isinstance(needed, dict) or len(rows) == _DOCUMENTS_MAX:
                raise told from None
            try:
                rows.append(await _translated(pool, call, needed))
            except JavaUnavailable:
                raise told from None


async def _translated(pool: WorkerPool, call: StageCall, needed: Mapping[str, object]) -> Json:
    """One document read by the OWL API, as a row of the input `translations`."""
    from jobs.java.launch import java_launch  # here: most documents never need it

    launch = await to_thread.run_sync(java_launch, READER_CLASS_PATH)
    number = str(needed["document_sha256"])[:16]  # two documents may differ in their bytes and not in text
    folder = call.work_dir / f"translated-{number}"
    await to_thread.run_sync(folder.mkdir)
    reading = StageCall(
        operation="read_document",
        version=1,
        inputs={
            "path": str(call.work_dir / str(needed["file"])),
            "sha256": needed["sha256"],
            "format": needed["format"],
            "name": needed["name"],
            "document_iri": None,
        },
        work_dir=folder,
    )
    result = await pool.execute(reading, launch=launch)
    for each in result.artifacts:
        if each.name == "document.ofn":
            return {
                "document_sha256": needed["document_sha256"],
                "path": str(each.path),
                "sha256": each.sha256,
                "format": needed["format"],
            }
    raise ResultInvalid("The Java reader returned no document.")
