"""Read and write hierarchy files, by the ending of their name.

`.csv` is ARX's form (`;`-separated, one row per value, most specific first), `.xml` a configuration
of the UTD toolbox (`utd_files`), and `.yaml` a level table as it stands in a project:
`levels: {White: [White, Person], …}`.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import read_given
from kanon_tui.core.fields.yaml_text import LocatedValue, document_text, dump, read_yaml
from kanon_tui.core.hierarchy.builders.contents import SOURCES
from kanon_tui.core.hierarchy.level_table import Hierarchy, text_of
from kanon_tui.core.hierarchy.specification import HIERARCHY
from kanon_tui.core.table.writing import write_text

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


def read_yaml_levels(path: Path) -> Hierarchy:
    """Return the level table in a YAML file; errors name the file and the key."""
    whole = LocatedValue(path.name, "", read_yaml(path, "hierarchy"))
    return from_yaml_levels(read_given(SOURCES["levels"], whole)["levels"], path.name)


def write_yaml_levels(hierarchy: Hierarchy, path: Path, force: bool = False) -> None:
    """Write a level table as YAML, whole or not at all; an existing file needs `force`."""
    document = HIERARCHY.write({"levels": to_yaml_levels(hierarchy)})
    write_text(path, dump(document, blocks=("levels",)), force)


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


def _ending(path: Path) -> str:
    if path.suffix.lower() not in HIERARCHY_ENDINGS:
        raise InputError(f"{path}: hierarchies end in .csv, .yaml or .xml")
    return path.suffix.lower()


def read_hierarchy_file(
    path: Path, attribute: str | None = None, values: Iterable[str] = ()
) -> Hierarchy:
    """Return the hierarchy in a file.

    An .xml configuration holds several: `attribute` says which (default: the name of the file), and
    `values` which numbers there are where it speaks of ranges only.
    """
    ending = _ending(path)
    if ending == ".xml":
        from kanon_tui.core.hierarchy.utd_files import plain_numbers, read_utd

        return read_utd(path, attribute or path.stem, plain_numbers(values))
    return read_arx(path) if ending == ".csv" else read_yaml_levels(path)


def write_hierarchy_file(
    hierarchy: Hierarchy, path: Path, attribute: str | None = None, force: bool = False
) -> None:
    """Write a hierarchy, whole or not at all; `attribute` is its name in an .xml configuration."""
    ending = _ending(path)
    if ending == ".xml":
        from kanon_tui.core.hierarchy.utd_files import write_utd

        write_utd(hierarchy, path, attribute or path.stem, force=force)
    else:
        (write_arx if ending == ".csv" else write_yaml_levels)(hierarchy, path, force)
