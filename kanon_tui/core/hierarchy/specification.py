"""Specifications of hierarchies: read from a project, a form or a file, written back, and built.

A specification is a mapping: a builder with its keys, a file, a level table, or an attribute of a
UTD configuration (`SOURCES` and `BUILDERS` list them all). It is checked as far as that needs no
data; `build_hierarchy` makes a hierarchy of it, and `default_hierarchy` one where a project gives
none. The missing value of a column has no row in what is built: `Hierarchy.bind` keeps it apart
below the root.

In forms and on the command line lists are typed with commas (`5, 10, 20`) or, of numbers, blanks,
lists of lists with semicolons between them (`18 40 65; 65`), and named groups or texts with commas
as YAML. Which of these a text is depends on the type of the key.

Hierarchy files are told by their ending: `.csv` is ARX's form (`;`-separated, one row per value,
most specific first), `.xml` a configuration of the UTD toolbox (`utd_files`), and `.yaml` a level
table as it stands in a project: `levels: {White: [White, Person], …}`.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import Field, FieldType, read_given, text
from kanon_tui.core.fields.located import LocatedValue, Plain, as_number, exact_number
from kanon_tui.core.fields.yaml_text import document_text, dump, parse, read_yaml
from kanon_tui.core.hierarchy.builders.builder import Builder, lists_by_name, members_of_groups
from kanon_tui.core.hierarchy.builders.categories import FLAT, GROUPS, ICD10, MASK, icd10_codes
from kanon_tui.core.hierarchy.builders.intervals import (
    BREAKS,
    DATE,
    INTERVALS,
    QUANTILES,
    default_date_levels,
    first_width,
)
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy, refuse_misread, text_of
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.role_guesses import CODES, words_of
from kanon_tui.core.table.typed_columns import number_text
from kanon_tui.core.table.writing import write_text
from kanon_tui.core.text import Note, Quotable, note

BUILDERS: dict[str, Builder] = {
    builder.name: builder
    for builder in (INTERVALS, BREAKS, QUANTILES, MASK, ICD10, DATE, GROUPS, FLAT)
}
"""Ways to build a hierarchy from the values of a column."""

_LEVEL_TABLE = "a mapping from every value to the list of its labels"

SOURCES: dict[str, tuple[Field, ...]] = {
    "file": (
        Field(
            "file",
            text("the name of a file", empty=False),
            help="A level table in ARX's form",
            required="file: zip.csv",
        ),
    ),
    "utd": (
        Field(
            "utd",
            text("the name of an XML file", empty=False),
            help="A configuration of the UTD toolbox",
            required="utd: FILE.xml",
        ),
        Field(
            "attribute",
            text("a name", empty=False),
            help="The name (or index) of the attribute in it; the column's name when not given",
        ),
    ),
    "levels": (
        Field(
            "levels",
            lists_by_name(_LEVEL_TABLE),
            help="The labels of every value from level 1 on",
            required="levels: {VALUE: [LABEL, …], …}",
        ),
    ),
}
"""Level tables that are given, not built: each by the key that tells it and all its keys."""


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
        options = {key: value for key, value in spec.items() if key != "builder"}
        return "builder", BUILDERS[name].keys, replace(located, value=options)
    source = sources[0] if sources else "levels"
    if source not in spec:
        unknown = [str(key) for key in spec]
        allowed_keys = ("builder", *SOURCES)
        hint = (
            f"'{unknown[0]}': {suggestion(unknown[0], allowed_keys)}" if unknown else "it is empty"
        )
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


def _written(value: Any, numbers: bool = True) -> Any:
    """Return a value for a file.

    Level tables and groups hold texts, and so does any text of digits.
    """
    if isinstance(value, Mapping):
        return {exact_number(str(key)): _written(inner, False) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_written(item, numbers) for item in value]
    return exact_number(value) if isinstance(value, str) and not numbers else value


HIERARCHY = FieldType(
    _LIKE, read_hierarchy, lambda spec: {key: _written(value) for key, value in spec.items()}
)
"""The hierarchy of an attribute, as a project writes it."""


def spec_from_texts(builder: Builder, texts: Mapping[str, str], who: str) -> dict[str, Any]:
    """Return the specification that a filled-in form describes.

    Raises the first key that does not fit.

    >>> from kanon_tui.core.hierarchy.specification import BUILDERS
    >>> spec_from_texts(BUILDERS["breaks"], {"levels": "18 40; 65"}, "age")
    {'builder': 'breaks', 'levels': [[18, 40, 65], [65]]}
    """
    options: dict[str, Any] = {"builder": builder.name}
    for key in builder.keys:
        text = texts.get(key.name, "").strip()
        if text and text != key.default:
            options[key.name] = _value(key, text, f"{who}: {key.name}")
    spec = read_hierarchy(LocatedValue(who, "", options))
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
    field_of_key = {key.name: key for key in BUILDERS[name].keys} if name in BUILDERS else {}
    options: dict[str, Any] = {"builder": name}
    for key, typed in assignments:
        options[key] = (
            _value(field_of_key[key], typed, f"--set {key}")
            if key in field_of_key
            else Plain(typed)
        )
    return read_hierarchy(LocatedValue(who, "", options))


def texts_of_spec(builder: Builder, spec: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the texts that a form shows for a specification; defaults for another builder."""
    ours = spec if spec is not None and spec.get("builder") == builder.name else {}
    return {key.name: _text(ours.get(key.name, key.default)) for key in builder.keys}


