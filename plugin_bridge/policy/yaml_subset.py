"""A strict subset of YAML 1.2: plain data with a line for every key, and nothing clever.

Refused: duplicate keys, anchors and aliases, tags, directives, several documents, keys that are
not strings, control characters and lone surrogates, and anything over the bounds. Scalars follow
the core schema (so `no` and `2027-01-01` are text). Events are consumed as they come, so the
bounds stop a hostile file early. Source: W 4.6.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from jobs import limits

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the top."""

YAML_DEPTH: Final = 16
_INTEGER_DIGITS: Final = 18
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class YamlRefused(Exception):
    """The text is not in the subset; `reason` is a snake_case word, `line` counts from 1."""

    def __init__(self, reason: str, message: str, *, line: int | None, key: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.line = line
        self.key = key


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlText:
    """The data of one document, and the line of each key and list item."""

    data: object
    lines: dict[Path, int]


def read_yaml(raw: bytes) -> YamlText:
    """Read one YAML document; an empty one is None.

    Raises: `YamlRefused`.
    """
    if len(raw) > limits.POLICY_FILE_BYTES:
        raise YamlRefused("too_large", f"more than {limits.POLICY_FILE_BYTES:,} bytes", line=None)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise YamlRefused("not_utf8", "the file is not UTF-8 text", line=line) from None
    try:
        return _Builder(YAML(typ="safe", pure=True).parse(text)).document()
    except MarkedYAMLError as fault:
        mark = fault.problem_mark
        reason = str(fault.problem or "not well-formed")
        raise YamlRefused("not_yaml", reason, line=None if mark is None else mark.line + 1) from None
    except (YAMLError, ValueError) as fault:  # its reader and some escapes raise without a mark
        raise YamlRefused("not_yaml", str(fault).splitlines()[0], line=None) from None


class _Builder:
    """Turns events into data, counting as it goes."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._lines: dict[Path, int] = {}
        self._nodes = 0
        self._scalar_bytes = 0

    def document(self) -> YamlText:
        data: object = None
        documents = 0
        for event in self._events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refused("several_documents", "only one document is allowed", event)
                if event.version is not None or event.tags:
                    raise _refused("directive", "directives are not allowed", event)
            elif isinstance(event, NodeEvent):
                data = self._node(event, ())
        return YamlText(data=data, lines=self._lines)

    def _node(self, event: Event, path: Path) -> object:
        self._check(event, path)
        match event:
            case ScalarEvent():
                return self._scalar(event, path)
            case SequenceStartEvent():
                return self._sequence(path)
            case MappingStartEvent():
                return self._mapping(path)
            case _:
                raise _refused("not_yaml", "unexpected structure", event, path)

    def _check(self, event: Event, path: Path) -> None:
        self._nodes += 1
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _refused("alias", "anchors and aliases are not allowed", event, path)
        if getattr(event, "ctag", None) is not None:
            raise _refused("tag", "tags are not allowed", event, path)
        if self._nodes > limits.POLICY_NODES:
            raise _refused("too_large", f"more than {limits.POLICY_NODES:,} values", event, path)
        if len(path) > YAML_DEPTH:
            raise _refused("too_deep", f"nested more than {YAML_DEPTH} levels deep", event, path)

    def _sequence(self, path: Path) -> list[object]:
        items: list[object] = []
        for event in self._events:
            if isinstance(event, SequenceEndEvent):
                break
            here = (*path, len(items))
            self._lines[here] = _line(event)
            items.append(self._node(event, here))
        return items

    def _mapping(self, path: Path) -> dict[str, object]:
        entries: dict[str, object] = {}
        for event in self._events:
            if isinstance(event, MappingEndEvent):
                break
            self._check(event, path)
            if not isinstance(event, ScalarEvent):
                raise _refused("bad_key", "a key must be plain text", event, path)
            key = self._text(event, path)
            here = (*path, key)
            if key in entries:
                raise _refused("duplicate_key", f"the key {key!r} appears twice", event, here)
            self._lines[here] = _line(event)
            entries[key] = self._node(next(self._events), here)
        return entries

    def _text(self, event: ScalarEvent, path: Path) -> str:
        text = str(event.value)
        if _UNPRINTABLE.search(text):
            raise _refused("bad_character", "control characters are not allowed", event, path)
        self._scalar_bytes += len(text.encode("utf-8"))
        if self._scalar_bytes > limits.POLICY_FILE_BYTES:
            raise _refused("too_large", f"more than {limits.POLICY_FILE_BYTES:,} bytes of text", event, path)
        return text

    def _scalar(self, event: ScalarEvent, path: Path) -> object:
        text = self._text(event, path)
        is_plain = event.style is None
        if not is_plain:
            return text
        if text in _NULL:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        if _INTEGER.fullmatch(text):
            if len(text) > _INTEGER_DIGITS:
                raise _refused("bad_number", "this number is out of every range", event, path)
            return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        return text


def dotted(path: Path) -> str:
    """The path as people write it: `validation.waivers[2].reason`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1


def _refused(reason: str, message: str, event: Event, path: Path = ()) -> YamlRefused:
    return YamlRefused(reason, message, line=_line(event), key=dotted(path) or None)
