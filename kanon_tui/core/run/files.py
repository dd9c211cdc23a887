"""The files of a result: the release and its report, written together."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from kanon_tui.core.data.writing import put_table, written_aside
from kanon_tui.core.report.formats import report_text
from kanon_tui.core.run.result import Result

__all__ = ["write_release_and_report"]


def write_release_and_report(
    result: Result, release: Path | None, report: Path | None, force: bool = False
) -> None:
    """Write both files or neither; None leaves one out."""
    with ExitStack() as files:
        if release is not None:
            put_table(result.table, files.enter_context(written_aside(release, force)), release)
        if report is not None:
            text = report_text(result, report)
            files.enter_context(written_aside(report, force)).write(text.encode())
