"""Build the hierarchy that a project specifies.

A specification is a mapping: a builder with its keys, a file, a level table, or an attribute of a
UTD configuration (`builders.contents` lists them all). `default_hierarchy` builds one where a
project gives none.

The missing value of a column has no row in what is built: `Hierarchy.bind` keeps it apart below the
root.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.yaml_text import LocatedValue
from kanon_tui.core.hierarchy.builders.builder import Builder, present_values
from kanon_tui.core.hierarchy.builders.contents import BUILDERS
from kanon_tui.core.hierarchy.builders.dates import default_date_levels
from kanon_tui.core.hierarchy.builders.icd10 import icd10_codes
from kanon_tui.core.hierarchy.builders.intervals import first_width
from kanon_tui.core.hierarchy.files import from_yaml_levels, read_arx
from kanon_tui.core.hierarchy.level_table import Hierarchy, refuse_misread
from kanon_tui.core.hierarchy.specification import read_specification
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.personal_patterns import CODES, words_of
from kanon_tui.core.table.typed_columns import number_text
from kanon_tui.core.text import Note, Quotable, note

_DIGITS = 3
"""Places of the shortest code that is masked by default."""
_DEFAULTS = {
    "flat": "the flat one (every value, then *)",
    "mask": "masks (46201, 4620*, 462**, …)",
    "icd10": "categories and chapters of ICD-10",
    "date": "dates by {levels}",
    "intervals": "intervals of width {width:g}, doubled from level to level up to level {top}",
}
"""What is built where a project gives nothing, in words."""


def build_hierarchy(spec: Mapping[str, Any], column: Column, folder: Path) -> Hierarchy:
    """Return the hierarchy that a specification describes; paths start at `folder`.

    A table that is given may lack values of the column: that is for `bind` to report.
    """
    source, options = read_specification(LocatedValue(column.name, "", spec))
    if source == "builder":
        return _build(BUILDERS[spec["builder"]], column, options)
    if source == "file":
        return with_coded_ends(read_arx(folder / options["file"]), column)
    if source == "utd":
        from kanon_tui.core.hierarchy.utd_files import read_utd  # reads XML, which few need

        attribute = options["attribute"] or column.name
        tree = read_utd(folder / options["utd"], attribute, _numbers(column))
        return with_coded_ends(tree, column)
    hierarchy = with_coded_ends(from_yaml_levels(options["levels"], column.name), column)
    refuse_misread(options["levels"], hierarchy.uncovered(column), column.name)
    return hierarchy


def with_coded_ends(hierarchy: Hierarchy, column: Column) -> Hierarchy:
    """Return a level table with rows for the coded ends of a column, where it has none of its own.

    `>=90` has the label that all values of the table from 90 on have in common, and stays itself on
    levels where they differ.
    """
    coding = column.coding
    if coding is None:
        return hierarchy
    numbers = column.parse(hierarchy.values)
    rows = list(hierarchy.rows)
    for text, bound in column.coded_ends.items():
        if text in hierarchy.values:
            continue
        beyond = numbers >= bound if text == coding.top_text else np.floor(numbers) <= bound
        hidden = [hierarchy.rows[row] for row in np.flatnonzero(beyond)]
        if hidden:
            levels = list(zip(*hidden, strict=True))[1:]
            shared = (labels[0] if len(set(labels)) == 1 else text for labels in levels)
            rows.append((text, *shared))
    return replace(hierarchy, rows=tuple(rows))


def default_specification(column: Column) -> dict[str, Any]:
    """Return the specification of a hierarchy for a column that has none.

    Numbers: intervals of a width taken from the range of the data, doubled until one or two groups
    are left. Dates: calendar units as far as they tell dates apart. Categories: chapters of ICD-10
    codes, masks of zip codes and the like, else flat.
    """
    if len(present_values(column)) < 2:
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
    values = present_values(column)
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
    if len(column.values) == (column.missing is not None):
        return Hierarchy.flat(_values(column))
    return builder.build(column, options)


def _values(column: Column) -> tuple[str, ...]:
    """Return the present values; the missing one where there is no other."""
    if not column.values:
        raise InputError(f"{column.name}: it has no records, so there is nothing to generalise")
    return tuple(present_values(column)) or column.values


def _numbers(column: Column) -> dict[str, float]:
    """Return the number of every value that has one, for trees of intervals."""
    if column.numbers is None:
        from kanon_tui.core.hierarchy.utd_files import plain_numbers

        return plain_numbers(column.values)
    numbers = zip(column.values, column.numbers.tolist(), strict=True)
    ends = column.coded_ends
    found = {text: n for text, n in numbers if n == n and text not in ends}
    known = set(found.values())
    hidden = () if column.coding is None else column.coding.original.tolist()
    return found | {number_text(number): number for number in hidden if number not in known}
