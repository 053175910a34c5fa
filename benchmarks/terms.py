"""What a generated ontology says: one term at a time, each a pure function of seed and number.

The shape follows the large biomedical ontologies: three disjoint branches, an is_a graph with about
1.5 parents per term and ten levels, existential restrictions along part_of and regulates,
genus-differentia equivalences, and much text. A term only points to terms with a lower number, so
every class is satisfiable and nothing needs to be remembered. Everything is inside OWL 2 EL.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

_ADJECTIVES: Final = (
    "apical basal cortical distal dorsal early embryonic external fibrous glandular granular hepatic inner "
    "late lateral lumenal luminal mature medial mitotic mucosal neural nuclear outer parietal peripheral "
    "primary proximal radial renal secondary segmental septal serous somatic spinal spiral stellate stromal "
    "superior tertiary thoracic transient transverse tubular ventral vascular vesicular visceral vitreous"
).split()
_THINGS: Final = (
    "acid actin axon bud capillary carbohydrate cartilage centriole chromatid cilium collagen crypt dendrite "
    "duct enzyme epithelium fibre filament follicle ganglion gland glycan granule hormone junction keratin "
    "lamella lipid lumen matrix membrane microtubule muscle nerve nucleotide organelle peptide plastid pore "
    "protein receptor ribosome scale septum spindle spore stalk synapse tendon tissue tubule vacuole vesicle"
).split()
_EVENTS: Final = (
    "adhesion assembly binding branching budding cleavage closure contraction degradation differentiation "
    "disassembly division elongation export folding formation fusion growth import loading maintenance "
    "maturation migration movement organization patterning ripening secretion sealing signalling sorting "
    "storage transport turnover uptake"
).split()
BRANCHES: Final = ("process", "component", "function")
RELATIONS: Final = (
    "part_of",
    "has_part",
    "regulates",
    "positively_regulates",
    "negatively_regulates",
    "occurs_in",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Existential:
    """`relation some filler`; the filler is a term's number."""

    relation: str
    filler: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Synonym:
    """An exact synonym; the source annotates its axiom."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One class and all that is said about it; terms are meant by number, from 0."""

    number: int
    label: str
    definition: str
    definition_source: str
    branch: str
    parents: tuple[int, ...]
    existentials: tuple[Existential, ...]
    equivalent_to: tuple[int, Existential] | None
    synonyms: tuple[Synonym, ...]
    xrefs: tuple[str, ...]
    replaced_by: int | None = None
    """Set on a deprecated term, which has no logical axioms."""


def base_term(seed: int, number: int) -> Term:
    """The term of the first release; the same for the same arguments, whatever the ontology's size."""
    if number < len(BRANCHES):
        return _root(number)
    if _is_deprecated(number):
        return _deprecated(seed, number)
    chance = random.Random(f"{seed}:{number}")
    parents = _parents(chance, number)
    equivalent_to = None
    if chance.random() < 0.25:
        equivalent_to = (parents[0], _existential(chance, number))
    return Term(
        number=number,
        label=label(seed, number),
        definition=_definition(seed, number, parents[0], equivalent_to),
        definition_source=f"REF:{chance.randrange(10_000_000)}",
        branch=BRANCHES[number % len(BRANCHES)],
        parents=parents,
        existentials=_existentials(chance, number),
        equivalent_to=equivalent_to,
        synonyms=_synonyms(chance, seed, number),
        xrefs=tuple(f"XDB:{chance.randrange(10_000_000)}" for _ in range(chance.choice((0, 0, 1, 2)))),
    )


def second_release(seed: int, number: int, size: int) -> Term | None:
    """The term as the second release has it: about one in a hundred differs; None means removed.

    Only among the last terms, which hardly any other term points to, are some removed or deprecated.
    """
    term = base_term(seed, number)
    chance = random.Random(f"{seed}:{number}:second")
    if number < len(BRANCHES) or term.replaced_by is not None or chance.random() >= 0.01:
        return term
    if number > size * 0.9 and chance.random() < 0.5:
        return None if chance.random() < 0.5 else _retire(term)
    match chance.randrange(5):
        case 0:
            return replace(term, definition=term.definition[:-1] + ", as observed in vivo.")
        case 1:
            return replace(term, label=f"{term.label} (revised)")
        case 2:
            return replace(term, parents=_parents(chance, number), equivalent_to=None)
        case 3:
            added = Synonym(text=f"{term.label} event", source="REF:second")
            return replace(term, synonyms=(*term.synonyms, added))
        case _:
            return replace(term, definition_source="REF:second")


