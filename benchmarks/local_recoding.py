"""Local recoding with hierarchies: the loss of classes, as they are found and refined.

    python -m benchmarks.local_recoding
    python -m benchmarks.local_recoding --adult ../shared/data/adult --renew

Nine quasi-identifiers, all of them categories, k = 5, nothing suppressed. `--adult` names a folder
with UCI's `adult.data` and ARX's hierarchies `adult_hierarchy_NAME.csv`; sex, age, race,
marital-status, education, native-country, workclass, occupation and salary-class are compared.
Without it a table of 30,000 records is generated: skewed, correlated labels. Loss is the mean of
(values covered − 1) / (distinct values − 1), computed here from classes and hierarchies alone.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.full_domain import ARX_EIGHT, arx_frame
from benchmarks.high_dimension import generated
from benchmarks.pages import markdown_table, renew
from benchmarks.timing import print_table, run_seconds
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Task

NAMES = ("stepwise", "bottom-up", "top-down", "k-member")
HEADS = ("table", "algorithm", "loss", "refined", "CPU s", "CPU s, refined")
NINE = (*ARX_EIGHT, "salary-class")
VALUES = (81, 41, 16, 14, 8, 7, 6, 2, 2)


def adult(folder: Path) -> Task:
    """The complete records of Adult with ARX's hierarchies."""
    specs = {
        name: AttributeSpec(
            role=Role.QUASI,
            kind=Kind.CATEGORICAL,
            hierarchy={"file": str((folder / f"adult_hierarchy_{name}.csv").resolve())},
        )
        for name in NINE
    }
    table = as_table(arx_frame(folder).select(NINE))
    return prepare(Project(DataSource("adult.csv"), specs), table)


def loss(task: Task, labels: np.ndarray) -> float:
    """The mean loss of a cell when a class publishes the lowest label that its values share."""
    assert labels.min() >= 0
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sizes = np.diff(begins, append=task.n)
    lost = 0.0
    for attribute in task.quasi:
        codes = attribute.column.codes[order]
        maps = attribute.hierarchy.maps
        covered = np.full(len(begins), len(maps[0]))
        for level in reversed(maps):
            own = level[codes]
            low = np.minimum.reduceat(own, begins)
            high = np.maximum.reduceat(own, begins)
            covered = np.where(low == high, np.bincount(level)[low], covered)
        lost += float((sizes * (covered - 1)).sum()) / max(len(maps[0]) - 1, 1)
    return lost / task.n / len(task.quasi)


def measured(task: Task, name: str, refined: bool) -> tuple[float, float]:
    """The loss of an algorithm's classes, and its processor seconds."""
    algorithm = with_parameters(ALGORITHMS[name], {"refine": True} if refined else {}, name)
    run, seconds, _ = run_seconds(task, algorithm)
    assert run.grouping is not None
    return loss(task, run.grouping.labels), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adult", type=Path, help="folder of adult.data and ARX's hierarchies")
    parser.add_argument("--renew", action="store_true", help="put the table into the page")
    options = parser.parse_args()
    tables = {"generated, 30,000": generated(30_000, VALUES)}
    if options.adult is not None:
        tables["Adult, 30,162"] = adult(options.adult)
    rows = []
    for table, task in tables.items():
        asked = replace(task, privacy=Privacy(k=5))
        for name in NAMES:
            (plain, one), (refined, other) = (measured(asked, name, r) for r in (False, True))
            rows.append((table, name, f"{plain:.4f}", f"{refined:.4f}", one, other))
    print_table("loss", HEADS, rows)
    if options.renew:
        renew("local recoding", markdown_table(HEADS, rows))


if __name__ == "__main__":
    main()
