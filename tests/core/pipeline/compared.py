"""The same project in memory and in tiny pieces, compared byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline import publishing
from kanon_tui.core.pipeline.prepare import count_project, prepare
from kanon_tui.core.pipeline.publishing import FilePublisher
from kanon_tui.core.pipeline.run import Result, Run, anonymize, conclude
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers, Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.writing import Target
from tests.beyond_memory import small_pieces


def streamed(
    project: Project,
    target: Target | None,
    workers: Workers | None = None,
    pieces: tuple[int, int] = (200, 7),
    rows: int = 11,
) -> Result:
    """A streaming run over pieces of a few records."""
    workers = LocalWorkers() if workers is None else workers
    with small_pieces(*pieces), pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "ROWS", rows)
        task = prepare(project, count_project(project, workers, MemoryLimit()))
        choice = project.algorithm
        algorithm = with_parameters(find_algorithm(choice.name), choice.params, choice.name)
        run = Run(task, algorithm)
        return conclude(run, project, FilePublisher(workers, target, force=True))


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
    """Both ways give the same bytes and figures, or the same refusal, which is given back."""
    one, other = folder / f"memory{ending}", folder / f"stream{ending}"
    expected, found = outcome(in_memory, project, one), outcome(streamed, project, other, **how)
    if isinstance(found, str) and "when records are counted" in found:
        return found  # a refusal of its own, which says what helps
    if isinstance(expected, str):
        assert found == expected
        assert not other.exists()
        return expected
    assert other.read_bytes() == one.read_bytes()
    figures_found, figures_expected = figures(found), figures(expected)
    if any(found.task.counted_levels):  # values below a level that fails alone were not counted
        assert figures_found["metrics"].pop("ncp_class") is None
        figures_expected["metrics"].pop("ncp_class")
    assert figures_found == figures_expected
    return ""


def outcome(way: Any, project: Project, path: Path, **how: Any) -> Any:
    """A result, or the sentence of a refusal."""
    try:
        return way(project, Target(path) if way is streamed else path, **how)
    except KanonError as error:
        return str(error)
