"""What kind of change an annotation is: known properties first, then words in name and value.

Never the subject: an IRI says nothing about what is said of it. Source: W 4.3; the lists are ours.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from jobs.ontology import grammar

Category = Literal[
    "label_or_synonym", "definition", "provenance", "lifecycle", "replacement", "other_annotation"
]
ORDER: Final[tuple[Category, ...]] = (
    "label_or_synonym",
    "definition",
    "provenance",
    "lifecycle",
    "replacement",
    "other_annotation",
)

_OBO: Final = "http://purl.obolibrary.org/obo/"
_OIO: Final = "http://www.geneontology.org/formats/oboInOwl#"
_SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
_DC: Final = "http://purl.org/dc/elements/1.1/"
_DCTERMS: Final = "http://purl.org/dc/terms/"

_KNOWN: Final[dict[str, Category]] = {
    f"{grammar.RDFS}label": "label_or_synonym",
    f"{_SKOS}prefLabel": "label_or_synonym",
    f"{_SKOS}altLabel": "label_or_synonym",
    f"{_SKOS}hiddenLabel": "label_or_synonym",
    f"{_OIO}hasExactSynonym": "label_or_synonym",
    f"{_OIO}hasBroadSynonym": "label_or_synonym",
    f"{_OIO}hasNarrowSynonym": "label_or_synonym",
    f"{_OIO}hasRelatedSynonym": "label_or_synonym",
    f"{_OIO}hasSynonym": "label_or_synonym",
    f"{_OBO}IAO_0000111": "label_or_synonym",  # editor preferred term
    f"{_OBO}IAO_0000118": "label_or_synonym",  # alternative term
    f"{_OBO}IAO_0000589": "label_or_synonym",  # unique label
    f"{_DC}title": "label_or_synonym",
    f"{_DCTERMS}title": "label_or_synonym",
    f"{_DCTERMS}alternative": "label_or_synonym",
    f"{_OBO}IAO_0000115": "definition",
    f"{_OBO}IAO_0000600": "definition",  # elucidation
    f"{_SKOS}definition": "definition",
    f"{_DC}description": "definition",
    f"{_DCTERMS}description": "definition",
    f"{_DCTERMS}abstract": "definition",
    f"{_OBO}IAO_0000117": "provenance",  # term editor
    f"{_OBO}IAO_0000119": "provenance",  # definition source
    f"{_OIO}created_by": "provenance",
    f"{_OIO}creation_date": "provenance",
    f"{_OIO}hasDbXref": "provenance",
    f"{grammar.RDFS}isDefinedBy": "provenance",
    f"{grammar.OWL}deprecated": "lifecycle",
    f"{grammar.OWL}versionInfo": "lifecycle",
    f"{_OBO}IAO_0000114": "lifecycle",  # curation status
    f"{_OBO}IAO_0000231": "lifecycle",  # obsolescence reason
    "http://www.w3.org/2003/06/sw-vocab-status/ns#term_status": "lifecycle",
    f"{_OBO}IAO_0100001": "replacement",
    f"{_OIO}consider": "replacement",
    f"{_OIO}replacedBy": "replacement",
    f"{_DCTERMS}isReplacedBy": "replacement",
    f"{_DCTERMS}replaces": "replacement",
    f"{grammar.RDFS}comment": "other_annotation",
}
_NAMESPACES: Final[tuple[tuple[str, Category], ...]] = (
    (_DCTERMS, "provenance"),
    (_DC, "provenance"),
    ("http://www.w3.org/ns/prov#", "provenance"),
    ("http://purl.org/pav/", "provenance"),
)
_NAME_WORDS: Final[tuple[tuple[re.Pattern[str], Category], ...]] = (
    (re.compile(r"replac|supersed|consider|merged?_?into"), "replacement"),
    (re.compile(r"deprecat|obsolet|status|lifecycle|retired"), "lifecycle"),
    (re.compile(r"definition|description|elucidation|meaning"), "definition"),
    (re.compile(r"label|synonym|title|alias|(?:^|_|pref|alt)name"), "label_or_synonym"),
    (
        re.compile(r"creat|contribut|author|editor|source|xref|curator|provenance|licen[cs]e|date"),
        "provenance",
    ),
)
_VALUE_WORDS: Final[tuple[tuple[re.Pattern[str], Category], ...]] = (
    (re.compile(r'^"(?:obsolete|deprecated)\b', re.IGNORECASE), "lifecycle"),
    (re.compile(r"\b(?:replaced by|superseded by|use instead|merged into)\b", re.IGNORECASE), "replacement"),
)


def categories(prop: str, value: str) -> set[Category]:
    """The categories of one annotation; never empty.

    Args:
        prop: the annotation property's IRI.
        value: the value's canonical text: an IRI in brackets, a literal, an anonymous individual.
    """
    found = {_of_property(prop)}
    if value.startswith('"'):
        found.update(category for words, category in _VALUE_WORDS if words.search(value))
    if len(found) > 1:
        found.discard("other_annotation")
    return found


def _of_property(prop: str) -> Category:
    if prop in _KNOWN:
        return _KNOWN[prop]
    for namespace, category in _NAMESPACES:
        if prop.startswith(namespace):
            return category
    local = re.split(r"[#/]", prop)[-1].lower()
    return next((category for words, category in _NAME_WORDS if words.search(local)), "other_annotation")
