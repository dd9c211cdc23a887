"""Counts, lists and numbers in words, bars of blocks, and text from data that is safe to show."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fnmatch import fnmatch
from itertools import pairwise
from typing import Any

_DELETE = 0x7F
_FIRST_PICTURE = 0x2400
_PICTURE_OF_DELETE = "\u2421"
_BLANK_MARKS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that draw nothing: fillers and variation selectors."""


def is_visible(text: str) -> bool:
    """Return whether every character of a text can be seen and none controls a terminal."""
    return text.isprintable() and (text.isascii() or _BLANK_MARKS.search(text) is None)


def visible(text: str) -> str:
    """Return a text from data as it may be shown: control and hidden characters are spelt out.

    Text from a file can hold characters that a terminal obeys (ESC sets the window's title), that
    turn the order of letters round (U+202E) or that cannot be seen (U+200B). Control characters
    become their pictures, `␛`; the others are written as `\\u202e`. Letters, accents and emoji
    stay; of a family emoji the joiner between its members is spelt out. The result is one line: a
    line break is a control character too.
    """
    return text if is_visible(text) else "".join(map(_shown, text))


def visible_lines(text: str) -> str:
    """Return our own text of several lines, with texts from data in it, as it may be shown."""
    return text if is_visible(text) else "\n".join(map(visible, text.split("\n")))


def _shown(character: str) -> str:
    if is_visible(character) or unicodedata.category(character) == "Zs":
        return character
    code = ord(character)
    if code < 0x20:
        return chr(_FIRST_PICTURE + code)
    if code == _DELETE:
        return _PICTURE_OF_DELETE
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_text(value: Any, ascii_only: bool = False) -> str:
    """Return a value as indented JSON, which reads back exactly and holds no hidden characters."""
    text = json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False)
    lines = text.split("\n")  # line breaks of the layout: JSON writes one in a text as \\n
    for place, line in enumerate(lines):
        if not is_visible(line):
            lines[place] = "".join(c if _shown(c) == c else json.dumps(c)[1:-1] for c in line)
    return "\n".join(lines)


class Quotable(str):
    """A text that a reader of a report may see: the name of a column, or text that a user typed.

    Never a value of the table, unless it is published.
    """


class Note(str):
    """A sentence that may appear in reports; made by `note`."""


def note(template: str, /, **facts: float | Quotable) -> Note:
    """Return a sentence for reports, made of fixed words, figures and texts that may be quoted.

    A report is published together with the release. So nothing else goes into a note: a text
    that nobody has called quotable is refused.

    >>> note("{name}: {count:,} records were dropped", name=Quotable("age"), count=1200)
    'age: 1,200 records were dropped'
    """
    for name, fact in facts.items():
        if isinstance(fact, str) and not isinstance(fact, Quotable):
            raise TypeError(f"the fact {name} of a note is a text that may not be quotable")
    return Note(template.format_map(facts))


def plural(count: float, one: str, many: str = "") -> str:
    """Return the word that goes with a count: `plural(2, "record")`, `plural(1, "is", "are")`."""
    return one if count == 1 else many or one + "s"


def count_text(count: int) -> str:
    """Return a count, `2,306`, or its magnitude where digits say no more: `2.6·10^123`."""
    if count < 10**15:
        return f"{count:,}"
    digits, exponent = f"{Decimal(count):.1e}".split("e+")
    return f"{digits}·10^{exponent}"


def count_of(count: int, one: str, many: str = "") -> str:
    """Return a count with its word: `1 record`, `2,306 records`."""
    return f"{count_text(count)} {plural(count, one, many)}"


def joined(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence: `age, zip and sex`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def first_few(texts: Sequence[str], most: int) -> str:
    """Return the first texts of a list: `South, West, East and 2 more`."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def short_list(texts: Sequence[str], most: int = 3) -> str:
    """Return the first few values, each shortened to fit into a sentence."""
    return first_few([shortened(text) for text in texts], most)


def quoted_list(items: Iterable[object], most: int = 5) -> str:
    """Return the first few items in quotes: `'a', 'b', 'c' and 4 more`."""
    return first_few([f"'{item}'" for item in items], most)


def shortened(text: str, longest: int = 40) -> str:
    """Return a text of at most `longest` characters; a longer one ends in …"""
    return text if len(text) <= longest else text[: max(longest - 1, 0)] + "…"


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines: the first column is of texts, the others of figures."""
    lines = [list(map(visible, row)) for row in (columns, *rows) if row]
    widths = [max(map(_terminal_width, column)) for column in zip(*lines, strict=True)]
    found = []
    for line in lines:
        gaps = [" " * (w - _terminal_width(cell)) for cell, w in zip(line, widths, strict=True)]
        figures = [gap + cell for cell, gap in zip(line[1:], gaps[1:], strict=True)]
        found.append("  ".join([line[0] + gaps[0], *figures]).rstrip())
    return found


def _terminal_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = (1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)
    return sum(w for w, c in zip(wide, text, strict=True) if not unicodedata.combining(c))


def short_number(value: float, decimals: int = 3) -> str:
    """Return a number with few decimals for speech: `0.917`, `2.5`, `1`."""
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")


def significant(value: float, digits: int = 4) -> str:
    """Return a number with `digits` significant digits: `40,430`, `0.1234`, never `4e+04`.

    >>> significant(40428.4), significant(0.123456), significant(-7)
    ('40,430', '0.1235', '-7')
    """
    if value != value or value in (float("inf"), float("-inf")):
        return "–"
    return f"{float(f'{value:.{digits}g}'):,.12f}".rstrip("0").rstrip(".")


def small_number(value: float) -> str:
    """Return a small number without exponent: `0.31`, `0.0000123`, `< 1e-7`."""
    if value == 0:
        return "0"
    if abs(value) < 1e-7:
        return "< 1e-7" if value > 0 else "> −1e-7"
    if abs(value) < 0.001:
        return f"{value:.7f}".rstrip("0")
    return f"{value:,.4g}"


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """Return the names that match a pattern, whatever their case; a bare word matches anywhere."""
    wanted = pattern.strip().casefold()
    if not any(sign in wanted for sign in "*?["):
        wanted = f"*{wanted}*"
    return [name for name in names if fnmatch(name.casefold(), wanted)]


_ACROSS = " ▏▎▍▌▋▊▉█"
_UP = " ▁▂▃▄▅▆▇█"


def bar(share: float, width: int) -> str:
    """Return a bar for a share from 0 to 1, padded to `width` cells.

    >>> bar(0.5, 4)
    '██  '
    """
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    if share > 0 and eighths == 0:
        eighths = 1  # a share above 0 is never shown as nothing
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_ACROSS[rest] if rest else "")).ljust(width)


def sparkline(heights: Sequence[float], width: int | None = None, top: float | None = None) -> str:
    """Return a histogram one line high, scaled to `top` or to its highest bar.

    >>> sparkline([1, 4, 8])
    '▁▄█'
    """
    values = list(heights)
    if width is not None and len(values) > width:
        edges = [round(i * len(values) / width) for i in range(width + 1)]
        values = [sum(values[a:b]) for a, b in pairwise(edges)]
    top = max(values, default=0) if top is None else top
    if top <= 0:
        return " " * len(values)
    return "".join(_UP[max(1, round(v / top * 8))] if v > 0 else " " for v in values)


def typed_number(text: str) -> int:
    """Return the number that was typed, with or without thousands separators; -1 for none."""
    digits = text.replace(",", "").strip()
    return int(digits) if digits.isdecimal() and digits.isascii() else -1
