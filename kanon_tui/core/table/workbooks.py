"""Excel and OpenDocument workbooks, read into texts with fastexcel and written with xlsxwriter.

fastexcel prints numbers as a person sees them. A cell is written as a number where its whole column
is one, otherwise as text, and never as a formula.
"""

import io
import zipfile
from datetime import datetime
from pathlib import Path
from typing import IO

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.optional import require
from kanon_tui.core.table.data_files import check_limit, chosen_part, load
from kanon_tui.core.table.formats import Contents
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.typed_columns import with_numbers, without_clocks

MOST_ROWS, MOST_COLUMNS, LONGEST = 1_048_576, 16_384, 32_767
"""The limits of a sheet."""


def read(path: Path, options: ReadOptions) -> Contents:
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


def _check_unpacked(data: bytes, path: Path, options: ReadOptions) -> None:
    """Refuse a small workbook that unpacks to more than the memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
    except zipfile.BadZipFile:
        return  # an old .xls file, which is not packed
    check_limit(unpacked, path, options.limit)


def put(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
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


def reads_back(written: Path, table: pl.DataFrame, path: Path) -> bool:
    """Return whether a sheet has the columns of a table, and its rows to the last with a cell."""
    fastexcel = require("fastexcel", "reading an Excel file", path.name)
    workbook = fastexcel.read_excel(written.read_bytes())
    sheet = workbook.load_sheet(0, header_row=None, dtypes="string")
    filled = table.select(pl.any_horizontal(pl.all().cast(pl.String) != "")).to_series()
    rows_with_cells = filled.arg_true()
    last = int(rows_with_cells[-1]) + 1 if len(rows_with_cells) else 0
    return (sheet.total_height - 1, sheet.width) == (last, table.width)
