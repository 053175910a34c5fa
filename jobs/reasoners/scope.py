"""Which axioms use a construct that a reasoner does not wholly interpret (the scope guard's evidence)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from jobs.ontology import grammar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# On the left of an inclusion, or among the operands of an equivalence, where named classes come first.
_SAID_OF_EVERYTHING: Final = (
    r"\A(?:SubClassOf\((?:Annotation\(.*\) )?"
    r'|EquivalentClasses\((?:Annotation\(.*\) )?(?:(?:<[^<>]*>|"") )*)'
    rf"<{re.escape(grammar.OWL)}Thing>[ )]"
)
# The reasoners' names for what they met, where they are not the construct's own.
_CONSTRUCTS: Final = {
    "AnonymousIndividual": r"_:",
    "DataProperty": r"\bData(?!type|(?:One|Union|Intersection|Complement)Of)[A-Za-z]+\(",
    "Datatype": r"\bDatatype",
    "owl:Thing": _SAID_OF_EVERYTHING,
    "owl:bottomObjectProperty": re.escape(f"<{grammar.OWL}bottomObjectProperty>"),
    "owl:topObjectProperty": re.escape(f"<{grammar.OWL}topObjectProperty>"),
}
_OPAQUE: Final = re.compile(rf'"[^"\\]*(?:\\.[^"\\]*)*"|<(?!{re.escape(grammar.OWL)})[^<>]*>', re.DOTALL)
"""What an author may have put anything into: literals, and names that are not OWL's own."""


def axioms_outside(axioms: Iterable[str], reasons: Collection[str]) -> Iterator[str]:
    """The logical axioms that use a construct of `reasons`, wherever it stands in them.

    Args:
        axioms: canonical texts.
        reasons: OWL construct names, as `Outcome.incomplete_because`.
    """
    if not reasons:
        return
    patterns = [_CONSTRUCTS.get(each, rf"\b{re.escape(each)}\(") for each in sorted(reasons)]
    pattern = re.compile("|".join(patterns))
    for text in axioms:
        if not pattern.search(text) or text[: text.index("(")] in grammar.ANNOTATION_AXIOM_TYPES:
            continue
        if pattern.search(_OPAQUE.sub('""', text)):
            yield text
