"""Tables of docs/benchmarks.md that a benchmark writes itself, between two markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table as Markdown has it."""
    lines = [heads, ["---"] * len(heads), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def renew(name: str, table: str, page: Path = PAGE) -> None:
    """Replace what stands between the markers of a table."""
    text = page.read_text(encoding="utf-8")
    begin, end = _markers(name)
    if begin not in text or end not in text:
        raise SystemExit(f"{page.name} has no place for '{name}'; add {begin} and {end}")
    page.write_text(with_table(text, name, table), encoding="utf-8")


def with_table(text: str, name: str, table: str) -> str:
    """Return a page with another table between the markers of one."""
    begin, end = _markers(name)
    between = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    return between.sub(lambda _: f"{begin}\n{table}\n{end}", text)


def _markers(name: str) -> tuple[str, str]:
    return f"<!-- begin {name} -->", f"<!-- end {name} -->"


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.2f}" if cell < 100 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
