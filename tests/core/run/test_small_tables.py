"""A small table is run without machine code: the same answer, and numba is not even imported."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.run import small_tables
from kanon_tui.core.run.run import Run
from kanon_tui.core.task.steps import Algorithm, Family, RunContext
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.ruled_tables import ruled_task
from tests.tries import tries

SAID = """\
import sys
from kanon_tui.cli import main
code = main(sys.argv[1:])
print(code, *sorted(sys.modules), sep="\\n")
"""
WITHOUT = ("numba", "llvmlite", "scipy", "pandas", "sklearn", "textual", "rich", "dask", "pyarrow")


def told(run: Run, small: bool) -> tuple[list[str], object]:
    """All that a run says, and its answer."""
    run.small = small
    try:
        sentences = [step.sentence for step in run]
    except KanonError as error:
        return [str(error)], None
    grouping = run.grouping
    assert grouping is not None
    labels = None if grouping.labels is None else np.asarray(grouping.labels).tolist()
    return sentences, (labels, grouping.levels)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_answer_is_that_of_machine_code(name: str) -> None:
    for seed in range(tries(3)):
        for task in (random_task(seed), ruled_task(seed, 16)):
            for context in (RunContext(1), RunContext()):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")  # of integers that are too long for NumPy
                    interpreted = told(Run(task, ALGORITHMS[name](), context), small=True)
                assert interpreted == told(Run(task, ALGORITHMS[name](), context), small=False)


def test_refined_classes_are_those_of_machine_code() -> None:
    refined = refining("mondrian")
    for seed in range(4):
        task = ruled_task(seed, 14)
        assert told(Run(task, refined), small=True) == told(Run(task, refined), small=False)


def refining(name: str) -> Algorithm:
    return with_parameters(ALGORITHMS[name], {"refine": True}, name)


def test_what_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    task: Task = ruled_task(3, 16)
    cells = task.n * len(task.quasi)
    monkeypatch.setattr(small_tables, "MOST_CELLS", cells)
    monkeypatch.setattr(small_tables, "MOST_REFINED", cells - 1)
    plain, search = ALGORITHMS["mondrian"](), ALGORITHMS["global"]()
    assert search.family is Family.FULL_DOMAIN
    assert small_tables.is_small(task, plain)
    assert small_tables.is_small(task, search)
    assert not small_tables.is_small(task, refining("mondrian"))
    monkeypatch.setattr(small_tables, "MOST_STRINGS", 1)
    assert not small_tables.is_small(task, search)
    monkeypatch.setattr(small_tables, "MOST_CELLS", cells - 1)
    assert not small_tables.is_small(task, plain)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["global", "top-down"])
def test_a_run_imports_what_it_needs_and_no_more(name: str, tmp_path: Path) -> None:
    """Neither another algorithm, nor what only other commands or large tables need."""
    project = find_sample("datafly").project
    command = ["run", str(project), "--algorithm", name, "--out", str(tmp_path / "release.csv")]
    answer = subprocess.run(
        [sys.executable, "-c", SAID, *command],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        check=True,
    )
    said = answer.stdout.splitlines()
    code = said.index("0")
    modules = said[code + 1 :]
    assert not [module for module in modules if module.partition(".")[0] in WITHOUT]
    algorithms = [each for each in modules if each.startswith("kanon_tui.core.algorithms.")]
    # The project names datafly, whose parameters are read; clusterings may be cut into blocks.
    others = {ALGORITHMS[each].__module__ for each in ("datafly", "mondrian")}
    assert {*algorithms} - others == {ALGORITHMS[name].__module__}
    analyses = [each for each in modules if each.startswith("kanon_tui.core.analysis")]
    advised = any("hidden from everybody" in line for line in said)
    assert bool(analyses) == advised
    if name == "global":
        assert not [each for each in modules if each.startswith("kanon_tui.core.clustering")]
    assert not (tmp_path / "cache").exists()
