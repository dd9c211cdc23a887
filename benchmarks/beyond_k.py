"""What more than k costs: tests of strings with requirements, and classes that merge on.

    python -m benchmarks.beyond_k --sizes 5000 10000 20000 50000 --twin 60 120

Searches run on the adult sample; the yardstick is the same search with k alone, and one Polars
group_by over the quasi-identifiers and the sensitive attribute. Merging on runs after Mondrian on
generated census tables, against its twin of the tests on small ones.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from benchmarks.merging import census
from benchmarks.timing import SAMPLES, exponent, print_table, seconds
from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.clustering.requirement_repair import RequirementRepair, repair_steps
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import RunContext, Task
from tests.core.algorithms.twins.beyond_k import merged_on

SALARY = {
    "k alone": (),
    "distinct l = 2": (DistinctLDiversity(2, "salary"),),
    "entropy l = 1.5": (EntropyLDiversity(1.5, "salary"),),
    "t = 0.2": (TCloseness(0.2, "salary"),),
    "α = 0.9": (AlphaKAnonymity(0.9, "salary"),),
}
DIAGNOSIS = {
    "distinct l = 3": DistinctLDiversity(3, "diagnosis"),
    "entropy l = 3": EntropyLDiversity(3, "diagnosis"),
    "t = 0.3": TCloseness(0.3, "diagnosis"),
    "α = 0.6": AlphaKAnonymity(0.6, "diagnosis"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 10_000, 20_000])
    parser.add_argument("--twin", type=int, nargs="+", default=[60, 120])
    parser.add_argument("--k", type=int, default=5)
    args = parser.parse_args()
    searches(args.k)
    merging(args.sizes, args.k)
    against_twin(args.twin)


def requiring(task: Task, *requirements: PrivacyModel, **privacy: float) -> Task:
    return replace(task, privacy=replace(task.privacy, requirements=requirements, **privacy))


def searches(k: int) -> None:
    """Global and Incognito with each requirement, without and with suppression."""
    adult = prepare(Project.load(SAMPLES / "adult" / "project.yaml"))
    Run(adult, GlobalSearch()).finish()  # compiled before anything is timed
    columns = [attribute.name for attribute in adult.quasi] + ["salary"]
    frame = adult.table.frame.select(columns)
    yardstick = min(seconds(lambda: frame.group_by(columns).len()) for _ in range(5))
    rows = []
    for share in (0.0, 0.05):
        for algorithm in (GlobalSearch(), Incognito()):
            for name, requirements in SALARY.items():
                task = requiring(adult, *requirements, k=k, max_suppression=share)
                run = Run(task, algorithm)
                used = seconds(run.finish)
                assert run.grouping is not None
                tested = run.grouping.search["tested"]
                rows.append(
                    (algorithm.name, share, name, tested, used, used / tested / yardstick)
                )  # fmt: skip
    heads = ("algorithm", "suppress", "required", "tested", "seconds", "group_bys per test")
    print_table(f"adult sample, k = {k}", heads, rows)


def merging(sizes: list[int], k: int) -> None:
    """Seconds of merging on alone, and how they grow."""
    rows = []
    for name, requirement in DIAGNOSIS.items():
        times = []
        for size in sizes:
            task = requiring(census(size, k), requirement)
            grouping = Run(requiring(task), Mondrian()).finish()
            assert grouping is not None
            steps = repair_steps(task, RunContext(), grouping, keep_magvals=False)
            times.append(seconds(lambda steps=steps: list(steps)))
        rows.append((name, *times, exponent(sizes, times)))
    heads = ("required", *(f"n = {size:,}" for size in sizes), "exponent")
    print_table(f"merging on after mondrian, generated census, k = {k}: seconds", heads, rows)


def against_twin(sizes: list[int]) -> None:
    """The same merges in plain Python."""
    rows = []
    for size in sizes:
        task = requiring(census(size, 3), DIAGNOSIS["distinct l = 3"])
        grouping = Run(requiring(task), Mondrian()).finish()
        assert grouping is not None
        labels = grouping.labels
        clusters = [np.flatnonzero(labels == c).tolist() for c in range(int(labels.max()) + 1)]
        twin = seconds(lambda task=task, clusters=clusters: merged_on(task, clusters))
        made = RequirementRepair(task, RunContext(), grouping, keep_magvals=False)
        ours = seconds(lambda made=made: list(made.run()))
        rows.append((size, len(clusters), ours, twin, twin / ours))
    heads = ("records", "classes", "merging on", "twin", "ratio")
    print_table("merging on against the twin of the tests", heads, rows)


if __name__ == "__main__":
    main()
