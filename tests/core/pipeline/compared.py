"""The same project in memory and in tiny pieces, compared byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.run import Result, anonymize, conclude, start
from kanon_tui.core.processes.workers import Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.table import cell_codes
from kanon_tui.core.table.writing import Target
from tests.beyond_memory import small_pieces


def mapped(
    project: Project,
    target: Target,
    workers: Workers | None = None,
    pieces: tuple[int, int] = (200, 7),
    rows: int = 11,
) -> Result:
    """Return a run on a table that is read in small pieces and coded into a file."""
    asked = project.with_(run={"engine": "stream"})
    with small_pieces(*pieces), pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_codes, "SLICE", 23)
        run = start(asked, accept_guesses=True, workers=workers)
        result = conclude(run, run.project and run.project.with_(run={"engine": "auto"}))
    if target.folder:
        target.check(True, ())
        with result.parts(target, True, rows):
            return result
    result.write(target.path, force=True)
    return result


def in_memory(project: Project, path: Path) -> Result:
    """The same in memory."""
    result = anonymize(project)
    result.write(path, force=True)
    return result


def figures(result: Any) -> dict[str, Any]:
    """A report without what depends on the clock or on the format of the files."""
    left_out = ("seconds", "phases", "release")
    return {k: v for k, v in result.report.items() if k not in left_out}


def check_same(project: Project, folder: Path, ending: str = ".csv", **how: Any) -> str:
    """Compare both ways: the same bytes and figures, or the same refusal, which is returned."""
    one = folder / f"memory{ending}"
    other = folder / f"mapped{ending}"
    expected = outcome(in_memory, project, one)
    found = outcome(mapped, project, other, **how)
    if isinstance(expected, str):
        assert found == expected
        assert not other.exists()
        return expected
    assert other.read_bytes() == one.read_bytes()
    assert figures(found) == figures(expected)
    return ""


def outcome(way: Any, project: Project, path: Path, **how: Any) -> Any:
    """A result, or the sentence of a refusal."""
    try:
        return way(project, Target(path) if way is mapped else path, **how)
    except KanonError as error:
        return str(error)
