"""What was applied, as a table: how values became labels, or what every class publishes.

- full-domain: a row per quasi-identifier and value with its level and the label it is published as;
- clustering: a row per class with its number of records and its published cells.

Identifiers are in neither, and no row stands for a single record.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from kanon_tui.core.run.result import Result

__all__ = ["applied_mapping"]


def applied_mapping(result: Result) -> pl.DataFrame:
    """The mapping of a result."""
    if result.grouping.levels is None:
        return _of_classes(result)
    return _of_levels(result, result.grouping.levels)


def _of_levels(result: Result, levels: tuple[int, ...]) -> pl.DataFrame:
    parts = []
    for attribute, level in zip(result.task.quasi, levels, strict=True):
        hierarchy = attribute.hierarchy
        labels = pl.Series(hierarchy.labels[level], dtype=pl.String)
        parts.append(
            pl.DataFrame(
                {
                    "attribute": pl.repeat(attribute.name, len(hierarchy.paths), eager=True),
                    "value": pl.Series(attribute.column.values, dtype=pl.String),
                    "level": pl.repeat(level, len(hierarchy.paths), dtype=pl.Int64, eager=True),
                    "published": labels.gather(hierarchy.maps[level]),
                }
            )
        )
    return pl.concat(parts)


def _of_classes(result: Result) -> pl.DataFrame:
    release, quasi = result.release, [attribute.name for attribute in result.task.quasi]
    sizes = release.class_sizes
    published = np.flatnonzero(release.classes >= 0)
    _, first = np.unique(release.classes[published], return_index=True)
    columns = {
        _unused("class", quasi): np.arange(1, len(sizes) + 1),
        _unused("records", quasi): sizes,
    }
    cells = {
        name: pl.Series(cells.texts, dtype=pl.String).gather(cells.codes[published[first]])
        for name, cells in zip(quasi, release.cells, strict=True)
    }
    return pl.DataFrame({**columns, **cells})


def _unused(name: str, taken: Collection[str]) -> str:
    """The name, or one that no quasi-identifier has."""
    while name in taken:
        name += "_"
    return name
