"""Which document each axiom of a captured closure comes from.

A closure file is flat; where something was imported, `origins.json` lies beside it: the documents, root
first, and for each axiom of the closure, in its order, which documents say it.

    {"documents": [{"path", "iri", "version_iri"}, …], "sets": [[0], [1], [0, 1], …], "axioms": [set, …]}

`path` is relative to the project root, an address elsewhere, or null. Without the file everything comes
from the root.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from jobs.ontology.syntax import anonymous_individuals, rename_anonymous

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobs.ontology.closure import Closure

FILE_NAME: Final = "origins.json"
MEDIA_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document of a closure."""

    path: str | None
    iri: str | None
    version_iri: str | None

    @property
    def name(self) -> str:
        """What people call it; of an address outside the project only the end, since it may be a path."""
        if self.path is None:
            return self.iri or "a document without IRI"
        is_address = bool(urlsplit(self.path).scheme)
        return unquote(self.path.rpartition("/")[2]) if is_address else self.path


def encoded(closure: Closure, axioms: Sequence[str], said_by: Mapping[str, tuple[int, ...]]) -> bytes:
    """The content of the file for a closure.

    Args:
        axioms: of the closure, in the order of its file.
        said_by: `Closure.said_by`.
    """
    sets: dict[tuple[int, ...], int] = {}
    places = [sets.setdefault(said_by[text], len(sets)) for text in axioms]
    documents = [
        {"path": each.path, "iri": each.document.iri, "version_iri": each.document.version_iri}
        for each in closure.members
    ]
    return json.dumps({"documents": documents, "sets": list(sets), "axioms": places}).encode()


class Origins:
    """Where the axioms of one closure come from.

    Args:
        axioms: of the closure, in the order of its file.
        data: the content of `origins.json`; None when nothing was imported.
        root: the only document, where nothing was imported.
    """

    def __init__(self, axioms: Sequence[str], data: bytes | None, root: Document) -> None:
        self.documents: tuple[Document, ...] = (root,)
        self._places: dict[str, tuple[int, ...]] | None = None
        self._alike: dict[str, tuple[int, ...]] | None = None
        if data is not None:
            read = json.loads(data)
            self.documents = tuple(Document(**each) for each in read["documents"])
            sets = [tuple(each) for each in read["sets"]]
            self._places = {text: sets[place] for text, place in zip(axioms, read["axioms"], strict=True)}

    def of(self, axiom: str) -> tuple[int, ...]:
        """Numbers of the documents that say a canonical axiom; none for one that nobody says so.

        A reasoner's reader names anonymous individuals anew: then an axiom that differs in nothing
        else is taken for it.
        """
        if self._places is None:
            return (0,)
        found = self._places.get(axiom)
        if found is None and "_:" in axiom:
            found = self._of_alike(axiom)
        return found or ()

    def _of_alike(self, axiom: str) -> tuple[int, ...] | None:
        assert self._places is not None
        if self._alike is None:
            self._alike = {}
            for text, documents in self._places.items():
                if "_:" in text:
                    key = _nameless(text)
                    self._alike[key] = tuple(sorted({*self._alike.get(key, ()), *documents}))
        return self._alike.get(_nameless(axiom))


def _nameless(text: str) -> str:
    return rename_anonymous(text, dict.fromkeys(anonymous_individuals(text), "_:x"))
