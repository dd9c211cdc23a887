"""A field is declared once; files, forms, the command line and the docs read the declaration.

    @dataclass(frozen=True)
    class Mondrian(Algorithm):
        relaxed: bool = declared(False, "Ties of the median may go to either side")

A `FieldType` says which values are allowed, reads a `LocatedValue` from a file, a form, the
command line or Python, and writes it as a project file shows it. It follows from the annotation
(`bool`, `int`, `float`, `str`, a `Literal`, an enumeration, each also `| None`) or is given. A form
that only one key has, such as the header of a table, is a `FieldType` beside its class.

A section of a project file has the declared fields of a class as the keys of a mapping.
`read_fields` makes an object of such a mapping, `write_fields` a mapping of an object. A field is a
key, a key that lies deeper (`missing.tokens`), or several keys at once (`SeveralKeys`).
"""

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.located import LocatedValue, Plain, exact_number


@dataclass(frozen=True)
class FieldType:
    """The type of a field: which values are allowed, and how they are read and written."""

    allowed: str
    """The allowed values in words: `a whole number from 1 to 10`."""
    read: Callable[[LocatedValue], Any] = dataclasses.field(compare=False)
    """The reader, which raises an error that says what is allowed."""
    write: Callable[[Any], Any] = dataclasses.field(default=lambda value: value, compare=False)
    """The writer to the form of a project file: plain texts, numbers, lists and mappings."""
    name: str = ""
    """The name of a simple type, for programs: bool, int, float, str."""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    """Whether null (nothing) is a value."""


@dataclass(frozen=True)
class SeveralKeys:
    """The type of a field without a key of its own: it is written as keys of its section."""

    keys: tuple[str, ...]
    read: Callable[[Mapping[str, LocatedValue]], Any] = dataclasses.field(compare=False)
    """The reader, called with those of its keys that are given."""
    write: Callable[[Any], dict[str, Any]] = dataclasses.field(compare=False)


_SWITCHES = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def switch() -> FieldType:
    """Return the type of true or false, also written yes, no, on and off."""

    def read(located: LocatedValue) -> bool:
        value = located.value
        if isinstance(value, Plain):
            value = _SWITCHES.get(value.lower())
        if not isinstance(value, bool):
            raise located.wrong("true or false")
        return value

    return FieldType("true or false", read, name="bool")


def whole_number(low: int | None = None, high: int | None = None, words: str = "") -> FieldType:
    """Return the type of a whole number between two bounds: 5, not 5.0."""
    allowed = words or "a whole number" + _bounds(low, high)

    def read(located: LocatedValue) -> int:
        value = located.as_number
        if not isinstance(value, int) or abs(value) >= 2**63 or _outside(value, low, high):
            raise located.wrong(allowed)
        return value

    return FieldType(allowed, read, name="int", low=low, high=high)


def number(
    low: float | None = None, high: float | None = None, above: float | None = None, words: str = ""
) -> FieldType:
    """Return the type of a finite number between two bounds, larger than `above`.

    `words` say what it is where that says more than its bounds: `a distance from 0 to 1`. Numbers
    that sums could overflow are refused.
    """
    allowed = words or "a number" + _bounds(low, high)
    if above is not None and not words:
        allowed = f"a number above {above:g}" + (f", at most {high:g}" if high is not None else "")

    def read(located: LocatedValue) -> float:
        value = located.as_number
        if value is None or not abs(value) <= 1e100 or _outside(value, low, high):
            raise located.wrong(allowed)
        if above is not None and value <= above:
            raise located.wrong(allowed)
        return float(value)

    return FieldType(allowed, read, plain_number, name="float", low=low, high=high)


