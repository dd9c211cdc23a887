"""JSON lines, workbooks, and files of statistics programs: read into texts, and tables written so.

JSON lines have one record a line, its numbers as they are printed there. Excel and OpenDocument
workbooks are read with fastexcel, which prints numbers as a person sees them, and written with
xlsxwriter: a cell as a number where its whole column is one, otherwise as text, and never as a
formula. Files of SPSS, Stata and SAS go through pyreadstat: values that have a label are read as
their label; written names are those that the program takes, and the name of the column is the
variable's label.
"""

import io
import json
import re
import zipfile
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import polars as pl

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.optional import require
from kanon_tui.core.table.atomic_files import disk_failure, filled_by_path
from kanon_tui.core.table.data_files import Contents, FileFormat, check_limit, load
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import to_utf8
from kanon_tui.core.table.typed_columns import printed_column, with_numbers, without_clocks

_BATCH = 50_000
_WORDS = {None: "", True: "true", False: "false"}


class _Printed(str):
    """A number as its digits stood in the file."""


_DECODER = json.JSONDecoder(parse_float=_Printed, parse_int=_Printed, parse_constant=_Printed)


def read_json_lines(path: Path, options: ReadOptions) -> Contents:
    """Return the columns in the order in which names first occur; absent cells are empty."""
    data, _, size = load(path, options.limit)
    text, _ = to_utf8(data, options.encoding, path.name)
    del data
    columns: dict[str, list[str]] = {}
    height = 0
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        for name, value in _record(line, f"{path.name}: line {number:,}").items():
            cells = columns.setdefault(name, [])
            cells.extend([""] * (height - len(cells)))
            cells.append(value)
        height += 1
    for cells in columns.values():
        cells.extend([""] * (height - len(cells)))
    series = [pl.Series(cells, dtype=pl.String) for cells in columns.values()]
    return Contents("json lines", series, list(columns), size)


def _record(line: bytes, where: str) -> dict[str, str]:
    try:
        record = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(
            f'{where} is not JSON; every line is one record like {{"age": 34, "sex": "f"}}'
        ) from None
    if not isinstance(record, dict):
        raise InputError(f"{where} is no record; every line is a mapping of names to values")
    return {name: _cell(name, value, where) for name, value in record.items()}


def _cell(name: str, value: Any, where: str) -> str:
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    raise InputError(
        f"{where}: '{name}' holds a {'list' if isinstance(value, list) else 'mapping'}, which is "
        "no cell of a table; turn it into text, numbers or dates"
    )


