"""What commands share: kinds of arguments, printing JSON and aligned tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

__all__ = [
    "add_json",
    "assignment",
    "figure",
    "names",
    "print_json",
    "print_table",
    "whole_number",
]


def whole_number(least: int) -> Callable[[str], int]:
    """An argument that is a whole number of at least `least`."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)

    return read


def names(text: str) -> list[str]:
    """An argument that is a list of names, `a,b,c`; a name with a comma goes in double quotes."""
    import csv

    found = next(csv.reader([text]), [])
    if not found or not all(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of names like a,b,c")
    return found


def assignment(text: str) -> tuple[str, str]:
    """An argument of the form NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value


def add_json(parser: argparse.ArgumentParser) -> None:
    """The flag `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Print aligned columns; the first `left` are texts, the others figures."""
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    for row in (columns, *rows):
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def figure(value: Any) -> str:
    """A number for a table: thousands apart, four decimals, a dash for none."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"