def plain_number(value: float) -> int | float:
    """Return a number without the `.0` of a whole number."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)


def text(
    words: str = "a text", empty: bool = True, fits: Callable[[str], bool] = lambda _: True
) -> FieldType:
    """Return the type of a text, kept exactly; digits that print back alike need no quotes.

    A text for which `fits` is false is refused.
    """

    def read(located: LocatedValue) -> str:
        written = located.text(words)
        if not (written or empty) or not fits(written):
            raise located.wrong(words)
        return written

    return FieldType(words, read, exact_number, name="str")


def lines() -> FieldType:
    """Return the type of several texts that a form shows one per line; empty lines are left out."""

    def read(located: LocatedValue) -> tuple[str, ...]:
        written = located.text("lines of text").splitlines()
        return tuple(line.strip() for line in written if line.strip())

    return FieldType("one on each line", read, "\n".join, name="lines")


def choice(choices: Collection[str]) -> FieldType:
    """Return the type of one of a few words."""
    allowed = "one of " + ", ".join(choices)

    def read(located: LocatedValue) -> str:
        word = located.text(allowed)
        if word not in choices:
            hint = suggestion(word, choices)
            raise located.refuse(f"{located.described} is not one of its values; {hint}")
        return word

    return FieldType(allowed, read, name="str", choices=tuple(choices))


def member_of(members: type[enum.Enum]) -> FieldType:
    """Return the type of a member of an enumeration, written as its value."""
    words = choice(tuple(member.value for member in members))
    return replace(
        words, read=lambda located: members(words.read(located)), write=lambda member: member.value
    )


def optional(inner: FieldType) -> FieldType:
    """Return the type of a value or nothing: null, ~ or an empty entry."""
    return replace(
        inner,
        allowed=f"{inner.allowed} or nothing",
        read=lambda located: None if located.value is None else inner.read(located),
        write=lambda value: None if value is None else inner.write(value),
        optional=True,
    )


def automatic(inner: FieldType, allowed: str = "") -> FieldType:
    """Return the type of a value or the word auto; `allowed` are words for both."""
    allowed = allowed or f"{inner.allowed} or auto"

    def read(located: LocatedValue) -> Any:
        if located.value == "auto":
            return "auto"
        try:
            return inner.read(located)
        except InputError:
            raise located.wrong(allowed) from None

    return replace(
        inner,
        allowed=allowed,
        read=read,
        write=lambda value: value if value == "auto" else inner.write(value),
    )


def list_of(
    item: FieldType, words: str, length: int | None = None, empty: bool = True
) -> FieldType:
    """Return the type of a list of values of one type; `words` describe it in messages."""

    def read(located: LocatedValue) -> tuple[Any, ...]:
        items = tuple(item.read(entry) for entry in located.items(words, length))
        if not items and not empty:
            raise located.refuse(f"an empty list is not allowed here; write {words}")
        return items

    return FieldType(words, read, lambda values: [item.write(value) for value in values])


def mapping_of(item: FieldType, words: str) -> FieldType:
    """Return the type of values by name; names are texts and keep their order."""
    return FieldType(
        words,
        lambda located: {name: item.read(entry) for name, entry in located.entries().items()},
        lambda values: {exact_number(name): item.write(value) for name, value in values.items()},
    )


def _outside(value: float, low: float | None, high: float | None) -> bool:
    return (low is not None and value < low) or (high is not None and value > high)


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return f" of at most {high:g}" if high is not None else ""


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
    return tuple(
        declared for declared in declarations_of(owner).values() if isinstance(declared, Field)
    )


def declarations_of(owner: type[Any]) -> Mapping[str, Field | SeveralKeys]:
    """Return the declarations of all fields of a class that a person may set, in order."""
    if owner not in _DECLARATIONS:
        _DECLARATIONS[owner] = dict(_declarations(owner))
    return _DECLARATIONS[owner]


_DECLARATIONS: dict[type[Any], Mapping[str, Field | SeveralKeys]] = {}


def _declarations(owner: type[Any]) -> Iterator[tuple[str, Field | SeveralKeys]]:
    hints = typing.get_type_hints(owner)
    declared_fields = [
        declared_field
        for declared_field in dataclasses.fields(owner)
        if "facts" in declared_field.metadata
    ]
    for declared_field in sorted(
        declared_fields, key=lambda declared_field: bool(declared_field.metadata["last"])
    ):
        kind = declared_field.metadata["type"]
        if isinstance(kind, SeveralKeys):
            yield declared_field.name, kind
            continue
        if kind is None:
            kind = _type_of(hints[declared_field.name], **declared_field.metadata["bounds"])
        default = None if declared_field.default is dataclasses.MISSING else declared_field.default
        if declared_field.default_factory is not dataclasses.MISSING:
            default = declared_field.default_factory()
        yield (
            declared_field.name,
            Field(declared_field.name, kind, default, **declared_field.metadata["facts"]),
        )


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
    fields_by_name = {field.name: field for field in fields}
    entries = located.entries(fields_by_name, noun)
    for name, field in fields_by_name.items():
        if name not in entries:
            if field.required:
                raise located.refuse(f"the {noun} {name} is missing; write {field.required}")
            continue
        for excluded in field.excludes:
            if excluded in entries:
                raise located.refuse(f"{name} and {excluded} are both given; keep one of them")
    return {name: fields_by_name[name].read(entry) for name, entry in entries.items()}


def read_parameters(algorithm: type[Any], located: LocatedValue) -> dict[str, Any]:
    """Return the parameters of an algorithm that are given, in their types."""
    return read_given(fields_of(algorithm), located, "parameter")


def with_parameters(algorithm: type[T], values: Mapping[str, Any], who: str) -> T:
    """Return an algorithm with these parameter values; the rest keep their defaults."""
    return algorithm(**read_parameters(algorithm, LocatedValue(who, "", values)))


def section(owner: type[Any]) -> FieldType:
    """Return the type of a field that holds an object with declared fields."""
    keys = ", ".join(dict.fromkeys(key.partition(".")[0] for key in keys_of(owner)))
    return FieldType(
        f"a mapping with the keys {keys}", lambda located: read_fields(owner, located), write_fields
    )


def inlined(owner: type[Any]) -> SeveralKeys:
    """Return the type of a field whose object's keys stand beside the other keys of the section."""
    return SeveralKeys(
        keys_of(owner), lambda entries: _construct(owner, entries, None), write_fields
    )


