"""Specifications of hierarchies: read from a project, typed in a form, written back.

A specification is a mapping: a builder with its keys, a file, a level table, or an attribute of a
UTD configuration. It is checked here as far as that needs no data.

In forms and on the command line lists are typed with commas (`5, 10, 20`) or, of numbers, blanks,
lists of lists with semicolons between them (`18 40 65; 65`), and named groups or texts with commas
as YAML. Which of these a text is depends on the type of the key.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import Field, FieldType, read_given
from kanon_tui.core.fields.yaml_text import (
    LocatedValue,
    Plain,
    as_number,
    dump,
    exact_number,
    parse,
)
from kanon_tui.core.hierarchy.builders.builder import Builder, members_of_groups
from kanon_tui.core.hierarchy.builders.contents import BUILDERS, SOURCES
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy

_LIKE = "a mapping like {file: zip.csv} or {builder: intervals, widths: [5, 10]}"


def read_specification(located: LocatedValue) -> tuple[str, dict[str, Any]]:
    """Return the source that a specification names and the value of every key, given or default."""
    source, fields, keys = _declared(located)
    defaults = {field.name: field.default for field in fields}
    return source, defaults | read_given(fields, keys)


def read_hierarchy(located: LocatedValue) -> dict[str, Any]:
    """Return a hierarchy as a project file has it, checked as far as that needs no data."""
    read_specification(located)
    _, fields, _ = _declared(located)
    texts = {"builder", *(field.name for field in fields if field.type.name == "str")}
    return {
        key: entry.text() if key in texts else _as_written(entry)
        for key, entry in located.entries().items()
    }


def _declared(located: LocatedValue) -> tuple[str, tuple[Field, ...], LocatedValue]:
    """Return the source a specification names, the keys it declares, and those that are given."""
    spec = located.value
    if not isinstance(spec, Mapping):
        raise located.refuse(f"{located.described} is not allowed here; write {_LIKE}")
    sources = [key for key in ("builder", "file", "utd") if key in spec]
    if len(sources) > 1:
        raise located.refuse(
            f"its hierarchy has both {sources[0]} and {sources[1]}; keep one of them"
        )
    if sources == ["builder"]:
        name = spec["builder"]
        if not isinstance(name, str) or name not in BUILDERS:
            raise located.refuse(f"unknown builder '{name}'; {suggestion(str(name), BUILDERS)}")
        given = {key: value for key, value in spec.items() if key != "builder"}
        return "builder", BUILDERS[name].keys, replace(located, value=given)
    source = sources[0] if sources else "levels"
    if source not in spec:
        unknown = [str(key) for key in spec]
        known = ("builder", *SOURCES)
        hint = f"'{unknown[0]}': {suggestion(unknown[0], known)}" if unknown else "it is empty"
        raise located.refuse(
            f"its hierarchy names no builder, file, utd or levels ({hint}); "
            f"write for instance {{builder: flat}}"
        )
    return source, SOURCES[source], located


def _as_written(located: LocatedValue, numbers: bool = True) -> Any:
    """Return a value with numbers as numbers, but as texts in level tables and groups."""
    if isinstance(located.value, Mapping):
        return {key: _as_written(entry, numbers=False) for key, entry in located.entries().items()}
    if isinstance(located.value, list | tuple):
        return [_as_written(item, numbers) for item in located.items("a list")]
    if numbers and isinstance(located.value, Plain):
        number = as_number(located.value)
        return str(located.value) if number is None else number
    if numbers:
        return located.value
    return located.text("a value or label")


def _write_hierarchy(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _written(value) for key, value in spec.items()}


def _written(value: Any, numbers: bool = True) -> Any:
    """Return a value for a file.

    Level tables and groups hold texts, and so does any text of digits.
    """
    if isinstance(value, Mapping):
        return {exact_number(str(key)): _written(inner, False) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_written(item, numbers) for item in value]
    return exact_number(value) if isinstance(value, str) and not numbers else value


HIERARCHY = FieldType(_LIKE, read_hierarchy, _write_hierarchy)
"""The hierarchy of an attribute, as a project writes it."""


def spec_from_texts(builder: Builder, texts: Mapping[str, str], who: str) -> dict[str, Any]:
    """Return the specification that a filled-in form describes.

    Raises the first key that does not fit.

    >>> from kanon_tui.core.hierarchy.builders.contents import BUILDERS
    >>> spec_from_texts(BUILDERS["breaks"], {"levels": "18 40; 65"}, "age")
    {'builder': 'breaks', 'levels': [[18, 40, 65], [65]]}
    """
    given: dict[str, Any] = {"builder": builder.name}
    for key in builder.keys:
        text = texts.get(key.name, "").strip()
        if text and text != key.default:
            given[key.name] = _value(key, text, f"{who}: {key.name}")
    spec = read_hierarchy(LocatedValue(who, "", given))
    if builder.name == "breaks":
        _add_cuts(spec["levels"])
    return spec


def _add_cuts(levels: list[list[Any]]) -> None:
    """Add the numbers that a level cuts at to every level below, which has to cut there as well."""
    for below, above in reversed(list(pairwise(levels))):
        numbers = all(isinstance(cut, int | float) for cut in (*below, *above))
        if numbers and set(above) - set(below):
            below[:] = sorted({*below, *above})


def spec_from_assignments(
    name: str, assignments: Iterable[tuple[str, str]], who: str
) -> dict[str, Any]:
    """Return the specification that `widths=5,10` and the like describe.

    Wrong names are refused too.
    """
    known = {key.name: key for key in BUILDERS[name].keys} if name in BUILDERS else {}
    given: dict[str, Any] = {"builder": name}
    for key, text in assignments:
        given[key] = _value(known[key], text, f"--set {key}") if key in known else Plain(text)
    return read_hierarchy(LocatedValue(who, "", given))


def texts_of_spec(builder: Builder, spec: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the texts that a form shows for a specification; defaults for another builder."""
    ours = spec if spec is not None and spec.get("builder") == builder.name else {}
    return {key.name: _text(ours.get(key.name, key.default)) for key in builder.keys}


