"""One value for a whole class: its mean, its median, or its most frequent category.

All members of a class get the same value, which is microaggregation when the classes come from a
clustering. A mean and a median are written with as many decimals as the finest value of the column,
so that they show no more digits than any record does; a mean of dates is a whole day. Rounding goes
to the nearest, halves to the even neighbour; the median of an even class is the mean of its two
middle values; of categories that are equally frequent the first in the order of texts is taken.
Where missing meets present values a number or date is hidden, as in a range.

A mean can be given away by its largest member: who knows the second largest value subtracts it.
`dominated_classes` counts the classes for which the p% rule of tabular data says so.

Reference: Domingo-Ferrer and Mateo-Sanz, practical data-oriented microaggregation (2002);
Hundepool et al., Statistical Disclosure Control (2012), section 4.2.2 (p% rule).
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.table.dates import date_text
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import Note, Quotable, note, plural

DOMINANCE = 0.1
"""p of the p% rule: a value that the others bound this closely, as a share of it, is given away."""
_MOST_DECIMALS = 15
_EXACT = 2**62
WholeNumbers = npt.NDArray[Any]
"""Whole numbers: int64, or Python's own where those overflow."""


def one_value_texts(attribute: QuasiIdentifier, classes: GroupValues) -> list[str]:
    """Return the text of every class; `*` for a class without values."""
    if attribute.publish == "mode":
        return _modes(attribute.column, classes)
    column = attribute.column
    low, high = classes.ends(classes.code)
    alike = low == high
    mixed = (low < 0) | ((high == column.missing) & (low != column.missing))
    decimals = decimals_of(column)
    shown: list[str] = []
    units = _class_units(column, classes, attribute.publish, decimals, ~(alike | mixed))
    for place, code in enumerate(low.tolist()):
        if mixed[place]:
            shown.append(HIDDEN)
        elif alike[place]:
            shown.append(column.values[code])
        else:
            shown.append(_written(column, int(units[place]), decimals))
    return shown


def decimals_of(column: Column) -> int:
    """Return the most decimals of any value; 0 for dates, which are whole days."""
    if column.kind is Kind.DATE:
        return 0
    exponents = (number.normalize().as_tuple().exponent for number in column.exact_numbers)
    finest = min((e for e in exponents if isinstance(e, int)), default=0)
    return min(max(-finest, 0), _MOST_DECIMALS)


def dominated_classes(
    attribute: QuasiIdentifier, classes: npt.NDArray[np.integer], p: float = DOMINANCE
) -> int:
    """Return the number of classes whose largest value dominates by the p% rule.

    That is, all but its two largest values sum to less than a share p of the largest. Sizes of
    values count, not their signs. Classes whose values are all equal are left out: their
    mean is the value, as a range of one value would be.
    """
    column = attribute.column
    shown = (classes >= 0) & (column.codes != column.missing)
    size = np.abs(column.value_numbers[column.codes[shown]])
    group = classes[shown]
    each = np.ones(len(size)) if column.copies is None else column.copies[shown]
    order = np.lexsort([size, group])
    size, group, each = size[order], group[order], each[order]
    if not len(group):
        return 0
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ends = np.append(starts[1:], len(group)) - 1
    largest = size[ends]
    second = np.where(ends > starts, size[np.maximum(ends - 1, 0)], 0.0)
    second = np.where(each[ends] > 1, largest, second)
    rest = np.add.reduceat(size * each, starts) - largest - second
    codes = column.codes[shown][order]
    varies = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
    return int((varies & (rest < p * largest)).sum())


def one_value_note(attribute: QuasiIdentifier) -> Note:
    """Return the note about an attribute that publishes one value per class."""
    what = {"mean": "mean", "median": "median", "mode": "most frequent value"}[attribute.publish]
    decimals = decimals_of(attribute.column) if attribute.publish != "mode" else 0
    written = "" if attribute.publish == "mode" else f", written with {decimals} decimals"
    if attribute.column.kind is Kind.DATE:
        written = ", a whole day"
    measured = "values" if attribute.publish == "mode" else "range"
    return note(
        "{name}: all members of a class get its {what}{written}; a cell need not be the record's "
        "own value, and NCP, RV and IL measure the {measured} of the class",
        name=Quotable(attribute.name),
        what=Quotable(what),
        written=Quotable(written),
        measured=Quotable(measured),
    )


