"""Full-domain search over more strings than can be listed: loss, tests, time, and the gap.

    python -m benchmarks.high_dimension --renew
    python -m benchmarks.high_dimension --project ../data/survey/p5.yaml

Two generated tables with 16 and 24 quasi-identifiers: skewed labels that depend on one of eight
kinds of people, so that attributes are correlated. k = 5, objective loss. The peer is a plain
hill-climb from the roots, with one level of one attribute changed per move, whose classes are
counted by NumPy. Runs alternate in one process; seconds are processor seconds of the search.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.pages import markdown_table, renew
from benchmarks.timing import print_table
from kanon_tui.core.algorithms.anytime import AnytimeSearch
from kanon_tui.core.lattice.full_domain import count_strings
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Task

HEADS = (
    "table", "strings", "suppressed at most", "search", "loss", "bound", "gap %", "tests",
    "CPU s", "× hill-climb", "passed the hill-climb at",
)  # fmt: skip
TABLES = {
    "16 attributes": (60_000, (81, 27, *(9,) * 4, *(6,) * 10)),
    "24 attributes": (30_000, (81, 27, 27, *(9,) * 9, *(8,) * 12)),
}
SHARES = (0.0, 0.05, 1.0)
BUDGETS = (2_000, 20_000, 0)
KINDS = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, action="append", default=[], help="more tables")
    parser.add_argument("--tests", type=int, nargs="+", default=list(BUDGETS), help="0: automatic")
    parser.add_argument("--shares", type=float, nargs="+", default=list(SHARES))
    parser.add_argument("--renew", action="store_true", help="write the table of the docs")
    options = parser.parse_args()
    rows: list[Sequence[object]] = []
    for name, (records, values) in TABLES.items():
        rows += measure(name, generated(records, values), options.shares, options.tests)
    print_table("high dimension", HEADS, rows)
    if options.renew:
        renew("high dimension", markdown_table(HEADS, rows))
    for path in options.project:
        task = prepare(Project.load(path))
        own = [task.privacy.max_suppression]
        print_table(str(path), HEADS, measure(path.stem, task, own, options.tests))


def measure(
    name: str, task: Task, shares: Sequence[float], budgets: Sequence[int]
) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = []
    for share in shares:
        privacy = Privacy(k=task.k if task.k > 1 else 5, max_suppression=share)
        shared = replace(task, privacy=privacy)
        what = (name, f"{count_strings(shared):.2g}", f"{share:.0%}")
        started = time.process_time()
        climbed, tests = hill_climb(shared)
        peer = time.process_time() - started
        rows.append((*what, "hill-climb", climbed, "", "", tests, peer, 1.0, ""))
        for budget in budgets:
            search = AnytimeSearch(objective="loss", tests=budget or None)
            run = Run(shared, search)
            passed = ""
            asked = f"anytime, {budget:,} tests" if budget else "anytime"
            started = time.process_time()
            for step in run:
                if not passed and step.facts.get("best_value", 1.0) < climbed - 1e-9:
                    passed = f"{time.process_time() - started:.2f} s"
            used = time.process_time() - started
            assert run.grouping is not None
            found = run.grouping.search
            figures = found["best_value"], found["bound"], 100 * found["gap"], found["tested"]
            rows.append((*what, asked, *figures, used, used / peer, passed))
            if found["gap"] == 0:
                break
    return rows


def generated(records: int, values: Sequence[int], seed: int = 1) -> Task:
    """Return a task of skewed, correlated categories with hierarchies of branching two or three."""
    rng = np.random.default_rng(seed)
    person = rng.integers(0, KINDS, records)
    columns = {}
    attributes = {}
    for x, count in enumerate(values):
        branch = 2 if count == 8 else 3
        chances = 1 / np.arange(1, count + 1) ** 1.1
        drawn = np.empty(records, dtype=np.int64)
        for kind in range(KINDS):
            here = person == kind
            p = np.roll(chances, 0 if kind % 2 else int(rng.integers(count)))
            drawn[here] = rng.choice(count, here.sum(), p=p / p.sum())
        heights = range(1, round(np.log(count) / np.log(branch)))
        tree = {f"v{v}": [f"l{j}_{v // branch**j}" for j in heights] for v in range(count)}
        name = f"a{x:02}"
        columns[name] = [f"v{v}" for v in drawn.tolist()]
        attributes[name] = AttributeSpec(
            role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy={"levels": tree}
        )
    project = Project(DataSource("generated.csv"), attributes)
    return prepare(project, as_table(pl.DataFrame(columns)))


def hill_climb(task: Task) -> tuple[float, int]:
    """Return the loss of the string at which no change of one level is better, and the tests."""
    heights = [attribute.hierarchy.height for attribute in task.quasi]
    allowed = min(task.allowed_suppressed, task.n - 1)
    labels = [[m[a.column.codes] for m in a.hierarchy.maps] for a in task.quasi]
    losses = [
        [((np.bincount(m) - 1) / max(len(m) - 1, 1))[m][a.column.codes] for m in a.hierarchy.maps]
        for a in task.quasi
    ]
    tests = 0

    def loss(levels: Sequence[int]) -> float:
        nonlocal tests
        tests += 1
        key = np.zeros(task.n, dtype=np.uint64)
        for own, level in zip(labels, levels, strict=True):
            key = key * np.uint64(1_000_003) + own[level].astype(np.uint64)
        _, number, sizes = np.unique(key, return_inverse=True, return_counts=True)
        gone = (sizes < task.k)[number]
        if gone.sum() > allowed:
            return np.inf
        mean = sum(own[level] for own, level in zip(losses, levels, strict=True)) / len(levels)
        return float(np.where(gone, 1.0, mean).mean())

    current = heights
    best = loss(heights)
    while True:
        near = [
            [*current[:a], level, *current[a + 1 :]]
            for a, top in enumerate(heights)
            for level in (current[a] - 1, current[a] + 1)
            if 0 <= level <= top
        ]
        value, found = min((loss(levels), levels) for levels in near)
        if value >= best:
            return best, tests
        current = found
        best = value


if __name__ == "__main__":
    main()