def groups_spec(hierarchy: Hierarchy) -> dict[str, Any]:
    """Return named groups to edit: those of a hierarchy, or one group of two values."""
    levels: list[dict[str, list[str]]] = []
    named = hierarchy.root != HIDDEN  # the builder adds `*` by itself
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


_DIGITS = 3
"""Places of the shortest code that is masked by default."""
_DEFAULTS = {
    "flat": "the flat one (every value, then *)",
    "mask": "masks (46201, 4620*, 462**, …)",
    "icd10": "categories and chapters of ICD-10",
    "date": "dates by {levels}",
    "intervals": "intervals of width {width:g}, doubled from level to level up to level {top}",
}
"""By builder, the hierarchy that is built where a project gives none, in words."""


def build_hierarchy(spec: Mapping[str, Any], column: Column, folder: Path) -> Hierarchy:
    """Return the hierarchy that a specification describes; paths start at `folder`.

    A table that is given may lack values of the column: that is for `bind` to report.
    """
    source, options = read_specification(LocatedValue(column.name, "", spec))
    if source == "builder":
        return _build(BUILDERS[spec["builder"]], column, options)
    if source == "file":
        return _with_coded_ends(read_arx(folder / options["file"]), column)
    if source == "utd":
        from kanon_tui.core.hierarchy.utd_files import read_utd  # reads XML, which few need

        attribute = options["attribute"] or column.name
        tree = read_utd(folder / options["utd"], attribute, _numbers(column))
        return _with_coded_ends(tree, column)
    hierarchy = _with_coded_ends(from_yaml_levels(options["levels"], column.name), column)
    refuse_misread(options["levels"], hierarchy.uncovered(column), column.name)
    return hierarchy


def _with_coded_ends(hierarchy: Hierarchy, column: Column) -> Hierarchy:
    """Return a level table with rows for the coded ends of a column, where it has none of its own.

    `>=90` has the label that all values of the table from 90 on have in common, and stays itself on
    levels where they differ.
    """
    coding = column.coding
    if coding is None:
        return hierarchy
    numbers = column.parse(hierarchy.values)
    rows = list(hierarchy.rows)
    for end, bound in column.coded_ends.items():
        if end in hierarchy.values:
            continue
        beyond = numbers >= bound if end == coding.top_text else np.floor(numbers) <= bound
        hidden = [hierarchy.rows[row] for row in np.flatnonzero(beyond)]
        if hidden:
            levels = list(zip(*hidden, strict=True))[1:]
            shared = (labels[0] if len(set(labels)) == 1 else end for labels in levels)
            rows.append((end, *shared))
    return hierarchy.with_rows(rows)


