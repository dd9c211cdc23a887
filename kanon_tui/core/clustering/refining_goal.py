"""What refining must better, NCP, SSE or RV, and what it makes classes cost.

NCP is a sum over records, so that costs are the penalties themselves. So is SSE, the squared
differences of numbers from the mean of their class, in standard deviations of the table; its
figure is their share of those from the mean of the table, in per cent, and categories do not count.
RV is none: a class costs what it takes from RV as the release stands now (its slope, times the
number of records), and changes are accepted as long as RV itself rises.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from kanon_tui.core.clustering.boxes import Measure
from kanon_tui.core.clustering.features import standard_scores
from kanon_tui.core.clustering.refining_arrays import RecordTypes
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.metrics.research_value import mean_span
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s
from kanon_tui.core.task.task import Grouping, QuasiIdentifier, Task


@dataclass(eq=False)
class Goal:
    """The figure of a clustering, followed from change to change."""

    by: str
    """The figure: ncp, sse or rv."""
    task: Task
    published: int
    extents: Floats
    """Per attribute records · extent over the whole table: NCP with its weight, or span; or SSE."""
    broken: Floats
    """Per rule the records of classes that break it."""
    rule_attribute: Int32s
    rule_share: Floats
    """Per rule its share of the importance of its attribute."""

    @classmethod
    def from_grouping(cls, by: str, task: Task, grouping: Grouping) -> Self:
        """Return the goal with the figures of a clustering."""
        kept = grouping.labels >= 0
        classes = np.full(task.n, -1, dtype=np.int32)
        classes[kept] = np.unique(grouping.labels[kept], return_inverse=True)[1]
        size = np.bincount(classes[kept])
        extents, broken, owner, share = [], [], [], []
        for x, attribute in enumerate(task.quasi):
            singly = grouping.suppressed_cells
            shown = classes if singly is None else np.where(singly[:, x], -1, classes)
            cells = CellGroups.of_classes(attribute, shown, size)
            if by == "sse":
                extents.append(_squares(attribute, classes, size) if attribute.ordered else 0.0)
                continue
            if by == "ncp":
                extents.append(attribute.weight * attribute_ncp(cells) * task.n)
                continue
            extents.append(mean_span(cells) * task.n)
            rules = attribute.rules
            broken += (cells.broken @ size).tolist()
            owner += [x] * len(rules.rules)
            share += (rules.importances / (rules.table.base + rules.importances.sum())).tolist()
        return cls(
            by,
            task,
            int(kept.sum()),
            np.array(extents),
            np.array(broken),
            np.array(owner, dtype=np.int32),
            np.array(share),
        )

    @property
    def measure(self) -> Measure:
        """The units of extents."""
        return {"ncp": Measure.NCP, "sse": Measure.SQUARES, "rv": Measure.SPAN}[self.by]

    @property
    def figure(self) -> float:
        """NCP, SSE or RV now."""
        return float(self._figures(self.extents[None], self.broken[None])[0])

    def rates(self) -> tuple[Floats, Floats]:
        """Return the cost of extent per attribute and record, and of breaking each rule."""
        if self.by != "rv":
            return np.ones(len(self.extents)), np.zeros(0)
        detail, kept = self._detail(self.extents[None])[0], self._kept(self.broken[None])[0]
        worth = self.task.weights * self.task.n * detail
        slope = worth * self._rule_power * np.maximum(kept, TIE) ** (self._rule_power - 1)
        rules = slope[self.rule_attribute] * self.rule_share / max(self.published, 1)
        return worth * self._detail_power / self.extents * kept**self._rule_power, rules

    def rule_sides(self, types: RecordTypes, hidden: Flags) -> Int32s:
        """Return sides of shape (types, rules): 1 on the first side of a rule, 2 on the second."""
        columns = [np.zeros((0, len(types.first)), dtype=np.int32)]
        for x, attribute in enumerate(self.task.quasi if self.by == "rv" else ()):
            codes, rules = attribute.column.codes[types.first], attribute.rules
            on = rules.first[:, codes] + 2 * rules.second[:, codes]
            columns.append(np.where(hidden[:, x], 0, on).astype(np.int32))
        return np.ascontiguousarray(np.concatenate(columns).T)

    def take(self, extents: Floats, broken: Floats) -> list[float]:
        """Take in as many of some changes, from the first on, as better the figure most.

        `extents` and `broken` say what each change adds. Returns the figure after each one taken.
        """
        after = np.cumsum(np.vstack([self.extents, extents]), axis=0)
        broken_after = np.cumsum(np.vstack([self.broken, broken]), axis=0)
        figures = self._figures(after, broken_after)
        best = int(np.argmax(figures) if self.by == "rv" else np.argmin(figures))
        self.extents, self.broken = after[best], broken_after[best]
        return [float(figure) for figure in figures[1 : best + 1]]

    def _figures(self, extents: Floats, broken: Floats) -> Floats:
        if self.by == "ncp":
            return np.asarray(extents.sum(axis=1) / self.task.n)
        if self.by == "sse":
            numbers = sum(attribute.ordered for attribute in self.task.quasi)
            return np.asarray(100 * extents.sum(axis=1) / (self.task.n * numbers))
        worth = self.task.weights * self._detail(extents)
        return np.asarray((worth * self._kept(broken) ** self._rule_power).sum(axis=1))

    def _detail(self, extents: Floats) -> Floats:
        """Return the granularity of every attribute, raised to its exponent."""
        return np.asarray((self.task.n / extents) ** self._detail_power)

    @property
    def _detail_power(self) -> Floats:
        return 2 - self._rule_power

    @property
    def _rule_power(self) -> Floats:
        """1, or how much more or less rules count (`metrics.research_value.emphasised`)."""
        return np.array([2 * attribute.rule_emphasis for attribute in self.task.quasi])

    def _kept(self, broken: Floats) -> Floats:
        """Return per attribute the mean share of its rules that is kept."""
        kept = np.ones((len(broken), len(self.extents)))
        lost = broken * self.rule_share / max(self.published, 1)
        for r, x in enumerate(self.rule_attribute.tolist()):
            kept[:, x] -= lost[:, r]
        return kept


def _squares(attribute: QuasiIdentifier, classes: Int32s, size: Int64s) -> float:
    """Return the squared differences of a number from the means of its classes, summed."""
    kept = classes >= 0
    score = standard_scores(attribute)[attribute.column.codes[kept]]
    sums = np.bincount(classes[kept], weights=score, minlength=len(size))
    return float((score**2).sum() - (sums**2 / size).sum())