def groups_spec(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return named groups to edit: those of a hierarchy, or one group of two values."""
    levels: list[dict[str, list[str]]] = []
    named = hierarchy.rows[0][-1] != HIDDEN  # the builder adds `*` by itself
    for level in range(1, hierarchy.height + named):
        levels.append(members_of_groups((row[level - 1], row[level]) for row in hierarchy.rows))
    if levels:
        return {"builder": "groups", "levels": levels}
    first = {"First group": list(hierarchy.values[:2])}
    return {"builder": "groups", "levels": [first], "other": "Other"}


def _value(key: Field, text: str, who: str) -> Any:
    if _reads(key, Plain(text)):
        return Plain(text)
    if text.startswith(("[", "{", "- ")) or "\n" in text or ": " in text:
        value = parse(text, who)
        return [value] if isinstance(value, Mapping) else value
    words = text.split()
    numbers = sum(word.rstrip(";").replace(".", "").lstrip("+-").isdigit() for word in words)
    blanks = "," not in text and 2 * numbers > len(words)  # not in `5 years; decade`
    levels = [
        [Plain(word.strip()) for word in part.strip(", ").split(None if blanks else ",")]
        for part in text.rstrip(";, ").split(";")
    ]
    listed = levels[0] if len(levels) == 1 else levels
    if _reads(key, listed) or (len(levels[0]) > 1 and not _reads(key, levels)):
        return listed
    return levels if _reads(key, levels) else Plain(text)


def _reads(key: Field, value: Any) -> bool:
    try:
        key.read(LocatedValue("", key.name, value))
    except InputError:
        return False
    return True


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, list | tuple):
        return str(value)
    levels = value if all(isinstance(level, list | tuple) for level in value) else [value]
    words = [str(word) for level in levels for word in level]
    simple = all(word and not set(word) & set(",;[]{}'\"\n") for word in words)
    if simple and not any(isinstance(word, Mapping) for level in levels for word in level):
        return "; ".join(", ".join(map(str, level)) for level in levels)
    block = dump({"levels": _written(value, numbers=False)}, blocks=("levels",))
    return block.partition("\n")[2].strip()
