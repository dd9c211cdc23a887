"""What was applied, as a table: how values became labels, or what every class publishes.

- full-domain: a row per quasi-identifier and value with its level and the label it is published as;
- clustering: a row per class with its number of records and its published cells.

Identifiers are in neither, and no row stands for a single record. A mapping may go where the
release goes, so values are listed only where somebody typed the hierarchy value by value (and then
all of it, whether they occur or not); of one that was built, the published labels.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["applied_mapping", "class_cells"]


def applied_mapping(result: FinishedRun) -> pl.DataFrame:
    """The mapping of a result."""
    if result.grouping.levels is None:
        return _of_classes(result)
    return _of_levels(result, result.grouping.levels)


def _of_levels(result: FinishedRun, levels: tuple[int, ...]) -> pl.DataFrame:
    parts = []
    for attribute, level, cells in zip(
        result.task.quasi, levels, result.release.cells, strict=True
    ):
        rows = _values_and_labels(attribute, level, cells.texts)
        parts.append(
            pl.DataFrame(
                {
                    "attribute": [attribute.name] * len(rows),
                    "value": [value for value, _ in rows],
                    "level": [level] * len(rows),
                    "published": [label for _, label in rows],
                },
                schema=_OF_LEVELS,
            )
        )
    return pl.concat(parts)


_OF_LEVELS = {
    "attribute": pl.String,
    "value": pl.String,
    "level": pl.Int64,
    "published": pl.String,
}


def _values_and_labels(
    attribute: QuasiIdentifier, level: int, published: Sequence[str]
) -> list[tuple[str | None, str]]:
    """What may be told of how values became labels; no value where only labels may be told."""
    typed = attribute.typed_hierarchy
    if typed is not None:
        return [(row[0], row[level] if level < len(row) else HIDDEN) for row in typed.rows]
    return [(label if level == 0 else None, label) for label in published]


def _of_classes(result: FinishedRun) -> pl.DataFrame:
    release, quasi = result.release, [attribute.name for attribute in result.task.quasi]
    sizes = release.class_sizes
    columns = {
        _unused("class", quasi): np.arange(1, len(sizes) + 1),
        _unused("records", quasi): sizes,
    }
    return pl.DataFrame({**columns, **class_cells(result).to_dict()})


def class_cells(result: FinishedRun) -> pl.DataFrame:
    """The published cells of every class, in the order of the classes."""
    release = result.release
    published = np.flatnonzero(release.classes >= 0)
    _, first = np.unique(release.classes[published], return_index=True)
    return pl.DataFrame(
        {
            attribute.name: pl.Series(cells.texts, dtype=pl.String).gather(
                cells.codes[published[first]]
            )
            for attribute, cells in zip(result.task.quasi, release.cells, strict=True)
        }
    )


def _unused(name: str, taken: Collection[str]) -> str:
    """The name, or one that no quasi-identifier has."""
    while name in taken:
        name += "_"
    return name
