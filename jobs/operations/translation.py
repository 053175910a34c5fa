"""Documents that only the OWL API reads (OBO): handed out to be translated, taken back as functional syntax.

A stage cannot start a process. When it meets such a document it leaves the plain bytes in its work folder
and ends with an `InvalidOntology` whose details name them; whoever ran the stage has them translated by
a Java worker (operation `read_document`) and runs it again with the input `translations`: rows of
`document_sha256` (of the bytes as the stage met them), `path` and `sha256`.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology.formats import decode, decompress
from jobs.ontology.reading import read_with_guesses
from jobs.operations import inputs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from jobs.ontology.document import OntologyDocument
    from jobs.ontology.grammar import EntityType
    from jobs.workers.contract import StageCall

READER: Final = "owlapi-4.5.29"
FORMATS: Final = frozenset({"obo"})
"""What is read by translation."""
NEEDED: Final = "to_translate"
"""The detail of the error that names the file left behind; the details are for the host, not for callers."""


class Translations:
    """The translated documents of one run of a stage."""

    def __init__(self, call: StageCall) -> None:
        self._work_dir = call.work_dir
        rows = call.inputs.get("translations", [])
        if not isinstance(rows, list):
            raise inputs.malformed("translations")
        self._rows: dict[str, Mapping[str, object]] = {str(row["document_sha256"]): row for row in rows}

    def read(
        self,
        data: bytes,
        *,
        name: str = "document",
        external_types: Mapping[str, frozenset[EntityType]] | None = None,
    ) -> tuple[OntologyDocument, frozenset[str]]:
        """As `read_with_guesses`, through the translation where there is one."""
        row = self._rows.get(hashlib.sha256(data).hexdigest()) if self._rows else None
        if row is not None:
            translated = inputs.file_bytes(row, "path", digest_key="sha256")
            document, guessed = read_with_guesses(translated, name=name, external_types=external_types)
            return replace(document, format=str(row["format"]), reader=READER), guessed
        try:
            return read_with_guesses(data, name=name, external_types=external_types)
        except InvalidOntology as error:
            if error.details.get("format") in FORMATS and "line" not in error.details:
                raise self._needed(data, name, error) from error
            raise

    def _needed(self, data: bytes, name: str, error: InvalidOntology) -> InvalidOntology:
        """Leave the document's text where a translator finds it, and say so."""
        plain = decode(decompress(data)).encode()
        digest = hashlib.sha256(plain).hexdigest()
        path = self._work_dir / f"translate-{digest[:16]}"
        _keep(path, plain)
        return InvalidOntology(
            error.message,
            details={
                **error.details,
                NEEDED: {
                    "document_sha256": hashlib.sha256(data).hexdigest(),
                    "file": path.name,
                    "sha256": digest,
                    "format": error.details["format"],
                    "name": name,
                },
            },
        )


def _keep(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
