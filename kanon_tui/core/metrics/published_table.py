"""The figures of a table that is already anonymised."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.metrics.privacy import measure_sensitive, prosecutor_risk
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.privacy.k_anonymity import KAnonymity, small_k_warning
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.table.distinct_values import by_value
from kanon_tui.core.table.profile import repeated_people
from kanon_tui.core.table.role_guesses import guess_attributes
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.text import count_of


def check_published(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    sensitive: str | None,
    k: int,
    person: str | None = None,
    subset_size: int | None = None,
) -> dict[str, Any]:
    """Return the measures of a table that is already anonymised.

    With `subset_size` k is asked of any so many of the quasi-identifiers, not of all together.
    `person` is the column that names the person of each row: then people are counted. Without one,
    a column that numbers people and repeats is warned of.

    Cells are compared as they are printed; every row counts, one of nothing but `*` too. The
    sensitive attribute is counted in values, not in spellings; it is ordered when it is guessed to
    hold numbers or dates, and t-closeness is measured against the table itself, as nothing else is
    known.
    """
    table = as_table(frame)
    for name in (*quasi, *(each for each in (sensitive, person) if each is not None)):
        check_known(name, table.names, f"the table has no column '{name}'")
    if not quasi:
        raise InputError("no quasi-identifiers are named; name at least one column")
    printed = as_table(table, missing_tokens=())
    codes = [printed.column(name, Kind.CATEGORICAL).codes for name in quasi]
    classes = number_rows(codes)
    persons, warnings = _people(table, quasi, sensitive, person)
    records = np.bincount(classes)

    def held(column: Column) -> GroupValues:
        return GroupValues.from_records(classes, column.codes, len(records))

    sizes = _sizes(classes, persons)
    reached = smallest = KAnonymity.measured(sizes)
    if subset_size is not None:
        reached = min(
            KAnonymity.measured(_sizes(number_rows(some), persons))
            for some in combinations(codes, min(subset_size, len(codes)))
        )
    warnings += small_k_warning(smallest)
    risk_max, risk_mean = prosecutor_risk(sizes)
    found: dict[str, float | None] = dict.fromkeys(MODELS)
    disclosed = {}
    if sensitive is not None:
        guess = guess_attributes(Table(table.frame.select(sensitive)))[sensitive]
        column = table.column(sensitive, guess.kind, guess.format)
        counted = by_value(column, table.missing_tokens)
        figures, disclosure = measure_sensitive(lambda valued: [held(valued)], counted, persons)
        disclosed = {"disclosed": {sensitive: asdict(disclosure)}}
        found |= {n: f if math.isfinite(f) else None for n, f in figures.items()}
    return {
        "records": table.height,
        **({} if persons is None else {"people": len(persons.values)}),
        "quasi": list(quasi),
        "classes": len(sizes),
        KAnonymity.name: smallest,
        **found,
        "risk_max": risk_max,
        "risk_mean": risk_mean,
        **disclosed,
        **({} if subset_size is None else {"subset_k": reached}),
        "reached": reached >= k,
        **({"warnings": warnings} if warnings else {}),
    }


def _sizes(classes: Int32s, persons: Column | None) -> Int64s:
    """Return the rows of every class, or its people."""
    if persons is None:
        return np.bincount(classes)
    return GroupValues.from_records(classes, persons.codes, int(classes.max()) + 1).distinct


def _people(
    table: Table, quasi: Sequence[str], sensitive: str | None, person: str | None
) -> tuple[Column | None, list[str]]:
    """Return the person of every row, or warnings where people seem to have several rows."""
    if person is None:
        others = [name for name in table.names if name not in (*quasi, sensitive)]
        suspected = repeated_people(table, others)
        return None, [] if suspected is None else [suspected.warning]
    column = by_value(table.column(person, Kind.CATEGORICAL), table.missing_tokens)
    if person in quasi or person == sensitive:
        raise InputError(
            f"'{person}' names the person of each row, so it has no other role; name another"
        )
    if column.missing is not None:
        missing = count_of(int(column.counts[column.missing]), "row has", "rows have")
        raise InputError(
            f"'{person}' names the person of each row, but {missing} no value in it; fill it in"
        )
    return column, []
