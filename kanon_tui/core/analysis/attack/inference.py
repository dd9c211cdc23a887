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

from collections.abc import Sequence

import numpy as np
import polars as pl

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.matching import Covering
from kanon_tui.core.analysis.published_cells import ValueGroups
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.column import Column, Kind
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


def learnt_values(
    attacked: AttackedRelease, name: str, table: Table, fit: Covering
) -> tuple[Int64s, Flags]:
    """Return per record of a table how many values the rows that fit it have, and a verdict.

    The verdict is whether the most frequent of them is the record's own. A record whose value is
    missing has 0 values.
    """
    printed, texts = (each.column(name, Kind.CATEGORICAL) for each in (attacked.release, table))
    rows = pl.DataFrame({"row": attacked.classes.row_of, "code": printed.codes})
    counts = rows.group_by("row", "code").len().with_columns(pl.col("row").cast(pl.Int64))
    pairs = pl.DataFrame({"record": fit.record, "row": fit.row})
    shown = pairs.join(counts, on="row").group_by("record", "code").agg(pl.col("len").sum())
    ordered = shown.sort(["record", "len", "code"], descending=[False, True, False])
    by_record = ordered.group_by("record", maintain_order=True)
    told = by_record.agg(pl.len().alias("values"), pl.col("code").first())
    found = np.zeros((2, len(fit.records.sizes)), dtype=np.int64)
    found[:, told["record"].to_numpy()] = told.select("values", "code").to_numpy().T
    values, guess = found[:, fit.records.row_of]
    own = np.array(texts.values, dtype=object)[texts.codes]
    right = (np.array(printed.values, dtype=object)[guess] == own) & (values > 0)
    missing = texts.codes == (-1 if texts.missing is None else texts.missing)
    return np.where(missing, 0, values), np.asarray(right, dtype=bool)


def _from_class(attacked: AttackedRelease, column: Column) -> AttackResult:
    task = attacked.task
    values, right = learnt_values(attacked, column.name, task.table, attacked.fit)
    certain = right & (values == 1)
    one, two = (task.count((values > 0) & (values <= n + 1)) for n in NEGATIONS)
    control, beyond = None, ""
    if attacked.control is not None and column.name in attacked.control.names:
        fit = attacked.fit_of(attacked.control)
        others, guessed = learnt_values(attacked, column.name, attacked.control, fit)
        control = len(others), int((guessed & (others == 1)).sum())
        beyond = f", and of {guessed.mean():.1%} of those who were not in the data"
    return AttackResult(
        "inference",
        f"Inference of {column.name}, class",
        attacked.people,
        task.count(certain),
        control,
        attacked.worst_class(attacked.hits(certain)),
        (
            f"All rows that fit them agree on {column.name} for {task.count(certain):,} people. "
            f"Whoever knows one value that a person does not have is certain about {one:,} people, "
            f"with two such values about {two:,}.",
            f"Guessing the most frequent value of the rows that fit is right for "
            f"{right.mean():.1%} of the records{beyond}.",
        ),
        f"require l-diversity, t-closeness or a bound of the share of {column.name}",
    )


def _by_model(attacked: AttackedRelease, column: Column) -> AttackResult:
    from sklearn.tree import DecisionTreeClassifier

    printed = attacked.release.column(column.name, Kind.CATEGORICAL)
    tree = DecisionTreeClassifier(min_samples_leaf=max(5, attacked.task.k), random_state=0)
    tree.fit(_matrix(attacked, attacked.release), printed.codes)

    def right(table: Table) -> Flags:
        texts = table.column(column.name, Kind.CATEGORICAL)
        guess = np.array(printed.values)[tree.predict(_matrix(attacked, table))]
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


def _matrix(attacked: AttackedRelease, table: Table) -> Floats:
    """Return records of a table or rows of the release × features.

    A number is the middle of what its cell covers; a category has a share in each of its most
    frequent values. A category that neither data nor hierarchy know counts as hidden.
    """
    features = []
    for read in attacked.published.cells:
        column = read.attribute.column
        texts = table.column(column.name, Kind.CATEGORICAL)
        values: Sequence[str] = texts.values
        if not column.kind.ordered and table is not attacked.release:
            values = [value if value in read.attribute.known else HIDDEN for value in values]
        cells = read.attribute.read(values, attacked.name)
        if column.kind.ordered:
            line = cells.attribute.line if len(cells.attribute.line) else np.zeros(1)
            low, high = (np.clip(each, line[0], line[-1]) for each in (cells.low, cells.high))
            own = np.where(cells.missing, line[0] - 1, (low + high) / 2)[:, None]
        else:
            order = np.argsort(-column.counts, kind="stable")[:MOST_VALUES]
            groups = np.full(len(column.values), len(order), dtype=np.int64)
            groups[order] = np.arange(len(order))
            labels = tuple(map(str, range(len(order) + 1)))
            own = ValueGroups(column, labels, groups).covered(cells)
            own = own / np.maximum(own.sum(axis=1, keepdims=True), 1)
        features.append(np.nan_to_num(own)[texts.codes])
    return np.hstack(features)
