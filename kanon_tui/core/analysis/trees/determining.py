"""Attributes that tell the target by themselves, so that a tree learns nothing else.

`income` tells `income_class`: a tree that may ask about it asks about little else. An attribute
tells the target when it leaves at most a tenth of the errors that guessing the commonest value
makes, in answers of ten records at least, so that this is no accident. Answers are the values of a
category (ten records on average) and, for numbers and dates, as many stretches of the line as the
target has values. Missing is a value, too.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.analysis.trees.target import Target
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column

__all__ = ["tells"]

RECORDS_PER_ANSWER = 10
ERRORS_LEFT = 0.1


def tells(column: Column, target: Target) -> bool:
    """Whether an attribute of the original tells its target."""
    values = target.likeliest
    errors = len(values) - int(np.bincount(values).max())
    if column.numbers is None:
        answers = column.codes.astype(np.int64)
        if len(np.unique(answers)) * RECORDS_PER_ANSWER > len(values):
            return False
    else:
        answers = _stretches(column, values, len(target.values))
    pairs, counts = np.unique(answers * len(target.values) + values, return_counts=True)
    right = np.zeros(int(answers.max()) + 1, dtype=np.int64)
    np.maximum.at(right, pairs // len(target.values), counts)
    return errors > 0 and len(values) - int(right.sum()) <= ERRORS_LEFT * errors


def _stretches(column: Column, values: Int64s, most: int) -> Int64s:
    """The stretch of every record, cut so that they tell most about the target."""
    from sklearn.tree import DecisionTreeClassifier

    assert column.numbers is not None
    places = np.unique(column.numbers, return_inverse=True)[1]  # missing is one place, the last
    line = places[column.codes].reshape(-1, 1)
    tree = DecisionTreeClassifier(
        criterion="entropy",
        max_leaf_nodes=most + (column.missing is not None),
        min_samples_leaf=RECORDS_PER_ANSWER,
        random_state=0,
    )
    return np.asarray(tree.fit(line, values).apply(line), dtype=np.int64)
