"""A report as the text of a file: JSON, Markdown or HTML."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.html import html
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.markdown import markdown
from kanon_tui.core.text import json_text

__all__ = ["REPORT_ENDINGS", "report_text"]

REPORT_ENDINGS = (".json", ".md", ".html")


def report_text(result: FinishedRun, path: Path) -> str:
    """The report in the form that the ending of a file name asks for."""
    match path.suffix.lower():
        case ".json":
            return json_text(report_mapping(result)) + "\n"
        case ".md":
            return markdown(result)
        case ".html":
            return html(result)
    raise InputError(f"{path}: reports end in .json, .md or .html")
