"""Full-domain searches: strings, tests, time and memory, and what one test costs.

python -m benchmarks.full_domain --k 2 5 10 50 --arx ../shared/data/adult

The yardstick of a test is one Polars group_by over the raw quasi-identifier columns of the same
table: the slowest test of a run should cost less than a tenth of it.
"""

from __future__ import annotations

import argparse
import gc
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.timing import SAMPLES, print_table, run_seconds, seconds
from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.algorithms.distributed import DistributedSearch
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.hybrid import HybridSearch
from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.local_search import LocalSearch
from kanon_tui.core.algorithms.twins.full_domain import passing
from kanon_tui.core.lattice.frequency import CodedTuples, Frequency, Outcome
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Algorithm, Task

HEADS = (
    "algorithm", "k", "suppress", "strings", "pruned", "tested", "seconds", "tests/s",
    "slowest test", "group_by", "ratio", "added MB",
)  # fmt: skip
ARX_NAMES = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
)  # fmt: skip
ARX_EIGHT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation",
)  # fmt: skip
MOST_TIMED = 300  # tests of one run that are timed again
M24_LEVELS = (7, 5, 5, *(2,) * 8, *(1,) * 13)  # surviving levels: 44,800 strings
M36_LEVELS = (*(4,) * 4, *(3,) * 6, *(2,) * 10, *(1,) * 16)


def main() -> None:
    repository = Path(__file__).parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10, 50])
    parser.add_argument("--suppression", type=float, nargs="+", default=[0.0, 0.05])
    parser.add_argument("--arx", type=Path, default=repository / ".." / "shared" / "data" / "adult")
    parser.add_argument("--records", type=int, default=216_000, help="of the generated table")
    options = parser.parse_args()
    everything = (
        GlobalSearch(), HybridSearch(), LocalSearch(), DistributedSearch(workers=1), Incognito(),
        Datafly(),
    )  # fmt: skip
    report("warm-up", lambda k, s: sample_task("pre-pruning", k, s), [2], [0.0], everything, False)

    grid = (options.k, options.suppression)
    searches = (GlobalSearch(), HybridSearch(), LocalSearch(), Datafly())
    report("adult sample", lambda k, s: sample_task("adult", k, s), *grid, searches)
    report("census sample", lambda k, s: sample_task("census", k, s), *grid, searches)
    if (options.arx / "adult.data").is_file():
        table = arx_frame(options.arx)
        for names in (ARX_EIGHT, (*ARX_EIGHT, "salary-class")):
            title = f"adult, ARX's hierarchies, {len(names)} quasi-identifiers"
            make = arx_tasks(table, options.arx, names)
            report(title, make, *grid, everything if len(names) == 8 else searches)
    m24 = generated_task(options.records, M24_LEVELS)
    m24_searches = (GlobalSearch(), HybridSearch(), LocalSearch(), DistributedSearch(workers=1))
    title = f"m24: {options.records:,} generated records, 24 attributes"
    report(title, lambda k, s: with_privacy(m24, k, s), [3, 5], [0.0], m24_searches)
    title = "36 attributes, 50,000 generated records, 191,102,976 strings"
    in_one_process = DistributedSearch(workers=1)
    report(title, many_attributes, [3], [0.0], (LocalSearch(), in_one_process))
    against_twin()


def report(
    title: str,
    make: Callable[[int, float], Task],
    all_k: Sequence[int],
    shares: Sequence[float],
    algorithms: Sequence[Algorithm],
    shown: bool = True,
) -> None:
    rows = []
    for k in all_k:
        for share in shares:
            task = make(k, share)
            yardstick = group_by_seconds(task)
            for algorithm in algorithms:
                with recorded_tests() as tests:
                    run, used, memory = measured(task, algorithm)
                assert run.grouping is not None
                search = run.grouping.search
                slowest = slowest_test(tests)
                tested = search["tested"]
                counts = (search["strings"], search["pruned"], tested)
                costs = (used, round(tested / used), slowest, yardstick, slowest / yardstick)
                rows.append((algorithm.name, k, share, *counts, *costs, memory))
    if shown:
        print_table(title, HEADS, rows)


def measured(task: Task, algorithm: Algorithm) -> tuple[Run, float, float]:
    """A finished run, its processor seconds and the most memory it had beyond what was there."""
    gc.collect()
    run = Run(task, algorithm)
    before = resident_megabytes()
    most = before
    started = time.process_time()
    for _ in run:
        most = max(most, resident_megabytes())
    used = time.process_time() - started
    return run, used, max(most, resident_megabytes()) - before


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


@contextmanager
def recorded_tests() -> Iterator[list[tuple[Frequency, tuple[int, ...]]]]:
    """Which strings are tested by which engine while this is open."""
    original = Frequency.test
    tests: list[tuple[Frequency, tuple[int, ...]]] = []

    def test(self: Frequency, levels: Any, to_the_end: bool = False) -> Outcome:
        if len(tests) < MOST_TIMED:
            tests.append((self, tuple(levels)))
        return original(self, levels, to_the_end)

    Frequency.test = test  # type: ignore[method-assign]
    try:
        yield tests
    finally:
        Frequency.test = original  # type: ignore[method-assign]


