"""Rows of a file that seem to be no records: titles, totals, footnotes, headers that are repeated.

A title or note fills fewer cells than the records do; a total has a word like *Summe* where they
have a value. Such a row, published as a person, would spoil every figure. What is found is only
proposed: a person decides, and the answer is written as `skip` and `where` of the project.
"""

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from kanon_tui.core.errors import KanonError
from kanon_tui.core.table import data_files, source
from kanon_tui.core.table.formats import EXCEL, TEXT, format_of, packing_of
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import detect_dialect, has_header, to_utf8
from kanon_tui.core.text import count_of

_TOTAL = re.compile(
    r"(grand |sub)?totals?|sum|summe|zwischensumme|gesamt(summe)?|insgesamt|somme|ensemble|suma"
    r"|totale|totaal|som|soma|average|mean|durchschnitt|mittelwert|moyenne|media|gemiddelde|Ø",
    re.IGNORECASE,
)
_LOOKED_AT = 2_000_000
"""Bytes at either end of a text that are looked at."""
_MOST = 30
"""The most rows at either end that are proposed to be left out."""

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class StrayRows:
    """Rows that seem to be no records; false where there are none."""

    first: int = 0
    """Lines before the header."""
    last: int = 0
    """Lines at the end."""
    where: dict[str, str] = field(default_factory=dict)
    """The condition that leaves out headers between the records."""
    reasons: tuple[str, ...] = ()
    """What was found, in words: `the last line has 'Summe' and fills 2 of 9 cells`."""

    def __bool__(self) -> bool:
        return bool(self.reasons)

    def apply(self, options: ReadOptions) -> ReadOptions:
        """Return options that leave these rows out, too."""
        return replace(
            options,
            skip_first=options.skip_first + self.first,
            skip_last=options.skip_last + self.last,
            where={**self.where, **options.where},
            header=True if self.where else options.header,
        )


def find_stray_rows(path: Path, options: ReadOptions = ReadOptions()) -> StrayRows:  # noqa: B008
    """Return the rows of a text or sheet that seem to be no records, whether it can be read or not.

    Of a large text both ends are looked at, of parts the first one.
    """
    try:
        return _look(path, options)
    except KanonError:  # what is no table is refused where it is read
        return StrayRows()


def _look(path: Path, options: ReadOptions) -> StrayRows:
    path = data_files.part_files(path)[0]
    format = format_of(path)
    if format is EXCEL:
        contents = source.read_contents(path, options)
        rows = list(zip(*(column.to_list() for column in contents.columns), strict=True))
        return _found(rows[options.skip_first :], rows, options)
    if format is not TEXT:
        return StrayRows()
    text, _ = to_utf8(_both_ends(path, options), options.encoding, path.name)
    lines = text.splitlines()[options.skip_first :]
    # Titles and notes are no guide to the delimiter.
    middle = b"\n".join(lines[len(lines) // 4 : len(lines) * 3 // 4])
    dialect = detect_dialect(middle or text, options)
    records = dialect.records(io.StringIO(b"\n".join(lines).decode("utf-8", "ignore")))
    try:
        cut = [tuple(record) for record in records]
    except csv.Error:  # an end that begins inside a long cell
        return StrayRows()
    return _found(cut, cut, options)


def _both_ends(path: Path, options: ReadOptions) -> bytes:
    """Return the text of a file; of a large one whole lines at the beginning and at the end."""
    with data_files.reading_errors(path), open(path, "rb") as file:
        head = file.read(_LOOKED_AT) if path.is_file() else b""
        if len(head) == _LOOKED_AT and packing_of(head, path) is None:
            return _ends(file)
    return _ends(io.BytesIO(data_files.load(path, options.limit)[0]))


def _ends(file: IO[bytes]) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= 2 * _LOOKED_AT:
        return file.read()
    head = file.read(_LOOKED_AT)
    file.seek(size - _LOOKED_AT)
    return head[: head.rfind(b"\n") + 1] + file.read().partition(b"\n")[2]


def _found(head: Rows, rows: Rows, options: ReadOptions) -> StrayRows:
    """Return what the rows of a table say; `head` is without the first that are skipped."""
    tail = [row for row in rows if any(row)]
    tail = tail[: len(tail) - options.skip_last]
    usual = Counter(map(_filled, tail)).most_common(1)[0][0] if tail else 0
    if usual < 3:  # in two columns every row could be a note
        return StrayRows()
    width = Counter(map(len, tail)).most_common(1)[0][0]
    reasons: list[str] = []
    first = next((n for n, row in enumerate(head[:_MOST]) if not _is_note(row, usual, width)), 0)
    if first:
        reasons.append(f"{count_of(first, 'line')} before the header (like a title)")
    last = 0
    for row in reversed(tail[-_MOST:]):
        word = next(cell.strip(" :") for cell in row if cell.strip())
        if _TOTAL.fullmatch(word) and _filled(row) < usual:
            reasons.append(f"a line at the end that begins with '{word}', like a total")
        elif _is_note(row, usual, width):
            reasons.append(f"a line at the end with {_filled(row)} of {usual} cells")
        else:
            break
        last += 1
    header = list(head[first])
    other_rows = [row for row in head[first + 1 :] if list(row) != header]
    again = len(head) - first - 1 - len(other_rows)
    where = {}
    if again and options.header in (True, "auto") and has_header([header, *other_rows], ()):
        where = {header[0]: f"!={header[0]}"}
        reasons.append(f"the header again in {count_of(again, 'line')}")
    return StrayRows(first, last, where, tuple(reasons))


def _filled(row: Sequence[str]) -> int:
    return sum(map(bool, map(str.strip, row)))


def _is_note(row: Sequence[str], usual: int, width: int) -> bool:
    """Return whether a row fills hardly any of the cells that records fill."""
    return _filled(row) <= max(usual // 4, 1) or (len(row) < width and _filled(row) < usual)