def put_json_lines(table: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a table, one record a line; columns of numbers as numbers, the others as texts."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    numeric = {n for n, kind in with_numbers(table).schema.items() if kind != pl.String}
    head = [json.dumps(name, ensure_ascii=False) + ": " for name in table.columns]
    for start in range(0, table.height, _BATCH):
        part = table.slice(start, _BATCH)
        columns = []
        for name, column in zip(head, part.iter_columns(), strict=True):
            found = column.to_list()
            numbers = column.name in numeric
            columns.append([name + (cell or "null" if numbers else encode(cell)) for cell in found])
        for cells in zip(*columns, strict=True):
            file.write(("{" + ", ".join(cells) + "}\n").encode())


MOST_ROWS, MOST_COLUMNS, LONGEST = 1_048_576, 16_384, 32_767
"""The limits of a sheet."""


def read_workbook(path: Path, options: ReadOptions) -> Contents:
    """Return the cells of one sheet: that of `options.sheet`, else the first."""
    fastexcel = require("fastexcel", "reading an Excel file", path.name)
    data, _, size = load(path, options.limit)
    _check_unpacked(data, path, options)
    try:
        workbook = fastexcel.read_excel(data)
        sheets = tuple(workbook.sheet_names)
        sheet = chosen_part(options.sheet, sheets, path, "sheet")
        cells = workbook.load_sheet(sheet, header_row=None, dtypes="string").to_polars()
    except fastexcel.FastExcelError:
        raise InputError(
            f"{path.name} is not a readable workbook; it may be damaged or have a password: save "
            "it again without one, or as CSV"
        ) from None
    columns = [without_clocks(column.fill_null("")) for column in cells.iter_columns()]
    if not columns:
        raise InputError(f"{path.name}: the sheet '{sheet}' is empty; name another one as sheet")
    return Contents("excel", columns, None, size, sheet, sheets)


def chosen_part(wanted: str, parts: tuple[str, ...], path: Path, word: str) -> str:
    """Return the sheet or table that `wanted` names: by name, by number from 1, or the first."""
    if not parts:
        raise InputError(f"{path.name} has no {word}; name a file that has one")
    if wanted == "auto":
        return parts[0]
    if wanted in parts:
        return wanted
    if wanted.isascii() and wanted.isdigit() and 0 < int(wanted[:9]) <= len(parts):
        return parts[int(wanted) - 1]
    raise InputError(f"{path.name} has no {word} '{wanted}'; {suggestion(wanted, parts)}")


def _check_unpacked(data: bytes, path: Path, options: ReadOptions) -> None:
    """Refuse a small workbook that unpacks to more than the memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
    except zipfile.BadZipFile:
        return  # an old .xls file, which is not packed
    check_limit(unpacked, path, options.limit)


def put_workbook(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """Write a table as the only sheet of a workbook."""
    xlsxwriter = require("xlsxwriter", "writing an Excel file", path.name)
    _check_room(table, path)
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    packed = io.BytesIO()  # not the file itself: the archive would outlive its failure
    workbook = xlsxwriter.Workbook(packed, options)
    workbook.set_properties({"created": datetime(2000, 1, 1)})  # equal tables, equal files
    sheet = workbook.add_worksheet("release")
    for place, column in enumerate(with_numbers(table).iter_columns()):
        sheet.write_string(0, place, column.name)
        write = sheet.write_string if column.dtype == pl.String else sheet.write_number
        for row, cell in enumerate(column.to_list(), 1):
            if cell is not None and cell != "":
                write(row, place, cell)
    sheet.freeze_panes(1, 0)
    workbook.close()
    file.write(packed.getbuffer())


def _check_room(table: pl.DataFrame, path: Path) -> None:
    if table.height >= MOST_ROWS or table.width > MOST_COLUMNS:
        raise InputError(
            f"{path.name}: {table.height:,} records of {table.width:,} columns do not fit a sheet, "
            f"which has {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns; write .csv or .parquet"
        )
    longest = max((int(c.str.len_chars().max() or 0) for c in table.iter_columns()), default=0)  # type: ignore[arg-type]
    if longest > LONGEST:
        raise InputError(
            f"{path.name}: a cell has {longest:,} characters, and one of a sheet has at most "
            f"{LONGEST:,}; write .csv or .parquet"
        )


_READERS: dict[str, tuple[FileFormat, str]] = {
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


def read_statistics_file(path: Path, options: ReadOptions) -> Contents:
    """Return all variables, with labels in place of the values that have one."""
    format, reader = _READERS[path.suffix.lower()]
    title = _TITLES[format]
    library = require("pyreadstat", f"reading {title}", path.name)
    data, _, size = load(path, options.limit)
    read = getattr(library, reader)
    choice: dict[str, Any] = {}
    if path.suffix.lower() != ".por" and options.encoding != "auto":
        choice["encoding"] = options.encoding.upper()
    try:
        _, about = read(io.BytesIO(data), metadataonly=True, **choice)
        cells = (about.number_rows or 0) * max(about.number_columns or 0, 1)  # of .xpt unknown
        check_limit(cells * _BYTES_PER_CELL, path, options.limit)
        found, about = read(io.BytesIO(data), output_format="dict", **choice)
    except (library.ReadstatError, library.PyreadstatError, OverflowError, UnicodeDecodeError):
        raise InputError(
            f"{path.name} is not {title} that can be read; it may be damaged, or written in "
            "another encoding, which data: {encoding: latin-1} would say"
        ) from None
    columns = []
    for name, values in found.items():
        labels = about.variable_value_labels.get(name, {})
        shown = [labels.get(v, v) for v in values] if labels else values
        single = about.readstat_variable_types.get(name) == "float"
        columns.append(without_clocks(printed_column(shown, name, path.name, single)))
    return Contents(format, columns, list(found), size)


def put_statistics_file(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
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
    given: list[str] = []
    most = LONGEST_NAME[ending]
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if not plain[:1].isalpha() or plain.lower() in _RESERVED:
            plain = f"v_{plain}"
        plain, number = plain[:most], 1
        taken = {each.lower() for each in given}
        while plain.lower() in taken:  # SPSS ignores capitals in names
            number += 1
            end = f"_{number}"
            plain = plain[: most - len(end)] + end
        given.append(plain)
    return given