def label(seed: int, number: int) -> str:
    """A label of three words; no two numbers share one."""
    total = len(_ADJECTIVES) * len(_THINGS) * len(_EVENTS)
    rest, lap = (number * 7919 + seed) % total, number // total  # 7919 is prime to the total: a permutation
    rest, event = divmod(rest, len(_EVENTS))
    adjective, thing = divmod(rest, len(_THINGS))
    text = f"{_ADJECTIVES[adjective]} {_THINGS[thing]} {_EVENTS[event]}"
    return f"{text} {lap + 1}" if lap else text


def _root(number: int) -> Term:
    return Term(
        number=number,
        label=f"generated {BRANCHES[number]}",
        definition=f"The most general term of the branch {BRANCHES[number]}.",
        definition_source="REF:0",
        branch=BRANCHES[number],
        parents=(),
        existentials=(),
        equivalent_to=None,
        synonyms=(),
        xrefs=(),
    )


def _is_deprecated(number: int) -> bool:
    return number % 41 == 40


def _live(number: int) -> int:
    """The nearest lower term of the same branch that is in use."""
    while _is_deprecated(number):
        number -= len(BRANCHES)
    return number


def _deprecated(seed: int, number: int) -> Term:
    text = label(seed, number)
    return replace(
        _root(number % len(BRANCHES)),
        number=number,
        label=f"obsolete {text}",
        definition=f"OBSOLETE. A term once used for {text}.",
        replaced_by=_live(number),
    )


def _retire(term: Term) -> Term:
    return replace(
        term,
        label=f"obsolete {term.label}",
        parents=(),
        existentials=(),
        equivalent_to=None,
        synonyms=(),
        xrefs=(),
        replaced_by=term.parents[0],
    )


def _parents(chance: random.Random, number: int) -> tuple[int, ...]:
    """Terms of the same branch with about a quarter of the number, so that depth grows with the logarithm.

    Parents drawn from all lower numbers would give a term hundreds of ancestors, where real
    ontologies of this size have twenty.
    """
    wanted = chance.choices((1, 2, 3), weights=(55, 40, 5))[0]
    branch, step = number % len(BRANCHES), len(BRANCHES)
    below = number // step  # how many lower numbers the branch has
    drawn = {chance.randint(below // 5, below // 3) for _ in range(wanted)}
    return tuple(sorted({_live(one * step + branch) for one in drawn}))


def _existential(chance: random.Random, number: int) -> Existential:
    """A relation to a clearly more general term of any branch."""
    relation = chance.choices(RELATIONS, weights=(40, 8, 16, 12, 12, 12))[0]
    return Existential(relation=relation, filler=_live(chance.randint(number // 20, number // 4)))


def _existentials(chance: random.Random, number: int) -> tuple[Existential, ...]:
    count = chance.choices((0, 1, 2), weights=(70, 25, 5))[0]
    found = {_existential(chance, number) for _ in range(count)}
    return tuple(sorted(found, key=lambda one: (one.relation, one.filler)))


def _synonyms(chance: random.Random, seed: int, number: int) -> tuple[Synonym, ...]:
    adjective, thing, event = label(seed, number).split()[:3]
    texts = (
        f"{event} of {adjective} {thing}",
        f"{thing} {event}, {adjective}",
        f"{adjective} {event} ({thing})",
    )
    count = chance.choices((0, 1, 2, 3), weights=(35, 30, 20, 15))[0]
    return tuple(Synonym(text=text, source=f"REF:{chance.randrange(100_000)}") for text in texts[:count])


def _definition(seed: int, number: int, parent: int, equivalent_to: tuple[int, Existential] | None) -> str:
    genus = label(seed, parent) if parent >= len(BRANCHES) else BRANCHES[parent]
    if equivalent_to is not None:
        relation, filler = equivalent_to[1].relation.replace("_", " "), equivalent_to[1].filler
        return f"Any {genus} that is in the relation {relation} to a {label(seed, filler)}."
    adjective, thing, _ = label(seed, number).split()[:3]
    return f"A {genus} whose result is a change of the {adjective} {thing} during development."
