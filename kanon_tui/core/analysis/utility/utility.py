"""Compare a release with its original, and write the comparison as sections of a report.

    found = measure_utility(project, task, release)
    found.marginals, found.pairs, found.means, found.queries

The modules of this package define the figures and say how published cells are spread over values.
A report is published with the release, so figures of the original are given only for groups of at
least k and ten people (`axis`), and with three digits.

Models other than trees, learnt and judged on the original and on the release in the same way.

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
from kanon_tui.core.analysis.trees.partition import (
    PredictionQuality,
    cross_validated,
    learning_tables,
)
from kanon_tui.core.analysis.utility import distributions
from kanon_tui.core.analysis.utility.queries import QueryErrors, query_errors
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.report.sections import Bar, Section, figure
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import significant

MOST_RECORDS = 20_000
MODELS = ("logistic regression", "random forest", "naive Bayes")


@dataclass(frozen=True)
class LearntModel:
    """One kind of model on both tables."""

    model: str
    original: PredictionQuality
    release: PredictionQuality

    @property
    def kept(self) -> float | None:
        """Share of the original's accuracy that the release keeps; None where there is none."""
        return self.release.kept(self.original)


def models(
    release: PublishedTable, target: str, attributes: Sequence[str] | None = None
) -> list[LearntModel]:
    """Judge every kind of model on the original and on the release."""
    seed = release.task.seed
    tables = [
        _sample(learning_table, seed)
        for learning_table in learning_tables(release, target, attributes)[:2]
    ]
    if min(table.records for table in tables) < 2:
        raise InputError("a table of one record has nothing to learn from; it needs two or more")
    return [LearntModel(name, *(_judged(name, table, seed) for table in tables)) for name in MODELS]


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


_PREDICTIONS = "comparing predictions"


def _judged(name: str, table: TreeTable, seed: int) -> PredictionQuality:
    matrix = table.matrix()
    target = table.target

    def fit(records: Int64s) -> Any:
        place, value, share = target.parts(records)
        rows = matrix[records[place]]
        if len(np.unique(value)) < 2:
            return (
                require("sklearn.dummy", _PREDICTIONS)
                .DummyClassifier()
                .fit(rows, value, sample_weight=share)
            )
        return _fitted(name, rows, value, share, seed)

    return cross_validated(matrix, target, fit, seed)


