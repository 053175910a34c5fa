"""The one door to ontology documents: bytes in, `OntologyDocument` or a clear error out."""

from __future__ import annotations

import gc
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from jobs.errors import InvalidOntology
from jobs.ontology.anonymous import label_anonymous
from jobs.ontology.formats import recognise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobs.ontology.document import OntologyDocument
    from jobs.ontology.formats import Source
    from jobs.ontology.grammar import EntityType

ExternalTypes = dict[str, frozenset["EntityType"]]
"""IRI to the entity types that imported documents declare for it."""

_TURTLE_PREFIX: Final = re.compile(
    r"^[ \t]*@?prefix[ \t]+([\w.-]*):[ \t]*<([^>\n]*)>", re.IGNORECASE | re.MULTILINE
)


def read_document(
    data: bytes,
    *,
    name: str = "document",
    external_types: Mapping[str, frozenset[EntityType]] | None = None,
) -> OntologyDocument:
    """Read one document whole, or refuse it; imports are data and are not followed.

    Args:
        name: what to call the document in messages; never a path of this machine.
        external_types: declarations of imported documents, needed where this one lacks them.
    Raises:
        InvalidOntology: `details` has `format`, `line` and `construct` where they are known.
    """
    return read_with_guesses(data, name=name, external_types=external_types)[0]


def read_with_guesses(
    data: bytes,
    *,
    name: str = "document",
    external_types: Mapping[str, frozenset[EntityType]] | None = None,
) -> tuple[OntologyDocument, frozenset[str]]:
    """As `read_document`; also the IRIs whose kind nothing declared and was therefore guessed."""
    try:
        with collector_paused():
            document, guessed = _read(recognise(data), external_types)
        if document.version_iri is not None and document.iri is None:
            raise InvalidOntology(
                "A version IRI without an ontology IRI.",
                details={"construct": "owl:versionIRI", "format": document.format},
            )
    except InvalidOntology as error:
        raise InvalidOntology(f"{name}: {error.message}", details=error.details) from None
    return label_anonymous(document), guessed


@contextmanager
def collector_paused() -> Iterator[None]:
    """For work that makes many containers and no cycles: looking for cycles then costs a quarter more."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _read(
    source: Source, external_types: Mapping[str, frozenset[EntityType]] | None
) -> tuple[OntologyDocument, frozenset[str]]:
    match source.format:
        case "functional":
            from jobs.ontology.functional import read_functional

            return read_functional(source.text), frozenset()
        case "owlxml":
            from jobs.ontology.owlxml import read_owlxml
            from jobs.ontology.xml_source import prepare_xml

            return read_owlxml(prepare_xml(source.text, "owlxml").text), frozenset()
        case "manchester":
            from jobs.ontology.manchester import read_manchester

            return read_manchester(source.text, external_types)
        case "rdfxml":
            from jobs.ontology.rdf import read_rdf
            from jobs.ontology.rdfxml_text import simplify
            from jobs.ontology.xml_source import prepare_xml

            xml = prepare_xml(source.text, "rdfxml")
            data, prefixes = simplify(xml.text).encode(), xml.prefixes
            del source, xml  # large documents are held once, not thrice
            return read_rdf(data, "rdfxml", external_types, prefixes)
        case "turtle":
            from jobs.ontology.rdf import read_rdf

            data, prefixes = source.text.encode(), dict(_TURTLE_PREFIX.findall(source.text))
            del source
            return read_rdf(data, "turtle", external_types, prefixes)


def declared_types(document: OntologyDocument) -> ExternalTypes:
    """What a document declares, as `external_types` of those that import it."""
    found: dict[str, set[EntityType]] = {}
    for text in document.axioms:
        if text.startswith("Declaration("):
            match = _DECLARATION.search(text)
            if match is not None:
                found.setdefault(match.group(2), set()).add(_ENTITY_TYPES[match.group(1)])
    return {iri: frozenset(types) for iri, types in found.items()}


_ENTITY_TYPES: Final[dict[str, EntityType]] = {
    "Class": "class",
    "ObjectProperty": "objectproperty",
    "DataProperty": "dataproperty",
    "AnnotationProperty": "annotationproperty",
    "NamedIndividual": "namedindividual",
    "Datatype": "datatype",
}
_DECLARATION: Final = re.compile(
    r"(Class|ObjectProperty|DataProperty|AnnotationProperty|NamedIndividual|Datatype)\(<([^>]*)>\)\)\Z"
)
