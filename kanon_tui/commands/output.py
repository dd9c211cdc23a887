"""Output of the commands to stdout and stderr.

Text on its way to a terminal can come from data. `show` and `warn` spell out what a terminal would
obey, and take one line per argument: a line break in a value does not start a line of ours. JSON
stays exact data; what is not visible is escaped the way JSON does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import zip_longest
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from kanon_tui.core.addresses import without_secrets
from kanon_tui.core.text import json_text, table_lines, visible

if TYPE_CHECKING:
    from kanon_tui.core.analysis.analysis import Findings
    from kanon_tui.core.report.sections import Listing, Section


def show(*lines: str) -> None:
    """Print lines on standard output."""
    print(*map(visible, lines), sep="\n", flush=True)


def log(*lines: str) -> None:
    """Print lines on standard error."""
    shown = (visible(without_secrets(line)) for line in lines)
    print(*shown, sep="\n", file=sys.stderr, flush=True)


def warn(sentence: str) -> None:
    """Print a sentence on standard error."""
    print("kanon-tui:", visible(without_secrets(sentence)), file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a value as JSON; in ASCII where the output's encoding has no room for all letters."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    print(json_text(value, ascii_only=not encoding.startswith("utf")))


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print aligned columns; the first is of texts, the others of figures."""
    show(*table_lines(columns, rows))


def print_sections(*sections: Section) -> None:
    """Print sections of a report, each with its title, its sentences and its table."""
    for section in sections:
        show("", section.title)
        for paragraph in section.paragraphs:
            show(*wrap(paragraph, width=79))
        if section.rows:
            show(*section.lines())
        if section.items:
            show(*section.items)
        if section.listings:
            show("")
            _show_listings(section.listings)


def print_findings(findings: Findings, as_json: bool) -> None:
    """Print what an analysis found: sentences and sections, or its figures as JSON."""
    if as_json:
        print_json(findings.figures)
        return
    if findings.summary:
        show(*findings.summary)
    print_sections(*findings.sections)


def _show_listings(listings: Sequence[Listing]) -> None:
    """Print lists of lines side by side where the terminal is wide enough, else one by one."""
    blocks = [[listing.title, *map(visible, listing.lines)] for listing in listings]
    widths = [max(map(len, lines)) for lines in blocks]
    if sum(widths) + 3 * (len(widths) - 1) <= get_terminal_size().columns:
        for cells in zip_longest(*blocks, fillvalue=""):
            padded = (f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True))
            show("   ".join(padded).rstrip())
        return
    for number, lines in enumerate(blocks):
        if number:
            show("")
        show(*lines)


def figure(value: Any) -> str:
    """Return a number for a table: thousands apart, four decimals, a dash for None."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"
