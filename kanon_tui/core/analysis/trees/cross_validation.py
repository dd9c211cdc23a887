"""How well a model of some kind predicts, tested on records that it has not seen.

Five stratified folds of one table: the model is fitted on four and judged on the fifth, in turn. A
record that may have several values of the target counts with its share in each, where the model
learns and where it is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.trees.target import Target
from kanon_tui.core.numeric import Floats, Int64s

__all__ = ["FOLDS", "Judged", "cross_validated"]

FOLDS = 5


@dataclass(frozen=True)
class Judged:
    """How well a kind of model predicts on one table."""

    accuracy: float
    """Share of the records whose value is predicted, over all folds."""
    auc: float | None
    """Area under the ROC curve, one value against the rest; None where only one occurs."""
    baseline: float
    """Accuracy of always guessing the commonest value."""


def cross_validated(
    matrix: npt.NDArray[np.float32], target: Target, fit: Callable[[Int64s], Any], seed: int
) -> Judged:
    """Judge models; `fit` makes one of the records that it is given."""
    records = len(matrix)
    everybody = np.arange(records)
    chances = np.zeros((records, len(target.values)))
    folds = _folds(target.likeliest, seed)
    for fold in range(int(folds.max()) + 1):
        test = folds == fold
        model = fit(everybody[~test])
        chances[np.ix_(test, model.classes_)] = model.predict_proba(matrix[test])
    place, value, share = target.parts(everybody)
    right = chances.argmax(axis=1)[place] == value
    return Judged(
        accuracy=float(share[right].sum() / records),
        auc=_auc(value, chances[place], share),
        baseline=float(target.counts().max() / records),
    )


def _folds(target: Int64s, seed: int) -> Int64s:
    """A fold per record, every value of the target spread evenly over all of them."""
    shuffled = np.random.default_rng(seed).permutation(len(target))
    by_value = shuffled[np.argsort(target[shuffled], kind="stable")]
    folds = np.empty(len(target), dtype=np.int64)
    folds[by_value] = np.arange(len(target)) % FOLDS
    return folds


def _auc(target: Int64s, chances: Floats, shares: Floats) -> float | None:
    from sklearn.metrics import roc_auc_score

    counts = np.bincount(target, weights=shares)
    values = np.flatnonzero(counts)
    if len(values) < 2:
        return None
    areas = [
        roc_auc_score(target == value, chances[:, value], sample_weight=shares) for value in values
    ]
    return float(np.average(areas, weights=counts[values]))
