"""Attribute weights: equal, typed in, from how much the attributes tell of one another (`auto`) or
of the sensitive ones (`ranking`).

An attribute that can be read off the others adds little to a release, an independent one adds much.
`auto` weights are therefore proportional to 1 − mean association with the other quasi-identifiers.
Association is a number from 0 to 1 that fits the kinds of the two attributes:

- two numbers (dates are numbers): |Pearson r|, over the records in which neither is missing;
- two categories: Cramér's V, the plain one without bias correction, missing being a category;
- a number and a category: the correlation ratio η, over the records with a number.

Cramér's V of a category with very many values is close to 1 with anything, because every value
has few records; such an attribute gets little weight.

Cost: O(n) for every pair of attributes. Only combinations of values that occur are counted, so two
categories with 100,000 values each need no table of 10¹⁰ cells.

`ranking` weights are proportional to the importance of the attributes in recursive partitioning: a
decision tree is grown for every sensitive attribute, and what its splits by an attribute take away
of the impurity (Gini; of numbers the variance) is the importance, as a share of all. Missing
numbers go to the side that fits better. The values of a category stand in the order of the mean of
a sensitive number, or of the share of the commonest sensitive value, in which one cut is the best
division in two for numbers and for two values (Breiman et al. 1984, theorem 4.5). A leaf has at
least one record in a hundred, so that many rare values are not important by chance. Cost:
O(n log n) for every attribute and level of a tree.

References: Morton, research value (the weight is one minus correlation, normalised to sum to 1),
and the summary of the clustering chapter, where recursive partitioning and feature ranking are
named as other ways to find weights.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Floats
from kanon_tui.core.optional import require
from kanon_tui.core.table.column import Column

Weighting = Literal["equal", "auto", "ranking"]


def attribute_weights(
    columns: Sequence[Column],
    typed: Sequence[float | None],
    mode: Weighting,
    sensitive: Sequence[Column] = (),
) -> Floats:
    """Return a weight per attribute; they sum to 1.

    A typed weight stands as it is and the other attributes share what is left, equally or in
    proportion to their independence (`auto`) or importance for the sensitive ones (`ranking`). When
    all are typed they are scaled to sum to 1.
    """
    for column, weight in zip(columns, typed, strict=True):
        if weight is not None and not 0 <= weight < np.inf:
            raise InputError(
                f"{column.name}: its weight is {weight:g}; a weight must be a number of at least 0"
            )
    typed_weights = np.array([0.0 if weight is None else weight for weight in typed])
    free = np.array([weight is None for weight in typed], dtype=bool)
    total = float(typed_weights.sum())
    if not free.any():
        if len(typed_weights) and total == 0:
            raise InputError("weights: every attribute has weight 0; give at least one a weight")
        return typed_weights / total
    if total >= 1 - 1e-9:
        untyped = columns[int(np.argmax(free))].name
        raise InputError(
            f"weights: the typed weights sum to {total:g}, which leaves nothing for '{untyped}'; "
            f"lower them to a sum below 1, or give every attribute a weight"
        )
    if mode == "auto":
        shares = _independence(columns)
    elif mode == "ranking":
        shares = _importance(columns, sensitive)
    else:
        shares = np.ones(len(columns))
    shares = np.where(free, shares, 0.0)
    if shares.sum() <= 0:
        shares = free.astype(np.float64)
    weights: Floats = typed_weights + (1.0 - total) * shares / shares.sum()
    return weights


def association_matrix(columns: Sequence[Column]) -> Floats:
    """Return the association of every two attributes: symmetric, 1 on the diagonal.

    >>> import polars as pl
    >>> from kanon_tui.core.table.table import code_column
    >>> from kanon_tui.core.table.column import Kind
    >>> years = code_column(pl.Series("years", ["20", "30", "40"]), Kind.NUMERIC)
    >>> months = code_column(pl.Series("months", ["240", "360", "480"]), Kind.NUMERIC)
    >>> association_matrix([years, months]).round(3).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    matrix = np.eye(len(columns))
    for i, first in enumerate(columns):
        for j, second in enumerate(columns[:i]):
            matrix[i, j] = matrix[j, i] = _association(first, second)
    return matrix


def redundant(
    names: Sequence[str], matrix: Floats, threshold: float = 0.9
) -> list[tuple[str, str, float]]:
    """Return the pairs with an association of at least the threshold, strongest first."""
    pairs = [
        (names[i], names[j], float(matrix[i, j]))
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if matrix[i, j] >= threshold
    ]
    return sorted(pairs, key=lambda pair: -pair[2])