def one_value_warning(attribute: QuasiIdentifier, classes: npt.NDArray[np.integer]) -> Note | None:
    """Return the warning about means that one record dominates; None where there is none."""
    if attribute.publish != "mean" or attribute.column.kind is Kind.DATE:
        return None
    count = dominated_classes(attribute, classes)
    if not count:
        return None
    return note(
        "{name}: in {count:,} {of} one record dominates the mean, so that who knows the second "
        "largest value learns the largest to within {p:.0%} (p% rule); choose publish: median or "
        "range",
        name=Quotable(attribute.name),
        count=count,
        of=Quotable(plural(count, "class", "classes")),
        p=DOMINANCE,
    )


def _class_units(
    column: Column, classes: GroupValues, publish: str, decimals: int, wanted: npt.NDArray[np.bool_]
) -> WholeNumbers:
    """Return mean or median of every wanted class, rounded, in units of the last decimal."""
    value = _units(column, decimals)[classes.code]
    found: WholeNumbers = np.zeros(classes.count, dtype=object)
    there = np.flatnonzero(wanted)
    if not len(there):
        return found
    sizes = np.zeros(classes.count, dtype=np.int64)
    filled = np.flatnonzero(classes.distinct)
    sizes[filled] = np.add.reduceat(classes.records, classes.starts[filled])
    if publish == "mean":
        sums = np.zeros(classes.count, dtype=object)
        sums[filled] = np.add.reduceat(_summable(value, classes.records), classes.starts[filled])
        parts = list(zip(sums[there].tolist(), sizes[there].tolist(), strict=True))
    else:
        upto = np.cumsum(classes.records)
        before = upto[classes.starts[there]] - classes.records[classes.starts[there]]
        lower = np.searchsorted(upto, before + (sizes[there] - 1) // 2, side="right")
        upper = np.searchsorted(upto, before + sizes[there] // 2, side="right")
        middle = zip(value[lower].tolist(), value[upper].tolist(), strict=True)
        parts = [(low + high, 2) for low, high in middle]
    found[there] = [round(Fraction(total, count)) for total, count in parts]  # halves to even
    return found


def _units(column: Column, decimals: int) -> WholeNumbers:
    """Return every value as a whole number of units of the last decimal; 0 for missing."""
    if column.kind is Kind.DATE:
        return np.floor(np.nan_to_num(column.value_numbers)).astype(np.int64)
    whole = [int(number.scaleb(decimals).to_integral_value()) for number in column.exact_numbers]
    fits = all(abs(number) < _EXACT for number in whole)
    padding = [0] * (len(column.values) - len(whole))
    return np.array([*whole, *padding], dtype=np.int64 if fits else object)


def _summable(value: WholeNumbers, records: Int64s) -> WholeNumbers:
    """Return values times records, in a type that holds their sum."""
    largest = int(np.abs(value).max(initial=0))
    if value.dtype == object or largest * int(records.sum()) >= _EXACT:
        return value.astype(object) * records
    return value * records


def _written(column: Column, units: int, decimals: int) -> str:
    if column.kind is Kind.DATE:
        return date_text(units, column.date_format)
    with localcontext(prec=1000):
        return column.number_format.write(f"{Decimal(units).scaleb(-decimals):f}")


def _modes(column: Column, classes: GroupValues) -> list[str]:
    by_count = np.lexsort([classes.code, -classes.records, classes.group])
    return [
        column.values[classes.code[by_count[start]]] if distinct else HIDDEN
        for start, distinct in zip(
            classes.starts[:-1].tolist(), classes.distinct.tolist(), strict=True
        )
    ]
