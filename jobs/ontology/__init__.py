"""Ontology documents: read whole or refused, as canonical text, with fingerprints and an index.

Runs inside workers: plain functions, bounded, no waiting. Nothing is imported until it is used,
since a worker's start counts.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobs.ontology.catalog import Catalog, read_catalog
    from jobs.ontology.closure import Closure, Edge, Member, read_closure
    from jobs.ontology.document import (
        OntologyDocument,
        closure_fingerprint,
        document_fingerprint,
        load_capture,
        semantic_fingerprint,
        write_capture,
    )
    from jobs.ontology.index import EntityIndex, index_entities
    from jobs.ontology.reading import declared_types, read_document

__all__ = [
    "Catalog",
    "Closure",
    "Edge",
    "EntityIndex",
    "Member",
    "OntologyDocument",
    "closure_fingerprint",
    "declared_types",
    "document_fingerprint",
    "index_entities",
    "load_capture",
    "read_catalog",
    "read_closure",
    "read_document",
    "semantic_fingerprint",
    "write_capture",
]

_HOMES = {
    "Catalog": "catalog",
    "Closure": "closure",
    "Edge": "closure",
    "EntityIndex": "index",
    "Member": "closure",
    "declared_types": "reading",
    "index_entities": "index",
    "read_catalog": "catalog",
    "read_closure": "closure",
    "read_document": "reading",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module(f"jobs.ontology.{_HOMES.get(name, 'document')}"), name)
