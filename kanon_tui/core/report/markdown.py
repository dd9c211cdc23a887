"""The report for people as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kanon_tui.core.report.distribution_text import distribution_lines
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import Bar, Section
from kanon_tui.core.report.story import story
from kanon_tui.core.text import visible, visible_lines

__all__ = ["markdown"]


def markdown(result: FinishedRun, utility: Sequence[Section] = ()) -> str:
    """All sections of the story, one below the other."""
    title, sections = story(result, utility)
    parts = [f"# {_escaped(title)}"]
    for section in sections:
        parts.append(f"## {_escaped(section.title)}")
        parts.extend(_escaped(paragraph) for paragraph in section.paragraphs)
        if section.rows:
            parts.append(_table(section))
        parts.extend(_code("\n".join(distribution_lines(picture))) for picture in section.pictures)
        if section.items:
            parts.append("\n".join(f"- {_escaped(item)}" for item in section.items))
        if section.command:
            parts.append(_code(visible(section.command)))
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    lines = [
        "| " + " | ".join(_escaped(name) for name in section.columns) + " |",
        "|" + "---|" * len(section.columns),
    ]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in section.rows]
    return "\n".join(lines)


def _cell(cell: str | Bar) -> str:
    if isinstance(cell, str):
        return _escaped(cell)
    filled = round(cell.share * 10)
    return f"{'█' * filled}{'░' * (10 - filled)} {_escaped(cell.text)}"


def _code(text: str) -> str:
    """A block that the text in it cannot close."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{visible_lines(text)}\n{fence}"


_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_{}[]<>|#~&"})


def _escaped(text: str) -> str:
    return visible(text).translate(_SPECIAL)
