"""Reading a stage's inputs: JSON values with a shape, and files whose digests must still hold."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from jobs import errors
from jobs.ontology import document
from jobs.operations import handover

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.ontology.document import OntologyDocument
    from jobs.values import Json
    from jobs.workers.contract import Reporter


def text(inputs: Mapping[str, object], key: str) -> str:
    """A string; `ExecutionFailed` when it is missing or something else."""
    value = inputs.get(key)
    if not isinstance(value, str):
        raise malformed(key)
    return value


def optional_text(inputs: Mapping[str, object], key: str) -> str | None:
    """A string, or None when it is null or missing."""
    return None if inputs.get(key) is None else text(inputs, key)


def integer(inputs: Mapping[str, object], key: str) -> int:
    """An integer that is no boolean and not negative."""
    value = inputs.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise malformed(key)
    return value


def texts(inputs: Mapping[str, object], key: str) -> tuple[str, ...]:
    """A list of strings; empty when missing."""
    value = inputs.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise malformed(key)
    return tuple(value)


def file_bytes(inputs: Mapping[str, object], key: str, *, digest_key: str | None = None) -> bytes:
    """The content of the file at `inputs[key]`, whose digest must be `inputs[key + "_sha256"]`.

    The bytes handed on are the bytes hashed; the path is opened once.
    """
    expected = text(inputs, digest_key or f"{key}_sha256").removeprefix("sha256:")
    try:
        data = Path(text(inputs, key)).read_bytes()
    except OSError as error:
        raise errors.ExecutionFailed(
            "A private file of the job cannot be read.", details={"failure_type": type(error).__name__}
        ) from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise errors.ExecutionFailed(
            "A private file of the job is not the one that was captured.",
            details={"failure_type": "digest_mismatch", "input": key},
        )
    return data


def awaited(inputs: Mapping[str, object], key: str, reporter: Reporter) -> Json:
    """The JSON object in the file at `inputs[key]`, which may come while this stage already works."""
    return handover.awaited(Path(text(inputs, key)), reporter)


def capture(inputs: Mapping[str, object], key: str) -> OntologyDocument:
    """The document in the capture file at `inputs[key]`, its digest checked."""
    return document.parse_capture(file_bytes(inputs, key))


def malformed(key: str) -> errors.ExecutionFailed:
    """A defect of ours: the host sent another shape than the stage's docstring gives."""
    return errors.ExecutionFailed(
        "The operation was started with inputs of another shape.",
        details={"failure_type": "stage_inputs", "input": key},
    )
