"""Files of SPSS, Stata and SAS, read into texts and written through pyreadstat.

Values that have a label are read as their label; written names are those that the program takes,
and the name of the column is the variable's label.
"""

import io
import re
from pathlib import Path
from typing import IO, Any

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.optional import require
from kanon_tui.core.table.atomic_files import disk_failure, filled_by_path
from kanon_tui.core.table.data_files import check_limit, load
from kanon_tui.core.table.formats import Contents, FormatName, inner_name
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.typed_columns import printed_column, with_numbers, without_clocks

_READERS: dict[str, tuple[FormatName, str]] = {
    ".sav": ("spss", "read_sav"),
    ".zsav": ("spss", "read_sav"),
    ".por": ("spss", "read_por"),
    ".dta": ("stata", "read_dta"),
    ".sas7bdat": ("sas", "read_sas7bdat"),
    ".xpt": ("sas", "read_xport"),
}
_TITLES = {"spss": "an SPSS file", "stata": "a Stata file", "sas": "a SAS file"}
_BYTES_PER_CELL = 16
_LONGEST_TEXT = {".dta": 2045, ".sav": 32_767}
"""The most bytes of a text in a cell."""
LONGEST_NAME = {".dta": 32, ".sav": 64}
_DISK_REFUSED = "Unable to write data"
"""What ReadStat says of every failing disk."""
_RESERVED = frozenset(
    (
        "_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n",
        "_pi", "_pred", "_rc", "_skip", "strl", "using", "with", "all", "and", "by", "eq", "ge",
        "gt", "le", "lt", "ne", "not", "or", "to",
    )
)  # fmt: skip


def read(path: Path, options: ReadOptions) -> Contents:
    """Return all variables, with labels in place of the values that have one."""
    ending = inner_name(path).suffix.lower()
    format, reader = _READERS[ending]
    title = _TITLES[format]
    library = require("pyreadstat", f"reading {title}", path.name)
    data, _, size = load(path, options.limit)
    read_all = getattr(library, reader)
    choice: dict[str, Any] = {}
    if ending != ".por" and options.encoding != "auto":
        choice["encoding"] = options.encoding.upper()
    try:
        _, about = read_all(io.BytesIO(data), metadataonly=True, **choice)
        cells = (about.number_rows or 0) * max(about.number_columns or 0, 1)  # of .xpt unknown
        check_limit(cells * _BYTES_PER_CELL, path, options.limit)
        variables, about = read_all(io.BytesIO(data), output_format="dict", **choice)
    except (library.ReadstatError, library.PyreadstatError, OverflowError, UnicodeDecodeError):
        raise InputError(
            f"{path.name} is not {title} that can be read; it may be damaged, or written in "
            "another encoding, which data: {encoding: latin-1} would say"
        ) from None
    columns = []
    for name, values in variables.items():
        labels = about.variable_value_labels.get(name, {})
        shown = [labels.get(v, v) for v in values] if labels else values
        single = about.readstat_variable_types.get(name) == "float"
        columns.append(without_clocks(printed_column(shown, name, path.name, single)))
    return Contents(format, columns, list(variables), size)


def put(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """Write a table as .sav or .dta."""
    ending = path.suffix.lower()
    title = _TITLES["stata" if ending == ".dta" else "spss"]
    library = require("pyreadstat", f"writing {title}", path.name)
    _check_texts(table, path, title)
    names = variable_names(table.columns, ending)
    columns = with_numbers(table).cast({pl.Int64: pl.Float64})
    columns.columns = names
    labels = dict(zip(names, table.columns, strict=True))
    write = library.write_dta if ending == ".dta" else library.write_sav
    try:
        filled_by_path(file, path, lambda place: write(columns, str(place), column_labels=labels))
    except library.ReadstatError as error:
        if str(error) != _DISK_REFUSED:
            raise
        raise disk_failure(path) from error


def _check_texts(table: pl.DataFrame, path: Path, title: str) -> None:
    most = _LONGEST_TEXT[path.suffix.lower()]
    for column in table.iter_columns():
        longest = int(column.str.len_bytes().max() or 0)  # type: ignore[arg-type]
        if longest > most:
            raise InputError(
                f"{path.name}: a cell of {column.name} has {longest:,} bytes, and one of {title} "
                f"has at most {most:,}; write .csv or .parquet"
            )


def variable_names(names: list[str], ending: str) -> list[str]:
    """Return names that the program accepts: `birth date` becomes `birth_date`."""
    accepted_names: list[str] = []
    most = LONGEST_NAME[ending]
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if not plain[:1].isalpha() or plain.lower() in _RESERVED:
            plain = f"v_{plain}"
        plain = plain[:most]
        number = 1
        taken = {accepted_name.lower() for accepted_name in accepted_names}
        while plain.lower() in taken:  # SPSS ignores capitals in names
            number += 1
            end = f"_{number}"
            plain = plain[: most - len(end)] + end
        accepted_names.append(plain)
    return accepted_names


def reads_back(written: Path, table: pl.DataFrame, path: Path) -> bool:
    """Return whether a file has the shape of a table; its head may promise rows it has not."""
    library = require("pyreadstat", "reading a statistics file", path.name)
    read_all = library.read_dta if path.suffix.lower() == ".dta" else library.read_sav
    _, about = read_all(str(written), metadataonly=True)
    last_column = about.column_names[-1]
    cells, _ = read_all(str(written), usecols=[last_column], output_format="dict")
    return (len(cells[last_column]), len(about.column_names)) == table.shape
