"""Inference: a sensitive value learnt from the rows that fit a person, or by a model.

From the class: every published row whose cells cover what is known of a person may be hers. Where
all of them have one value, it is certain (homogeneity). Somebody who knows n values that she does
not have excludes them (background knowledge): with at most n + 1 values left, it is certain again.

By a model: a decision tree learns the sensitive attribute from the published cells and predicts it
for the people of the original. On people who were not in the data it is right as often, if the
release tells no more than what holds for everybody.

References: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, l-Diversity, ICDE 2006; Giomi and
others, Anonymeter, PoPETs 2023.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.matching import Covering
from kanon_tui.core.analysis.value_groups import ValueGroups
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table

NEGATIONS = (1, 2)
"""Numbers of values that somebody knows a person not to have."""
MOST_VALUES = 50
"""Values of a category that a model tells apart, and that it can predict."""


def attack(attacked: AttackedRelease) -> list[AttackResult]:
    """Return an attack from the class and one by a model for every sensitive attribute."""
    found = []
    for column in attacked.sensitive:
        found.append(_from_class(attacked, column))
        if len(column.values) <= MOST_VALUES:
            found.append(_by_model(attacked, column))
        attacked.check(len(found), 2 * len(attacked.sensitive))
    return found


def learnt_values(attacked: AttackedRelease, name: str, fit: Covering) -> pl.DataFrame:
    """Return per record of a fit the different values that fit it, and the most frequent one."""
    printed = attacked.release.column(name, Kind.CATEGORICAL)
    rows = pl.DataFrame({"row": attacked.classes.row_of, "code": printed.codes})
    counts = rows.group_by("row", "code").len().with_columns(pl.col("row").cast(pl.Int64))
    pairs = pl.DataFrame({"record": fit.record, "row": fit.row})
    shown = pairs.join(counts, on="row").group_by("record", "code").agg(pl.col("len").sum())
    ordered = shown.sort(["record", "len", "code"], descending=[False, True, False])
    by_record = ordered.group_by("record", maintain_order=True)
    return by_record.agg(pl.len().alias("values"), pl.col("code").first().alias("guess"))


def _from_class(attacked: AttackedRelease, column: Column) -> AttackResult:
    def count(table: Table, fit: Covering) -> tuple[list[npt.NDArray[np.bool_]], int]:
        texts, printed = (
            each.column(column.name, Kind.CATEGORICAL) for each in (table, attacked.release)
        )
        known = learnt_values(attacked, column.name, fit)
        values = np.zeros(len(fit.records.sizes), dtype=np.int64)
        guess = np.full(len(values), -1, dtype=np.int64)
        values[known["record"].to_numpy()] = known["values"].to_numpy()
        guess[known["record"].to_numpy()] = known["guess"].to_numpy()
        own = np.array([*printed.values, ""])[guess][fit.records.row_of]
        truth = np.array(texts.values)[texts.codes]
        told = values[fit.records.row_of]
        right = (own == truth) & (told > 0)
        given = texts.codes != (-1 if texts.missing is None else texts.missing)
        within = [(told > 0) & (told <= n + 1) & given for n in NEGATIONS]
        return [right & (told == 1) & given, *within], int(right.sum())

    (certain, *negated), guessed = count(attacked.task.table, attacked.fit)
    control, beyond = None, ""
    if attacked.control is not None and column.name in attacked.control.names:
        (others, *_), right = count(attacked.control, attacked.fit_of(attacked.control))
        people = attacked.control.height
        control = people, int(others.sum())
        beyond = f", and of {right / max(people, 1):.1%} of those who were not in the data"
    hits = np.bincount(
        attacked.fit.row,
        weights=np.bincount(attacked.fit.records.row_of, certain, len(attacked.fit.records.sizes))[
            attacked.fit.record
        ],
        minlength=len(attacked.classes.sizes),
    ).astype(np.int64)
    one, two = (attacked.task.count(each) for each in negated)
    return AttackResult(
        "inference",
        f"Inference of {column.name}, class",
        attacked.people,
        attacked.task.count(certain),
        control,
        attacked.worst_class(hits),
        (
            f"All rows that fit them agree on {column.name} for {attacked.task.count(certain):,} "
            f"people. Whoever knows one value that a person does not have is certain about "
            f"{one:,} people, with two such values about {two:,}.",
            f"Guessing the most frequent value of the rows that fit is right for "
            f"{guessed / max(attacked.task.n, 1):.1%} of the records{beyond}.",
        ),
        f"require l-diversity, t-closeness or a bound of the share of {column.name}",
    )


def _by_model(attacked: AttackedRelease, column: Column) -> AttackResult:
    from sklearn.tree import DecisionTreeClassifier

    printed = attacked.release.column(column.name, Kind.CATEGORICAL)
    tree = DecisionTreeClassifier(min_samples_leaf=max(5, attacked.task.k), random_state=0)
    tree.fit(_published(attacked), printed.codes)

    def right(table: Table) -> npt.NDArray[np.bool_]:
        texts = table.column(column.name, Kind.CATEGORICAL)
        guess = np.array(printed.values)[tree.predict(_original(attacked, table))]
        return np.asarray(guess == np.array(texts.values)[texts.codes], dtype=bool)

    found, control, beyond = right(attacked.task.table), None, ""
    if attacked.control is not None and column.name in attacked.control.names:
        others = right(attacked.control)
        control = len(others), int(others.sum())
        beyond = f"; for people who were not in the data {others.mean():.1%}"
    commonest = int(np.bincount(printed.codes).max()) / max(len(printed.codes), 1)
    return AttackResult(
        "inference",
        f"Inference of {column.name}, model",
        attacked.people,
        attacked.task.count(found),
        control,
        sentences=(
            f"A tree that learnt from the release predicts {column.name} rightly for "
            f"{found.mean():.1%} of the records{beyond}. Always guessing the most frequent value "
            f"is right for {commonest:.1%}. Only what exceeds the people who were not in the data "
            f"is due to the release.",
        ),
        remedy=f"require t-closeness of {column.name}, or a larger k",
    )


def _groups(column: Column) -> ValueGroups:
    """Return the most frequent values of a category, each as a group, and one for the others."""
    order = np.argsort(-column.counts, kind="stable")[:MOST_VALUES]
    groups = np.full(len(column.values), len(order), dtype=np.int64)
    groups[order] = np.arange(len(order))
    return ValueGroups(column, tuple(map(str, range(len(order) + 1))), groups)


def _published(attacked: AttackedRelease) -> Floats:
    """Return rows of the release × features: the middle of a range, shares of categories."""
    features: list[npt.NDArray[np.floating]] = []
    for cells, printed in zip(attacked.published.cells, attacked.published.columns, strict=True):
        column = cells.attribute.column
        if column.kind.ordered:
            line = cells.attribute.line
            ends = (np.clip(each, line[0], line[-1]) for each in (cells.low, cells.high))
            middle = np.where(cells.missing, line[0] - 1, sum(ends) / 2)
            features.append(middle[printed.codes, None])
        else:
            covered = _groups(column).covered(cells)
            shares = covered / np.maximum(covered.sum(axis=1, keepdims=True), 1)
            features.append(shares[printed.codes])
    return np.hstack(features)


def _original(attacked: AttackedRelease, table: Table) -> Floats:
    """Return records of a table × the same features."""
    features: list[npt.NDArray[np.floating]] = []
    for cells in attacked.published.cells:
        column = cells.attribute.column
        texts = table.column(column.name, Kind.CATEGORICAL)
        if column.kind.ordered:
            numbers = np.nan_to_num(column.parse(texts.values), nan=cells.attribute.line[0] - 1)
            features.append(numbers[texts.codes, None])
        else:
            groups = _groups(column)
            group = dict(zip(column.values, groups.group_of_value.tolist(), strict=True))
            own: Int64s = np.array([group.get(v, len(groups.labels) - 1) for v in texts.values])
            features.append(np.eye(len(groups.labels))[own[texts.codes]])
    return np.hstack(features)
