"""The risk of a release that is in its files, from its classes: nothing else decides it.

How many records every class has was counted in what was written, and proved. A population by its
size or a table of its people says the rest; survey weights that the release has as they are come
from one pass over its files.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanon_tui.core.analysis.population_risk import (
    KnownPopulation,
    PopulationRisk,
    covered_people,
    risk_of_classes,
    weight_problem,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.pages import ReleasePages
from kanon_tui.core.privacy.risk import THRESHOLD
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.counted_table import CountedTable
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.text import joined

__all__ = ["streamed_risk"]

_SUMS = pl.len().alias("records"), pl.col("weights").sum()


def streamed_risk(
    result: StreamedResult,
    project: Project,
    known: KnownPopulation | None = None,
    population: Table | None = None,
    name: str = "the population table",
    threshold: float = THRESHOLD,
) -> PopulationRisk:
    """The risk of the written rows, as `release_risk` tells of a release in memory."""
    task, release = result.task, result.release
    sizes = release.published_sizes
    if not len(sizes):
        raise InputError("the release has no records; run again with less suppression")
    known = replace(KnownPopulation() if known is None else known, drawn=task.n)
    if population is not None:
        classes = as_table(release.published_class_cells, task.table.missing_tokens)
        where = ("the release", name)
        names = [attribute.name for attribute in task.quasi]
        rows, covered = covered_people(project, task, classes, population, names, where)
        sizes = np.bincount(rows.row_of, weights=sizes).astype(np.int64)
        known = replace(known, covered=covered)
    if known.weights is None:
        return risk_of_classes(sizes, known, threshold)
    sizes, weights = _weighted_classes(result, known.weights)
    return risk_of_classes(sizes, known, threshold, weights)


def _weighted_classes(result: StreamedResult, name: str) -> tuple[Int64s, Floats]:
    """The records of every class and the sum of their weights, from the files."""
    task = result.task
    if name not in task.published_as_they_are:
        allowed = joined(task.published_as_they_are, "or") or "no column of it"
        raise InputError(
            f"{name} is not in the release as it is, and the records before are not in memory; "
            f"weights can be {allowed}"
        )
    table = task.table
    assert isinstance(table, CountedTable)
    numbers, encoder = table.column(name, Kind.NUMERIC).numbers, table.encoder(name)
    assert numbers is not None
    number_of = dict(zip(encoder.texts, numbers[encoder.codes].tolist(), strict=True))
    quasi = {attribute.name: str(place) for place, attribute in enumerate(task.quasi)}
    keys = list(quasi.values())
    parts = []
    for cells in ReleasePages(result).stretches():
        cells.columns = list(result.columns)
        weights = cells[name].replace_strict(number_of, default=None, return_dtype=pl.Float64)
        if weights.null_count() or not (weights > 0).all():
            raise weight_problem(name)
        printed = [cells[name].alias(key) for name, key in quasi.items()]
        stretch = pl.DataFrame([*printed, weights.alias("weights")])
        parts.append(stretch.group_by(keys).agg(*_SUMS))
    whole = pl.concat(parts).group_by(keys).agg(pl.col("records", "weights").sum()).sort(keys)
    return whole["records"].to_numpy().astype(np.int64), whole["weights"].to_numpy()
