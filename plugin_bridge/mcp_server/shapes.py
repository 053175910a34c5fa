"""Shapes of JSON arguments: one definition gives both the published schema and the check.

So the two cannot drift apart, and a check costs a few dictionary look-ups. Each shape has

- `schema()`: its JSON Schema (2020-12), and
- `read(value, where, problems)`: the checked value; what is wrong is appended to `problems`.

Invariants: nothing is coerced but an integral float (JSON knows one kind of number); no value of
the caller is repeated in a message, only names; depth of recursion is the depth of our own shapes,
never of the input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from jobs.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jobs.errors import Refused
    from jobs.values import Json

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_NAMES_SHOWN: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with the arguments, as the error it would raise."""

    error: type[Refused]
    message: str
    field: str
    is_telling: bool

    def as_error(self) -> Refused:
        """The error to raise."""
        return self.error(self.message, details={"field": self.field})


class Shape(Protocol):
    """What an argument must look like."""

    def schema(self) -> Json:
        """The JSON Schema."""

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The checked value, or anything when a problem was appended."""


def check(shape: Object, arguments: Mapping[str, object]) -> Json:
    """The arguments with defaults filled in.

    Raises:
        Refused: the first problem that has a more telling code, else the first one, which is then
            `invalid_request` (W 3.1).
    """
    problems: list[Problem] = []
    read = shape.read(arguments, "", problems)
    if problems:
        raise next((each for each in problems if each.is_telling), problems[0]).as_error()
    assert isinstance(read, dict)
    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    """What leaves share: a description, and a code of their own for any violation."""

    about: str
    telling: type[Refused] | None = None

    def _refuse(self, where: str, problems: list[Problem], must: str) -> None:
        problems.append(
            Problem(
                error=self.telling or InvalidRequest,
                message=f"{where} must be {must}.",
                field=where,
                is_telling=self.telling is not None,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Leaf):
    """A string without NUL or lone surrogates, counted in characters."""

    longest: int
    pattern: str | None = None
    must: str = ""
    is_one_line: bool = False
    is_nonblank: bool = False
    compiled: re.Pattern[str] | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        if self.pattern is not None:
            object.__setattr__(self, "compiled", re.compile(self.pattern.removeprefix("^").removesuffix("$")))

    def schema(self) -> Json:
        """String with its length and pattern."""
        control = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$" if self.is_one_line else "^[^\\u0000]*$"
        nonblank = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
        pattern = self.pattern or (nonblank if self.is_nonblank else control)
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": self.longest,
            "pattern": pattern,
            "description": self.about,
        }

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The string as it stands."""
        if not isinstance(value, str) or not 1 <= len(value) <= self.longest:
            self._refuse(where, problems, self.must or f"a string of 1 to {self.longest} characters")
        elif self.compiled is not None:
            if self.compiled.fullmatch(value) is None:
                self._refuse(where, problems, self.must)
        elif _SURROGATE.search(value) or "\x00" in value:
            self._refuse(where, problems, "text without NUL and lone surrogates")
        elif self.is_one_line and _CONTROL.search(value):
            self._refuse(where, problems, "text without control characters")
        elif self.is_nonblank and not value.strip():
            self._refuse(where, problems, "more than blanks")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer(_Leaf):
    """An integer in a closed range; `beyond` is the error for anything above `most`."""

    least: int
    most: int
    beyond: type[Refused] | None = None

    def schema(self) -> Json:
        """Integer with its bounds."""
        return {
            "type": "integer",
            "minimum": self.least,
            "maximum": self.most,
            "description": self.about,
        }

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The integer; 25.0 is read as 25, as JSON Schema does."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self._refuse(where, problems, f"an integer from {self.least} to {self.most}")
        elif self.beyond is not None and value > self.most:
            message = f"{where} may be at most {self.most} in this window."
            problems.append(Problem(error=self.beyond, message=message, field=where, is_telling=True))
        elif not self.least <= value <= self.most:
            self._refuse(where, problems, f"an integer from {self.least} to {self.most}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(_Leaf):
    """One of a few words."""

    words: tuple[str, ...]

    def schema(self) -> Json:
        """String enumeration."""
        return {"type": "string", "enum": list(self.words), "description": self.about}

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The word."""
        if not isinstance(value, str) or value not in self.words:
            self._refuse(where, problems, f"one of {', '.join(self.words)}")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(_Leaf):
    """A boolean, or exactly one of the two."""

    only: bool | None = None

    def schema(self) -> Json:
        """Boolean, or a constant."""
        constant: Json = {} if self.only is None else {"const": self.only}
        return {"type": "boolean", **constant, "description": self.about}

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The boolean; 0 and 1 are none."""
        if not isinstance(value, bool):
            self._refuse(where, problems, "true or false" if self.only is None else str(self.only).lower())
        elif self.only is not None and value is not self.only:
            self._refuse(where, problems, str(self.only).lower())
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Several(_Leaf):
    """A list of different words, in the caller's order."""

    words: tuple[str, ...]

    def schema(self) -> Json:
        """Array of unique enumeration members."""
        return {
            "type": "array",
            "items": {"type": "string", "enum": list(self.words)},
            "minItems": 1,
            "maxItems": len(self.words),
            "uniqueItems": True,
            "description": self.about,
        }

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """The list as it stands."""
        if not isinstance(value, list) or not 1 <= len(value) <= len(self.words):
            self._refuse(where, problems, f"a list of 1 to {len(self.words)} different words")
        elif not all(isinstance(each, str) and each in self.words for each in value):
            self._refuse(where, problems, f"a list of {', '.join(self.words)}")
        elif len(set(value)) != len(value):
            self._refuse(where, problems, "a list without repetitions")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """A closed object.

    Args:
        required: shapes that must be there.
        optional: shape and the value that stands for its absence (None: the key reads as None).
        absent: the more telling error for a missing required key, by key.
    """

    about: str
    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, tuple[Shape, object]] = field(default_factory=dict)
    absent: Mapping[str, type[Refused]] = field(default_factory=dict)

    def schema(self) -> Json:
        """Object that allows no other property."""
        properties = {key: each.schema() for key, each in self.required.items()}
        for key, (shape, default) in self.optional.items():
            known: Json = {} if default is None else {"default": default}
            properties[key] = {**shape.schema(), **known}
        return {
            "type": "object",
            "properties": properties,
            "required": list(self.required),
            "additionalProperties": False,
            "description": self.about,
        }

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """A new dict with every key of the shape."""
        if not isinstance(value, dict):
            problems.append(_plain(f"{where or 'arguments'} must be an object.", where))
            return {}
        self._refuse_unknown(value, where, problems)
        prefix = f"{where}." if where else ""
        result: Json = {}
        for key, shape in self.required.items():
            if key in value:
                result[key] = shape.read(value[key], prefix + key, problems)
            else:
                problems.append(self._missing(key, prefix + key))
        for key, (shape, default) in self.optional.items():
            result[key] = shape.read(value[key], prefix + key, problems) if key in value else default
        return result

    def _refuse_unknown(self, value: Mapping[str, object], where: str, problems: list[Problem]) -> None:
        extra = [key for key in value if key not in self.required and key not in self.optional]
        if extra:
            known = ", ".join([*self.required, *self.optional][:_NAMES_SHOWN]) or "no argument at all"
            # repr: a hostile key stays one line of ASCII-safe text
            named = ", ".join(ascii(key)[:80] for key in extra[:_NAMES_SHOWN])
            text = f"{where or 'This tool'} does not take {named}; it takes {known}."
            problems.append(_plain(text, where))

    def _missing(self, key: str, where: str) -> Problem:
        error = self.absent.get(key)
        return Problem(
            error=error or InvalidRequest,
            message=(error.default_message if error else "") or f"{where} is required.",
            field=where,
            is_telling=error is not None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """A closed object whose `tag` says which of several forms it has.

    Args:
        forms: the further keys of each form, by the word that stands at the tag.
    """

    about: str
    tag: str
    forms: Mapping[str, Mapping[str, Shape]]

    def schema(self) -> Json:
        """Any of the forms."""
        return {
            "type": "object",
            "anyOf": [self._form(word).schema() for word in self.forms],
            "description": self.about,
        }

    def read(self, value: object, where: str, problems: list[Problem]) -> object:
        """A new dict with every key of its form."""
        named = value.get(self.tag) if isinstance(value, dict) else None
        if isinstance(named, str) and named in self.forms:
            return self._form(named).read(value, where, problems)
        words = ", ".join(self.forms)
        problems.append(_plain(f"{where} must be an object whose {self.tag} is one of {words}.", where))
        return value

    def _form(self, word: str) -> Object:
        tag = Choice(about=f"This form is for {word}.", words=(word,))
        return Object(about=f"{self.tag}: {word}", required={self.tag: tag, **self.forms[word]})


def _plain(message: str, where: str) -> Problem:
    return Problem(error=InvalidRequest, message=message, field=where, is_telling=False)
