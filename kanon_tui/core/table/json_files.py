"""JSON: one record a line, or an array of records.

Numbers stay as they are printed there. Absent cells are empty.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.data_files import load
from kanon_tui.core.table.formats import Contents
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import to_utf8
from kanon_tui.core.table.typed_columns import with_numbers

_BATCH = 50_000
_WORDS = {None: "", True: "true", False: "false"}


class _Printed(str):
    """A number as its digits stood in the file."""


_DECODER = json.JSONDecoder(parse_float=_Printed, parse_int=_Printed, parse_constant=_Printed)


def read(path: Path, options: ReadOptions) -> Contents:
    """Return the columns in the order in which names first occur; absent cells are empty."""
    data, _, size = load(path, options.limit)
    text, _ = to_utf8(data, options.encoding, path.name)
    del data
    is_array = _ARRAY.match(text) is not None
    records = _records_of_array(text, path) if is_array else _records_of_lines(text, path)
    columns: dict[str, list[str]] = {}
    height = 0
    for record in records:
        for name, value in record.items():
            cells = columns.setdefault(name, [])
            cells.extend([""] * (height - len(cells)))
            cells.append(value)
        height += 1
    for cells in columns.values():
        cells.extend([""] * (height - len(cells)))
    series = [pl.Series(cells, dtype=pl.String) for cells in columns.values()]
    return Contents("json" if is_array else "json lines", series, list(columns), size)


_ARRAY = re.compile(rb"\s*\[\s*([\]{]|$)")
"""How an array of records begins; anything else is one record a line."""


def _records_of_lines(text: bytes, path: Path) -> Iterator[dict[str, str]]:
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path.name}: line {number:,}"
        try:
            record = _DECODER.decode(line.decode("utf-8"))
        except (ValueError, RecursionError):
            raise InputError(
                f'{where} is not JSON; every line is one record like {{"age": 34, "sex": "f"}}'
            ) from None
        if not isinstance(record, dict):
            raise InputError(f"{where} is no record; every line is a mapping of names to values")
        yield {name: _cell(name, value, where) for name, value in record.items()}


def _records_of_array(text: bytes, path: Path) -> Iterator[dict[str, str]]:
    try:
        records = _DECODER.decode(text.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path.name}: line {error.lineno:,} is not JSON; the file is one array of records "
            'like [{"age": 34, "sex": "f"}]'
        ) from None
    except RecursionError:
        raise InputError(
            f"{path.name} is nested too deeply; it is one array of records like "
            '[{"age": 34, "sex": "f"}]'
        ) from None
    for number, record in enumerate(records, 1):
        where = f"{path.name}: record {number:,}"
        if not isinstance(record, dict):
            raise InputError(f"{where} is no record; each is a mapping of names to values")
        yield {name: _cell(name, value, where) for name, value in record.items()}


def _cell(name: str, value: Any, where: str) -> str:
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    raise InputError(
        f"{where}: '{name}' holds a {'list' if isinstance(value, list) else 'mapping'}, which is "
        "no cell of a table; turn it into text, numbers or dates"
    )


def put(table: pl.DataFrame, file: IO[bytes], path: Path) -> None:
    """Write records, one a line; columns of numbers as numbers, the others as texts.

    A `.json` file is an array of them.
    """
    is_array = path.suffix.lower() == ".json"
    before = b"[\n" if is_array else b""
    between = b",\n" if is_array else b"\n"
    after = b"\n]\n" if is_array else b"\n"
    if not table.height:
        file.write(b"[]\n" if is_array else b"")
        return
    for record in _printed_records(table):
        file.write(before + record)
        before = between
    file.write(after)


def _printed_records(table: pl.DataFrame) -> Iterator[bytes]:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    numeric = {name for name, kind in with_numbers(table).schema.items() if kind != pl.String}
    head = [json.dumps(name, ensure_ascii=False) + ": " for name in table.columns]
    for start in range(0, table.height, _BATCH):
        part = table.slice(start, _BATCH)
        columns = []
        for name, column in zip(head, part.iter_columns(), strict=True):
            cells = column.to_list()
            if column.name in numeric:
                columns.append([name + (cell or "null") for cell in cells])
            else:
                columns.append([name + encode(cell) for cell in cells])
        for record in zip(*columns, strict=True):
            yield ("{" + ", ".join(record) + "}").encode()


def reads_back(written: Path, table: pl.DataFrame, path: Path) -> bool:
    """Return whether a file has as many records as a table, the first with all of its columns."""
    if path.suffix.lower() == ".json":
        records = json.loads(written.read_bytes())
        width = len(records[0]) if records else table.width
        return (len(records), width) == table.shape
    rows = 0
    columns = 0
    with written.open("rb") as file:
        for line in file:
            columns = columns or len(json.loads(line))
            rows += line.endswith(b"}\n")
    return (rows, columns) == (table.shape if table.height else (0, 0))
