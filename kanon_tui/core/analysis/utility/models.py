"""Models other than trees, learnt and judged on the original and on the release in the same way.

Logistic regression, a random forest and naive Bayes of scikit-learn for one attribute, on the
features and in the folds that decision trees have (`trees`): each is fitted and tested on the cells
of one table. Of a table of more than `MOST_RECORDS` a seeded sample of as many is used.

  logistic regression   features standardised; L2 penalty, C = 1
  random forest         100 trees, leaves of at least 1 in 1000 records
  naive Bayes           Gaussian, features standardised, variance smoothed by 1 %

References: scikit-learn 1.6, LogisticRegression, RandomForestClassifier, GaussianNB; Breiman,
Random Forests, 2001.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.features import TreeTable
from kanon_tui.core.analysis.trees.partition import Judged, cross_validated, learning_tables
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int64s

MOST_RECORDS = 20_000
MODELS = ("logistic regression", "random forest", "naive Bayes")


@dataclass(frozen=True)
class Learnt:
    """One kind of model on both tables."""

    model: str
    original: Judged
    release: Judged

    @property
    def kept(self) -> float | None:
        """Share of the original's accuracy that the release keeps; None where there is none."""
        return self.release.kept(self.original)


def models(
    release: PublishedTable, target: str, attributes: Sequence[str] | None = None
) -> list[Learnt]:
    """Judge every kind of model on the original and on the release."""
    seed = release.task.seed
    tables = [_sample(each, seed) for each in learning_tables(release, target, attributes)[:2]]
    if min(table.records for table in tables) < 2:
        raise InputError("a table of one record has nothing to learn from; it needs two or more")
    return [Learnt(name, *(_judged(name, table, seed) for table in tables)) for name in MODELS]


def _sample(table: TreeTable, seed: int) -> TreeTable:
    if table.records <= MOST_RECORDS:
        return table
    chosen = np.random.default_rng(seed).choice(table.records, MOST_RECORDS, replace=False)
    return replace(
        table,
        codes={name: codes[chosen] for name, codes in table.codes.items()},
        target=replace(table.target, codes=table.target.codes[chosen]),
        people=table.people[chosen],
    )


def _judged(name: str, table: TreeTable, seed: int) -> Judged:
    matrix, target = table.matrix(), table.target

    def fit(records: Int64s) -> Any:
        place, value, share = target.parts(records)
        rows = matrix[records[place]]
        if len(np.unique(value)) < 2:
            from sklearn.dummy import DummyClassifier

            return DummyClassifier().fit(rows, value, sample_weight=share)
        return _fitted(name, rows, value, share, seed)

    return cross_validated(matrix, target, fit, seed)


def _fitted(name: str, rows: Any, value: Int64s, share: Any, seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == "random forest":
        smallest = max(1, len(rows) // 1000)
        forest = RandomForestClassifier(100, min_samples_leaf=smallest, random_state=seed)
        return forest.fit(rows, value, sample_weight=share)
    last = LogisticRegression(max_iter=300) if name == "logistic regression" else GaussianNB(
        var_smoothing=0.01
    )  # fmt: skip
    model = make_pipeline(StandardScaler(), last)
    step = f"{model.steps[-1][0]}__sample_weight"
    with warnings.catch_warnings():  # a model that has not settled is judged as it is
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(rows, value, **{step: share})
