"""The sample ontology says what its README promises, by our readers and by an EL reasoner.

The expected numbers in `tests/golden/examples/harbour.json` were recorded with ROBOT and ELK.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyelk
import pytest
from pyowl_core import DocumentFormat

from jobs import ontology

ROOT = Path(__file__).parents[2]
HARBOUR = ROOT / "examples" / "harbour"
GOLDEN: dict[str, Any] = json.loads((ROOT / "tests/golden/examples/harbour.json").read_text(encoding="utf-8"))
FILES = {"1.0": "harbour-1.0.ttl", "2.0": "harbour-2.0.ofn"}
FORMATS = {"1.0": DocumentFormat.TURTLE, "2.0": DocumentFormat.FUNCTIONAL}
IRI = "https://example.org/harbour/"


def read(release: str) -> ontology.OntologyDocument:
    return ontology.read_document((HARBOUR / FILES[release]).read_bytes(), name=FILES[release])


@pytest.mark.parametrize("release", FILES)
def test_each_release_holds_the_recorded_number_of_axioms(release: str) -> None:
    document = read(release)
    assert len(document.axioms) == GOLDEN[release]["axioms"]
    declared = [axiom for axiom in document.axioms if axiom.startswith("Declaration(Class(")]
    assert len(declared) == GOLDEN[release]["classes"]
    assert document.imports == ()
    assert document.version_iri == f"{IRI}{release}/harbour.owl"


def test_the_releases_differ_by_the_recorded_axioms_and_not_by_labels_of_anonymous_individuals() -> None:
    older, newer = (set(read(release).axioms) for release in FILES)
    assert len(older - newer) == GOLDEN["diff"]["only_in_1.0"]["axioms_named"]
    assert len(newer - older) == GOLDEN["diff"]["only_in_2.0"]["axioms_named"]


@pytest.mark.parametrize("release", FILES)
def test_reasoning_finds_the_recorded_superclasses_and_the_one_unsatisfiable_class(release: str) -> None:
    snapshot = pyelk.load_snapshot(
        (HARBOUR / FILES[release]).read_bytes(),
        document_iri=IRI + FILES[release],
        options=pyelk.LoadOptions(format=FORMATS[release]),
    )
    reasoner = pyelk.Reasoner(snapshot)
    result = reasoner.classify()
    taxonomy = result.value

    assert result.complete, result.reasons
    assert reasoner.is_consistent().value
    unsatisfiable = {local_name(term) for term in taxonomy.bottom.members} - {"owl#Nothing"}
    assert unsatisfiable == set(GOLDEN[release]["unsatisfiable"])
    direct = {
        f"{local_name(sub)} {local_name(sup)}"
        for sub_node, sup_node in taxonomy.direct_edges
        for sub in sub_node.members
        for sup in sup_node.members
    }
    assert set(GOLDEN[release]["inferred_direct_superclasses"]) - direct == set()


def local_name(term: Any) -> str:
    return str(term.iri.value).rsplit("/", 1)[1]


@pytest.mark.parametrize("release", FILES)
def test_each_release_stays_small_and_reviewable(release: str) -> None:
    data = (HARBOUR / FILES[release]).read_bytes()
    assert len(data) < 300_000
    assert b"\r" not in data
    assert data.endswith(b"\n")
