"""Shared code of the commands: kinds of arguments, and output to stdout and stderr.

Text on its way to a terminal can come from data. `say` and `warn` spell out what a terminal would
obey, and take one line per argument: a line break in a value does not start a line of ours. JSON
stays exact data; what is not visible is escaped the way JSON does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from kanon_tui.core.addresses import address_name, is_address, misses_slashes, without_secrets
from kanon_tui.core.text import json_text, visible

if TYPE_CHECKING:
    from kanon_tui.core.table.table import Table
    from kanon_tui.core.task.task import Task

__all__ = [
    "a_file", "add_consent", "add_json", "assignment", "figure", "file_name", "names",
    "print_json", "print_table", "read_published", "say", "tell", "warn", "whole_number",
]  # fmt: skip


def file_name(text: str) -> str:
    """Read an argument that names a file; refuse the address of a database without showing it."""
    if is_address(text) or misses_slashes(text):
        raise argparse.ArgumentTypeError(
            f"{address_name(text)} is an address, and a file is named here; a database is read by "
            "a project: data: {path: postgresql+psycopg://host/database, query: SELECT …}"
        )
    return text


def a_file(text: str) -> Path:
    """Read an argument that names a file, as a path."""
    return Path(file_name(text))


def whole_number(least: int) -> Callable[[str], int]:
    """Return a reader of arguments that are whole numbers of at least `least`."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)

    return read


def names(text: str) -> list[str]:
    """Read a list of names, `a,b,c`; a name with a comma goes in double quotes."""
    import csv

    found = next(csv.reader([text]), [])
    if not found or not all(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of names like a,b,c")
    return found


def assignment(text: str) -> tuple[str, str]:
    """Read an argument of the form NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the flag `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_consent(parser: argparse.ArgumentParser) -> None:
    """Add the flags `--trust` and `--insecure`, which no project can set."""
    parser.add_argument(
        "--trust", action="store_true",
        help="send the work to the Dask scheduler that the project names",
    )  # fmt: skip
    parser.add_argument(
        "--insecure", action="store_true",
        help="allow a scheduler without TLS: whoever reaches it can run code as you",
    )  # fmt: skip


def read_published(path: Path, task: Task) -> Table:
    """Return a published table; tables are joined by names, so the first row holds them."""
    from kanon_tui.core.table.read_options import ReadOptions
    from kanon_tui.core.table.table import read_table

    return read_table(path, ReadOptions(header=True, missing_tokens=task.table.missing_tokens))


def say(*lines: str) -> None:
    """Print lines on standard output."""
    print(*map(visible, lines), sep="\n", flush=True)


def tell(*lines: str) -> None:
    """Print lines on standard error."""
    print(
        *(visible(without_secrets(line)) for line in lines), sep="\n", file=sys.stderr, flush=True
    )


def warn(sentence: str) -> None:
    """Print a sentence on standard error."""
    print("kanon-tui:", visible(without_secrets(sentence)), file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a value as JSON; in ASCII where the output's encoding has no room for all letters."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    print(json_text(value, ascii_only=not encoding.startswith("utf")))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Print aligned columns; the first `left` are texts, the others figures."""
    lines = [list(map(visible, row)) for row in (columns, *rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padding = [" " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
        texts = [a + b for a, b in zip(line[:left], padding, strict=False)]
        figures = [b + a for a, b in zip(line[left:], padding[left:], strict=True)]
        say("  ".join([*texts, *figures]).rstrip())


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def figure(value: Any) -> str:
    """Return a number for a table: thousands apart, four decimals, a dash for None."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"
