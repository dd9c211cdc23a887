"""A report as the text of a file: JSON, Markdown (here) or HTML (`html`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.public import public_mapping
from kanon_tui.core.report.sections import Bar, Distribution, Section
from kanon_tui.core.report.story import story
from kanon_tui.core.text import json_text, shortened, visible, visible_lines

_LABEL, _FIGURE = 22, 8


def distribution_lines(drawn: Distribution, width: int = 76) -> list[str]:
    """Return a title and two lines for every group, none wider than `width`."""
    most = max([*drawn.original, *drawn.release], default=0.0) or 1.0
    longest = max(width - _LABEL - _FIGURE - 1, 4)
    lines = [f"{shortened(visible(drawn.title), width - 26)}   ▒ original  █ release"]
    for label, before, after in zip(drawn.labels, drawn.original, drawn.release, strict=True):
        name = f"{shortened(visible(label), _LABEL):<{_LABEL}}"
        for share, block in ((before, "▒"), (after, "█")):
            cells = max(1, round(share / most * longest)) if share > 0 else 0
            lines.append(f"{name} {block * cells:<{longest}} {share:{_FIGURE - 1}.1%}")
            name = " " * _LABEL
    return lines


def markdown(result: FinishedRun, utility: Sequence[Section] = (), public: bool = False) -> str:
    """Return the report as Markdown."""
    title, sections = story(result, utility, public)
    parts = [f"# {escaped_markdown(title)}"]
    for section in sections:
        parts.append(f"## {escaped_markdown(section.title)}")
        parts.extend(escaped_markdown(paragraph) for paragraph in section.paragraphs)
        if section.rows:
            parts.append(_table(section))
        parts.extend(_code("\n".join(distribution_lines(picture))) for picture in section.pictures)
        if section.items:
            parts.append("\n".join(f"- {escaped_markdown(item)}" for item in section.items))
        if section.command:
            parts.append(_code(visible(section.command)))
    return "\n\n".join(parts) + "\n"


def _table(section: Section) -> str:
    lines = [
        "| " + " | ".join(escaped_markdown(name) for name in section.columns) + " |",
        "|" + "---|" * len(section.columns),
    ]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in section.rows]
    return "\n".join(lines)


def _cell(cell: str | Bar) -> str:
    if isinstance(cell, str):
        return escaped_markdown(cell)
    filled = round(cell.share * 10)
    return f"{'█' * filled}{'░' * (10 - filled)} {escaped_markdown(cell.text)}"


def _code(text: str) -> str:
    """Return a code block with a fence that the text cannot close."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{visible_lines(text)}\n{fence}"


_SPECIAL = str.maketrans({c: "\\" + c for c in "\\`*_{}[]<>|#~&"})


def escaped_markdown(text: str) -> str:
    """Return a text in which nothing is read as Markdown."""
    return visible(text).translate(_SPECIAL)


REPORT_ENDINGS = (".json", ".md", ".html")


def report_text(
    result: FinishedRun, path: Path, utility: Sequence[Section] = (), public: bool | None = None
) -> str:
    """Return the report in the format of a file name's ending.

    `utility` are sections about what analyses find in the release, for people to read. `public`
    leaves out whatever depends on the input; None does so in HTML.
    """
    match path.suffix.lower():
        case ".json":
            return json_text(public_mapping(result) if public else report_mapping(result)) + "\n"
        case ".md":
            return markdown(result, utility, bool(public))
        case ".html":
            from kanon_tui.core.report.html import html

            return html(result, utility, public is not False)
    raise InputError(f"{path}: reports end in .json, .md or .html")
