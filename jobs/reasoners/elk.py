"""Classification by pyelk: the EL entailments, without Java, and why they may not be all.

Its answer is complete where it names no reason against it and was given every axiom (`elk_text`); the
reasons become `Outcome.incomplete_because`. A class found unsatisfiable is, an inconsistency found is there.
The caller runs this in a worker process and ends it by a kill: the native code hears nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyelk
import pyowl_core
from pyelk.exceptions import PyElkError

from jobs.errors import ReasonerRefusedInput
from jobs.reasoners import elk_text
from jobs.reasoners.heartbeat import heartbeat
from jobs.reasoners.scope import axioms_outside
from jobs.reasoners.taxonomy import (
    EXTREMES,
    NOTHING,
    THING,
    Individuals,
    Outcome,
    Taxonomy,
    make_individuals,
    make_taxonomy,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from jobs.reasoners.structural import Say

EVERYTHING: Final = "owl:Thing"
REFUSED_MAX: Final = 20  # ours: axioms that may be set aside one by one before we give up


def classify(axioms: Sequence[str], say: Say, *, is_native: bool | None = None) -> Outcome:
    """Classify the closure's axioms.

    Args:
        is_native: whether input and results stay in native code, which is faster by half and gives
            the same answer; None: wherever the installed wheels can do it.
    Raises:
        ReasonerRefusedInput: more than `REFUSED_MAX` axioms are not taken by its reader; the
            message names a construct.
    """
    say("loading", "Preparing the axioms for the EL reasoner", None)
    is_native = _has_native_pipeline() if is_native is None else is_native
    encoded = elk_text.encode(axioms)
    snapshot = _load(encoded, _load_options(is_native=is_native))
    say("loading", "Building the reasoner's index", None)
    config = pyelk.ReasonerConfig(workers=1, require_native_pipeline=is_native)
    with pyelk.Reasoner(snapshot, config) as reasoner, heartbeat(say, "reasoning", "Classifying"):
        consistency = reasoner.is_consistent()
        reasons = _reasons(consistency.reasons)
        if not consistency.value:
            return _outcome(encoded, reasons, is_consistent=False)
        classified = reasoner.classify()
        reasons |= _reasons(classified.reasons) | _unsaid(encoded.sources)
        found = _outcome(encoded, reasons, is_consistent=True, taxonomy=classified.value)
        return replace(
            found,
            object_properties=_properties(reasoner, encoded, found),
            individuals=_individuals(reasoner, encoded, found),
        )


def _unsaid(axioms: Sequence[str]) -> set[str]:
    """What the reasoner does not say: beside axioms about everything there is, it misses subclasses."""
    return set() if next(axioms_outside(axioms, {EVERYTHING}), None) is None else {EVERYTHING}


def _outcome(
    encoded: elk_text.Encoded,
    reasons: set[str],
    *,
    is_consistent: bool,
    taxonomy: pyelk.Taxonomy[pyowl_core.Class] | None = None,
) -> Outcome:
    names = reasons | {text[: text.index("(")] for text in encoded.left_out}
    result = None if taxonomy is None else _taxonomy(encoded, taxonomy, EXTREMES["classes"])
    unsatisfiable: tuple[str, ...] = ()
    if result is not None:
        unsatisfiable = tuple(iri for iri in result.nodes[result.bottom] if iri != NOTHING)
    return Outcome(
        is_consistent=is_consistent,
        taxonomy=result,
        unsatisfiable=unsatisfiable,
        incomplete_because=tuple(sorted(names)),
        outside_axioms=len(encoded.left_out) + sum(1 for _ in axioms_outside(encoded.sources, reasons)),
    )


def _taxonomy(
    encoded: elk_text.Encoded,
    taxonomy: pyelk.Taxonomy[Any],
    extremes: tuple[str, str],
    declared: Collection[str] = (),
) -> Taxonomy:
    """The reasoner's hierarchy under the document's names; what it did not see stands below the top."""
    groups = {id(node): [encoded.iri(each.iri.value) for each in node.members] for node in taxonomy.nodes}
    uppers: dict[str, list[str]] = {}
    for sub, sup in taxonomy.direct_edges:
        uppers.setdefault(groups[id(sub)][0], []).append(groups[id(sup)][0])
    seen = {iri for members in groups.values() for iri in members}
    return make_taxonomy(
        [*groups.values(), *([iri] for iri in declared if iri not in seen)], uppers, extremes
    )


def _properties(reasoner: pyelk.Reasoner, encoded: elk_text.Encoded, found: Outcome) -> Taxonomy | None:
    """The object property hierarchy; None where it is less whole than the hierarchy of classes."""
    classified = reasoner.classify_object_properties()
    if not _reasons(classified.reasons) <= set(found.incomplete_because):
        return None
    declared = encoded.entities.get("objectproperty", set())
    return _taxonomy(encoded, classified.value, EXTREMES["object_properties"], declared)


def _individuals(reasoner: pyelk.Reasoner, encoded: elk_text.Encoded, found: Outcome) -> Individuals | None:
    """The named individuals with their direct types; None where they are less whole than the classes."""
    names = encoded.entities.get("namedindividual", set())
    if not names:
        return Individuals(nodes=(), types=())
    realized = reasoner.realize()
    if not _reasons(realized.reasons) <= set(found.incomplete_because):
        return None
    rows: dict[int, tuple[list[str], list[str]]] = {
        id(node): ([encoded.iri(each.iri.value) for each in node.members], [])
        for node in realized.value.instances
    }
    for node, upper in realized.value.direct_types:
        rows[id(node)][1].append(min(encoded.iri(each.iri.value) for each in upper.members))
    seen = {iri for members, _ in rows.values() for iri in members}
    told = [([iri], [THING]) for iri in names - seen]
    return make_individuals([*rows.values(), *told])


def _reasons(issues: Iterable[pyelk.CompletenessIssue]) -> set[str]:
    return {constructor for issue in issues for constructor in issue.constructors}


# --- Loading --------------------------------------------------------------------------------------


def _has_native_pipeline() -> bool:
    try:
        pyelk.require_native_pipeline_support()
    except PyElkError:
        return False
    return True


def _load_options(*, is_native: bool) -> pyowl_core.LoadOptions:
    preference = pyowl_core.BackendPreference
    return pyowl_core.LoadOptions(
        format=pyowl_core.DocumentFormat.FUNCTIONAL,
        imports=pyowl_core.ImportPolicy.IGNORE,
        backend=preference.NATIVE if is_native else preference.AUTO,
        collect_provenance=False,
    )


def _load(encoded: elk_text.Encoded, options: pyowl_core.LoadOptions) -> pyowl_core.OntologySnapshot:
    """Load all axioms; those its reader refuses (a set with one member, say) are set aside by name."""
    while True:
        try:
            return pyowl_core.load_snapshot(encoded.document(), options=options)
        except pyowl_core.PyOWLCoreError as error:
            number = _first_refused(encoded, options)
            if number >= len(encoded.sources) or len(encoded.left_out) > REFUSED_MAX + elk_text.not_given(
                encoded
            ):
                raise ReasonerRefusedInput(
                    f"The EL reasoner's reader does not take this ontology ({type(error).__name__}).",
                    details={"construct": _construct(encoded, number)},
                ) from error
            encoded.left_out.append(encoded.sources.pop(number))
            del encoded.axioms[number]


def _first_refused(encoded: elk_text.Encoded, options: pyowl_core.LoadOptions) -> int:
    """The number of the first axiom without which the ones before it load, by halving."""
    low, high = 0, len(encoded.axioms)  # the first `low` load, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        try:
            pyowl_core.load_snapshot(encoded.document(range(middle)), options=options)
            low = middle
        except pyowl_core.PyOWLCoreError:
            high = middle
    return low


def _construct(encoded: elk_text.Encoded, number: int) -> str:
    text = encoded.axioms[number] if number < len(encoded.axioms) else ""
    return text.partition("(")[0]
