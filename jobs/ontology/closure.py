"""Import closures: the documents that a root imports, each once, and what is missing.

Nothing is fetched: a caller-supplied opener reads files below the project root. Kinds of entities
flow between members, since one document may use what another declares; each member sees the
declarations of all it imports, directly or not, cycles included.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from jobs import limits
from jobs.errors import SnapshotTooLarge
from jobs.ontology.document import OntologyDocument, closure_fingerprint, semantic_fingerprint
from jobs.ontology.reading import declared_types, read_with_guesses
from jobs.ontology.syntax import anonymous_individuals, rename_anonymous

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jobs.digests import Digest
    from jobs.ontology.catalog import Catalog
    from jobs.ontology.grammar import EntityType

    Opener = Callable[[str], bytes]


class Reader(Protocol):
    """Reads one document, as `read_with_guesses`."""

    def __call__(
        self,
        data: bytes,
        *,
        name: str = ...,
        external_types: Mapping[str, frozenset[EntityType]] | None = ...,
    ) -> tuple[OntologyDocument, frozenset[str]]:
        """The document, and the IRIs whose kind was guessed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One document of a closure."""

    key: str
    """Its IRI and version, or its path when it has no IRI."""
    path: str | None
    """Relative to the project root; None when the root was given as bytes alone."""
    document: OntologyDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One import declaration and what it led to."""

    importer: str
    """Key of the importing member."""
    iri: str
    """The IRI as written."""
    member: str | None
    """Key of the member found; None when the import is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """A root and all it imports, as far as found."""

    members: tuple[Member, ...]
    """The root first."""
    edges: tuple[Edge, ...]
    missing: tuple[str, ...]
    """Import IRIs that led nowhere, sorted, each once."""
    ignored: tuple[str, ...] = ()
    """Catalog entries that were left out, and why."""

    @property
    def root(self) -> OntologyDocument:
        """The document that was asked for."""
        return self.members[0].document

    def axioms(self) -> tuple[str, ...]:
        """The axioms of all members, sorted; anonymous individuals of different members stay apart."""
        return tuple(sorted(self.said_by()))

    def said_by(self) -> dict[str, tuple[int, ...]]:
        """The same axioms, unsorted, each with the numbers of the members that say it."""
        found: dict[str, tuple[int, ...]] = dict.fromkeys(self.root.axioms, (0,))
        for place, member in enumerate(self.members[1:], start=1):
            alone = (place,)
            for axiom in member.document.axioms:
                text = _set_apart(axiom, place)
                before = found.get(text)
                found[text] = alone if before is None else (*before, place)
        return found

    def fingerprint(self, root_semantic: Digest | None = None) -> Digest:
        """Digest over all members (window jobs contract, 5.2).

        Args:
            root_semantic: the root's semantic fingerprint, where that is at hand.
        """
        root, *others = self.members
        pairs = [(member.key, semantic_fingerprint(member.document)) for member in others]
        return closure_fingerprint([(root.key, root_semantic or semantic_fingerprint(root.document)), *pairs])


def read_closure(
    data: bytes,
    opener: Opener,
    *,
    name: str = "document",
    path: str | None = None,
    catalogs: Sequence[Catalog] = (),
    axioms_max: int = limits.CLOSURE_AXIOMS,
    read: Reader = read_with_guesses,
) -> Closure:
    """Read a document and its imports.

    Args:
        data: the root's bytes; `path` is where they stand, relative to the project root.
        opener: returns the bytes of a path below the root; raises `OSError` when it is not there.
        catalogs: asked in order; the first that knows the IRI decides.
        read: reads one document; another one where some are read by translation.
    Raises:
        InvalidOntology: a document of the closure cannot be read; the message names it.
        SnapshotTooLarge: the closure has more than `axioms_max` axioms.
    """
    loader = _Loader(opener, catalogs, axioms_max, read)
    loader.add(data, name, path)
    while loader.waiting:
        loader.follow(*loader.waiting.pop(0))
    loader.settle_kinds()
    return loader.closure()


@dataclass(slots=True)
class _Loaded:
    """A member that may still have to be read again."""

    name: str
    path: str | None
    document: OntologyDocument
    guessed: frozenset[str]
    data: bytes | None
    """Kept only while a guess may have to be corrected."""
    imports: list[tuple[str, int | None]] = field(default_factory=list)


class _Loader:
    """Follows imports breadth first."""

    def __init__(self, opener: Opener, catalogs: Sequence[Catalog], axioms_max: int, read: Reader) -> None:
        self._opener = opener
        self._read = read
        self._catalogs = catalogs
        self._axioms_max = axioms_max
        self._axioms = 0
        self._loaded: list[_Loaded] = []
        self._by_iri: dict[str, int] = {}
        self._by_path: dict[str, int] = {}
        self.waiting: list[tuple[int, str]] = []

    def add(self, data: bytes, name: str, path: str | None) -> int:
        """Read a document and queue its imports; the number of the member."""
        document, guessed = self._read(data, name=name)
        self._axioms += len(document.axioms)
        if self._axioms > self._axioms_max:
            raise SnapshotTooLarge(
                f"The import closure has more than {self._axioms_max} axioms.",
                details={"limit": self._axioms_max},
            )
        number = len(self._loaded)
        self._loaded.append(_Loaded(name, path, document, guessed, data if guessed else None))
        for iri in (document.version_iri, document.iri):
            if iri is not None:
                self._by_iri.setdefault(iri, number)
        if path is not None:
            self._by_path[path] = number
        self.waiting.extend((number, iri) for iri in document.imports)
        return number

    def follow(self, importer: int, iri: str) -> None:
        """Resolve one import: a member already read, else a file that a catalog names."""
        self._loaded[importer].imports.append((iri, self._resolve(iri)))

    def _resolve(self, iri: str) -> int | None:
        path = next((found for catalog in self._catalogs if (found := catalog.find(iri)) is not None), None)
        if path is not None and path in self._by_path:
            return self._by_path[path]
        if iri in self._by_iri:
            return self._by_iri[iri]
        if path is None:
            return None
        try:
            data = self._opener(path)
        except OSError:
            return None
        number = self.add(data, posixpath.basename(path), path)
        self._by_iri.setdefault(iri, number)  # the file may state another IRI and still is the import
        return number

    def settle_kinds(self) -> None:
        """Read again, with what is imported in view, the members that had to guess."""
        if all(loaded.data is None for loaded in self._loaded):
            return
        declared = [declared_types(loaded.document) for loaded in self._loaded]
        for number, loaded in enumerate(self._loaded):
            if loaded.data is None:
                continue
            external: dict[str, frozenset[EntityType]] = {}
            for other in self._reachable(number):
                for iri, types in declared[other].items():
                    external[iri] = external.get(iri, frozenset()) | types
            if loaded.guessed & external.keys():
                loaded.document, _ = self._read(loaded.data, name=loaded.name, external_types=external)
            loaded.data = None

    def _reachable(self, start: int) -> set[int]:
        found: set[int] = set()
        queue = [start]
        while queue:
            for _, member in self._loaded[queue.pop()].imports:
                if member is not None and member not in found:
                    found.add(member)
                    queue.append(member)
        return found - {start}

    def closure(self) -> Closure:
        """What was read, as a value."""
        return join_closure(
            [(loaded.document, loaded.path, loaded.imports) for loaded in self._loaded],
            ignored=tuple(reason for catalog in self._catalogs for reason in catalog.ignored),
        )


def join_closure(
    documents: Sequence[tuple[OntologyDocument, str | None, Sequence[tuple[str, int | None]]]],
    *,
    ignored: tuple[str, ...] = (),
) -> Closure:
    """The closure of documents that are already resolved.

    Args:
        documents: the root first; each with its path below the project root, and what its import
            declarations led to: the number of a document, or None for a missing one.
    """
    keys = [_key(document, path) for document, path, _ in documents]
    edges = [
        Edge(importer=key, iri=iri, member=None if member is None else keys[member])
        for key, (_, _, imports) in zip(keys, documents, strict=True)
        for iri, member in imports
    ]
    return Closure(
        members=tuple(
            Member(key=key, path=path, document=document)
            for key, (document, path, _) in zip(keys, documents, strict=True)
        ),
        edges=tuple(edges),
        missing=tuple(sorted({edge.iri for edge in edges if edge.member is None})),
        ignored=ignored,
    )


def _key(document: OntologyDocument, path: str | None) -> str:
    if document.iri is None:
        return path or ""
    return f"{document.iri} {document.version_iri}" if document.version_iri else document.iri


def _set_apart(text: str, place: int) -> str:
    labels = anonymous_individuals(text)
    return rename_anonymous(text, {label: f"_:m{place}{label[2:]}" for label in labels}) if labels else text
