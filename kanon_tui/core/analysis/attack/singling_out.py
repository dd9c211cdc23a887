"""Singling out: predicates built from the release that match exactly one person of the original.

A predicate is the box of a class (its published cells) with one condition more: a value that must
occur in the class (`downcoding`), or a sensitive value that a single row of the class has. Whoever
knows that the predicate matches one person can tell her from everybody else without knowing her.

With a control, the predicates are tried on as many people of the original (drawn by a seed) as the
control has: among fewer people it is easier to be the only one.

References: Article 29 Working Party, Opinion 05/2014; Cohen, Nissim, Towards formalizing the GDPR's
notion of singling out, PNAS 2020.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.downcoding import claims
from kanon_tui.core.analysis.attack.matching import Covering
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table, as_table


def attack(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people whom some predicate singles out."""
    hit, hits, predicates = _singled_out(attacked, attacked.task.table, attacked.fit)
    tried, people, control = attacked.people, attacked.task.count(hit), None
    told = f"{predicates:,} predicates were built from the release; {people:,} people are the only "
    if attacked.control is not None:
        found = _singled_out(attacked, attacked.control, attacked.fit_of(attacked.control))[0]
        control = attacked.control.height, int(found.sum())
        some = attacked.task.table.frame.sample(min(len(found), attacked.task.n), seed=0)
        part = as_table(some, attacked.task.table.missing_tokens)
        tried, people = (
            some.height,
            int(_singled_out(attacked, part, attacked.fit_of(part))[0].sum()),
        )
    return [
        AttackResult(
            "singling-out",
            "Singling out",
            tried,
            people,
            control,
            attacked.worst_class(hits),
            (f"{told}ones of the data who match one of them.",),
            "publish labels or rounded ranges instead of observed ends, and require l-diversity "
            "of sensitive attributes",
        )
    ]


def _singled_out(
    attacked: AttackedRelease, table: Table, fit: Covering
) -> tuple[Flags, Int64s, int]:
    """Return the records that a predicate singles out, hits per class, and the predicates."""
    pairs = pl.DataFrame({"record": fit.record, "row": fit.row})
    first = np.unique(fit.records.row_of, return_index=True)[1]
    hit, predicates = np.zeros(len(fit.records.sizes), dtype=bool), 0
    hits = np.zeros(len(attacked.classes.sizes), dtype=np.int64)
    records = pl.DataFrame({"record": np.arange(len(first)), "people": fit.records.sizes})
    for each in claims(attacked):
        attribute = attacked.published.cells[each.x].attribute
        texts = table.column(attribute.column.name, Kind.CATEGORICAL)
        group = _groups(attribute.column.values, each.group_of_value, texts.values)[texts.codes]
        claimed = pl.DataFrame({"row": each.row, "group": each.group})
        known = records.with_columns(group=group[first])
        hit_rows, row = _alone(pairs.join(known, on="record"), claimed)
        hit[hit_rows] = True
        hits += np.bincount(row, minlength=len(hits))
        predicates += len(each.row)
    alone = hit[fit.records.row_of]
    for column in attacked.sensitive:
        if column.name not in table.names:
            continue
        printed = attacked.release.column(column.name, Kind.CATEGORICAL)
        rows = pl.DataFrame({"row": attacked.classes.row_of, "code": printed.codes})
        claimed = rows.group_by("row", "code").len().filter(pl.col("len") == 1).drop("len")
        texts = table.column(column.name, Kind.CATEGORICAL)
        group = _groups(printed.values, np.arange(len(printed.values)), texts.values)
        own = pl.DataFrame({"record": fit.records.row_of, "group": group[texts.codes]})
        own = own.with_row_index("number").with_columns(people=pl.lit(1))
        joined = pairs.join(own, on="record").with_columns(record=pl.col("number"))
        numbers, row = _alone(joined, claimed.rename({"code": "group"}))
        alone[numbers] = True
        hits += np.bincount(row, minlength=len(hits))
        predicates += claimed.height
    return alone, hits, predicates


def _groups(values: tuple[str, ...], group_of_value: Int64s, texts: tuple[str, ...]) -> Int64s:
    """Return the group of every text by its value; -1 for a text that is none of the values."""
    group = dict(zip(values, group_of_value.tolist(), strict=True))
    return np.array([group.get(text, -1) for text in texts], dtype=np.int64)


def _alone(known: pl.DataFrame, claimed: pl.DataFrame) -> tuple[Int64s, Int64s]:
    """Return record and class of every claim that exactly one person fits."""
    keys = ["row", "group"]
    claimed = claimed.with_columns(pl.col(keys).cast(pl.Int64))
    fitting = known.with_columns(pl.col(keys).cast(pl.Int64)).join(claimed, on=keys, how="semi")
    counted = fitting.group_by(keys).agg(pl.col("people").sum(), pl.col("record").first())
    single = counted.filter(pl.col("people") == 1)
    return single["record"].to_numpy().astype(np.int64), single["row"].to_numpy()
