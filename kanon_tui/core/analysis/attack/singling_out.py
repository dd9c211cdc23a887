"""Singling out: predicates built from the release that match exactly one person of the original.

A predicate is the box of a class (its published cells) with one condition more: a value that must
occur in the class (`downcoding`), or a sensitive value that a single row of the class has. Whoever
knows that the predicate matches one person can tell her from everybody else without knowing her.

With a control, the predicates are tried on as many people of the original (drawn by a seed) as the
control has: among fewer people it is easier to be the only one.

References: Article 29 Working Party, Opinion 05/2014; Cohen, Nissim, Towards formalizing the GDPR's
notion of singling out, PNAS 2020.
"""

from collections.abc import Iterator

import numpy as np
import polars as pl

from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.downcoding import claims
from kanon_tui.core.analysis.attack.matching import Covering
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.column import Kind
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


def _predicates(attacked: AttackedRelease) -> Iterator[tuple[str, dict[str, int], pl.DataFrame]]:
    """Yield an attribute, the group of each of its values, and the classes and groups claimed."""
    for each in claims(attacked):
        column = attacked.published.cells[each.x].attribute.column
        groups = dict(zip(column.values, each.group_of_value.tolist(), strict=True))
        yield column.name, groups, pl.DataFrame({"row": each.row, "group": each.group})
    for column in attacked.sensitive:
        printed = attacked.release.column(column.name, Kind.CATEGORICAL)
        rows = pl.DataFrame({"row": attacked.classes.row_of, "group": printed.codes})
        once = rows.group_by("row", "group").len().filter(pl.col("len") == 1).drop("len")
        yield column.name, {value: code for code, value in enumerate(printed.values)}, once


def _singled_out(
    attacked: AttackedRelease, table: Table, fit: Covering
) -> tuple[Flags, Int64s, int]:
    """Return the records that a predicate singles out, hits per class, and the predicates."""
    pairs = pl.DataFrame({"record": fit.record, "row": fit.row})
    alone, predicates = np.zeros(table.height, dtype=bool), 0
    hits = np.zeros(len(attacked.classes.sizes), dtype=np.int64)
    keys = pl.col("row", "group").cast(pl.Int64)
    for name, groups, claimed in _predicates(attacked):
        if name not in table.names:
            continue
        texts = table.column(name, Kind.CATEGORICAL)
        group = np.array([groups.get(text, -1) for text in texts.values], dtype=np.int64)
        known = pl.DataFrame(
            {
                "record": fit.records.row_of.astype(np.int64),
                "group": group[texts.codes],
                "number": np.arange(table.height),
            }
        )
        fitting = pairs.join(known, on="record").with_columns(keys)
        fitting = fitting.join(claimed.with_columns(keys), on=["row", "group"], how="semi")
        found = fitting.group_by("row", "group").agg(pl.len(), pl.col("number").first())
        single = found.filter(pl.col("len") == 1)
        alone[single["number"].to_numpy()] = True
        hits += np.bincount(single["row"].to_numpy(), minlength=len(hits))
        predicates += claimed.height
    return alone, hits, predicates
