"""What a document speaks of: its entities by type, their labels, what is deprecated."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from jobs.ontology import grammar
from jobs.ontology.grammar import EntityType
from jobs.ontology.syntax import entities, is_builtin, literal_parts, parse_axiom, strip_annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jobs.ontology.document import OntologyDocument

ENTITY_TYPES: Final[tuple[EntityType, ...]] = get_args(EntityType)
Label = tuple[str, str | None]
"""Text and language."""

_IRI = r"<([^>]*)>"
_NODE = r'(?:<[^>]*>|_:[^\s()<>"=,]+)'
_VALUE = r'(?:<[^>]*>|_:[^\s()<>"=,]+|"[^"\\]*(?:\\.[^"\\]*)*"(?:@[a-z0-9-]+|\^\^<[^>]*>)?)'
_ANNOTATION: Final = re.compile(rf"Annotation\({_IRI} ({_VALUE})\) ", re.DOTALL)
_ASSERTION: Final = re.compile(
    rf"AnnotationAssertion\(((?:Annotation\(<[^>]*> {_VALUE}\) )*){_IRI} ({_NODE}) ({_VALUE})\)",
    re.DOTALL,
)
_DECLARATION: Final = re.compile(rf"Declaration\(([A-Za-z]+)\({_IRI}\)\)")
_SUBCLASS: Final = re.compile(rf"SubClassOf\({_IRI} (?:{_IRI}|ObjectSomeValuesFrom\({_IRI} {_IRI}\))\)")
_DECLARED: Final[dict[str, EntityType]] = {
    "Class": "class",
    "ObjectProperty": "objectproperty",
    "DataProperty": "dataproperty",
    "AnnotationProperty": "annotationproperty",
    "NamedIndividual": "namedindividual",
    "Datatype": "datatype",
}
_LABEL: Final = f"{grammar.RDFS}label"
_DEPRECATED: Final = f"{grammar.OWL}deprecated"
_TRUE: Final = frozenset({f'"true"^^<{grammar.XSD}boolean>', f'"1"^^<{grammar.XSD}boolean>'})


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityIndex:
    """Entities of a document, its header included."""

    signature: Mapping[EntityType, frozenset[str]]
    """IRIs by type, built-in ones included; annotation subjects and values name no entity."""
    labels: Mapping[str, tuple[Label, ...]]
    """`rdfs:label` values by IRI, sorted."""
    deprecated: frozenset[str]
    annotation_subjects: frozenset[str]
    """IRIs that something is annotated about, declared or not."""

    def types_of(self, iri: str) -> tuple[EntityType, ...]:
        """The entity types of an IRI; several when it is punned."""
        return tuple(entity_type for entity_type in ENTITY_TYPES if iri in self.signature[entity_type])

    def own(self, entity_type: EntityType) -> frozenset[str]:
        """The IRIs of a type without built-in ones."""
        return frozenset(iri for iri in self.signature[entity_type] if not is_builtin(iri))

    def label_of(self, iri: str) -> str | None:
        """The label to show: without language or English before others."""
        found = self.labels.get(iri)
        if not found:
            return None
        return min(found, key=lambda label: (label[1] is not None, label[1] != "en", label))[0]

    def name_of(self, iri: str) -> str:
        """The label, or the last part of the IRI."""
        return self.label_of(iri) or re.split(r"[#/:]", iri.rstrip("#/:"))[-1] or iri


def index_entities(document: OntologyDocument) -> EntityIndex:
    """Index a document; linear, a few microseconds an axiom."""
    return index_texts((*document.annotations, *document.axioms))


def index_texts(texts: Iterable[str]) -> EntityIndex:
    """Index canonical axioms and annotations."""
    builder = _Builder()
    for text in texts:
        builder.add(text)
    return EntityIndex(
        signature={entity_type: frozenset(builder.signature[entity_type]) for entity_type in ENTITY_TYPES},
        labels={iri: tuple(sorted(found, key=_label_order)) for iri, found in builder.labels.items()},
        deprecated=frozenset(builder.deprecated),
        annotation_subjects=frozenset(builder.subjects),
    )


def _label_order(label: Label) -> tuple[str, str]:
    return label[0], label[1] or ""


class _Builder:
    """Collects; the common shapes by pattern, the others by their tree."""

    def __init__(self) -> None:
        self.signature: dict[EntityType, set[str]] = defaultdict(set)
        self.labels: dict[str, set[Label]] = defaultdict(set)
        self.deprecated: set[str] = set()
        self.subjects: set[str] = set()

    def add(self, text: str) -> None:
        """Take in one axiom or header annotation."""
        if text.startswith("AnnotationAssertion("):
            self._add_assertion(text)
        elif text.startswith("Declaration(") and (match := _DECLARATION.fullmatch(text)):
            self.signature[_DECLARED[match.group(1)]].add(match.group(2))
        elif text.startswith("SubClassOf(<") and (match := _SUBCLASS.fullmatch(text)):
            child, parent, role, filler = match.groups()
            self.signature["class"].update((child, parent or filler))
            if role is not None:
                self.signature["objectproperty"].add(role)
        else:
            self._add_tree(text)

    def _add_assertion(self, text: str) -> None:
        match = _ASSERTION.fullmatch(text)
        if match is None:
            self._add_tree(text)
            match = _ASSERTION.fullmatch(strip_annotations(text))
            if match is None:
                return
        annotations, annotation_property, subject, value = match.groups()
        properties = self.signature["annotationproperty"]
        properties.add(annotation_property)
        if annotations:
            for inner_property, inner_value in _ANNOTATION.findall(annotations):
                properties.add(inner_property)
                self._add_datatype(inner_value)
        self._add_datatype(value)
        if subject[0] != "<":
            return
        iri = subject[1:-1]
        self.subjects.add(iri)
        if annotation_property == _LABEL and value[0] == '"':
            self.labels[iri].add(literal_parts(value)[:2])
        elif annotation_property == _DEPRECATED and value in _TRUE:
            self.deprecated.add(iri)

    def _add_datatype(self, value: str) -> None:
        if value[-1] == ">" and value[0] == '"':
            self.signature["datatype"].add(value[value.rindex("<") + 1 : -1])

    def _add_tree(self, text: str) -> None:
        for entity_type, iri in entities(parse_axiom(text)):
            self.signature[entity_type].add(iri)
