"""Hierarchies in ARX's form.

One line per value, the value first and its labels from the most specific to the root after it,
separated by `;` (a file separated by tabs or commas is understood too), without a header, quotes
where a text needs them.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.files.source import read_source
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.writing import write_text

__all__ = ["read_arx", "write_arx"]

_DELIMITERS = (";", "\t", ",")
_NEED_QUOTES = frozenset('\t,"\r\n\ufeff')
"""Besides `;`: what could be taken for a delimiter, a line end or a byte order mark."""


def read_arx(path: Path | str) -> Hierarchy:
    """A level table in ARX's form; errors name the file and the row."""
    path = Path(path)
    rows = _split(_decoded(read_source(path), path.name), path.name)
    if rows and all(len(row) > 1 and row[-1] == "" for row in rows):
        rows = [row[:-1] for row in rows]  # a delimiter that ends every line adds no level
    return replace(Hierarchy.of(rows, path.name), source=path.name)


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


def _decoded(source: bytes, name: str) -> str:
    """UTF-8 with or without a byte order mark."""
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}: line {line} is not UTF-8 text; save the file as UTF-8") from None


def _split(text: str, name: str) -> list[list[str]]:
    """The rows, by the first delimiter that makes a table of them.

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
