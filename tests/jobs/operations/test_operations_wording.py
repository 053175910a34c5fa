"""Axioms as words, and what hostile labels, literals and IRIs may do to a line or to Markdown: nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from operations_support import EX

from jobs.ontology import grammar
from jobs.ontology.syntax import canonical
from jobs.operations import wording
from jobs.operations.explanation.markdown import code, entity, escaped

PREFIXES = {"": EX, "owl": grammar.OWL, "xsd": grammar.XSD}
LABELS = {f"{EX}A": "a thing", f"{EX}p": "part\nof", f"{EX}B": "B"}


@pytest.mark.parametrize(
    ("axiom", "words"),
    [
        ("SubClassOf(:A :B)", "'a thing' SubClassOf B"),
        ('SubClassOf(Annotation(:c "why") :B owl:Nothing)', "B SubClassOf owl:Nothing"),
        (
            "SubClassOf(:A ObjectIntersectionOf(:B ObjectSomeValuesFrom(:p ObjectUnionOf(:C :D))))",
            "'a thing' SubClassOf B and ('part of' some (C or D))",
        ),
        ("EquivalentClasses(:A ObjectMinCardinality(2 :p :C))", "'a thing' EquivalentTo 'part of' min 2 C"),
        (
            "SubClassOf(:B ObjectExactCardinality(1 ObjectInverseOf(:q)))",
            "B SubClassOf (inverse q) exactly 1",
        ),
        ("SubClassOf(:B ObjectAllValuesFrom(:q ObjectComplementOf(:C)))", "B SubClassOf q only (not C)"),
        ("SubClassOf(ObjectOneOf(:a :b) ObjectHasValue(:q :c))", "{a, b} SubClassOf q value c"),
        ("SubClassOf(ObjectHasSelf(:q) :B)", "q Self SubClassOf B"),
        ("DisjointClasses(:B :C)", "B DisjointWith C"),
        ("DisjointClasses(:B :C :D)", "B, C, D are pairwise disjoint"),
        ("DifferentIndividuals(:a :b :c)", "a, b, c are pairwise different"),
        ("DisjointUnion(:A :B :C)", "DisjointUnion('a thing', B, C)"),
        ("SubObjectPropertyOf(ObjectPropertyChain(:q :r) :s)", "q o r SubPropertyOf s"),
        ("ObjectPropertyDomain(:q :B)", "q Domain B"),
        ("TransitiveObjectProperty(:q)", "q Transitive"),
        ("FunctionalObjectProperty(ObjectInverseOf(:q))", "inverse q Functional"),
        ("ClassAssertion(ObjectComplementOf(:B) :a)", "a Type not B"),
        ("ClassAssertion(:B _:x)", "_:x Type B"),
        ("ObjectPropertyAssertion(:q :a :b)", "a q b"),
        ("NegativeObjectPropertyAssertion(:q :a :b)", "not (a q b)"),
        ('DataPropertyAssertion(:d :a "x\ny"@en)', 'a d "x y"@en'),
        (
            "SubClassOf(:B DataSomeValuesFrom(:d DatatypeRestriction(xsd:integer xsd:minInclusive "
            '"5"^^xsd:integer)))',
            'B SubClassOf d some xsd:integer with >= "5"^^xsd:integer',
        ),
        ("HasKey(:B (:q) (:d))", "HasKey(B, keys(q), data(d))"),
    ],
)
def test_axioms_read_as_words(axiom: str, words: str) -> None:
    assert wording.plain(LABELS).axiom(canonical(axiom, PREFIXES)) == words


def test_entities_of_one_label_are_told_apart() -> None:
    told = wording.plain({f"{EX}A": "twin", f"{EX}B": "twin"}).axiom(f"SubClassOf(<{EX}A> <{EX}B>)")
    assert told == "twin (A) SubClassOf twin (B)"


@given(st.text())
def test_a_label_stays_on_one_line_without_controls(label: str) -> None:
    told = wording.plain({f"{EX}B": label}).axiom(f"SubClassOf(<{EX}B> <{EX}C>)")
    assert re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", told) is None
    assert told.endswith(" SubClassOf C")


# --- Markdown -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "label",
    ["a|b", "`code`", "[x](javascript:1)", "<b>bold</b>", "*s* _e_ ~d~", "# h", "![i](u)", "\\", "a\n# b"],
)
def test_a_label_is_shown_and_never_read_as_markdown(label: str) -> None:
    told = entity(f"{EX}B", {f"{EX}B": label})
    text, link = told[1:].rsplit("](", 1)
    assert link == f"<{EX}B>)"
    assert "\n" not in told
    # What remains without its backslash escapes has nothing that Markdown reads.
    assert re.search(r"[!-/:-@\[-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", text)) is None
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text) == " ".join(label.split())


@given(st.text(alphabet="ab`\n |[]<>\\", max_size=30))
def test_code_ends_where_it_should(found: str) -> None:
    told = code(found)
    fence = re.match("`+", told)
    assert fence is not None
    inner = told[len(fence.group()) : -len(fence.group())]
    assert told == fence.group() + inner + fence.group()
    assert "\n" not in inner
    assert fence.group() not in re.findall("`+", inner)
    assert not inner.startswith("`")
    assert not inner.endswith("`")


@pytest.mark.parametrize(
    "iri",
    [
        "javascript:alert(1)",
        "urn:x:y",
        "http://e.org/a\\b",
        "http://e.org/`x`",
        "http://e.org/[x]",
        "https://",
    ],
)
def test_only_a_plain_address_on_the_web_becomes_a_link(iri: str) -> None:
    assert "](" not in entity(iri, {iri: "label"}).replace(code(iri), "")
    assert code(iri) in entity(iri, {})


def test_built_in_names_are_code() -> None:
    assert entity(f"{grammar.OWL}Nothing", {}) == "`owl:Nothing`"


@given(st.text())
def test_escaped_text_has_no_bare_punctuation(found: str) -> None:
    assert re.search(r"(?<!\\)[!-/:-@\[\]^-`{-~]", escaped(found).replace("\\\\", "")) is None
