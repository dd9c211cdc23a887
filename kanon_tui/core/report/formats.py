"""A report as the text of a file: JSON, Markdown or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.sections import Section
from kanon_tui.core.text import json_text

__all__ = ["REPORT_ENDINGS", "report_text"]

REPORT_ENDINGS = (".json", ".md", ".html")


def report_text(result: FinishedRun, path: Path, utility: Sequence[Section] = ()) -> str:
    """The report in the form that the ending of a file name asks for.

    `utility` are sections about what analyses find in the release, for people to read.
    """
    match path.suffix.lower():
        case ".json":
            return json_text(report_mapping(result)) + "\n"
        case ".md":
            from kanon_tui.core.report.markdown import markdown

            return markdown(result, utility)
        case ".html":
            from kanon_tui.core.report.html import html

            return html(result, utility)
    raise InputError(f"{path}: reports end in .json, .md or .html")