def _independence(columns: Sequence[Column]) -> Floats:
    """Return 1 − mean association with the other attributes; 1 for an only attribute."""
    other_columns = max(len(columns) - 1, 1)
    mean: Floats = (association_matrix(columns).sum(axis=1) - 1) / other_columns
    shares: Floats = 1.0 - mean
    shares[shares < 1e-12] = 0.0
    return shares


def _importance(columns: Sequence[Column], sensitive: Sequence[Column]) -> Floats:
    """Return the mean importance of the attributes in a tree for each sensitive one."""
    if not sensitive:
        raise InputError(
            "weights: ranking compares attributes with the sensitive ones, and there is none; give "
            "one the role sensitive, or write weights: auto or equal"
        )
    trees = require("sklearn.tree", "ranking", "weights")
    importance = np.zeros(len(columns))
    for target in sensitive:
        numbers = None if target.numbers is None else target.numbers[target.codes]
        has_score = np.ones(target.records, dtype=bool) if numbers is None else ~np.isnan(numbers)
        if numbers is None:
            scores = (target.codes == target.counts.argmax()).astype(np.float64)
            tree = trees.DecisionTreeClassifier(min_samples_leaf=0.01, random_state=0)
        else:
            scores = numbers
            tree = trees.DecisionTreeRegressor(min_samples_leaf=0.01, random_state=0)
        if not has_score.any():
            continue
        matrix = np.column_stack(
            [_ordered(column, scores, has_score)[has_score] for column in columns]
        )
        tree.fit(
            matrix, target.codes[has_score] if numbers is None else _deviations(numbers[has_score])
        )
        importance += tree.feature_importances_
    return importance


def _ordered(column: Column, scores: Floats, has_score: Flags) -> Floats:
    """Return per record its number, or for a category the mean score of its value.

    `scores` and `has_score` (whether there is a score) have shape (records,).
    """
    if column.numbers is not None:
        return column.numbers[column.codes]
    sizes = np.bincount(column.codes[has_score], minlength=len(column.values))
    sums = np.bincount(column.codes[has_score], scores[has_score], minlength=len(column.values))
    return (sums / np.maximum(sizes, 1))[column.codes]


def _association(first: Column, second: Column) -> float:
    if first.numbers is None:
        first, second = second, first
    if first.numbers is None:
        return min(_cramers_v(first, second), 1.0)
    numbers = first.numbers[first.codes]
    if second.numbers is None:
        return min(_correlation_ratio(numbers, second), 1.0)
    return min(_pearson(numbers, second.numbers[second.codes]), 1.0)


def _pearson(x: Floats, y: Floats) -> float:
    """Return |r|; 0 where one of them does not vary."""
    both = ~(np.isnan(x) | np.isnan(y))
    x = _deviations(x[both])
    y = _deviations(y[both])
    squares = float(np.sqrt(x @ x) * np.sqrt(y @ y))
    return abs(float(x @ y)) / squares if squares > 0 else 0.0


def _correlation_ratio(numbers: Floats, category: Column) -> float:
    """Return η: the root of the share of the variance that lies between the categories."""
    present = ~np.isnan(numbers)
    deviations = _deviations(numbers[present])
    codes = category.codes[present]
    total = float(deviations @ deviations)
    if total == 0:
        return 0.0
    sums = np.bincount(codes, weights=deviations)
    sizes = np.bincount(codes)
    between = float((sums[sizes > 0] ** 2 / sizes[sizes > 0]).sum())
    return float(np.sqrt(between / total))


def _cramers_v(first: Column, second: Column) -> float:
    """Return √(χ² / n / (smaller number of values − 1)), with χ²/n = Σ nᵢⱼ²/(nᵢ·nⱼ) − 1."""
    rows = np.bincount(first.codes)
    columns = np.bincount(second.codes)
    degrees = min(np.count_nonzero(rows), np.count_nonzero(columns)) - 1
    if degrees < 1:
        return 0.0
    cells = pl.Series("cell", first.codes.astype(np.int64) * len(columns) + second.codes)
    cell, count = (series.to_numpy() for series in cells.value_counts().sort("cell"))
    expected = rows[cell // len(columns)].astype(np.float64) * columns[cell % len(columns)]
    chi_squared = float((count.astype(np.float64) ** 2 / expected).sum()) - 1.0
    return float(np.sqrt(max(chi_squared, 0.0) / degrees))


def _deviations(x: Floats) -> Floats:
    """Return deviations from the mean, as shares of the largest; 0 where nothing varies."""
    if not len(x) or x.min() == x.max():
        return np.zeros_like(x)
    deviations: Floats = x - x.mean()
    largest = float(np.abs(deviations).max())
    return deviations / largest
