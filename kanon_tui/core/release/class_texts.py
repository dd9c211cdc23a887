"""The text that a class prints for an attribute: a range, a label, a set, or one value for all.

Round ranges. The ends of a published range are values of the data, so each of them tells what
somebody has. With `publish: rounded` a range is widened to the next round ends, `[1950..1959]`
instead of the values of two people. The step of numbers is the smallest of 1, 2, 5, 10, 20, … that
is at least half as wide as the range (and at least 2 for whole numbers); that of dates is a month,
from a year on a year, from ten years on a decade. A class of one value prints it as it is, and a
coded end stays.

One value: the mean, the median, or the most frequent category of a class. All members of a class
get the same value, which is microaggregation when the classes come from a clustering. A mean and a
median are written with as many decimals as the finest value of the column, so that they tell no
more digits than any record does; a mean of dates is a whole day. Rounding goes to the nearest,
halves to the even neighbour; the median of an even class is the mean of its two middle values; of
categories that are equally frequent the first in the order of texts is taken. Where missing meets
present values a number or date is hidden, as in a range.

A mean can be given away by its largest member: who knows the second largest value subtracts it.
`dominated_classes` counts the classes for which the p% rule of tabular data says so.

Reference: Domingo-Ferrer and Mateo-Sanz, practical data-oriented microaggregation (2002);
Hundepool et al., Statistical Disclosure Control (2012), section 4.2.2 (p% rule).
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN, exact
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.table.column import Column, GroupValues, Kind, end_text, range_of_ends, set_text
from kanon_tui.core.table.value_formats import date_text
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import Note, Quotable, note, plural

ClassTexts = tuple[Int64s, list[str]]
"""Per class an index into the texts, and the published texts, equal ones stored once."""


def cell_texts(attribute: QuasiIdentifier, clusters: GroupValues) -> list[str]:
    """Return the text of every cluster."""
    numbers, texts = class_texts(attribute, clusters)
    return [texts[number] for number in numbers.tolist()]


def class_texts(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None = None
) -> ClassTexts:
    """Return the texts of all clusters as numbers into a short list of texts."""
    if attribute.publishes_one_value:
        return np.arange(clusters.count), one_value_texts(attribute, clusters)
    if attribute.ordered:
        return _ranges(attribute, clusters, stretches)
    if attribute.publishes_ancestor:
        return _common_ancestors(attribute, clusters)
    return _sets(attribute.column, clusters)


def _ranges(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None
) -> ClassTexts:
    """Return ranges `[lo..hi]` with observed or round ends; `*` where missing meets present."""
    column = attribute.column
    values = column.values
    missing = column.missing
    low, high = clusters.ends(clusters.code)
    if stretches is not None:
        low, high, several = clusters.stretch_ends(stretches)
        low[several] = -1
    width = len(values) + 1
    ends, numbers = np.unique((low + 1) * width + high, return_inverse=True)
    low = ends // width - 1
    high = ends % width
    apart = (low >= 0) & (low != high)
    used = np.unique(np.concatenate([low[apart], high[apart]])).tolist()
    end_of = {code: end_text(column, values[code]) for code in used}

    def text(lo: int, hi: int) -> str:
        if lo < 0 or (hi == missing and lo != missing):
            return HIDDEN
        if lo == hi:
            return values[lo]
        if attribute.publish == "rounded":
            first, last = rounded_range(column, lo, hi)[0]
            return range_of_ends(column, (values[lo], values[hi]), (first, last))
        return range_of_ends(column, (values[lo], values[hi]), (end_of[lo], end_of[hi]))

    return numbers, list(map(text, low.tolist(), high.tolist()))


def _common_ancestors(attribute: QuasiIdentifier, clusters: GroupValues) -> ClassTexts:
    """Return the labels of the lowest level at which all values of a cluster agree."""
    hierarchy = attribute.hierarchy
    levels, labels = hierarchy.common_ancestors(clusters)
    before = np.cumsum([0, *map(len, hierarchy.labels)])
    texts = [label for level in hierarchy.labels for label in level]
    return np.where(labels < 0, len(texts), before[levels] + labels), [*texts, HIDDEN]


def _sets(column: Column, clusters: GroupValues) -> ClassTexts:
    """Return sets `{A|B|C}` of the values of a cluster, sorted as text."""
    values = column.values
    same, examples = clusters.same_sets
    begins = clusters.starts[examples].tolist()
    ends = clusters.starts[examples + 1].tolist()
    texts = []
    for begin, end in zip(begins, ends, strict=True):
        members = [values[code] for code in clusters.code[begin:end].tolist()]
        text = set_text(members) if len(members) > 1 else "".join(members)
        texts.append(text if members else HIDDEN)
    return same, texts


_YEAR = 365
_MONTHS = {10 * _YEAR: 120, _YEAR: 12, 0: 1}
"""By the least width in days, the months that ends of dates are rounded to."""
_FIRST_DAY, _LAST_DAY = (
    int(np.datetime64(day, "D").astype(np.int64)) for day in ("0001-01-01", "9999-12-31")
)


def rounded_range(column: Column, low: int, high: int) -> tuple[list[str], list[float]]:
    """Return the ends of the round range around two values, as texts and as numbers.

    The values are given by their codes; the first is the smaller.
    """
    ends = float(column.value_numbers[low]), float(column.value_numbers[high])
    numbers: list[float]
    if column.kind is Kind.DATE:
        days = _round_days(*ends)
        texts = [date_text(day, column.date_format) for day in days]
        numbers = [*days]
    else:
        present = column.value_numbers[~np.isnan(column.value_numbers)]
        integers = bool((present == np.floor(present)).all())
        decimals = _round_numbers(exact(ends[0]), exact(ends[1]), integers)
        form = column.number_format
        texts = [form.as_range_end(form.write(f"{decimal.normalize():f}")) for decimal in decimals]
        numbers = [float(decimal) for decimal in decimals]
    for end, code in enumerate((low, high)):
        if column.values[code] in column.coded_ends:
            texts[end], numbers[end] = end_text(column, column.values[code]), ends[end]
    return texts, numbers


def rounded_codes(column: Column, low: Int64s, high: Int64s) -> tuple[Int64s, Int64s]:
    """Return the first and the last value of the data in every widened range, as codes.

    `low` and `high` have shape (n_groups,) and hold codes; a group without values has -1, and one
    with a missing value ends at the missing code. Both stay.
    """
    present = column.value_numbers[: column.present]
    wide = (low >= 0) & (low != high) & (high < len(present))
    pairs, place = np.unique(np.stack([low[wide], high[wide]]), axis=1, return_inverse=True)
    ranges = np.array([rounded_range(column, *pair)[1] for pair in pairs.T.tolist()])
    begins, ends = ranges.reshape(-1, 2).T
    first = np.searchsorted(present, begins, "left")
    day = column.kind is Kind.DATE  # which includes its hours
    last = np.searchsorted(present, ends + day, "left" if day else "right") - 1
    low = low.copy()
    high = high.copy()
    low[wide], high[wide] = first[place.ravel()], last[place.ravel()]
    return low, high


def _round_numbers(low: Decimal, high: Decimal, are_integers: bool) -> tuple[Decimal, Decimal]:
    half = (high - low) / 2
    least_step = max(half, Decimal(2)) if are_integers else half
    steps = (Decimal(step).scaleb(least_step.adjusted()) for step in (1, 2, 5, 10))
    step = next(candidate for candidate in steps if candidate >= least_step)
    start = (low / step).to_integral_value(ROUND_FLOOR) * step
    if are_integers:
        return start, ((high / step).to_integral_value(ROUND_FLOOR) + 1) * step - 1
    return start, (high / step).to_integral_value(ROUND_CEILING) * step


def _round_days(low: float, high: float) -> tuple[int, int]:
    """Return the first and the last day of whole months, years or decades."""
    months = next(unit for width, unit in _MONTHS.items() if high - low >= width)
    days = np.floor([low, high]).astype(np.int64).astype("datetime64[D]")
    first, last = (days.astype("datetime64[M]").astype(np.int64) + 1970 * 12) // months
    edges = np.array([first * months, (last + 1) * months]) - 1970 * 12
    start, after = edges.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return max(int(start), _FIRST_DAY), min(int(after) - 1, _LAST_DAY)


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
    copies = np.ones(len(size)) if column.copies is None else column.copies[shown]
    order = np.lexsort([size, group])
    size = size[order]
    group = group[order]
    copies = copies[order]
    if not len(group):
        return 0
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ends = np.append(starts[1:], len(group)) - 1
    largest = size[ends]
    second = np.where(ends > starts, size[np.maximum(ends - 1, 0)], 0.0)
    second = np.where(copies[ends] > 1, largest, second)
    sum_of_others = np.add.reduceat(size * copies, starts) - largest - second
    codes = column.codes[shown][order]
    varies = np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts)
    return int((varies & (sum_of_others < p * largest)).sum())


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
    column: Column,
    classes: GroupValues,
    publish: str,
    decimals: int,
    is_wanted: npt.NDArray[np.bool_],
) -> WholeNumbers:
    """Return mean or median of every wanted class, rounded, in units of the last decimal."""
    value = _units(column, decimals)[classes.code]
    units: WholeNumbers = np.zeros(classes.count, dtype=object)
    wanted_classes = np.flatnonzero(is_wanted)
    if not len(wanted_classes):
        return units
    sizes = np.zeros(classes.count, dtype=np.int64)
    filled = np.flatnonzero(classes.distinct)
    sizes[filled] = np.add.reduceat(classes.records, classes.starts[filled])
    if publish == "mean":
        sums = np.zeros(classes.count, dtype=object)
        sums[filled] = np.add.reduceat(_summable(value, classes.records), classes.starts[filled])
        parts = list(
            zip(sums[wanted_classes].tolist(), sizes[wanted_classes].tolist(), strict=True)
        )
    else:
        upto = np.cumsum(classes.records)
        before = (
            upto[classes.starts[wanted_classes]] - classes.records[classes.starts[wanted_classes]]
        )
        lower = np.searchsorted(upto, before + (sizes[wanted_classes] - 1) // 2, side="right")
        upper = np.searchsorted(upto, before + sizes[wanted_classes] // 2, side="right")
        middle = zip(value[lower].tolist(), value[upper].tolist(), strict=True)
        parts = [(low + high, 2) for low, high in middle]
    units[wanted_classes] = [
        round(Fraction(total, count)) for total, count in parts
    ]  # halves to even
    return units


def _units(column: Column, decimals: int) -> WholeNumbers:
    """Return every value as a whole number of units of the last decimal; 0 for missing."""
    if column.kind is Kind.DATE:
        return np.floor(np.nan_to_num(column.value_numbers)).astype(np.int64)
    units = [int(number.scaleb(decimals).to_integral_value()) for number in column.exact_numbers]
    fits = all(abs(number) < _EXACT for number in units)
    padding = [0] * (len(column.values) - len(units))
    return np.array([*units, *padding], dtype=np.int64 if fits else object)


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
