"""The quick path for usual shapes says what the term machine says, character by character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.errors import InvalidOntology
from jobs.ontology import abbreviated, functional
from jobs.ontology.functional import read_functional

HEAD = (
    "Prefix(:=<http://example.org/t#>)\nPrefix(o:=<http://example.org/o/>)\n"
    "Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)\nPrefix(rdf:=<http://www.w3.org/1999/02/22-rdf-syntax-ns#>)\n"
    "Ontology(<http://example.org/t>\n"
)
names = st.sampled_from(
    [":a", ":B", "o:X_1", "o:p#q", "o:a/b", "<http://example.org/full>", "xsd:string", ":"]
)
individuals = names | st.sampled_from(["_:b0", "_:x-1"])
bodies = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"]) | st.sampled_from('"\\@)(\n'), max_size=8
).map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
suffixes = st.sampled_from(
    ["", "@en", "@EN-gb", "^^xsd:string", "^^xsd:integer", "^^rdf:PlainLiteral", "^^<urn:d>", "^^:own"]
)
literals = st.builds(str.__add__, bodies | st.just('"odd \\n escape"'), suffixes)
values = literals | individuals
axioms = st.one_of(
    st.builds("AnnotationAssertion({} {} {})".format, names, individuals, values),
    st.builds(
        "AnnotationAssertion(Annotation({} {}) {} {} {})".format, names, values, names, individuals, values
    ),
    st.builds("Declaration({}({}))".format, st.sampled_from(["Class", "Datatype", "ObjectProperty"]), names),
    st.builds("SubClassOf({} {})".format, names, names),
    st.builds("SubObjectPropertyOf({} {})".format, names, names),
    st.builds("SubClassOf({} ObjectSomeValuesFrom({} {}))".format, names, names, names),
    st.builds("ClassAssertion({} {})".format, names, individuals),
    st.builds("ObjectPropertyAssertion({} {} {})".format, names, individuals, individuals),
)


@given(st.lists(axioms, min_size=1, max_size=5))
def test_both_paths_give_the_same_texts(found: list[str]) -> None:
    text = HEAD + "\n".join(found) + "\n)"
    quick = read_functional(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(functional, "read_usual", lambda *_: None)
        assert read_functional(text) == quick


@given(axioms)
def test_every_generated_shape_takes_the_quick_path(axiom: str) -> None:
    assert abbreviated._SHAPES.fullmatch(axiom)


@pytest.mark.parametrize(
    "axiom",
    [
        "SubClassOf(_:b0 :a)",
        "Declaration(Class(_:b0))",
        "SubClassOf(:a ObjectSomeValuesFrom(_:b0 :a))",
        "SubClassOf( :a :b)",
        "SubClassOf(:a :b :c)",
        'AnnotationAssertion(:p :a "x" "y")',
    ],
)
def test_other_shapes_are_left_to_the_machine(axiom: str) -> None:
    assert abbreviated._SHAPES.match(axiom) is None


def test_an_undeclared_prefix_is_named_with_its_line() -> None:
    with pytest.raises(InvalidOntology, match="nope") as caught:
        read_functional(HEAD + "SubClassOf(:a :b)\nSubClassOf(:a nope:b)\n)")
    assert caught.value.details["line"] == 7
