"""Documents in OWL/XML, read strictly and with line numbers.

Elements have the names of functional syntax, so each becomes a construct of the same canonical
builder; what is not known there is an error. Source: OWL 2 XML serialization, second edition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin
from xml.parsers import expat

from jobs.errors import InvalidOntology
from jobs.ontology import grammar
from jobs.ontology.document import OntologyDocument
from jobs.ontology.literals import literal
from jobs.ontology.terms import NESTING_MAX, finish

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMESPACE: Final = grammar.OWL
_XML: Final = "http://www.w3.org/XML/1998/namespace"
_NAMED: Final = {
    "Class": "<",
    "Datatype": "<",
    "ObjectProperty": "<",
    "DataProperty": "<",
    "AnnotationProperty": "<",
    "NamedIndividual": "<",
}
_TEXT: Final = frozenset({"IRI", "AbbreviatedIRI", "Literal", "Import"})
_PARTS: Final = frozenset(
    {"IRI", "AbbreviatedIRI", "Literal", "AnonymousIndividual", "Variable", "FacetRestriction"}
)
_TAKES_NUMBER: Final = frozenset(name for name in grammar.SORTS if name.endswith("Cardinality"))


class _Element:
    """An element that is still open."""

    __slots__ = ("attributes", "base", "kinds", "language", "name", "sorts", "text", "texts")

    def __init__(self, name: str, attributes: Mapping[str, str], base: str, language: str | None) -> None:
        self.name = name
        self.attributes = attributes
        self.base = base
        self.language = language
        self.sorts: list[str] = []
        self.texts: list[str] = []
        self.kinds: list[str] = []
        """Names of the child elements, which tell the two lists of HasKey apart."""
        self.text: list[str] = []


def read_owlxml(text: str) -> OntologyDocument:
    """The document; `text` is free of entities (`xml_source`).

    Raises:
        InvalidOntology: with `line` and `construct`.
    """
    return _Reader().document(text)


class _Reader:
    """Builds terms as elements close."""

    def __init__(self) -> None:
        self._open: list[_Element] = []
        self._prefixes: dict[str, str] = {
            "owl": grammar.OWL,
            "rdf": grammar.RDF,
            "rdfs": grammar.RDFS,
            "xsd": grammar.XSD,
        }
        self._declared: dict[str, str] = {}
        self._imports: set[str] = set()
        self._annotations: set[str] = set()
        self._axioms: set[str] = set()
        self._identity: tuple[str | None, str | None] = (None, None)
        self._parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def document(self, text: str) -> OntologyDocument:
        """Parse the whole text."""
        try:
            self._parser.Parse(text.encode("utf-8", "surrogatepass"), True)
        except InvalidOntology as error:
            line = self._parser.CurrentLineNumber
            raise InvalidOntology(
                f"Line {line}: {error.message}", details={**error.details, "line": line, "format": "owlxml"}
            ) from None
        except expat.ExpatError as error:
            raise InvalidOntology(
                f"Line {error.lineno}: not well-formed XML.",
                details={"line": error.lineno, "format": "owlxml"},
            ) from None
        return OntologyDocument(
            iri=self._identity[0],
            version_iri=self._identity[1],
            imports=tuple(sorted(self._imports)),
            annotations=tuple(sorted(self._annotations)),
            axioms=tuple(sorted(self._axioms)),
            prefixes=self._declared,
            format="owlxml",
            reader="owlxml",
        )

    # --- Events ---

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        namespace, _, name = qualified.rpartition(" ")
        if namespace != _NAMESPACE:
            raise InvalidOntology(
                f"The element {name!r} is not in the namespace of OWL.", details={"construct": name}
            )
        if len(self._open) > NESTING_MAX:
            raise InvalidOntology(
                f"Elements are nested more than {NESTING_MAX} deep in {self._open[-1].name}.",
                details={"construct": self._open[-1].name},
            )
        outer = self._open[-1] if self._open else None
        base = attributes.get(f"{_XML} base", outer.base if outer else "")
        language = attributes.get(f"{_XML} lang", outer.language if outer else None)
        element = _Element(name, attributes, base, language)
        if outer is None:
            self._start_ontology(element)
        elif name == "Prefix":
            self._prefixes[self._attribute(element, "name")] = self._attribute(element, "IRI")
            self._declared[element.attributes["name"]] = element.attributes["IRI"]
        elif name not in grammar.SORTS and name not in _PARTS and name != "Import":
            raise InvalidOntology(f"Unknown element {name!r}.", details={"construct": name})
        self._open.append(element)

    def _start_ontology(self, element: _Element) -> None:
        if element.name != "Ontology":
            raise InvalidOntology(
                f"The root element is {element.name!r}.", details={"construct": element.name}
            )
        found = [element.attributes.get(name) for name in ("ontologyIRI", "versionIRI")]
        iri, version = (self._resolve(value, element) if value is not None else None for value in found)
        self._identity = iri, version

    def _characters(self, text: str) -> None:
        element = self._open[-1]
        if element.name in _TEXT:
            element.text.append(text)
        elif not text.isspace():
            raise InvalidOntology(
                f"Text in the element {element.name!r}: {text.strip()[:40]!r}.",
                details={"construct": element.name},
            )

    def _end(self, _: str) -> None:
        element = self._open.pop()
        name = element.name
        if not self._open or name == "Prefix":
            return
        if name == "Import":
            self._imports.add(self._resolve("".join(element.text).strip(), element))
            return
        sort, text = self._finished(element)
        outer = self._open[-1]
        if len(self._open) == 1:
            self._add_to_ontology(name, sort, text)
            return
        if name == "FacetRestriction":
            outer.sorts.extend(["<", '"'])
            outer.texts.extend([f"<{self._facet(element)}>", text])
            outer.kinds.extend([name, name])
            return
        outer.sorts.append(sort)
        outer.texts.append(text)
        outer.kinds.append(name)

    def _add_to_ontology(self, name: str, sort: str, text: str) -> None:
        if sort == "X":
            self._axioms.add(text)
        elif sort == "n":
            self._annotations.add(text)
        else:
            raise InvalidOntology(f"{name} stands where an axiom is due.", details={"construct": name})

    # --- Terms ---

    def _finished(self, element: _Element) -> tuple[str, str]:
        name = element.name
        if name in _NAMED:
            if element.texts:
                raise InvalidOntology(f"{name} takes no elements.", details={"construct": name})
            iri = f"<{self._named(element)}>"
            declaring = self._open[-1].name == "Declaration"
            return ("E", f"{name}({iri})") if declaring else ("<", iri)
        match name:
            case "IRI":
                return "<", f"<{self._resolve(''.join(element.text).strip(), element)}>"
            case "AbbreviatedIRI":
                return "<", f"<{self._expand(''.join(element.text).strip())}>"
            case "Literal":
                return '"', self._literal(element)
            case "AnonymousIndividual":
                label = self._attribute(element, "nodeID")
                return "_", label if label.startswith("_:") else f"_:{label}"
            case "Variable":
                return "v", f"Variable(<{self._named(element)}>)"
            case "FacetRestriction":
                if element.sorts != ['"']:
                    raise InvalidOntology("A facet takes one literal.", details={"construct": name})
                return '"', element.texts[0]
            case "HasKey":
                return "X", self._key(element)
            case _:
                if name in _TAKES_NUMBER:
                    number = self._attribute(element, "cardinality").strip()
                    if not (number.isascii() and number.isdecimal()):
                        raise InvalidOntology(f"{number[:40]!r} is no number.", details={"construct": name})
                    element.sorts.insert(0, "0")
                    element.texts.insert(0, number.lstrip("0") or "0")
                if name == "BuiltInAtom":
                    element.sorts.insert(0, "<")
                    element.texts.insert(0, f"<{self._named(element)}>")
                return grammar.SORTS[name], finish(name, "".join(element.sorts), element.texts)

    def _key(self, element: _Element) -> str:
        lists: dict[str, list[str]] = {"(keys": [], "(data": []}
        sorts, texts = [], []
        for sort, text, kind in zip(element.sorts, element.texts, element.kinds, strict=True):
            if kind in ("ObjectProperty", "ObjectInverseOf"):
                lists["(keys"].append(text)
            elif kind == "DataProperty":
                lists["(data"].append(text)
            else:
                sorts.append(sort)
                texts.append(text)
        for name, members in lists.items():
            inner = ["O" if member.startswith("O") else "<" for member in members]
            sorts.append(grammar.SORTS[name])
            texts.append(finish(name, "".join(inner), members))
        return finish("HasKey", "".join(sorts), texts)

    def _literal(self, element: _Element) -> str:
        value = "".join(element.text)
        datatype = element.attributes.get("datatypeIRI")
        if datatype is not None:
            datatype = self._resolve(datatype, element)
            if datatype not in (f"{grammar.RDF}PlainLiteral", f"{grammar.RDF}langString"):
                return literal(value, None, datatype)
        if element.language:
            return literal(value, element.language)
        return literal(value, None, datatype)

    # --- IRIs ---

    def _named(self, element: _Element) -> str:
        attributes = element.attributes
        if "abbreviatedIRI" in attributes:
            return self._expand(attributes["abbreviatedIRI"])
        return self._resolve(self._attribute(element, "IRI"), element)

    def _facet(self, element: _Element) -> str:
        return self._resolve(self._attribute(element, "facet"), element)

    @staticmethod
    def _attribute(element: _Element, name: str) -> str:
        value = element.attributes.get(name)
        if value is None:
            raise InvalidOntology(f"{element.name} without {name}.", details={"construct": element.name})
        return value

    def _expand(self, name: str) -> str:
        prefix, colon, local = name.partition(":")
        if not colon or prefix not in self._prefixes:
            raise InvalidOntology(
                f"The prefix of {name[:80]!r} is not declared.", details={"construct": "Prefix"}
            )
        return self._checked(self._prefixes[prefix] + local)

    def _resolve(self, iri: str, element: _Element) -> str:
        if iri.startswith(":"):
            raise InvalidOntology(
                f"{iri[:80]!r} is an abbreviated IRI; it belongs into the attribute abbreviatedIRI.",
                details={"construct": "IRI"},
            )
        scheme = iri.partition(":")[0]
        if ":" not in iri or not scheme.replace("+", "").replace("-", "").replace(".", "").isalnum():
            if not element.base:
                raise InvalidOntology(
                    f"{iri[:80]!r} is relative and the document names no xml:base.",
                    details={"construct": "IRI"},
                )
            iri = element.base.partition("#")[0] + iri if iri.startswith("#") else urljoin(element.base, iri)
        return self._checked(iri)

    @staticmethod
    def _checked(iri: str) -> str:
        if any(character in '<>"' or character < " " for character in iri):
            raise InvalidOntology(f"{iri[:80]!r} is not an IRI.", details={"construct": "IRI"})
        return iri
