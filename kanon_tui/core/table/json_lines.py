"""JSON lines: one record a line, its numbers as they are printed there."""

import json
from pathlib import Path
from typing import IO, Any

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.data_files import Contents, load
from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.typed_columns import with_numbers

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
