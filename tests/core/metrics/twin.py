"""The slow twin of the metrics: plain loops over printed cells and original texts.

Nothing here is vectorised or shared with the metrics: a record's group is found by comparing
printed texts, a range is read off the text that is published, and every sum runs over records.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection

from kanon_tui.core.release.recode import Release

MISSING = "?"


class Twin:
    def __init__(self, release: Release) -> None:
        task = release.task
        self.n = task.n
        self.task = task
        self.levels = release.grouping.levels
        self.names = [attribute.name for attribute in task.quasi]
        self.original = [
            [attribute.column.values[attribute.column.codes[i]] for attribute in task.quasi]
            for i in range(self.n)
        ]
        self.printed: list[list[str] | None] = []
        for i in range(self.n):
            if release.grouping.labels[i] < 0:
                self.printed.append(None)
            else:
                self.printed.append([c.texts[c.codes[i]] for c in release.cells])
        singly = release.grouping.suppressed_cells
        self.singly = [
            [bool(singly[i, x]) if singly is not None else False for x in range(len(self.names))]
            for i in range(self.n)
        ]
        self.published = [i for i in range(self.n) if self.printed[i] is not None]

    # ------------------------------------------------------------------ groups of an attribute
    def shown(self, i: int, x: int) -> bool:
        return self.printed[i] is not None and not self.singly[i][x]

    def group(self, i: int, x: int) -> list[int]:
        """The records that attribute x shows like record i."""
        if self.levels is None:
            return [j for j in self.published if self.printed[j] == self.printed[i]]
        return [j for j in self.published if self.printed[j][x] == self.printed[i][x]]

    def held(self, i: int, x: int) -> set[str]:
        return {self.original[j][x] for j in self.group(i, x) if self.shown(j, x)}

    def values(self, x: int) -> set[str]:
        return {row[x] for row in self.original}

    def ordered(self, x: int) -> bool:
        return self.task.quasi[x].ordered

    def path(self, x: int, value: str) -> tuple[str, ...]:
        bound = self.task.quasi[x].hierarchy
        return bound.paths[bound.column.values.index(value)]

    def common(self, x: int, values: set[str]) -> int:
        """The lowest level at which these values share a label."""
        paths = [self.path(x, value) for value in values]
        return next(j for j in range(len(paths[0])) if len({p[j] for p in paths}) == 1)

    def labelled(self, x: int, level: int, label: str) -> set[str]:
        return {value for value in self.values(x) if self.path(x, value)[level] == label}

    def says_nothing(self, i: int, x: int) -> bool:
        if not self.shown(i, x):
            return True
        if not self.ordered(x):
            return False
        held = self.held(i, x)
        if MISSING in held and len(held) > 1:
            return True
        return bool(self.levels is not None and self.levels[x] and self.printed[i][x] == "*")

    def width(self, i: int, x: int) -> float:
        numbers = [float(value) for value in self.held(i, x) if value != MISSING]
        return max(numbers) - min(numbers) if numbers else 0.0

    def covered(self, i: int, x: int) -> set[str]:
        """The values of the data that a cell which says something may stand for."""
        text = self.printed[i][x]
        if self.levels is not None:
            return self.labelled(x, self.levels[x], text)
        held = self.held(i, x)
        if self.ordered(x):
            ends = re.fullmatch(r"\[(-?[\d.]+)\.\.(-?[\d.]+)\]\*?", text)
            if ends is None:
                return held
            low = float(ends[1])
            high = float(ends[2])
            return {v for v in self.values(x) if v != MISSING and low <= float(v) <= high}
        if self.task.quasi[x].hierarchy_given:
            level = self.common(x, held)
            return self.labelled(x, level, self.path(x, min(held))[level])
        return held

    # ------------------------------------------------------------------------------- utility
    def ncp(self, x: int) -> float:
        attribute = self.task.quasi[x]
        total = 0.0
        for i in range(self.n):
            if self.says_nothing(i, x):
                total += 1
            elif self.ordered(x):
                whole = attribute.domain[1] - attribute.domain[0]
                total += self.width(i, x) / whole if whole else 0.0
            elif len(self.covered(i, x)) > 1:
                total += len(self.covered(i, x)) / len(self.values(x))
        return total / self.n

    def span(self, i: int, x: int) -> float:
        attribute = self.task.quasi[x]
        if self.ordered(x):
            if self.says_nothing(i, x):
                return (attribute.domain[1] - attribute.domain[0]) / attribute.resolution + 1
            return self.width(i, x) / attribute.resolution + 1
        return len(self.values(x)) if self.says_nothing(i, x) else len(self.covered(i, x))

    def broken(self, rule, held: set[str], x: int) -> bool:
        if hasattr(rule, "first"):
            return bool(held & set(rule.first)) and bool(held & set(rule.second))
        numbers = [float(value) for value in held if value != MISSING]
        return any(number <= float(rule.low) for number in numbers) and any(
            number >= float(rule.high) for number in numbers
        )

    def ratio(self, x: int, broken: list[bool]) -> float:
        table = self.task.quasi[x].rules.table
        if not table.rules:
            return 1.0
        whole = table.base + sum(rule.importance for rule in table.rules)
        kept = [r.importance for r, b in zip(table.rules, broken, strict=True) if not b]
        return (table.base + sum(kept)) / whole

    def level_rv(self, x: int, level: int, suppressed: Collection[int] = ()) -> float:
        """The value of a level; suppressed records are worth nothing, or the whole domain."""
        attribute = self.task.quasi[x]
        typed = attribute.typed_research_values
        if typed and typed[level] is not None:
            return typed[level] * (self.n - len(suppressed)) / self.n
        if level == attribute.hierarchy.height:
            return 0.0
        labels = {self.path(x, value)[level] for value in self.values(x)}
        groups = [self.labelled(x, level, label) for label in labels]
        rules = attribute.rules.rules
        ratio = self.ratio(x, [any(self.broken(r, g, x) for g in groups) for r in rules])
        if not self.ordered(x):
            share = (self.n - len(suppressed)) / self.n
            return self.worth(x, len(labels) / len(self.values(x)) * share, ratio)
        spans = len(suppressed) * attribute.domain_span
        for row in (row for i, row in enumerate(self.original) if i not in suppressed):
            group = next(g for g in groups if row[x] in g)
            numbers = [float(value) for value in group if value != MISSING]
            if MISSING in group and numbers:
                spans += attribute.domain_span
            elif numbers:
                spans += (max(numbers) - min(numbers)) / attribute.resolution + 1
            else:
                spans += 1
        return self.worth(x, self.n / spans, ratio)

    def worth(self, x: int, granularity: float, ratio: float) -> float:
        """Weight · G^(2(1−f)) · DR^(2f); Python takes 0 to the power of 0 for 1, too."""
        f = self.task.quasi[x].rule_emphasis
        return self.task.quasi[x].weight * granularity ** (2 - 2 * f) * ratio ** (2 * f)

    def rv(self, x: int) -> float:
        if self.levels is not None:
            gone = set(range(self.n)) - set(self.published)
            return self.level_rv(x, self.levels[x], gone) if self.published else 0.0
        if not self.published:
            return 0.0
        rules = self.task.quasi[x].rules.rules
        spans = sum(self.span(i, x) for i in range(self.n))
        ratios = [
            self.ratio(x, [self.broken(rule, self.held(i, x), x) for rule in rules])
            for i in self.published
        ]
        return self.worth(x, self.n / spans, sum(ratios) / len(self.published))

    def kept(self, x: int) -> list[float]:
        return [
            sum(not self.broken(rule, self.held(i, x), x) for i in self.published)
            / max(len(self.published), 1)
            for rule in self.task.quasi[x].rules.rules
        ]

    def il(self, x: int) -> float:
        attribute = self.task.quasi[x]
        total = 0.0
        for i in range(self.n):
            if self.says_nothing(i, x):
                total += 1
            elif self.ordered(x):
                whole = attribute.domain[1] - attribute.domain[0]
                total += self.width(i, x) / whole if whole else 0.0
            else:
                under = self.held(i, x) if self.levels is None else self.covered(i, x)
                total += self.common(x, under) / attribute.hierarchy.height
        return total

    def iloss(self) -> float:
        cells = []
        for x in range(len(self.names)):
            distinct = len(self.values(x))
            for i in range(self.n):
                stands_for = distinct if self.says_nothing(i, x) else len(self.covered(i, x))
                cells.append((stands_for - 1) / distinct)
        return sum(cells) / len(cells)

    def md(self) -> int:
        return sum(
            self.printed[i] is None or self.printed[i][x] != self.original[i][x]
            for i in range(self.n)
            for x in range(len(self.names))
        )

    def precision(self) -> float | None:
        if self.levels is None:
            return None
        heights = [attribute.hierarchy.height for attribute in self.task.quasi]
        return 1 - sum(j / h for j, h in zip(self.levels, heights, strict=True)) / len(heights)

    # ------------------------------------------------------------------------------- classes
    def classes(self) -> list[list[int]]:
        found: dict[tuple[str, ...], list[int]] = {}
        for i in self.published:
            found.setdefault(tuple(self.printed[i]), []).append(i)
        return list(found.values())

    def dm(self) -> int:
        return sum(len(c) ** 2 for c in self.classes()) + self.n * (self.n - len(self.published))

    def cm(self, labels: list[str]) -> float:
        wrong = self.n - len(self.published)
        for members in self.classes():
            counts = Counter(labels[i] for i in members)
            wrong += len(members) - max(counts.values())
        return wrong / self.n

    # ------------------------------------------------------------------------------- privacy
    def violations(self) -> int:
        return sum(
            any(self.shown(i, x) and self.beyond(i, x) for x in range(len(self.names)))
            for i in self.published
        )

    def beyond(self, i: int, x: int) -> bool:
        bound = self.task.quasi[x].hierarchy
        marks = {(mark.level, mark.label) for mark in bound.marks}
        path = self.path(x, self.original[i][x])
        level = next((j for j in range(len(path)) if (j, path[j]) in marks), len(path) - 1)
        allowed = self.labelled(x, level, path[level])
        ranged = self.levels is None and self.ordered(x)
        return not (self.held(i, x) if ranged else self.covered(i, x)) <= allowed

    def l_distinct(self, sensitive: list[str]) -> int:
        return min(max(1, len(self.shares_known(c, sensitive))) for c in self.classes())

    def alpha(self, sensitive: list[str]) -> float:
        return max(
            max(self.shares_known(c, sensitive).values(), default=0.0) for c in self.classes()
        )

    def l_entropy(self, sensitive: list[str]) -> float:
        return min(
            math.exp(-sum(p * math.log(p) for p in self.shares_known(c, sensitive).values()))
            for c in self.classes()
        )

    def shares(self, members: list[int], sensitive: list[str]) -> dict[str, float]:
        counts = Counter(sensitive[i] for i in members)
        return {value: count / len(members) for value, count in counts.items()}

    def shares_known(self, members: list[int], sensitive: list[str]) -> dict[str, float]:
        """The shares among the records that have a value."""
        return self.shares([i for i in members if sensitive[i] != MISSING], sensitive)

    def t(self, sensitive: list[str], ordered: bool) -> float:
        """The worse of two: missing as a value of its own, and among those that have one."""
        with_missing = self._furthest(self.shares, sensitive, ordered)
        return max(with_missing, self._furthest(self.shares_known, sensitive, ordered))

    def _furthest(
        self,
        shares: Callable[[list[int], list[str]], dict[str, float]],
        sensitive: list[str],
        ordered: bool,
    ) -> float:
        everyone = shares(list(range(self.n)), sensitive)
        values = sorted(everyone, key=_sort_key if ordered else str)
        distances = [0.0]
        for members in self.classes():
            p = shares(members, sensitive)
            gaps = [p.get(value, 0.0) - everyone[value] for value in values]
            if not p:
                continue
            if ordered:
                sums = [abs(sum(gaps[: j + 1])) for j in range(len(gaps))]
                distances.append(sum(sums) / (len(values) - 1) if len(values) > 1 else 0.0)
            else:
                distances.append(sum(map(abs, gaps)) / 2)
        return max(distances)


def _sort_key(text: str) -> tuple[float, str]:
    return (math.inf if text == MISSING else float(text), text)
