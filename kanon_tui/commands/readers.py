"""Readers of the texts of arguments: files, numbers, names and shares.

Each returns the value of a text, or raises argparse's error with one sentence.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from kanon_tui.core.addresses import address_name, is_address, is_remote_file, misses_slashes
from kanon_tui.core.errors import InputError


def file_name(text: str) -> str:
    """Read an argument that names a file; refuse the address of a database without showing it."""
    if is_address(text) or misses_slashes(text):
        raise argparse.ArgumentTypeError(
            f"{address_name(text)} is an address, and a file is named here; a database is read by "
            "a project: data: {path: postgresql+psycopg://host/database, query: SELECT …}"
        )
    return text


def table_place(text: str) -> str:
    """Read an argument that names a table: a file, a pipe, or a file of another machine."""
    return text if is_remote_file(text) else file_name(text)


def release_place(text: str) -> str:
    """Read an argument that names where a release goes: a file, a folder or a database."""
    return text if is_address(text) else file_name(text)


def a_file(text: str) -> Path:
    """Read an argument that names a file, as a path."""
    return Path(file_name(text))


def whole_number(least: int, most: int = 10**18, words: str = "") -> Callable[[str], int]:
    """Return a reader of arguments that are whole numbers between two bounds.

    `words` say what is allowed, where that is more than a lower bound.
    """
    allowed = words or f"a whole number of at least {least}"

    def read(text: str) -> int:
        digits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
        if not digits or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not {allowed}")
        return int(text)

    return read


LAST_PORT = 65_535
port = whole_number(0, LAST_PORT, f"a port, a number of 0 to {LAST_PORT}")
"""Reads the number of a port."""


def k_values(text: str) -> tuple[int, ...]:
    """Read values of k, `2,5,10`."""
    from kanon_tui.core.analysis.sweep import sweep

    try:
        return sweep.k_values(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def names(text: str) -> list[str]:
    """Read a list of names, `a,b,c`; a name with a comma goes in double quotes."""
    import csv

    found = next(csv.reader([text]), [])
    if not found or not all(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of names like a,b,c")
    return found


def share(text: str) -> float:
    """Read a share above 0, at most 1."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share above 0, at most 1")
    return found


def assignment(text: str) -> tuple[str, str]:
    """Read an argument of the form NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value
