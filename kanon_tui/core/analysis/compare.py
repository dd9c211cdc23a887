"""Compare two results of one table: figures, attributes, rules, and where they differ most.

Records are the same records of the data file, also where one of the runs dropped some for missing
values. Better and worse are said only of figures that have a direction: less detail lost is better,
a larger average class is not.

Two releases in files take one pass over the data that both were made of. A record is looked up
among the counted rows of either run. What differs depends on the two rows it is, so that pairs of
rows are compared, not records; of every record a few bytes are kept: its pair, its place among
those that differ most, and whether it differs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np
import numpy.typing as npt

from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import penalties
from kanon_tui.core.numeric import TIE, Flags, Floats, Int64s
from kanon_tui.core.pipeline.pages import RowNumbers
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.release.recode import Release
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import COUNTS, METRICS

HIGHER_IS_BETTER = frozenset({"utility", "rv", "precision", "classes", "k"})
"""Figures of which more is better; privacy models say it themselves (`at_least`)."""
NO_DIRECTION = frozenset({"distinct_published", "smallest_class", "largest_class"})


@dataclass(frozen=True)
class FigureDifference:
    """One figure of both results."""

    name: str
    """As in the report."""
    title: str
    first: float | None
    second: float | None

    @property
    def difference(self) -> float | None:
        """Second minus first; None where one of them is not defined."""
        if self.first is None or self.second is None:
            return None
        difference = self.second - self.first
        return None if isnan(difference) else difference  # a model that does not apply to the data

    @property
    def better(self) -> int:
        """1 where the second is better, -1 where the first is, 0 where neither is."""
        if not self.difference or abs(self.difference) < TIE or self.name in NO_DIRECTION:
            return 0
        rises = self.difference > 0
        model = MODELS.get(self.name)
        higher = self.name in HIGHER_IS_BETTER if model is None else model.at_least
        return 1 if rises == higher else -1


@dataclass(frozen=True)
class AttributeDifference:
    """The figures of one quasi-identifier in both results."""

    name: str
    ncp: FigureDifference
    rv: FigureDifference
    levels: tuple[int | None, int | None]
    differs: int
    """Records whose published cells differ, suppression included."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """The differences between two results of one table, record by record.

    What differs depends on the rows that a record is in either run: in memory its own, in files
    the counted ones. Pairs of rows are compared, and every record is one of a pair.
    """

    first: FinishedRun
    second: FinishedRun
    records: tuple[Int64s, Int64s]
    """The rows of every pair that occurs, as each run numbers them."""
    places: npt.NDArray[np.integer]
    """Per record its number among the pairs; -1 where a run left it out."""

    @cached_property
    def copies(self) -> Int64s:
        """The records of every pair."""
        return np.bincount(self.places[self.places >= 0], minlength=len(self.records[0]))

    @cached_property
    def differs(self) -> dict[str, Flags]:
        """Per common quasi-identifier, which of the pairs are published otherwise."""
        results = self.first, self.second
        return {name: cells_differ(results, name, self.records) for name in self.common}

    @cached_property
    def loss_difference(self) -> Floats:
        """Per pair how much more detail the second loses (its share of NCP)."""
        one, other = self.records
        result: Floats = record_losses(self.second.release)[other]
        return result - record_losses(self.first.release)[one]

    @cached_property
    def ranks(self) -> Int64s:
        """The place of every pair: detail lost differs most first, then most differing cells."""
        by_amount = -np.round(np.abs(self.loss_difference), 9)
        cells = -sum((each.astype(np.float64) for each in self.differs.values()), 0 * by_amount)
        order = np.lexsort((cells, by_amount))
        new = np.diff(by_amount[order], prepend=np.nan) != 0
        new |= np.diff(cells[order], prepend=np.nan) != 0
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.cumsum(new) - 1
        return ranks

    @cached_property
    def any_differs(self) -> Flags:
        """Per pair whether anything differs."""
        nothing = np.zeros(len(self.records[0]), dtype=bool)
        return np.asarray(np.logical_or.reduce([nothing, *self.differs.values()]), dtype=bool)

    @cached_property
    def in_file_order(self) -> npt.NDArray[np.integer]:
        """The numbers of the records that both runs worked on, as they stand in the file."""
        return np.flatnonzero(self.places >= 0).astype(np.uint32)

    @cached_property
    def most_different(self) -> RowNumbers:
        """The numbers of the records that both runs worked on, by falling difference."""
        return np.argsort(self.ranks, kind="stable")

    @cached_property
    def record_differs(self) -> Flags:
        """By number of a record whether the two publish it otherwise."""
        return np.asarray(np.append(self.any_differs, False)[self.places], dtype=bool)

    @cached_property
    def common(self) -> tuple[str, ...]:
        """Quasi-identifiers of both, in the order of the first."""
        names = {attribute.name for attribute in self.second.task.quasi}
        return tuple(each.name for each in self.first.task.quasi if each.name in names)

    @cached_property
    def figures(self) -> tuple[FigureDifference, ...]:
        """Every metric, count and privacy figure."""
        return differences(self.first, self.second)

    @cached_property
    def attributes(self) -> tuple[AttributeDifference, ...]:
        """The common quasi-identifiers, the one that differs most first."""
        one = self.first.measures.attributes
        other = self.second.measures.attributes
        found = [
            AttributeDifference(
                name,
                FigureDifference("ncp", "NCP", one[name].ncp, other[name].ncp),
                FigureDifference("rv", "RV", one[name].rv, other[name].rv),
                (one[name].level, other[name].level),
                int(self.copies[self.differs[name]].sum()),
            )
            for name in self.common
        ]
        return tuple(sorted(found, key=lambda a: (-abs(a.ncp.difference or 0), -a.differs)))

    @cached_property
    def rules(self) -> tuple[tuple[str, FigureDifference], ...]:
        """The rules that both projects have: attribute, and the share of records that keep it."""
        found = []
        for name in self.common:
            second = {kept.rule: kept.kept for kept in self.second.measures.attributes[name].rules}
            for rule in self.first.measures.attributes[name].rules:
                if rule.rule in second:
                    figures = FigureDifference("utility", rule.rule, rule.kept, second[rule.rule])
                    found.append((name, figures))
        return tuple(found)


def differences(first: FinishedRun, second: FinishedRun) -> tuple[FigureDifference, ...]:
    """Return every metric, count and privacy figure that two results have in common."""
    others = dict(_figures(second))
    return tuple(
        FigureDifference(*key, value, others[key])
        for key, value in _figures(first)
        if key in others and (value, others[key]) != (None, None)
    )


def _figures(result: FinishedRun) -> Iterator[tuple[tuple[str, str], float | None]]:
    """Yield name and title of every figure with its value."""
    measures = result.measures
    privacy = result.measures.privacy
    for name, title, _ in (*METRICS, *COUNTS):
        yield (name, title), getattr(measures, name)
    yield ("seconds", "Seconds"), result.seconds
    yield ("k", "k reached"), privacy.k
    yield ("risk_max", "Highest risk"), privacy.risk_max
    yield ("risk_mean", "Mean risk"), privacy.risk_mean
    yield ("violations", "Violations"), privacy.violations
    yield ("violating_values", "Violating values"), sum(privacy.violating_values.values())
    for sensitive, disclosure in privacy.disclosures.items():
        yield ("disclosed", f"Revealed: {sensitive}"), disclosure.revealed
    for name, model in MODELS.items():
        for sensitive, value in privacy.figures[name].items():
            yield (name, f"{model.report_title or model.title}: {sensitive}"), value


def file_records(result: FinishedRun) -> Int64s:
    """Return the number of every record of a run among the records of the data file, from 0."""
    kept = result.task.table.kept
    return np.arange(result.task.n) if kept is None else kept


def record_losses(release: Release) -> Floats:
    """Return per record the weighted sum of the penalties of its cells, whose mean is NCP.

    Of a counted table it is told per row.
    """
    losses = np.zeros(release.task.rows)
    for x, cells in enumerate(cells_of(release)):
        groups = cells.groups_of(release.shown_classes(x))
        of_group = np.where(cells.hidden, 1.0, penalties(cells))
        losses += cells.attribute.weight * np.append(of_group, 1.0)[groups]  # the last: suppressed
    return losses


def cells_differ(
    results: tuple[FinishedRun, FinishedRun], name: str, rows: tuple[Int64s, Int64s]
) -> npt.NDArray[np.bool_]:
    """Return for pairs of rows, numbered as in each result, whether an attribute's cells differ."""
    (codes, texts), (others, other_texts) = (
        _cells(result, name, own) for result, own in zip(results, rows, strict=True)
    )
    number = {text: code for code, text in enumerate(texts)}
    same = np.array([*(number.get(text, -2) for text in other_texts), -1])  # the last: code -1
    return np.asarray(same[others] != codes, dtype=bool)


def _cells(
    result: FinishedRun, name: str, rows: Int64s
) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    x = next(x for x, a in enumerate(result.task.quasi) if a.name == name)
    cells = result.release.cells[x]
    return cells.of_group[cells.groups[rows]], cells.texts


_BYTES_PER_RECORD = 14
"""Its pair, its places in either order, and flags."""
_AT_A_TIME = 1_000_000


def compare(first: FinishedRun, second: FinishedRun) -> Comparison:
    """Compare two releases in memory, by the records that both runs worked on."""
    both = file_records(first), file_records(second)
    _, one, other = np.intersect1d(*both, assume_unique=True, return_indices=True)
    return Comparison(first, second, (one, other), np.arange(len(one)))