def slowest_test(tests: Sequence[tuple[Frequency, tuple[int, ...]]]) -> float:
    """Of all tests of a run the one that takes longest, each the best of five in that order."""
    best = np.full(len(tests), np.inf)
    for _ in range(5):
        engines: dict[int, Frequency] = {}
        for i, (engine, levels) in enumerate(tests):
            fresh = engines.setdefault(
                id(engine), Frequency(engine.coded, engine.k, engine.allowed)
            )
            started = time.perf_counter()
            fresh.test(levels)
            best[i] = min(best[i], time.perf_counter() - started)
    return float(best.max()) if len(best) else 0.0


def group_by_seconds(task: Task) -> float:
    """One Polars group_by over the quasi-identifier columns as they were read, best of five."""
    columns = [attribute.name for attribute in task.quasi]
    frame = task.table.frame.select(columns)
    best = np.inf
    for _ in range(5):
        started = time.perf_counter()
        frame.group_by(columns).len()
        best = min(best, time.perf_counter() - started)
    return best


def with_privacy(task: Task, k: int, share: float) -> Task:
    return replace(task, privacy=Privacy(k=k, max_suppression=share))


def sample_task(name: str, k: int, share: float) -> Task:
    project = Project.load(SAMPLES / name / "project.yaml")
    return prepare(replace(project, privacy=Privacy(k=k, max_suppression=share)))


def arx_frame(folder: Path) -> pl.DataFrame:
    """The complete records of the original file."""
    lines = (folder / "adult.data").read_text().splitlines()
    rows = [line.split(", ") for line in lines if line.strip() and "?" not in line]
    return pl.DataFrame(rows, schema=list(ARX_NAMES), orient="row")


def arx_tasks(
    table: pl.DataFrame, folder: Path, names: Sequence[str]
) -> Callable[[int, float], Task]:
    attributes = {
        name: AttributeSpec(
            role=Role.QUASI,
            kind=Kind.NUMERIC if name == "age" else Kind.CATEGORICAL,
            hierarchy={"file": str((folder / f"adult_hierarchy_{name}.csv").resolve())},
        )
        for name in names
    }
    project = Project(DataSource("adult.csv"), attributes)
    task = prepare(project, as_table(table.select(names)))
    return lambda k, share: with_privacy(task, k, share)


def generated_task(records: int, levels: Sequence[int], seed: int = 1) -> Task:
    """Correlated, skewed categories; an attribute with one level has a value that is unique."""
    rng = np.random.default_rng(seed)
    kind_of_person = rng.integers(0, 6, records)
    columns = {}
    attributes = {}
    for x, count in enumerate(levels):
        below = max(count - 1, 1)
        branch = 2 if below > 2 else 3
        values = branch**below if count > 1 else 12
        chances = 1 / np.arange(1, values + 1) ** 1.2
        drawn = np.empty(records, dtype=np.int64)
        for person in range(6):
            p = chances[rng.permutation(values)] if person % 2 else chances
            here = kind_of_person == person
            drawn[here] = rng.choice(values, here.sum(), p=p / p.sum())
        often = np.repeat(np.arange(values), 5)
        drawn[: len(often)] = rng.permutation(often)
        tree = {
            f"v{v:03}": [f"l{j}_{v // branch**j}" for j in range(1, below)] for v in range(values)
        }
        texts = np.array(list(tree))[drawn].astype(object)
        if count == 1:
            texts[x], tree["rare"] = "rare", []
        name = f"a{x:02}"
        columns[name] = texts.astype(str)
        paths = {value: [*path, "*"] for value, path in tree.items()}
        attributes[name] = AttributeSpec(
            role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy={"levels": paths}
        )
    project = Project(DataSource("generated.csv"), attributes)
    return prepare(project, as_table(pl.DataFrame(columns)))


def many_attributes(k: int, share: float) -> Task:
    """36 attributes, 20 of which pass alone below their root, with values of their own."""
    rng = np.random.default_rng(7)
    task = generated_task(50_000, M36_LEVELS)
    quasi = []
    for attribute in task.quasi:
        top = float(rng.integers(100, 1000)) / 1000
        height = attribute.hierarchy.height
        bend = float(rng.uniform(0.3, 2))
        values = tuple(top * (1 - level / height) ** bend for level in range(height + 1))
        quasi.append(replace(attribute, typed_research_values=values))
    return with_privacy(replace(task, quasi=tuple(quasi)), k, share)


def against_twin() -> None:
    """Global search against counting every string record by record."""
    rows = []
    project = Project.load(SAMPLES / "census" / "project.yaml")
    whole = prepare(project).table
    for records in (125, 250, 500):
        task = prepare(project, replace(whole, frame=whole.frame.head(records)))
        fast = run_seconds(task, GlobalSearch())[1]
        slow = seconds(lambda task=task: passing(task))  # type: ignore[misc]
        coded, _ = CodedTuples.from_attributes(task.quasi, [0] * len(task.quasi))
        rows.append((records, len(coded.counts), fast, slow, slow / fast))
    print_table(
        "against the twin of the tests", ("records", "tuples", "global", "twin", "ratio"), rows
    )


if __name__ == "__main__":
    main()
