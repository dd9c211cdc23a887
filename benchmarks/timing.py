"""What the timings share: generated tables, processor time, growth exponents, a printed table."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Algorithm, Task

SAMPLES = Path(__file__).parent.parent / "sample_data"
N = Kind.NUMERIC
C = Kind.CATEGORICAL
CENSUS = {
    "age": N,
    "income": N,
    "sex": C,
    "zip": C,
    "race": C,
    "marital_status": C,
    "education": C,
    "occupation": C,
}
ADULT = {
    "age": N,
    "education-num": N,
    "workclass": C,
    "marital-status": C,
    "occupation": C,
    "race": C,
    "sex": C,
    "native-country": C,
}


def census_task(records: int, k: int, seed: int = 1790) -> Task:
    """Generated people with eight quasi-identifiers; zip codes have their hierarchy."""
    maker = census_maker()
    people = maker.people(records, seed)
    frame = pl.DataFrame({name: people[name].astype(str) for name in CENSUS})
    zips = {"levels": {row[0]: list(row[1:]) for row in maker.zip_rows()}}
    return _task(as_table(frame), CENSUS, k, {"zip": zips})


def adult_task(k: int) -> Task:
    """The Adult sample: two numbers and six categories without hierarchy."""
    return _task(read_table(SAMPLES / "adult" / "adult.csv.gz"), ADULT, k, {})


def _task(table: Any, kinds: dict[str, Kind], k: int, hierarchies: dict[str, Any]) -> Task:
    specs = {
        name: AttributeSpec(role=Role.QUASI, kind=kind, hierarchy=hierarchies.get(name))
        for name, kind in kinds.items()
    }
    others = {n: AttributeSpec(role=Role.OTHER) for n in table.names if n not in kinds}
    project = Project(DataSource("table.csv"), {**specs, **others}, privacy=Privacy(k=k))
    return prepare(project, table)


def census_maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_census", SAMPLES / "census" / "make_census.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of a call, which other work on the machine hardly disturbs."""
    started = time.process_time()
    work()
    return time.process_time() - started


def run_seconds(task: Task, algorithm: Algorithm) -> tuple[Run, float, float]:
    """A finished run, its processor seconds and those of its longest step."""
    run = Run(task, algorithm)
    longest = 0.0
    started = last = time.process_time()
    for _ in run:
        now = time.process_time()
        longest = max(longest, now - last)
        last = now
    return run, time.process_time() - started, longest


def added_megabytes(task: Task, algorithm: Algorithm) -> float:
    """The most memory a run has between its steps beyond what was there before (Linux)."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # so that the run cannot live in freed memory
    before = _megabytes()
    return max(_megabytes() for _ in Run(task, algorithm)) - before


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The b of a · n^b that fits best."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def print_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table for people, numbers to the right."""
    cells = [[_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    print(f"\n{title}")
    for row in (heads, ["-" * width for width in widths], *cells):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.3f}" if cell < 100 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