def default_specification(column: Column) -> dict[str, Any]:
    """Return the specification of a hierarchy for a column that has none.

    Numbers: intervals of a width taken from the range of the data, doubled until one or two groups
    are left. Dates: calendar units as far as they tell dates apart. Categories: chapters of ICD-10
    codes, masks of zip codes and the like, else flat.
    """
    if len(column.values[: column.present]) < 2:
        return {"builder": "flat"}
    if column.kind is Kind.DATE:
        return {"builder": "date", "levels": list(default_date_levels(column))}
    if column.kind is Kind.NUMERIC:
        return {"builder": "intervals"}
    return {"builder": "icd10" if icd10_codes(column) else "mask" if _maskable(column) else "flat"}


def _maskable(column: Column) -> bool:
    """Return whether values are codes whose first places say most, such as zip codes.

    They are digits of one length, or have digits and alike lengths under a name of codes.
    """
    values = column.values[: column.present]
    lengths = sorted(map(len, values))
    if lengths[0] == lengths[-1] >= _DIGITS and all(map(str.isdigit, values)):
        return True
    with_digits = sum(any(map(str.isdigit, value)) for value in values) >= 0.9 * len(values)
    alike = lengths[0] >= _DIGITS and lengths[-1] - lengths[0] <= 3
    return with_digits and alike and bool(CODES.find(words_of(column.name)))


def default_hierarchy(column: Column) -> tuple[Hierarchy, Note]:
    """Return a hierarchy for a column that has none, and the sentence that says what was built."""
    spec = default_specification(column)
    hierarchy = build_hierarchy(spec, column, Path())
    facts: dict[str, Any] = {}
    if spec["builder"] == "date":
        facts["levels"] = ", ".join(spec["levels"])
    if spec["builder"] == "intervals":
        facts = {"width": float(first_width(column)), "top": hierarchy.height - 1}
    built = Quotable(_DEFAULTS[spec["builder"]].format_map(facts))
    words = note(
        "{name}: no hierarchy is given; built {built}", name=Quotable(column.name), built=built
    )
    return hierarchy, words


def _build(builder: Builder, column: Column, options: Mapping[str, Any]) -> Hierarchy:
    if column.kind not in builder.kinds:
        fitting = [b.name for b in BUILDERS.values() if column.kind in b.kinds]
        raise InputError(
            f"{column.name}: builder {builder.name} is for {' and '.join(builder.kinds)} "
            f"attributes, this one is {column.kind}; set its kind or use {', '.join(fitting)}"
        )
    if not column.values:
        raise InputError(f"{column.name}: it has no records, so there is nothing to generalise")
    if not column.values[: column.present]:
        return Hierarchy.flat(column.values)
    return builder.build(column, options)


def _numbers(column: Column) -> dict[str, float]:
    """Return the number of every value that has one, for trees of intervals."""
    if column.numbers is None:
        from kanon_tui.core.hierarchy.utd_files import plain_numbers

        return plain_numbers(column.values)
    numbers = zip(column.values, column.numbers.tolist(), strict=True)
    ends = column.coded_ends
    number_of_text = {text: n for text, n in numbers if n == n and text not in ends}
    present = set(number_of_text.values())
    hidden = () if column.coding is None else column.coding.original.tolist()
    return number_of_text | {
        number_text(number): number for number in hidden if number not in present
    }


_DELIMITERS = (";", "\t", ",")
_NEED_QUOTES = frozenset('\t,"\r\n\ufeff')
"""Besides `;`: what could be taken for a delimiter, a line end or a byte order mark."""


def read_arx(path: Path | str) -> Hierarchy:
    """Return a level table in ARX's form; errors name the file and the row."""
    path = Path(path)
    rows = _split(document_text(path, "hierarchy"), path.name)
    if rows and all(len(row) > 1 and row[-1] == "" for row in rows):
        rows = [row[:-1] for row in rows]  # a delimiter that ends every line adds no level
    return replace(Hierarchy.from_rows(rows, path.name), source=path.name)


