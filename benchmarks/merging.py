"""How the merging algorithms grow: time and memory against records, and against their slow twins.

    python -m benchmarks.merging --sizes 10000,20000,50000,100000,200000 --twin 300

Tables come from the generator of the census sample; every size is a new table of that many people.
The exponents are slopes of log seconds and log megabytes over log records; seconds are processor
seconds, memory is the peak of what Python and numpy held during the run. The twins of the tests try
every pair in plain Python; both sides of a ratio ran on the same table.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.algorithms.bottom_up import BottomUp
from kanon_tui.core.algorithms.euclidean import Euclidean
from kanon_tui.core.algorithms.top_down import TopDown
from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.algorithms.udc_suppress import UdcSuppress
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Algorithm, Task

CENSUS = Path(__file__).parent.parent / "sample_data" / "census"
ALGORITHMS: dict[str, tuple[Algorithm, Callable[[Task], Any]]] = {
    "udc": (Udc(), lambda task: twins.udc(task, "release")),
    "bottom-up": (BottomUp(), twins.bottom_up),
    "euclidean": (Euclidean(), twins.euclidean),
    "udc-suppress": (UdcSuppress(), lambda task: twins.HidingClusters(task).run()),
    "top-down": (TopDown(), twins.top_down),
}


def census(records: int, k: int) -> Task:
    """The task of the census sample over so many people."""
    project = Project.load(CENSUS / "project.yaml")
    people = _generator().people(records, 7)
    table = as_table(pl.DataFrame({name: list(map(str, col)) for name, col in people.items()}))
    return prepare(replace(project, privacy=replace(project.privacy, k=k)), table)


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_census", CENSUS / "make_census.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(algorithm: Algorithm, task: Task) -> tuple[float, float, dict[str, Any]]:
    """Processor seconds, peak megabytes and what the search reports."""
    tracemalloc.start()
    started = time.process_time()
    grouping = Run(task, algorithm).finish()
    seconds = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    assert grouping is not None
    return seconds, peak, dict(grouping.search)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="10000,20000,50000,100000,200000")
    parser.add_argument("--twin", type=int, default=300, help="records for the twins")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    options = parser.parse_args()
    names = options.algorithms.split(",")
    sizes = [int(size) for size in options.sizes.split(",")]

    small = census(options.twin, options.k)
    for name in names:
        algorithm, twin = ALGORITHMS[name]
        Run(small, algorithm).finish()  # compiles
        fast = measured(algorithm, small)[0]
        started = time.process_time()
        twin(small)
        slow = time.process_time() - started
        print(
            f"{name}: twin {slow:.2f} s, kernel {fast * 1000:.1f} ms on {options.twin:,} records: "
            f"{slow / fast:,.0f} times as fast"
        )
    print(
        f"\n{'algorithm':14}{'records':>9}{'distinct':>10}{'seconds':>9}{'µs/record':>11}{'MB':>8}"
    )
    results: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for size in sizes:
        task = census(size, options.k)
        for name in names:
            seconds, peak, search = measured(ALGORITHMS[name][0], task)
            results[name].append((seconds, peak))
            print(
                f"{name:14}{size:>9,}{search['start_clusters']:>10,}{seconds:>9.2f}"
                f"{seconds / size * 1e6:>11.1f}{peak:>8.1f}"
            )
    if len(sizes) > 1:
        print()
        for name in names:
            seconds, peaks = np.log(results[name]).T
            time_slope = np.polyfit(np.log(sizes), seconds, 1)[0]
            memory_slope = np.polyfit(np.log(sizes), peaks, 1)[0]
            print(f"{name}: time ~ n^{time_slope:.2f}, memory ~ n^{memory_slope:.2f}")


if __name__ == "__main__":
    main()
