"""How likely is k-anonymity at all? Random tables of a given shape, drawn again and again.

A table of m independent attributes is k-anonymous as it stands when every combination of values
that occurs is held by at least k records; combinations that do not occur do no harm. The share of
random tables for which this holds is the success rate. It tells, before any algorithm is run, how
many records a shape needs: 7 binary attributes and k = 5 are hopeless with 1,200 records and safe
with 7,500.

Idea
  Count, do not draw records: all n records start as one class, and one attribute after the other
  splits every class by a multinomial draw. That is the same distribution as drawing n records and
  grouping them. A class that has fallen below k never recovers, so the table has failed and its
  draw ends.

Cost
  Classes of at least k records number at most n / k, so a table costs O(min(combinations, n / k) ·
  values) draws, and a hopeless one far less.

Departures
  Morton draws records with two equally frequent values per attribute. Here any number of values and
  any frequencies will do, which gives the curve for the attributes of a table. Independence stays
  an assumption: attributes that go together leave fewer combinations, and a real table does better.

Reference: Morton, table 12 and figure 23.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.report.chart import Line, compact_number
from kanon_tui.core.report.sections import Curves, Section
from kanon_tui.core.task.task import Task

MOST_ATTRIBUTES = 10_000
MOST_VALUES = 1_000_000
MOST_RECORDS = 10**15
MOST_CLASSES = 50_000_000
_BLOCK = 1 << 13
"""About how many counts are drawn at a time."""


@dataclass(frozen=True)
class Feasibility:
    """The success rate of a shape at one number of records."""

    records: int
    repeats: int
    success_rate: float

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval of the true rate."""
        return wilson_interval(self.success_rate, self.repeats)


def feasibility(
    attributes: int, k: int, records: int, values: int = 2, repeats: int = 200, seed: int = 0
) -> Feasibility:
    """Return the success rate of `attributes` attributes with equally frequent values.

    >>> feasibility(attributes=7, k=5, records=7500, repeats=20).success_rate
    1.0
    """
    _check("attributes", attributes, MOST_ATTRIBUTES)
    _check("values", values, MOST_VALUES)
    shape = [np.full(values, 1.0 / values)] * attributes
    return Feasibility(records, repeats, _success_rate(shape, k, records, repeats, seed))


def feasibility_curve(
    shape: Sequence[Floats], k: int, records: Iterable[int], repeats: int = 200, seed: int = 0
) -> Iterator[Feasibility]:
    """Yield the success rate at each of these numbers of records, one point at a time.

    `shape` holds the frequencies of every attribute's values (see `shape_of`). Attributes with a
    rare value go first: they are the ones that fail, and a failed table is done.
    """
    rarest_first = sorted((f / f.sum() for f in shape), key=lambda f: float(f.min()))
    for number in records:
        rate = _success_rate(rarest_first, k, number, repeats, seed)
        yield Feasibility(number, repeats, rate)


def shape_of(task: Task) -> tuple[Floats, ...]:
    """Return the shares of the values of every quasi-identifier."""
    return tuple(attribute.column.counts / task.n for attribute in task.quasi)


def _success_rate(shape: Sequence[Floats], k: int, records: int, repeats: int, seed: int) -> float:
    _check("k", k)
    _check("records", records, MOST_RECORDS)
    _check("repeats", repeats)
    if records < k:
        return 0.0
    if k == 1:
        return 1.0
    splits = [frequencies for frequencies in shape if len(frequencies) > 1]
    rng = np.random.default_rng(seed)
    return sum(_succeeds(splits, k, records, rng) for _ in range(repeats)) / repeats


