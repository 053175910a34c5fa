"""Class expressions, data ranges, property expressions and lists out of blank nodes.

Whatever is understood is taken out of `Graph.nodes`; a node read once is remembered, since an
annotated axiom mentions its object a second time. What stays behind at the end was not understood
and is reported by `rdf`.

Source: OWL 2 mapping to RDF graphs, second edition, section 3.2.4 (tables 11-15).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs.ontology import vocabulary as v
from jobs.ontology.grammar import DEFAULT_FILLERS
from jobs.ontology.literals import literal_parts
from jobs.ontology.rdf_nodes import (
    CARDINALITIES,
    COMPLEMENT,
    DATA_COMPLEMENT,
    DESCRIPTIONS,
    HAS_SELF,
    HAS_VALUE,
    INTERSECTION,
    ON_DATATYPE,
    ONE_OF,
    QUANTIFIERS,
    RESTRICTIONS,
    UNION,
    as_number,
    as_set,
    described_by,
    first_terms,
    is_data_range,
    is_expression,
    one,
    take_types,
)
from jobs.ontology.terms import NESTING_MAX
from jobs.ontology.triples import Misfit
from jobs.ontology.vocabulary import owl, short

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobs.ontology.rdf_kinds import Kinds
    from jobs.ontology.triples import Description, Graph


class Expressions:
    """Reads expressions on demand."""

    def __init__(self, graph: Graph, kinds: Kinds) -> None:
        self._graph = graph
        self._kinds = kinds
        self._lists: dict[str, tuple[str, ...]] = {}
        self._done: dict[str, tuple[str, str]] = {}
        self._open: set[str] = set()
        self.individuals: set[str] = set()
        """Blank nodes that stand where an individual is due."""

    def is_done(self, term: str) -> bool:
        """Whether the blank node was read as an expression."""
        return term in self._done

    # --- Classes and data ranges ---

    def class_expression(self, term: str) -> str:
        """The class expression at a term."""
        return term if term[0] == "<" else self._expression(term, "C")

    def data_range(self, term: str) -> str:
        """The data range at a term."""
        return term if term[0] == "<" else self._expression(term, "R")

    def is_data(self, term: str) -> bool:
        """Whether the term is plainly a data range rather than a class."""
        if term[0] == "<":
            return v.is_datatype(term) or self._kinds.is_only_datatype(term)
        if term in self._done:
            return self._done[term][0] == "R"
        return is_data_range(self._graph.nodes.get(term, {}))

    def _expression(self, term: str, wanted: str) -> str:
        known = self._done.get(term)
        if known is None:
            known = self._done[term] = self._read(term, wanted)
        sort, text = known
        if sort != wanted:
            kinds = {"C": "a class expression", "R": "a data range", "O": "an inverse property"}
            raise Misfit(
                f"{text[:200]} is {kinds[sort]} where {kinds[wanted]} is due", construct=text.split("(")[0]
            )
        return text

    def _read(self, term: str, wanted: str) -> tuple[str, str]:
        node = self._graph.nodes.get(term)
        what = "class expression" if wanted == "C" else "data range"
        if term[0] == '"':
            raise Misfit(
                f"The literal {term[:80]} stands where a {what} is due", construct=what, terms=(term,)
            )
        if term in self._open:
            raise Misfit(f"A {what} that contains itself: {self._graph.describe(term)}", construct=what)
        if node is None or not is_expression(node):
            raise Misfit(
                f"{self._graph.describe(term)} stands where a {what} is due, but describes none",
                construct=what,
                terms=first_terms(node),
            )
        if len(self._open) >= NESTING_MAX:
            raise Misfit(f"Expressions are nested more than {NESTING_MAX} deep", construct=what)
        self._open.add(term)
        data = is_data_range(node) or (wanted == "R" and v.TYPE not in node)
        result = self._data_range(node) if data else self._class(node)
        self._open.discard(term)
        return ("R" if data else "C"), result

    def _class(self, node: Description) -> str:
        described = described_by(node, "class expression")
        terms = first_terms(node)
        take_types(node, v.CLASS_TYPES, "class expression")
        if described in (v.ON_PROPERTY, v.ON_PROPERTIES):
            return self._restriction(node, described, terms)
        value = one(node, described, DESCRIPTIONS[described])
        if described == COMPLEMENT:
            return f"ObjectComplementOf({self.class_expression(value)})"
        return self.described_class(described, value)

    def described_class(self, predicate: str, value: str) -> str:
        """The class that owl:intersectionOf, unionOf or oneOf describes, `value` being the list."""
        members = self.items(value)
        if predicate == ONE_OF:
            texts = [self.individual(member) for member in members]
            return f"ObjectOneOf({as_set(texts)})" if texts else v.NOTHING
        texts = [self.class_expression(member) for member in members]
        intersection = predicate == INTERSECTION
        return self._boolean("ObjectIntersectionOf" if intersection else "ObjectUnionOf", texts)

    @staticmethod
    def _boolean(name: str, texts: list[str]) -> str:
        # Table 14 and OWL 1: a list of none or one stands for what it amounts to.
        if len(texts) < 2:
            empty = {"ObjectIntersectionOf": v.THING, "ObjectUnionOf": v.NOTHING}
            if not texts and name not in empty:
                raise Misfit(f"{name} without operands", construct=name)
            return texts[0] if texts else empty[name]
        return f"{name}({as_set(texts, 2)})"

    def _data_range(self, node: Description) -> str:
        described = described_by(node, "data range")
        take_types(node, v.DATA_RANGE_TYPES | {v.rdfs("Class")}, "data range")
        value = one(node, described, short(described))
        if described == ON_DATATYPE:
            return self._facets(node, value)
        if described in (DATA_COMPLEMENT, COMPLEMENT):
            return f"DataComplementOf({self.data_range(value)})"
        return self.described_range(described, value)

    def described_range(self, predicate: str, value: str) -> str:
        """The data range that owl:intersectionOf, unionOf or oneOf describes, `value` being the list."""
        members = self.items(value)
        if predicate == ONE_OF:
            if not members:
                raise Misfit("DataOneOf without values", construct="DataOneOf")
            return f"DataOneOf({as_set([self.value(member) for member in members])})"
        if predicate not in (INTERSECTION, UNION):
            raise Misfit(f"{short(predicate)} does not describe a data range", construct=short(predicate))
        name = "DataIntersectionOf" if predicate == INTERSECTION else "DataUnionOf"
        return self._boolean(name, [self.data_range(member) for member in members])

    def _facets(self, node: Description, datatype: str) -> str:
        if datatype[0] != "<":
            raise Misfit("owl:onDatatype must name a datatype", construct="DatatypeRestriction")
        pairs = set()
        for cell in self.items(one(node, owl("withRestrictions"), "DatatypeRestriction")):
            facets = self._graph.nodes.get(cell, {})
            if len(facets) != 1:
                raise Misfit(
                    f"A facet of {short(datatype)} needs one predicate, not {len(facets)}",
                    construct="DatatypeRestriction",
                    terms=(owl("withRestrictions"),),
                )
            facet = next(iter(facets))
            pairs.add((facet, self.value(one(facets, facet, "DatatypeRestriction"))))
        if not pairs:
            raise Misfit(
                f"A restriction of {short(datatype)} without facets", construct="DatatypeRestriction"
            )
        return f"DatatypeRestriction({datatype} {' '.join(part for pair in sorted(pairs) for part in pair)})"

    # --- Restrictions ---

    def _restriction(self, node: Description, described: str, terms: tuple[str, ...]) -> str:
        how = [predicate for predicate in node if predicate in RESTRICTIONS]
        if len(how) != 1:
            found = " and ".join(map(short, how)) or "no restriction of its values"
            raise Misfit(f"owl:Restriction with {found}", construct="owl:Restriction", terms=terms)
        (predicate,) = how
        construct = RESTRICTIONS[predicate]
        target = one(node, described, construct)
        value = one(node, predicate, construct)
        if described == v.ON_PROPERTIES:
            return self._nary(predicate, target, value)
        if predicate in CARDINALITIES:
            return self._cardinality(node, predicate, target, value)
        if predicate == HAS_SELF:
            if literal_parts(value)[0] not in ("true", "1") if value[0] == '"' else True:
                raise Misfit("owl:hasSelf must be true", construct="owl:hasSelf", terms=terms)
            return f"ObjectHasSelf({self.object_property(target)})"
        if predicate == HAS_VALUE:
            return self._has_value(target, value)
        name = QUANTIFIERS[predicate]
        if self._restricts_data(target, lambda: self.is_data(value)):
            return f"Data{name}({self.data_property(target)} {self.data_range(value)})"
        return f"Object{name}({self.object_property(target)} {self.class_expression(value)})"

    def _nary(self, predicate: str, target: str, value: str) -> str:
        if predicate not in QUANTIFIERS:
            raise Misfit("owl:onProperties goes with some or all values", construct="owl:onProperties")
        properties = " ".join(self.data_property(member) for member in self.items(target))
        return f"Data{QUANTIFIERS[predicate]}({properties} {self.data_range(value)})"

    def _has_value(self, target: str, value: str) -> str:
        if self._restricts_data(target, lambda: value[0] == '"'):
            return f"DataHasValue({self.data_property(target)} {self.value(value)})"
        return f"ObjectHasValue({self.object_property(target)} {self.individual(value)})"

    def _cardinality(self, node: Description, predicate: str, target: str, value: str) -> str:
        number = as_number(value, predicate)
        how = CARDINALITIES[predicate]
        on_class, on_range = owl("onClass"), owl("onDataRange")
        if "ualified" not in predicate:
            data = self._restricts_data(target, lambda: False)
            text = self.data_property(target) if data else self.object_property(target)
            return f"{'Data' if data else 'Object'}{how}Cardinality({number} {text})"
        name = "Data" if on_range in node else "Object"
        name = f"{name}{how}Cardinality"
        filler_of = on_range if on_range in node else on_class
        filler = one(node, filler_of, f"{short(predicate)} restriction")
        if filler_of == on_range:
            text, filler = self.data_property(target), self.data_range(filler)
        else:
            text, filler = self.object_property(target), self.class_expression(filler)
        tail = "" if filler == DEFAULT_FILLERS[name] else f" {filler}"
        return f"{name}({number} {text}{tail})"

    def _restricts_data(self, target: str, by_filler: Callable[[], bool]) -> bool:
        """Whether a restriction is on data; declarations decide, the filler only where there are none."""
        if target[0] != "<":
            return False
        kinds = self._kinds.of(target)
        return by_filler() if "O" in kinds and "D" in kinds else "D" in kinds

    def imply_kinds(self) -> None:
        """Give properties that nothing declares the kind that restrictions on them show.

        This goes before all reading, so that the order of the triples decides nothing.
        """
        for node in self._graph.nodes.values():
            for target in node.get(v.ON_PROPERTY, ()):
                if target[0] == "<" and not {"O", "D"} & set(self._kinds.declared(target)):
                    letter = "D" if self._shows_data(node) else "O"
                    self._kinds.guess(target, letter)
                    self._kinds.add(target, letter)

    def _shows_data(self, node: Description) -> bool:
        fillers = [value for predicate in QUANTIFIERS for value in node.get(predicate, ())]
        values = node.get(HAS_VALUE, ())
        return (
            owl("onDataRange") in node
            or any(value[0] == '"' for value in values)
            or any(map(self.is_data, fillers))
        )

    # --- Properties, individuals, values, lists ---

    def object_property(self, term: str) -> str:
        """An object property, or the inverse of one at a blank node."""
        if term[0] == "<":
            return term
        known = self._done.get(term)
        if known is None:
            node = self._graph.nodes.get(term)
            if node is None or v.INVERSE_OF not in node:
                raise Misfit(
                    f"{self._graph.describe(term)} stands where an object property is due",
                    construct="object property expression",
                    terms=first_terms(node),
                )
            take_types(node, frozenset({owl("ObjectProperty")}), "ObjectInverseOf")
            inverse = one(node, v.INVERSE_OF, "ObjectInverseOf")
            if inverse[0] != "<":
                raise Misfit("owl:inverseOf needs a named property", construct="ObjectInverseOf")
            known = self._done[term] = ("O", f"ObjectInverseOf({inverse})")
        if known[0] != "O":
            raise Misfit(f"{known[1][:200]} stands where an object property is due", construct="property")
        return known[1]

    def data_property(self, term: str) -> str:
        """A data property, which is always named."""
        if term[0] != "<":
            raise Misfit(
                f"{self._graph.describe(term)} stands where a data property is due", construct="property"
            )
        return term

    def individual(self, term: str) -> str:
        """A named or anonymous individual."""
        if term[0] == '"':
            raise Misfit(
                f"The literal {term[:80]} stands where an individual is due",
                construct="individual",
                terms=(term,),
            )
        if term[0] == "_":
            self.individuals.add(term)
        return term

    def value(self, term: str) -> str:
        """A literal."""
        if term[0] != '"':
            raise Misfit(
                f"{self._graph.describe(term)} stands where a literal is due",
                construct="literal",
                terms=(term,),
            )
        return term

    def items(self, head: str) -> tuple[str, ...]:
        """The members of an RDF list, which is taken out of the graph."""
        known = self._lists.get(head)
        if known is not None:
            return known
        members: list[str] = []
        cell = head
        while cell != v.NIL:
            node = self._graph.nodes.get(cell)
            if node is None or v.FIRST not in node:
                raise Misfit(
                    f"{self._graph.describe(cell)} stands where an RDF list is due",
                    construct="rdf:List",
                    terms=tuple(members[-1:]),
                )
            take_types(node, frozenset({v.LIST, v.swrl("AtomList")}), "rdf:List")
            members.append(one(node, v.FIRST, "rdf:List"))
            cell = one(node, v.REST, "rdf:List")
        found = self._lists[head] = tuple(members)
        return found
