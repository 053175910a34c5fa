"""Write a generated ontology, one term at a time; the same arguments give the same bytes.

    python -m benchmarks.generate --classes 45000 --seed 1 --format functional -o big.ofn

Labels and text are plain words, so neither writer needs escapes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import IO, Final

from benchmarks.terms import BRANCHES, RELATIONS, Existential, Term, base_term, second_release

NAMESPACE: Final = "https://example.org/generated/"
_PREFIXES: Final = {
    "g": NAMESPACE,
    "obo": "http://purl.obolibrary.org/obo/",
    "oio": "http://www.geneontology.org/formats/oboInOwl#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_ANNOTATIONS: Final = (
    "obo:IAO_0000115",
    "obo:IAO_0100001",
    "oio:hasDbXref",
    "oio:hasExactSynonym",
    "oio:hasOBONamespace",
    "oio:id",
)
_TRANSITIVE: Final = ("part_of", "has_part")
_SUBRELATIONS: Final = ("positively_regulates", "negatively_regulates")
_CHAINS: Final = (
    ("regulates", "part_of", "regulates"),
    ("occurs_in", "part_of", "occurs_in"),
    ("part_of", "occurs_in", "occurs_in"),
)


def write_ontology(out: IO[str], *, classes: int, seed: int, syntax: str, release: int = 1) -> None:
    """Write one release with `classes` numbered terms; the second also has a hundredth of new ones.

    Args:
        classes: at least 3, the roots included; the second release removes a few.
        syntax: `functional` or `rdfxml`.
        release: 1 or 2; both of one seed and size belong together.
    """
    head, term_lines, tail = _WRITERS[syntax]
    out.writelines(f"{line}\n" for line in head(release))
    for term in _terms(classes, seed, release):
        out.writelines(f"{line}\n" for line in term_lines(term))
    out.writelines(f"{line}\n" for line in tail())


def _terms(classes: int, seed: int, release: int) -> Iterator[Term]:
    if classes < len(BRANCHES):
        raise ValueError(f"at least {len(BRANCHES)} classes, one per branch; got {classes}")
    if release == 1:
        yield from (base_term(seed, number) for number in range(classes))
        return
    changed = (second_release(seed, number, classes) for number in range(classes))
    yield from (term for term in changed if term is not None)
    yield from (base_term(seed, number) for number in range(classes, classes + classes // 200))


def _id(number: int) -> str:
    return f"GEN_{number:07d}"


# --- Functional syntax ----------------------------------------------------------------------------


def _functional_head(release: int) -> Iterator[str]:
    yield from (f"Prefix({name}:=<{namespace}>)" for name, namespace in _PREFIXES.items())
    yield f"Ontology(<{NAMESPACE}ontology.owl> <{NAMESPACE}{release}/ontology.owl>"
    yield f'Annotation(owl:versionInfo "{release}")'
    yield from (f"Declaration(AnnotationProperty({name}))" for name in _ANNOTATIONS)
    for relation in RELATIONS:
        yield f"Declaration(ObjectProperty(g:{relation}))"
        yield f'AnnotationAssertion(rdfs:label g:{relation} "{relation.replace("_", " ")}")'
    yield from (f"TransitiveObjectProperty(g:{relation})" for relation in _TRANSITIVE)
    yield from (f"SubObjectPropertyOf(g:{relation} g:regulates)" for relation in _SUBRELATIONS)
    for first, second, implied in _CHAINS:
        yield f"SubObjectPropertyOf(ObjectPropertyChain(g:{first} g:{second}) g:{implied})"
    for one, other in combinations(range(len(BRANCHES)), 2):
        yield f"DisjointClasses(g:{_id(one)} g:{_id(other)})"


def _functional_term(term: Term) -> Iterator[str]:
    name = f"g:{_id(term.number)}"
    yield f"Declaration(Class({name}))"
    yield f'AnnotationAssertion(rdfs:label {name} "{term.label}")'
    source = f'Annotation(oio:hasDbXref "{term.definition_source}")'
    yield f'AnnotationAssertion({source} obo:IAO_0000115 {name} "{term.definition}")'
    yield f'AnnotationAssertion(oio:id {name} "GEN:{term.number:07d}")'
    yield f'AnnotationAssertion(oio:hasOBONamespace {name} "{term.branch}")'
    for synonym in term.synonyms:
        source = f'Annotation(oio:hasDbXref "{synonym.source}")'
        yield f'AnnotationAssertion({source} oio:hasExactSynonym {name} "{synonym.text}")'
    yield from (f'AnnotationAssertion(oio:hasDbXref {name} "{xref}")' for xref in term.xrefs)
    if term.replaced_by is not None:
        yield f'AnnotationAssertion(owl:deprecated {name} "true"^^xsd:boolean)'
        yield f"AnnotationAssertion(obo:IAO_0100001 {name} g:{_id(term.replaced_by)})"
    yield from (f"SubClassOf({name} g:{_id(parent)})" for parent in term.parents)
    yield from (f"SubClassOf({name} {_functional_some(one)})" for one in term.existentials)
    if term.equivalent_to is not None:
        genus, differentia = term.equivalent_to
        both = f"ObjectIntersectionOf(g:{_id(genus)} {_functional_some(differentia)})"
        yield f"EquivalentClasses({name} {both})"


def _functional_some(one: Existential) -> str:
    return f"ObjectSomeValuesFrom(g:{one.relation} g:{_id(one.filler)})"


def _functional_tail() -> Iterator[str]:
    yield ")"


# --- RDF/XML --------------------------------------------------------------------------------------


def _rdfxml_head(release: int) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<rdf:RDF"
    yield from (f'    xmlns:{name}="{namespace}"' for name, namespace in _PREFIXES.items())
    yield f'    xml:base="{NAMESPACE}ontology.owl">'
    yield f'  <owl:Ontology rdf:about="{NAMESPACE}ontology.owl">'
    yield f'    <owl:versionIRI rdf:resource="{NAMESPACE}{release}/ontology.owl"/>'
    yield f"    <owl:versionInfo>{release}</owl:versionInfo>"
    yield "  </owl:Ontology>"
    for name in _ANNOTATIONS:
        prefix, local = name.split(":")
        yield f'  <owl:AnnotationProperty rdf:about="{_PREFIXES[prefix]}{local}"/>'
    for relation in RELATIONS:
        yield from _rdfxml_relation(relation)
    for first, second in combinations(range(len(BRANCHES)), 2):
        yield f'  <rdf:Description rdf:about="{NAMESPACE}{_id(first)}">'
        yield f'    <owl:disjointWith rdf:resource="{NAMESPACE}{_id(second)}"/>'
        yield "  </rdf:Description>"


def _rdfxml_relation(relation: str) -> Iterator[str]:
    yield f'  <owl:ObjectProperty rdf:about="{NAMESPACE}{relation}">'
    yield f"    <rdfs:label>{relation.replace('_', ' ')}</rdfs:label>"
    if relation in _TRANSITIVE:
        yield f'    <rdf:type rdf:resource="{_PREFIXES["owl"]}TransitiveProperty"/>'
    if relation in _SUBRELATIONS:
        yield f'    <rdfs:subPropertyOf rdf:resource="{NAMESPACE}regulates"/>'
    for first, second, implied in _CHAINS:
        if implied == relation:
            yield '    <owl:propertyChainAxiom rdf:parseType="Collection">'
            yield f'      <rdf:Description rdf:about="{NAMESPACE}{first}"/>'
            yield f'      <rdf:Description rdf:about="{NAMESPACE}{second}"/>'
            yield "    </owl:propertyChainAxiom>"
    yield "  </owl:ObjectProperty>"


def _rdfxml_term(term: Term) -> Iterator[str]:
    about = f"{NAMESPACE}{_id(term.number)}"
    yield f'  <owl:Class rdf:about="{about}">'
    yield f"    <rdfs:label>{term.label}</rdfs:label>"
    yield f"    <obo:IAO_0000115>{term.definition}</obo:IAO_0000115>"
    yield f"    <oio:id>GEN:{term.number:07d}</oio:id>"
    yield f"    <oio:hasOBONamespace>{term.branch}</oio:hasOBONamespace>"
    yield from (f"    <oio:hasExactSynonym>{one.text}</oio:hasExactSynonym>" for one in term.synonyms)
    yield from (f"    <oio:hasDbXref>{xref}</oio:hasDbXref>" for xref in term.xrefs)
    if term.replaced_by is not None:
        yield f'    <owl:deprecated rdf:datatype="{_PREFIXES["xsd"]}boolean">true</owl:deprecated>'
        yield f'    <obo:IAO_0100001 rdf:resource="{NAMESPACE}{_id(term.replaced_by)}"/>'
    yield from (f'    <rdfs:subClassOf rdf:resource="{NAMESPACE}{_id(one)}"/>' for one in term.parents)
    for existential in term.existentials:
        yield f"    <rdfs:subClassOf>{_rdfxml_some(existential)}</rdfs:subClassOf>"
    if term.equivalent_to is not None:
        genus, differentia = term.equivalent_to
        yield "    <owl:equivalentClass>"
        yield '      <owl:Class><owl:intersectionOf rdf:parseType="Collection">'
        yield f'        <rdf:Description rdf:about="{NAMESPACE}{_id(genus)}"/>'
        yield f"        {_rdfxml_some(differentia)}"
        yield "      </owl:intersectionOf></owl:Class>"
        yield "    </owl:equivalentClass>"
    yield "  </owl:Class>"
    yield from _rdfxml_source(about, "obo:IAO_0000115", term.definition, term.definition_source)
    for synonym in term.synonyms:
        yield from _rdfxml_source(about, "oio:hasExactSynonym", synonym.text, synonym.source)


def _rdfxml_some(one: Existential) -> str:
    return (
        f'<owl:Restriction><owl:onProperty rdf:resource="{NAMESPACE}{one.relation}"/>'
        f'<owl:someValuesFrom rdf:resource="{NAMESPACE}{_id(one.filler)}"/></owl:Restriction>'
    )


def _rdfxml_source(about: str, name: str, value: str, source: str) -> Iterator[str]:
    prefix, local = name.split(":")
    yield "  <owl:Axiom>"
    yield f'    <owl:annotatedSource rdf:resource="{about}"/>'
    yield f'    <owl:annotatedProperty rdf:resource="{_PREFIXES[prefix]}{local}"/>'
    yield f"    <owl:annotatedTarget>{value}</owl:annotatedTarget>"
    yield f"    <oio:hasDbXref>{source}</oio:hasDbXref>"
    yield "  </owl:Axiom>"


def _rdfxml_tail() -> Iterator[str]:
    yield "</rdf:RDF>"


_Writer = tuple[Callable[[int], Iterator[str]], Callable[[Term], Iterator[str]], Callable[[], Iterator[str]]]
_WRITERS: Final[dict[str, _Writer]] = {
    "functional": (_functional_head, _functional_term, _functional_tail),
    "rdfxml": (_rdfxml_head, _rdfxml_term, _rdfxml_tail),
}


def main() -> None:
    """Command line: write to a file, or to standard output."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--classes", type=int, default=45_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=sorted(_WRITERS), default="functional")
    parser.add_argument("--release", type=int, choices=(1, 2), default=1)
    parser.add_argument("-o", "--output", type=Path, help="a file; standard output when left out")
    options = parser.parse_args()
    wanted = {
        "classes": options.classes,
        "seed": options.seed,
        "syntax": options.format,
        "release": options.release,
    }
    if options.output is None:
        write_ontology(sys.stdout, **wanted)
        return
    with options.output.open("w", encoding="utf-8", newline="\n") as out:
        write_ontology(out, **wanted)


if __name__ == "__main__":
    main()