def _succeeds(splits: Sequence[Floats], k: int, records: int, rng: np.random.Generator) -> bool:
    """Draw one random table and return whether all its classes have k records.

    A few classes at a time are followed down to the last attribute before the others are looked
    at: memory stays small, and what fails does so soon.
    """
    waiting = [(0, np.array([records], dtype=np.int64))]
    finished = 0
    while waiting:
        level, classes = waiting.pop()
        if level == len(splits):
            finished += len(classes)
            if finished > MOST_CLASSES:
                raise InputError(
                    f"these tables have more than {MOST_CLASSES:,} classes, which is too many to "
                    f"simulate; ask for fewer attributes, values or records"
                )
            continue
        some = max(1, _BLOCK // len(splits[level]))
        if len(classes) > some:
            waiting.append((level, classes[some:]))
        counts = rng.multinomial(classes[:some], splits[level])
        occupied = counts[counts > 0]
        if (occupied < k).any():
            return False
        waiting.append((level + 1, occupied))
    return True


def _check(name: str, number: int, most: int | None = None) -> None:
    if number < 1 or (most is not None and number > most):
        allowed = "at least 1" if most is None else f"from 1 to {most:,}"
        raise InputError(f"{name} is {number:,}; a simulation needs a whole number {allowed}")


def wilson_interval(rate: float, repeats: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate, which stays within 0 and 1 and is never empty."""
    z = 1.96
    centre = rate + z * z / (2 * repeats)
    margin = z * sqrt(rate * (1 - rate) / repeats + (z / (2 * repeats)) ** 2)
    scale = 1 + z * z / repeats
    low = (centre - margin) / scale
    high = (centre + margin) / scale
    return max(0.0, min(low, rate)), min(1.0, max(high, rate))  # rounding puts them past an end


CURVE_POINTS = 10
MOST_CHOSEN = 10_000_000
"""Most records on a curve, unless more are asked for."""
SAFE = 0.95
"""The success rate that counts as enough."""
BATCH = 10
"""Tables that are drawn between two chances to stop."""


def record_counts(
    k: int, combinations: int, table_records: int | None, most: int | None
) -> list[int]:
    """Return record counts to try, by even factors, and the table's own if it lies among them.

    Unless `most` is given they reach well beyond k records for every combination, where the
    success rate rises from 0 to 1.
    """
    top = most or min(max(20 * k * combinations, 2 * (table_records or 0)), MOST_CHOSEN)
    low = min(max(k, top // 1000), top)
    steps = {int(float(f"{step:.2g}")) for step in np.geomspace(low, top, CURVE_POINTS)}
    if table_records is not None and low <= table_records <= top:
        steps.add(table_records)
    return sorted(steps)


@dataclass(frozen=True)
class FeasibilityCurve:
    """Success rates over numbers of records: of a typed shape, and of a table if there is one."""

    shapes: Mapping[str, Sequence[Floats]]
    """By title the frequencies of every attribute's values."""
    combinations: int
    k: int
    repeats: int
    seed: int
    table_records: int | None = None
    """The number of records of the table."""
    counts: Sequence[int] = ()
    rates: Mapping[tuple[str, int], float] = field(default_factory=dict)
    """By shape and number of records, as far as they are known."""

    @classmethod
    def of_shape(
        cls, attributes: int, values: int, k: int, repeats: int, seed: int
    ) -> FeasibilityCurve:
        """Return the curve of attributes with equally frequent values, without points."""
        _check("attributes", attributes, MOST_ATTRIBUTES)
        _check("values", values, MOST_VALUES)
        shape = [np.full(values, 1.0 / values)] * attributes
        title = f"typed {attributes} × {values} values"
        return cls({title: shape}, values**attributes, k, repeats, seed)

    def beside_table(self, shape: Sequence[Floats], records: int) -> FeasibilityCurve:
        """Return the same with the curve of a table's shape in front."""
        shapes = {f"table's {len(shape)}": shape, **self.shapes}
        return replace(self, shapes=shapes, table_records=records)

    def up_to(self, most: int | None) -> FeasibilityCurve:
        """Return the same with the numbers of records to try."""
        return replace(
            self, counts=record_counts(self.k, self.combinations, self.table_records, most)
        )

    def points(self) -> Iterator[FeasibilityCurve]:
        """Yield the curve while it grows; it is often the same, so that somebody may stop."""
        curve = self
        for records in self.counts:
            for title, shape in self.shapes.items():
                passed = 0.0
                for first in range(0, self.repeats, BATCH):
                    yield curve
                    tables = min(BATCH, self.repeats - first)
                    seed = self.seed + first
                    (point,) = feasibility_curve(shape, self.k, [records], tables, seed)
                    passed += tables * point.success_rate
                rates = {**curve.rates, (title, records): passed / self.repeats}
                curve = replace(curve, rates=rates)
        yield curve

    def lines(self) -> list[Line]:
        """Return a line for every shape."""
        return [
            Line(title, tuple(self.rates.get((title, records)) for records in self.counts))
            for title in self.shapes
        ]

    def section(self) -> Section:
        """Return the rates as a table and as curves; ▸ marks the table's number of records."""
        lines = self.lines()
        labels = [
            f"{'▸' if n == self.table_records else ''}{compact_number(n)}" for n in self.counts
        ]
        rows = [
            [label, *(_rate_text(line.values[place]) for line in lines)]
            for place, label in enumerate(labels)
        ]
        curves = Curves("success rate against records", labels, tuple(lines))
        return Section("Success rate", (), ("records", *self._columns), rows, curves=curves)

    def _label(self, records: int) -> str:
        number = compact_number(records)
        return f"▸{number}" if records == self.table_records else number

    @property
    def _columns(self) -> list[str]:
        return [title.partition(" ")[0] for title in self.shapes]

    def verdict(self) -> str:
        """Return from how many records on the rates are high, once all are known."""
        parts = [f"▸ {self.table_records:,} records here"] if self.table_records is not None else []
        if len(self.rates) == len(self.counts) * len(self.shapes):
            reached = (
                f"{column} {_enough(line, self.counts)}"
                for column, line in zip(self._columns, self.lines(), strict=True)
            )
            parts.append(f"{SAFE:.0%} reached: {', '.join(reached)}")
        return " · ".join(parts)


def _rate_text(rate: float | None) -> str:
    return "…" if rate is None else f"{rate:.1%}"


def _enough(line: Line, counts: Sequence[int]) -> str:
    """Return from how many records on the success rate stays high."""
    low = [n for n, rate in zip(counts, line.values, strict=True) if (rate or 0) < SAFE]
    enough = [n for n in counts if not low or n > low[-1]]
    if not enough:
        return f"not up to {compact_number(counts[-1])}"
    return f"from {compact_number(enough[0])} on"
