"""Hierarchies as people write them in Python: widths, functions, dictionaries, tables, builders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from numbers import Real
from typing import Any

import polars as pl

from kanon_tui.core.api.builders import Specification, dates, intervals
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.table import as_frame
from kanon_tui.core.table.typed_columns import all_texts, printed_column

_SPECIFICATION_KEYS = frozenset({"builder", "file", "levels", "utd"})
_SETTINGS = frozenset(field.name for field in fields(AttributeSpec))


def attribute_settings(name: str, written: Any, column: Callable[[], pl.Series]) -> Specification:
    """Return the settings of a quasi-identifier: given as they are, or by its hierarchy.

    `column` gives the column of the data, which functions of values are applied to.
    """
    if written is None:
        return {}
    if isinstance(written, Mapping) and written.keys() & _SETTINGS:
        settings = dict(written)
        if settings.get("hierarchy") is not None:
            settings["hierarchy"] = hierarchy_specification(name, settings["hierarchy"], column)
        return settings
    return {"hierarchy": hierarchy_specification(name, written, column)}


def hierarchy_specification(
    name: str, written: Any, column: Callable[[], pl.Series]
) -> Specification:
    """Return the specification of a hierarchy, as a project file has it.

    Written are a specification (`kn.intervals(5, 10)`), widths (`[5, 10]`), units of dates
    (`["month", "year"]`), a function from value to label or several of them, one per level, a
    mapping from value to label or labels, or a table with a row per value.
    """
    if isinstance(written, Mapping):
        if written.keys() & _SPECIFICATION_KEYS:
            return dict(written)
        return {"levels": {_text(value): _labels(labels) for value, labels in written.items()}}
    if callable(written):
        return _by_functions([written], column())
    if _is_table(written):
        return _by_table(name, written)
    if isinstance(written, Sequence) and not isinstance(written, str) and written:
        if all(map(callable, written)):
            return _by_functions(written, column())
        if all(isinstance(width, Real) for width in written):
            return intervals(*written)
        if all(isinstance(unit, str) for unit in written):
            return dates(*written)
    raise InputError(
        f"{name}: {type(written).__name__} is no hierarchy; write widths such as [5, 10], a "
        "function from value to label, a dictionary from value to label, a table with a row per "
        "value, or a builder such as kn.intervals(5, 10)"
    )


def _is_table(written: Any) -> bool:
    is_frame = isinstance(written, pl.DataFrame | pl.LazyFrame)
    return is_frame or hasattr(written, "__arrow_c_stream__") or hasattr(written, "iloc")


def _by_table(name: str, table: Any) -> Specification:
    rows = all_texts(as_frame(table), f"the hierarchy of {name}").rows()
    levels: dict[str, list[str]] = {}
    for row, (value, *labels) in enumerate(rows, start=1):
        if levels.setdefault(value, labels) != labels:
            raise InputError(
                f"{name}: row {row} of its hierarchy has other labels for a value than a row "
                "before; a value has one row"
            )
    return {"levels": levels}


def _by_functions(functions: Sequence[Callable[[Any], object]], column: pl.Series) -> Specification:
    values = column.drop_nulls().unique(maintain_order=True)
    texts = all_texts(values.to_frame(), "the frame").to_series().to_list()
    labels = [[_text(function(value)) for function in functions] for value in values.to_list()]
    return {"levels": dict(zip(texts, labels, strict=True))}


def _labels(written: Any) -> list[str]:
    """Return the labels of a value: one, or one per level."""
    if isinstance(written, list | tuple):
        return [_text(label) for label in written]
    return [_text(written)]


def _text(value: object) -> str:
    """Return a value or label as a release prints it: 34.0 as 34."""
    plain = value.item() if hasattr(value, "item") else value
    text: str = printed_column([plain], "the hierarchy", "the frame")[0]
    return text