def keys_of(owner: type[Any]) -> tuple[str, ...]:
    """Return every key that an object of this class is written to."""
    keys: list[str] = []
    for declared in declarations_of(owner).values():
        keys += [declared.key or declared.name] if isinstance(declared, Field) else declared.keys
    return tuple(keys)


def _former_keys(owner: type[Any]) -> tuple[str, ...]:
    """Return the keys of older files that an object of this class is also read from."""
    fields = declarations_of(owner).values()
    return tuple(key for f in fields if isinstance(f, Field) for key, _ in f.formerly)


def read_fields(owner: type[T], located: LocatedValue, also: Iterable[str] = ()) -> T:
    """Return an object from a mapping; refuse unknown keys, except those in `also`."""
    keys = (*also, *keys_of(owner), *_former_keys(owner))
    return _construct(owner, read_entries(located, keys), located)


def read_entries(located: LocatedValue, keys: Iterable[str]) -> dict[str, LocatedValue]:
    """Return the given entries of some keys; `missing.tokens` stands in the mapping `missing`."""
    deeper: dict[str, list[str]] = {}
    for key in keys:
        first, _, deeper_key = key.partition(".")
        deeper.setdefault(first, []).extend([deeper_key] if deeper_key else [])
    entries: dict[str, LocatedValue] = {}
    for name, entry in located.entries(deeper).items():
        inner = read_entries(entry, deeper[name]) if deeper[name] else {"": entry}
        entries |= {f"{name}.{key}" if key else name: value for key, value in inner.items()}
    return entries


def _construct(
    owner: type[T], entries: Mapping[str, LocatedValue], located: LocatedValue | None
) -> T:
    values: dict[str, Any] = {}
    for name, declared in declarations_of(owner).items():
        if isinstance(declared, SeveralKeys):
            values[name] = declared.read(
                {key: entries[key] for key in declared.keys if key in entries}
            )
            continue
        key = declared.key or name
        former = [(old, old_type) for old, old_type in declared.formerly if old in entries]
        if former and key in entries:
            old = former[0][0]
            raise entries[old].refuse(f"{old} is the older word for {key}; keep {key} alone")
        if key in entries:
            values[name] = declared.read(entries[key])
        elif former:
            old, old_type = former[0]
            values[name] = old_type.read(entries[old])
        elif declared.required and located is not None:
            raise located.refuse(f"the key {key} is missing; write {declared.required}")
    return owner(**values)


def write_fields(value: Any) -> dict[str, Any]:
    """Return an object as a mapping; default values are left out."""
    written: dict[str, Any] = {}
    for name, declared in declarations_of(type(value)).items():
        field_value = getattr(value, name)
        if isinstance(declared, SeveralKeys):
            _merge(written, declared.write(field_value))
        elif declared.always or declared.required or field_value != declared.default:
            first, _, deeper_key = (declared.key or name).partition(".")
            shown = declared.write(field_value)
            _merge(written, {first: {deeper_key: shown} if deeper_key else shown})
    return written


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add entries; two mappings under one key become one."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