def write_arx(hierarchy: Hierarchy, path: Path | str, force: bool = False) -> None:
    """Write a hierarchy in ARX's form, whole or not at all; an existing file needs `force`."""
    file = io.StringIO(newline="")
    delicate = any(_NEED_QUOTES & set(label) for row in hierarchy.rows for label in row)
    writer = csv.writer(
        file,
        delimiter=";",
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if delicate else csv.QUOTE_MINIMAL,
    )
    writer.writerows(hierarchy.rows)
    write_text(Path(path), file.getvalue(), force)


def _split(text: str, name: str) -> list[list[str]]:
    """Return the rows, by the first delimiter that makes a table of them.

    When none does, the first that occurs in the first row is taken, so that the error is about the
    row that is too long or too short; a file without any is a list of values.
    """
    tables = []
    for delimiter in _DELIMITERS:
        rows = _rows(text, delimiter, name)
        widths = {len(row) for row in rows}
        if len(widths) == 1 and widths != {1}:
            return rows
        tables.append(rows)
    return next((rows for rows in tables if rows and len(rows[0]) > 1), tables[0])


def _rows(text: str, delimiter: str, name: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if not row:
                raise InputError(f"{name}: line {reader.line_num} is empty; remove it")
            rows.append(row)
    except csv.Error as error:
        raise InputError(f"{name}: line {reader.line_num}: {error}") from None
    return rows


def to_yaml_levels(hierarchy: Hierarchy) -> dict[str, list[str]]:
    """Return the level table as a project writes it.

    Every value with its labels from level 1 on.
    """
    return {row[0]: list(row[1:]) for row in hierarchy.rows}


def from_yaml_levels(levels: Mapping[Any, Sequence[Any]], who: str) -> Hierarchy:
    """Return the hierarchy of a level table in a project; `who` names it in messages."""
    rows = []
    for written, labels in levels.items():
        value = text_of(written, f"{who}: a value of its levels")
        rows.append([value, *(text_of(x, f"{who}: a label of '{value}'") for x in labels)])
    return Hierarchy.from_rows(rows, who)


HIERARCHY_ENDINGS = (".csv", ".yaml", ".yml", ".xml")
_KNOWN_ENDINGS = "hierarchies end in .csv, .yaml or .xml"


def read_hierarchy_file(
    path: Path, attribute: str | None = None, values: Iterable[str] = ()
) -> Hierarchy:
    """Return the hierarchy in a file.

    An .xml configuration holds several: `attribute` says which (default: the name of the file), and
    `values` which numbers there are where it speaks of ranges only.
    """
    match path.suffix.lower():
        case ".xml":
            from kanon_tui.core.hierarchy.utd_files import plain_numbers, read_utd

            return read_utd(path, attribute or path.stem, plain_numbers(values))
        case ".csv":
            return read_arx(path)
        case ".yaml" | ".yml":
            document = LocatedValue(path.name, "", read_yaml(path, "hierarchy"))
            return from_yaml_levels(read_given(SOURCES["levels"], document)["levels"], path.name)
    raise InputError(f"{path}: {_KNOWN_ENDINGS}")


def write_hierarchy_file(
    hierarchy: Hierarchy, path: Path, attribute: str | None = None, force: bool = False
) -> None:
    """Write a hierarchy, whole or not at all; `attribute` is its name in an .xml configuration."""
    match path.suffix.lower():
        case ".xml":
            from kanon_tui.core.hierarchy.utd_files import write_utd

            write_utd(hierarchy, path, attribute or path.stem, force=force)
        case ".csv":
            write_arx(hierarchy, path, force)
        case ".yaml" | ".yml":
            document = HIERARCHY.write({"levels": to_yaml_levels(hierarchy)})
            write_text(path, dump(document, blocks=("levels",)), force)
        case _:
            raise InputError(f"{path}: {_KNOWN_ENDINGS}")