def _fitted(name: str, rows: Any, value: Int64s, share: Any, seed: int) -> Any:
    if name == "random forest":
        smallest = max(1, len(rows) // 1000)
        forests = require("sklearn.ensemble", _PREDICTIONS)
        forest = forests.RandomForestClassifier(100, min_samples_leaf=smallest, random_state=seed)
        return forest.fit(rows, value, sample_weight=share)
    if name == "logistic regression":
        last = require("sklearn.linear_model", _PREDICTIONS).LogisticRegression(max_iter=300)
    else:
        last = require("sklearn.naive_bayes", _PREDICTIONS).GaussianNB(var_smoothing=0.01)
    scaler = require("sklearn.preprocessing", _PREDICTIONS).StandardScaler()
    model = require("sklearn.pipeline", _PREDICTIONS).make_pipeline(scaler, last)
    unsettled = require("sklearn.exceptions", _PREDICTIONS).ConvergenceWarning
    step = f"{model.steps[-1][0]}__sample_weight"
    with warnings.catch_warnings():  # a model that has not settled is judged as it is
        warnings.simplefilter("ignore", unsettled)
        return model.fit(rows, value, **{step: share})


SMALLEST_GROUP = 10
"""Records of the original in every group that is compared, at least: a mean of two people tells
either of them what the other has."""
SMALLEST_SHARE = 100
"""One in so many records at least is in every group that is compared."""
MOST_GROUPINGS = 4
MOST_ATTRIBUTES = 30
"""Attributes that are compared; of a wider table the quasi-identifiers come first."""


@dataclass(frozen=True)
class Utility:
    """An original and a release, compared."""

    original_records: int
    release_records: int
    marginals: tuple[distributions.Marginal, ...]
    """In the order of the table."""
    pairs: tuple[distributions.Pair, ...]
    """The one that changed most first."""
    means: tuple[distributions.GroupMean, ...]
    queries: QueryErrors | None
    """Random COUNT queries; None where none selects anybody."""
    as_they_are: tuple[str, ...] = ()
    """The attributes that are published as they are."""
    target: str | None = None
    learnt: tuple[LearntModel, ...] = ()
    """The quality of models of the target; none without a target."""


def measure_utility(release: PublishedTable, target: str | None = None) -> Utility:
    """Compare a release with its original; with a target, also what models learn of it."""
    task = release.task
    table = release.table
    names = _compared(release)
    if target is not None:
        release.check_attribute(target)
    columns, cells = release.read(names)
    least = max(task.k, SMALLEST_GROUP, -(-task.n // SMALLEST_SHARE))
    compared = [distributions.groups_of(cell.attribute.column, least) for cell in cells]
    both = list(map(distributions.spreads, compared, columns, cells))
    quasi = [name for name in names if task.roles[name] is Role.QUASI]
    others = [name for name in names if task.roles[name] is not Role.QUASI]
    by_groups = _numbers_by_groups([one for one, _ in both], quasi, target)
    before = distributions.tally(task.table, [one for one, _ in both], by_groups)
    after = distributions.tally(table, [other for _, other in both], by_groups)
    learnt = [] if target is None else models(release, target)
    return Utility(
        original_records=task.n,
        release_records=table.height,
        marginals=tuple(distributions.marginals(before, after)),
        pairs=tuple(distributions.pairs(before, after)),
        means=tuple(distributions.group_means(before, after)),
        queries=query_errors(release, quasi, (columns, cells)),
        as_they_are=tuple(others),
        target=target,
        learnt=tuple(learnt),
    )


def _numbers_by_groups(
    spreads: Sequence[distributions.Spread], quasi: Sequence[str], target: str | None
) -> list[tuple[int, int]]:
    """Return pairs of a number and a grouping to summarise it by, as places of attributes."""
    numbers = [x for x, one in enumerate(spreads) if distributions.is_measure(one)]
    measures = [x for x in numbers if spreads[x].groups.name not in quasi] or numbers
    if any(spreads[x].groups.name == target for x in numbers):
        measures = [x for x in numbers if spreads[x].groups.name == target]
    groupings = [x for x, one in enumerate(spreads) if len(one.groups.labels) > 1]
    groupings.sort(key=lambda x: (spreads[x].groups.name not in quasi, spreads[x].groups.ordered))
    return [(x, by) for x in measures for by in groupings[:MOST_GROUPINGS] if by != x]


def _compared(release: PublishedTable) -> Sequence[str]:
    roles = release.task.roles
    published = [
        name
        for name, role in roles.items()
        if role is not Role.IDENTIFIER and name in release.table.names
    ]
    quasi = [name for name in published if roles[name] is Role.QUASI]
    if not quasi:
        raise InputError(
            f"{release.name} has none of the quasi-identifiers of the project; use the project "
            "with which it was made"
        )
    if len(published) <= MOST_ATTRIBUTES:
        return published
    kept = {
        *quasi,
        *[n for n in published if n not in quasi][: max(0, MOST_ATTRIBUTES - len(quasi))],
    }
    return [name for name in published if name in kept]


PAIRS_SHOWN = 8
MEANS_SHOWN = 24
_DIGITS = 3


def utility_sections(found: Utility | None) -> list[Section]:
    """Return the sections of a report on utility, for `write_report(path, utility=…)`.

    Parameters
    ----------
    found : Utility or None
        What `kn.utility` returned.

    Returns
    -------
    list of Section
        Distributions, pairs and counts, means and models; an empty list for None.
    """
    if found is None:
        return []
    return [_distributions(found), _pairs(found), *_means(found), *_models(found)]


def _distributions(found: Utility) -> Section:
    sentences = [
        "How far the release changes what is counted, attribute by attribute. A published range, "
        "label or set counts with equal shares in all values of the original that it covers. "
        "Distance is the total variation: 0 where both tables agree, 1 where they have nothing in "
        "common. Groups have at least k people of the original each, and never fewer than ten."
    ]
    if found.queries is not None:
        queries = found.queries
        sentences.append(
            f"{queries.queries:,} random COUNT queries over two or three attributes were answered "
            f"from the release. Half of the answers are wrong by less than {queries.median:.1%}, "
            f"nine of ten by less than {queries.ninetieth:.1%}."
        )
    rows: list[list[str | Bar]] = [
        [
            marginal.attribute,
            "as it is" if marginal.attribute in found.as_they_are else "generalised",
            Bar(min(1.0, marginal.distance), figure(round(marginal.distance, 4))),
        ]
        for marginal in found.marginals
    ]
    drawn = [_shares(each) for each in found.marginals if len(each.labels) > 1]
    columns = ("Attribute", "Published", "Distance")
    return Section("Distributions, original and release", sentences, columns, rows, pictures=drawn)


def _shares(marginal: distributions.Marginal) -> Section:
    """Return the shares of the groups of an attribute in both tables, as bars side by side."""
    both = list(zip(marginal.original, marginal.release, strict=True))
    most = max(map(max, both)) or 1.0
    rows: list[list[str | Bar]] = [
        [label, *(Bar(share / most, f"{share:.1%}") for share in shares)]
        for label, shares in zip(marginal.labels, both, strict=True)
    ]
    return Section(marginal.attribute, (), ("Group", "Original", "Release"), rows)


def _pairs(found: Utility) -> Section:
    rows: list[list[str | Bar]] = [
        [
            f"{pair.first} and {pair.second}",
            Bar(min(1.0, pair.distance), figure(round(pair.distance, 4))),
            figure(round(pair.original_association, 3)),
            figure(round(pair.release_association, 3)),
        ]
        for pair in found.pairs[:PAIRS_SHOWN]
    ]
    sentences = (
        f"The pairs whose joint distribution changed most, of {len(found.pairs):,}. Association is "
        "Cramér's V, from 0 (independent) to 1 (one tells the other)."
    )
    columns = ("Pair", "Distance", "Association before", "Association released")
    return Section("Pairs of attributes", [sentences] if rows else [], columns, rows)


def _means(found: Utility) -> list[Section]:
    shown = [mean for mean in found.means if mean.measure in found.as_they_are][:MEANS_SHOWN]
    if not shown:
        return []
    sentences = (
        "Means with 95 % confidence intervals, and medians, as a table of results would print "
        "them. Overlap is how much the two intervals have in common: 1 where they are the same, "
        "below 0 where they are apart (Karr and others, 2006)."
    )
    rows = [_mean_row(each) for each in shown]
    columns = ("Mean of", "Group", "Original", "Release", "Medians", "Overlap")
    return [Section("Means by group", [sentences], columns, rows)]


def _models(found: Utility) -> list[Section]:
    if not found.learnt:
        return []
    both = (found.learnt[0].original, found.learnt[0].release)
    rows = [["guessing", *(f"{one.baseline:.1%}" for one in both), ""]]
    for each in found.learnt:
        both = (each.original, each.release)
        scores = [f"{one.accuracy:.1%} ({figure(one.auc)})" for one in both]
        rows.append([each.model, *scores, "–" if each.kept is None else f"{each.kept:.1%}"])
    sentence = f"Accuracy (and AUC) of models that predict {found.target}, cross-validated."
    return [Section("Models", [sentence], ("Model", "Original", "Release", "Kept"), rows)]


def _mean_row(each: distributions.GroupMean) -> list[str]:
    medians = " → ".join(significant(one.median, _DIGITS) for one in (each.original, each.release))
    return [
        each.measure,
        f"{each.by}: {each.group}",
        _interval(each.original),
        _interval(each.release),
        medians,
        f"{each.overlap:.2f}",
    ]


def _interval(summary: distributions.Summary) -> str:
    mean, low, high = (
        significant(number, _DIGITS) for number in (summary.mean, summary.low, summary.high)
    )
    return f"{mean} [{low}; {high}]"
