"""The files of a result: the release and its report, written together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.report.finished_run import timed
from kanon_tui.core.report.formats import report_text
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.atomic_files import written_together
from kanon_tui.core.table.writing import put_table

__all__ = ["write_release_and_report"]


def write_release_and_report(
    result: Result,
    release: Path | None,
    report: Path | None,
    force: bool = False,
    texts: Mapping[Path, str] | None = None,
    utility: Sequence[Section] = (),
) -> None:
    """Write all files or none, the release first; None leaves one out.

    `texts` are further files, by what is in them.
    """
    texts = texts or {}
    paths = [path for path in (release, *texts, report) if path is not None]
    if not paths:
        return
    with written_together(paths, force) as files:
        if release is not None:
            with timed(result.phases, "write"):  # before the report, which tells of it
                put_table(result.written, files[0], release, result.task.csv_format(release))
        for file, text in zip(files[release is not None :], texts.values(), strict=False):
            file.write(text.encode())
        if report is not None:
            files[-1].write(report_text(result, report, utility).encode())
