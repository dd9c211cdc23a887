"""A field is declared once; files, forms, the command line and the docs read the declaration.

    @dataclass(frozen=True)
    class Mondrian(Algorithm):
        relaxed: bool = declared(False, "Ties of the median may go to either side")

`Field.read` takes what stands in a file or was given in Python, `Field.parse` what was typed, and
`Field.write` gives what a project file shows. The type follows from the annotation (`bool`, `int`,
`float`, `str`, a `Literal`, an enumeration, each also `| None`) or is given. `sections` reads and
writes whole classes of declared fields.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import (
    FieldType,
    SeveralKeys,
    choice,
    member_of,
    number,
    optional,
    switch,
    text,
    whole_number,
)
from kanon_tui.core.fields.yaml_text import Plain

T = TypeVar("T")
_NOTHING = ("", "none", "null", "~")
"""Words that leave an optional field without a value."""


@dataclass(frozen=True)
class Field:
    """A declared field of a dataclass."""

    name: str
    type: FieldType
    default: Any = None
    help: str = ""
    required: str = ""
    """An example for the error if a required field is missing: `data: {path: FILE}`."""
    excludes: tuple[str, ...] = ()
    """Keys that cannot be given together with it."""
    only_with: str = ""
    """The switch without which it has no effect: a form then hides it."""
    key: str = ""
    """Its key in a file if that is not its name; `missing.tokens` is inside a mapping."""
    always: bool = False
    """Whether a file shows it even if it is the default."""
    formerly: tuple[tuple[str, FieldType], ...] = ()
    """Keys of older files for this field, and how they are read; they are never written."""

    @property
    def allowed(self) -> str:
        """The allowed values in words: `a whole number from 1 to 10`."""
        return self.type.allowed

    def read(self, located: LocatedValue) -> Any:
        """Return the value that is written there, or raise an error that says what is allowed."""
        return self.type.read(located)

    def parse(self, typed: str, who: str) -> Any:
        """Return the value a person typed, read like an unquoted word in a file."""
        word = typed.strip()
        nothing = self.type.optional and word.lower() in _NOTHING
        return self.read(LocatedValue(who, self.name, None if nothing else Plain(word)))

    def write(self, value: Any) -> Any:
        """Return a value as a project file shows it."""
        return self.type.write(value)

    def text(self, value: Any) -> str:
        """Return a value as a form shows it; `parse` turns it back."""
        return "" if value is None else str(self.write(value))


def declared(
    default: Any = dataclasses.MISSING,
    help: str = "",
    *,
    type: FieldType | SeveralKeys | None = None,
    factory: Callable[[], Any] | None = None,
    last: bool = False,
    **facts: Any,
) -> Any:
    """Declare a field of a dataclass that a person may set.

    Without `type` it follows from the annotation, the bounds `low`, `high` and `above`, `choices`
    and `words`. Other `facts` are those of a `Field`: its `key` in a file, which may lie deeper
    (`missing.tokens`), if it is `required` or `always` written, keys of older files (`formerly`).
    A form shows it while the field `only_with` is on, and the `last` ones of a base class after
    those of its subclasses.
    """
    bounds = {name: facts.pop(name) for name in _BOUNDS if name in facts}
    metadata = {"type": type, "bounds": bounds, "facts": {"help": help, **facts}, "last": last}
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


_BOUNDS = ("low", "high", "above", "words", "choices")


def fields_of(owner: type[Any]) -> tuple[Field, ...]:
    """Return the declared fields of a class that have a key of their own, in order."""
    return tuple(each for each in declarations_of(owner).values() if isinstance(each, Field))


def declarations_of(owner: type[Any]) -> Mapping[str, Field | SeveralKeys]:
    """Return the declarations of all fields of a class that a person may set, in order."""
    if owner not in _DECLARATIONS:
        _DECLARATIONS[owner] = dict(_declarations(owner))
    return _DECLARATIONS[owner]


_DECLARATIONS: dict[type[Any], Mapping[str, Field | SeveralKeys]] = {}


def _declarations(owner: type[Any]) -> Iterator[tuple[str, Field | SeveralKeys]]:
    hints = typing.get_type_hints(owner)
    own = [each for each in dataclasses.fields(owner) if "facts" in each.metadata]
    for each in sorted(own, key=lambda each: bool(each.metadata["last"])):
        kind = each.metadata["type"]
        if isinstance(kind, SeveralKeys):
            yield each.name, kind
            continue
        if kind is None:
            kind = _type_of(hints[each.name], **each.metadata["bounds"])
        default = None if each.default is dataclasses.MISSING else each.default
        if each.default_factory is not dataclasses.MISSING:
            default = each.default_factory()
        yield each.name, Field(each.name, kind, default, **each.metadata["facts"])


def _type_of(hint: Any, **bounds: Any) -> FieldType:
    """Return the type that an annotation and the bounds of its declaration describe."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        (inner,) = (arg for arg in hint.__args__ if arg is not type(None))
        return optional(_type_of(inner, **bounds))
    if typing.get_origin(hint) is typing.Literal:
        return choice(typing.get_args(hint))
    if "choices" in bounds:
        return choice(bounds["choices"])
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return member_of(hint)
    if hint is bool:
        return switch()
    if hint is int:
        return whole_number(**bounds)
    if hint is float:
        return number(**bounds)
    if hint is str:
        return text(**bounds)
    raise TypeError(f"a field of {hint} needs a type of its own")


class Checked:
    """A class of declared fields whose constructor checks plain values like a project file's.

    Texts are accepted for members of an enumeration.
    """

    def __post_init__(self) -> None:
        """Replace plain values by what a file with them would give, or refuse them."""
        for name, field in declarations_of(type(self)).items():
            value = getattr(self, name)
            plain = isinstance(value, str | int | float) and not isinstance(value, enum.Enum)
            if not isinstance(field, Field) or not plain or value is field.default:
                continue
            located = LocatedValue(type(self).__name__, field.key or name, value)
            object.__setattr__(self, name, field.read(located))


def read_given(fields: Iterable[Field], located: LocatedValue, noun: str = "key") -> dict[str, Any]:
    """Return the values that a mapping gives for some fields; unknown names are refused."""
    known = {field.name: field for field in fields}
    entries = located.entries(known, noun)
    for name, field in known.items():
        if name not in entries:
            if field.required:
                raise located.refuse(f"the {noun} {name} is missing; write {field.required}")
            continue
        for other in field.excludes:
            if other in entries:
                raise located.refuse(f"{name} and {other} are both given; keep one of them")
    return {name: known[name].read(entry) for name, entry in entries.items()}


def read_parameters(algorithm: type[Any], located: LocatedValue) -> dict[str, Any]:
    """Return the parameters of an algorithm that are given, in their types."""
    return read_given(fields_of(algorithm), located, "parameter")


def with_parameters(algorithm: type[T], values: Mapping[str, Any], who: str) -> T:
    """Return an algorithm with these parameter values; the rest keep their defaults."""
    return algorithm(**read_parameters(algorithm, LocatedValue(who, "", values)))
