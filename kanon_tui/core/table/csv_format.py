"""Writing a table as text: delimiter, encoding, line ends, quotes.

A release looks like the file it was made from, unless the project chooses otherwise (`CsvChoice`).
A file is not written at all if its encoding lacks some character of the table.
"""

import codecs
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Literal

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.table.read_options import DELIMITER, ENCODING
from kanon_tui.core.table.sniffing import Dialect, first_records

Quoting = Literal["necessary", "texts", "always"]
LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}

_BATCH = 100_000
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_NUMBER = r"^[+-]?(0|[1-9][0-9]*)?([.,][0-9]+)?([eE][+-]?[0-9]+)?$"


class EncodingError(InputError):
    """A character that cannot be written in the encoding of a file."""


@dataclass(frozen=True)
class CsvFormat:
    """The form in which a table is written as text."""

    delimiter: str = ","
    encoding: str = "utf-8"
    line_end: str = "\n"
    quote: str = '"'
    quoting: Quoting = "necessary"

    def __str__(self) -> str:
        """Return the format in words: `semicolon, latin-1, line ends crlf`."""
        words = [_NAMES.get(self.delimiter, f"delimiter {self.delimiter!r}"), self.encoding]
        ends = {end: name for name, end in LINE_ENDS.items()}
        words.append(f"line ends {ends[self.line_end]}")
        if self.quoting != "necessary":
            words.append(f"{'all cells' if self.quoting == 'always' else 'texts'} quoted")
        return ", ".join(words)

    def put(self, table: pl.DataFrame, file: IO[bytes], name: str) -> None:
        """Write a table of texts into an open file; `name` is the file's in messages."""
        self.put_parts([table], self.quoted_columns(table.iter_columns()), file, name)

    def put_parts(
        self, tables: Iterable[pl.DataFrame], quoted: Sequence[str], file: IO[bytes], name: str
    ) -> None:
        """Write tables, one below the other; all cells of `quoted` columns have quotes."""
        encoder = codecs.getincrementalencoder(self.encoding)()
        is_utf8 = codecs.lookup(self.encoding).name == "utf-8"
        header = True
        for table in tables:
            for start in range(0, max(table.height, 1), _BATCH):  # so that Ctrl-C is noticed
                part = self._text(table.slice(start, _BATCH), quoted, header)
                header = False
                if is_utf8:
                    file.write(part)
                    continue
                text = part.decode()
                try:
                    file.write(encoder.encode(text))
                except UnicodeEncodeError as error:
                    raise self._encoding_error(table, text[error.start], name) from None
        file.write(encoder.encode("", final=True))

    def _text(self, table: pl.DataFrame, quoted: Sequence[str], header: bool) -> bytes:
        """Return a table as CSV in UTF-8."""
        if len(quoted) not in (0, table.width) or not self.delimiter.isascii():
            return self._cell_by_cell(table.cast(pl.String), quoted, header).encode()
        if table.width > 1:  # in a table of one column an empty cell needs its quotes
            table = table.cast(pl.String).select(pl.when(pl.all() != "").then(pl.all()))
        written = io.BytesIO()
        table.write_csv(
            written,
            include_header=header,
            separator=self.delimiter,
            line_terminator=self.line_end,
            quote_char=self.quote,
            quote_style="always" if quoted else "necessary",
        )
        return written.getvalue()

    def quoted_columns(self, columns: Iterable[pl.Series]) -> list[str]:
        """Return the columns with all cells quoted: with `texts` those that are not all numbers."""
        if self.quoting == "necessary":
            return []
        return [
            column.name
            for column in columns
            if self.quoting == "always"
            or not column.unique().cast(pl.String).str.contains(_NUMBER).all()
        ]

    def _cell_by_cell(self, part: pl.DataFrame, quoted: Sequence[str], header: bool) -> str:
        """Return the CSV text that Polars cannot write: some columns quoted, unusual delimiters."""
        mark = self.quote
        special = "|".join(map(re.escape, (self.delimiter, mark, "\n", "\r")))
        columns = []
        for name in part.columns:
            cell = pl.col(name)
            inside = mark + cell.str.replace_all(mark, mark * 2, literal=True) + mark
            needed = cell.str.contains(special)
            columns.append(
                inside if name in quoted else pl.when(needed).then(inside).otherwise(cell)
            )
        lines = part.select(pl.concat_str(columns, separator=self.delimiter)).to_series().to_list()
        names = (f"{mark}{name.replace(mark, mark * 2)}{mark}" for name in part.columns)
        head = [self.delimiter.join(names)] if header else []
        return self.line_end.join([*head, *lines, ""])

    def _encoding_error(self, table: pl.DataFrame, character: str, name: str) -> EncodingError:
        holders = [
            column.name
            for column in table.iter_columns()
            if character in column.name
            or column.cast(pl.String).str.contains(character, literal=True).any()
        ]
        return EncodingError(
            f"{name}: '{character}' in {holders[0] if holders else 'the table'} cannot be written "
            f"in the encoding {self.encoding}; nothing was written. Write it as utf-8 "
            f"(output: {{encoding: utf-8}}), or change the label"
        )


@dataclass(frozen=True)
class CsvChoice:
    """The form of a release's text as a project chooses it; `auto` follows the data file."""

    delimiter: str = declared(
        "auto", "The character between the cells of a row; a .tsv file has tabs", type=DELIMITER
    )
    encoding: str = declared("auto", "The encoding of the text", type=ENCODING)
    line_ends: str = declared("auto", "The characters that end a row", choices=("auto", *LINE_ENDS))
    quoting: Literal["auto", "necessary", "texts", "always"] = declared(
        "auto",
        "Which cells have quotes: those that need them, all of columns that are no numbers, or all",
    )

    def resolved(self, source: CsvFormat | None, path: Path) -> CsvFormat:
        """Return the format of a file whose data was a text like `source`, or no text (None)."""
        source = source or CsvFormat()
        delimiter = self.delimiter
        if path.suffix.lower() == ".tsv":
            delimiter = "\t"
        elif delimiter == "auto":
            delimiter = "," if source.delimiter == "\t" else source.delimiter
        return CsvFormat(
            delimiter="\t" if delimiter == "\\t" else delimiter,
            encoding=source.encoding if self.encoding == "auto" else self.encoding,
            line_end=LINE_ENDS.get(self.line_ends, source.line_end),
            quote=source.quote,
            quoting=source.quoting if self.quoting == "auto" else self.quoting,
        )


def line_end_of(text: bytes) -> str:
    """Return the end of the first row of a text; a line feed where there is none."""
    feed = text.find(b"\n")
    carriage = text.find(b"\r")
    if carriage < 0 or 0 <= feed < carriage:
        return "\n"
    return "\r\n" if feed == carriage + 1 else "\r"


def quoting_of(text: bytes, dialect: Dialect) -> Quoting:
    """Return which cells of a text are quoted, judged by its first rows."""
    quote = dialect.quote
    if quote is None:
        return "necessary"
    bare = first_records(text, replace(dialect, quote=None))[:50]
    rows = [[cell[:1] == quote or cell[-1:] == quote for cell in row] for row in bare]
    if not rows or not all(rows[0]):
        return "necessary"
    if all(map(all, rows)):
        return "always"
    return "texts"
