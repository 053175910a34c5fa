"""The reserved IRIs of the RDF mapping, in angle brackets as terms are written here."""

from __future__ import annotations

from typing import Final

from jobs.ontology import grammar

OWL: Final = grammar.OWL
RDF: Final = grammar.RDF
RDFS: Final = grammar.RDFS
XSD: Final = grammar.XSD
SWRL: Final = "http://www.w3.org/2003/11/swrl#"
SHORT_NAMES: Final = {OWL: "owl", RDF: "rdf", RDFS: "rdfs", XSD: "xsd", SWRL: "swrl"}


def owl(name: str) -> str:
    """A term of the OWL vocabulary."""
    return f"<{OWL}{name}>"


def rdfs(name: str) -> str:
    """A term of the RDF Schema vocabulary."""
    return f"<{RDFS}{name}>"


def swrl(name: str) -> str:
    """A term of the rule vocabulary."""
    return f"<{SWRL}{name}>"


def short(term: str) -> str:
    """A term as people write it: `owl:Class`; others unchanged."""
    for namespace, prefix in SHORT_NAMES.items():
        if term.startswith(namespace, 1):
            return f"{prefix}:{term[1 + len(namespace) : -1]}"
    return term


TYPE: Final = f"<{RDF}type>"
FIRST: Final = f"<{RDF}first>"
REST: Final = f"<{RDF}rest>"
NIL: Final = f"<{RDF}nil>"
LIST: Final = f"<{RDF}List>"
THING: Final = owl("Thing")
NOTHING: Final = owl("Nothing")
ONTOLOGY: Final = owl("Ontology")
AXIOM: Final = owl("Axiom")
ANNOTATION: Final = owl("Annotation")
SOURCE: Final = owl("annotatedSource")
PROPERTY: Final = owl("annotatedProperty")
TARGET: Final = owl("annotatedTarget")
ON_PROPERTY: Final = owl("onProperty")
ON_PROPERTIES: Final = owl("onProperties")
INVERSE_OF: Final = owl("inverseOf")
EQUIVALENT_CLASS: Final = owl("equivalentClass")
SUB_CLASS_OF: Final = rdfs("subClassOf")

CLASS_TYPES: Final = frozenset({owl("Class"), owl("Restriction"), rdfs("Class")})
DATA_RANGE_TYPES: Final = frozenset({rdfs("Datatype"), owl("DataRange")})
ANNOTATION_PROPERTIES: Final = frozenset(
    {
        *(rdfs(name) for name in ("label", "comment", "seeAlso", "isDefinedBy")),
        *(
            owl(name)
            for name in (
                "versionInfo",
                "deprecated",
                "priorVersion",
                "backwardCompatibleWith",
                "incompatibleWith",
            )
        ),
    }
)
BUILTIN_DATATYPES: Final = frozenset(
    {rdfs("Literal"), owl("real"), owl("rational")}
    | {f"<{RDF}{name}>" for name in ("PlainLiteral", "XMLLiteral", "langString", "HTML", "JSON")}
)
DECLARED: Final = {
    owl("Class"): ("Class", "C"),
    rdfs("Datatype"): ("Datatype", "T"),
    owl("DataRange"): ("Datatype", "T"),
    owl("ObjectProperty"): ("ObjectProperty", "O"),
    owl("DatatypeProperty"): ("DataProperty", "D"),
    owl("AnnotationProperty"): ("AnnotationProperty", "A"),
    owl("OntologyProperty"): ("AnnotationProperty", "A"),
    owl("NamedIndividual"): ("NamedIndividual", "I"),
}
"""`rdf:type` objects that declare: the entity constructor and a letter for the kind."""
OBJECT_CHARACTERISTICS: Final = {
    owl("InverseFunctionalProperty"): "InverseFunctionalObjectProperty",
    owl("ReflexiveProperty"): "ReflexiveObjectProperty",
    owl("IrreflexiveProperty"): "IrreflexiveObjectProperty",
    owl("SymmetricProperty"): "SymmetricObjectProperty",
    owl("AsymmetricProperty"): "AsymmetricObjectProperty",
    owl("TransitiveProperty"): "TransitiveObjectProperty",
}
CHARACTERISTICS: Final = frozenset({*OBJECT_CHARACTERISTICS, owl("FunctionalProperty")})


def is_datatype(term: str) -> bool:
    """Whether a named term is a datatype of the standards."""
    return term.startswith(XSD, 1) or term in BUILTIN_DATATYPES
