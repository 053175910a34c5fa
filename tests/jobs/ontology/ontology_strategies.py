"""Random terms, axioms and documents, made from the grammar table itself: no construct is forgotten."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from jobs.ontology import grammar
from jobs.ontology.document import OntologyDocument
from jobs.ontology.syntax import canonical, canonical_axioms, entities, literal, parse_axiom
from jobs.ontology.terms import finish

EX: Final = "http://example.org/g#"
NAMES: Final = {
    "class": [f"<{EX}C{n}>" for n in range(4)] + [f"<{EX}Größe>"],
    "objectproperty": [f"<{EX}r{n}>" for n in range(3)],
    "dataproperty": [f"<{EX}d{n}>" for n in range(3)],
    "annotationproperty": [f"<{EX}a{n}>" for n in range(2)]
    + [f"<{grammar.RDFS}label>", f"<{grammar.RDFS}comment>"],
    "namedindividual": [f"<{EX}i{n}>" for n in range(3)],
    "datatype": [f"<{EX}t0>", f"<{grammar.XSD}integer>", f"<{grammar.XSD}decimal>"],
}
CONSTRUCTORS: Final = {
    "annotations": "n",
    "C": [name for name, sort in grammar.SORTS.items() if sort == "C"],
    "R": [name for name, sort in grammar.SORTS.items() if sort == "R"],
    "a": [name for name, sort in grammar.SORTS.items() if sort == "a"],
}


def examples(count: int) -> settings:
    """So many examples, however slow the machine is just now."""
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    return settings(max_examples=count, deadline=None, suppress_health_check=slow)


anonymous = st.sampled_from(["_:x1", "_:x2", "_:x3"])
iris = st.sampled_from([f"<{EX}thing>", f"<{EX}C0>", "<urn:x:y>"])
text_values = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('"\\\n\t@^<>()_: '), max_size=12
)
languages = st.sampled_from(["en", "de-at"])
datatypes = st.sampled_from([f"{grammar.XSD}integer", f"{grammar.XSD}boolean", f"{EX}t0"])
literals = (
    st.builds(literal, text_values)
    | st.builds(literal, text_values, language=languages)
    | st.builds(literal, text_values, datatype=datatypes)
)
variables = st.sampled_from([f"Variable(<{EX}x>)", f"Variable(<{EX}y>)"])


@st.composite
def operand(draw: st.DrawFn, slot: str, depth: int) -> str:
    """A term for one slot letter of the grammar."""
    entity_type = grammar.entity_type_of_slot(slot)
    simple: list[st.SearchStrategy[str]] = []
    if entity_type is not None:
        simple.append(st.sampled_from(NAMES[entity_type]))
    match slot:
        case "I":
            simple.append(anonymous)
        case "i":
            simple.extend([anonymous, variables])
        case "l":
            simple.extend([literals, variables])
        case "e":
            simple.extend([literals, variables])
        case "L":
            simple.append(literals)
        case "S":
            simple.extend([iris, anonymous])
        case "V":
            simple.extend([iris, anonymous, literals])
        case "X":
            simple.append(iris)
        case "#":
            simple.append(st.sampled_from(["0", "1", "2", "10"]))
        case "O" if depth:
            simple.append(construct("ObjectInverseOf", depth - 1))
        case "Q" if depth:
            simple.append(operand("O", depth))
            simple.append(construct("ObjectPropertyChain", depth - 1))
        case "C" | "R" if depth:
            names = st.sampled_from(CONSTRUCTORS[slot])
            simple.append(names.flatmap(lambda name: construct(name, depth - 1)))
        case "a":
            simple.append(st.sampled_from(CONSTRUCTORS["a"]).flatmap(lambda name: construct(name, depth)))
        case "E":
            names = st.sampled_from([name for name, sort in grammar.SORTS.items() if sort == "E"])
            simple.append(names.flatmap(lambda name: construct(name, 0)))
        case "b" | "h" | "k" | "d":
            name = {"b": "Body", "h": "Head", "k": "(keys", "d": "(data"}[slot]
            simple.append(construct(name, depth))
        case _:
            pass
    return draw(st.one_of(simple))


@st.composite
def construct(draw: st.DrawFn, name: str, depth: int) -> str:
    """A canonical construct of this name, its operands drawn by its signature."""
    texts: list[str] = []
    sorts: list[str] = []

    def add(slot: str) -> None:
        text = draw(operand(slot, depth))
        texts.append(text)
        sorts.append(slot if slot in "kd" else sort_of_text(text))

    if grammar.SORTS[name] in "Xn":
        for _ in range(draw(st.integers(0, 2 if depth else 0))):
            texts.append(draw(construct("Annotation", depth - 1)))
            sorts.append("n")
    for part in grammar.SIGNATURES[name].split():
        letter = part.strip("{}[]")[0]
        if part == "{FL}":
            for _ in range(draw(st.integers(1, 2))):
                facet = draw(st.sampled_from(["minInclusive", "maxInclusive"]))
                texts.extend([f"<{grammar.XSD}{facet}>", draw(literals)])
                sorts.extend(["<", '"'])
        elif part.endswith("?"):
            if draw(st.booleans()):
                add(letter)
        elif part.endswith("=}"):
            add(letter)
            add(letter)
        elif part[0] in "{[":
            least = int(part[2])
            for _ in range(draw(st.integers(least, least + 2))):
                add(letter)
        else:
            add(letter)
    if name == "BuiltInAtom":
        texts[0] = "<http://www.w3.org/2003/11/swrlb#greaterThan>"
    return finish(name, "".join(sorts), texts)


def sort_of_text(text: str) -> str:
    """The sort of a canonical term."""
    return (
        text[0]
        if text[0] in '<_"'
        else "0"
        if text[0].isdecimal()
        else grammar.SORTS[text[: text.index("(")]]
    )


axioms = st.sampled_from(sorted(grammar.AXIOM_TYPES)).flatmap(lambda name: construct(name, 2))
annotations = construct("Annotation", 1)


def declarations(texts: list[str]) -> list[str]:
    """Declarations of every entity that is not built in."""
    kinds = {
        "class": "Class",
        "objectproperty": "ObjectProperty",
        "dataproperty": "DataProperty",
        "annotationproperty": "AnnotationProperty",
        "namedindividual": "NamedIndividual",
        "datatype": "Datatype",
    }
    found = {pair for text in texts for pair in entities(parse_axiom(text))}
    return [f"Declaration({kinds[kind]}(<{iri}>))" for kind, iri in found if iri.startswith(EX)]


@st.composite
def documents(draw: st.DrawFn, axiom: st.SearchStrategy[str] = axioms) -> OntologyDocument:
    """A declared random document with a header."""
    drawn = draw(st.lists(axiom, max_size=8))
    header = draw(st.lists(annotations, max_size=2))
    return OntologyDocument(
        iri="http://example.org/g",
        version_iri=draw(st.sampled_from([None, "http://example.org/g/1"])),
        imports=canonical_axioms(
            draw(st.lists(st.sampled_from(["http://example.org/i", "urn:i"]), max_size=2))
        ),
        annotations=canonical_axioms(map(canonical, header)),
        axioms=canonical_axioms([*drawn, *declarations([*drawn, *header])]),
        format="functional",
        reader="generated",
    )
