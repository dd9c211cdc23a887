"""What a published cell may stand for.

A release shows `[20..35]`, `{Cook|Nurse}`, `Europe`, `4620*` or `*` where the original had values.
`CellReader` knows one attribute (its kind, values and hierarchy) and reads such cells; `ReadCells`
then tell which values each cell covers, also for values that never occur in the data.

How a cell is read, by the first line that fits
  `*`                                  everything, and so does the root of the hierarchy unless it
                                       spells a range or a mask
  a missing token                      the missing value, which is a value of its own
  a label of the hierarchy             the values below it, on whatever level the label stands
  a value                              itself
  `[lo..hi]` `20-24` `[2.5, 5)` `<18`  numbers and dates: what lies inside; `20-24` goes on to just
  `>=65` `1995-09` `1995-Q3` `1995`    below 25, and a day includes its hours
  `{A|B|C}`                            categories: the values that are listed; a missing token among
                                       them, or below a label, is the missing value
  one of the above followed by `*`     everything: some cells of that class are hidden, and nobody
                                       can tell whose (`ReadCells.shows` leaves the star aside)
  `4620*` `***01`                      categories: texts that fit; a `*` is one character or, as the
                                       builder `mask` has it, the gap at the end of a shorter text

A value that neither the data nor the hierarchy knows is covered by ranges, sets and masks as they
are spelled. A label covers it where the label spells a range or a mask, where it is a number among
the numbers below the label, and where the builder `groups` puts it into its group `other`.

Somebody who looks a person up may not know a value: a missing one is covered by every cell.

Cost: reading takes O(cells · members), an answer O(values · cells) in time and memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.analysis.published.attribute import PublishedAttribute
from kanon_tui.core.analysis.published.masks import MASK, fits_mask
from kanon_tui.core.analysis.published.range_reading import Range, end_of_range, read_ranges
from kanon_tui.core.analysis.published.read_cells import PublishedCell, ReadCells
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.build import build_hierarchy, default_hierarchy
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.hierarchy.portable import other_labels
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.end_coding import code_ends
from kanon_tui.core.table.schema import Role
from kanon_tui.core.task.task import Task

__all__ = ["CellReader", "cell_readers"]


@dataclass(frozen=True, eq=False)
class CellReader(PublishedAttribute):
    """Reads the published cells of one attribute."""

    def read(self, cells: Sequence[str], where: str = "the release") -> ReadCells:
        """Understand distinct published cells; `where` names their table in messages."""
        ranges: Mapping[str, Range] = {}
        if self.column.kind.ordered:
            ranges = read_ranges(
                [*cells, *(c[:-1] for c in cells if c.endswith(HIDDEN))], self.column
            )
        understood, partly = [], []
        for text in cells:
            cell, starred = self._understand(text, ranges), False
            if cell is None and text.endswith(HIDDEN):
                cell = self._understand(text[:-1], ranges)
                starred = cell is not None
            if cell is None:
                cell = self._as_mask(text)
            if cell is None:
                raise InputError(
                    f"{where}: {self.column.name}: '{text}' is neither a value of the data nor a "
                    f"label of its hierarchy, nor a range, set or mask; use the project with "
                    f"which the release was made"
                )
            understood.append(cell)
            partly.append(starred)
        return ReadCells.of(self, cells, understood, partly)

    def read_values(self) -> ReadCells:
        """The values of the original as cells, in the order of their codes: each covers itself."""
        values, missing = self.column.values, self.column.missing
        numbers = self.column.numbers if self.column.numbers is not None else [np.nan] * len(values)
        cells = [
            PublishedCell(missing=code == missing, ends=(number, number), members=(value,))
            for code, (value, number) in enumerate(zip(values, numbers, strict=True))
        ]
        return ReadCells.of(self, values, cells, [False] * len(values))

    def _understand(self, text: str, ranges: Mapping[str, Range]) -> PublishedCell | None:
        if text == HIDDEN:
            return PublishedCell(everything=True)
        if text in self.missing_tokens:
            return PublishedCell(missing=True)
        return self._number(text, ranges) if self.column.kind.ordered else self._text(text)

    def _number(self, text: str, ranges: Mapping[str, Range]) -> PublishedCell | None:
        if text in self._label_ranges:
            return PublishedCell(ends=self._label_ranges[text])
        if text == self._root:
            return PublishedCell(everything=True)
        return PublishedCell(ends=ranges[text]) if text in ranges else None

    def _text(self, text: str) -> PublishedCell | None:
        if text == self._root and not MASK.fullmatch(text):
            return PublishedCell(everything=True)
        if text in self._label_members:
            return PublishedCell(members=self._label_members[text], mask=True)
        if text in self.known:
            return PublishedCell(members=(text,))
        if len(text) > 2 and text[0] == "{" and text[-1] == "}":
            inner = f"|{text[1:-1]}|"
            with_bars = (value for value in self._known_with_bars if f"|{value}|" in inner)
            return PublishedCell(members={*text[1:-1].split("|"), *with_bars})
        return None

    def _as_mask(self, text: str) -> PublishedCell | None:
        if self.column.kind.ordered or not MASK.fullmatch(text):
            return None
        return PublishedCell(
            members=[value for value in self.known if fits_mask(value, text)], mask=True
        )

    @cached_property
    def _root(self) -> str | None:
        return self.hierarchy.rows[0][-1] if self.hierarchy and self.hierarchy.height else None

    @cached_property
    def _known_with_bars(self) -> list[str]:
        return [value for value in self.known if "|" in value]

    @cached_property
    def _label_members(self) -> dict[str, set[str]]:
        """The values below every label, the value of the same name included."""
        members: defaultdict[str, set[str]] = defaultdict(set)
        for row in self.hierarchy.rows if self.hierarchy else ():
            for label in row[1:]:
                members[label].add(row[0])
        return {label: m | ({label} & self.known) for label, m in members.items()}

    @cached_property
    def _label_ranges(self) -> dict[str, Range]:
        """For numbers and dates: the range of every label.

        A label means the range it spells when the known numbers in there are just those below it;
        otherwise it means the range of those, or everything if it is the root.
        """
        if self.hierarchy is None:
            return {}
        values = self.hierarchy.values
        numbers = self.column.parse(values)
        number_of = dict(zip(values, numbers.tolist(), strict=True))
        line = np.unique(numbers[~np.isnan(numbers)])
        open_ends = read_ranges([v for v in values if v[:2] in (">=", "<=")], self.column)
        spelled = read_ranges(self._label_members, self.column, masks=True)
        ranges = {}
        for label, members in self._label_members.items():
            below = {number_of[m] for m in members if not np.isnan(number_of.get(m, np.nan))}
            held = {end for m in members for end in open_ends.get(m, ())} | below
            if not held:
                continue
            low, high = min(held), max(held)
            if label != self._root:
                ranges[label] = low, high
            if label in spelled:
                start, end = spelled[label]
                upper = float(end_of_range(end, self.column))
                inside = np.searchsorted(line, upper, "right") - np.searchsorted(line, start)
                if start <= low and high <= upper and inside == len(below):
                    ranges[label] = start, end
        return ranges


def cell_readers(project: Project, task: Task, names: Sequence[str]) -> dict[str, CellReader]:
    """What the published cells of these attributes are read with, as the project has them.

    A quasi-identifier without a hierarchy gets the one that full-domain algorithms build for it.
    """
    specs = project.completed(task.table, for_run=True, asked=names).attributes
    found = {}
    for name in names:
        spec = specs[name]
        column = coded_column(task.table, name, spec)  # coded ends are read against what they hide
        published = code_ends(column, spec.coded_bounds)
        hierarchy = None
        if spec.hierarchy is not None:
            hierarchy = build_hierarchy(spec.hierarchy, published, project.folder)
        elif task.roles[name] is Role.QUASI:
            hierarchy, _ = default_hierarchy(published)
        tokens = task.table.missing_tokens
        one_value = spec.publish in ("mean", "median", "mode")
        found[name] = CellReader(column, hierarchy, other_labels(spec.hierarchy), tokens, one_value)
    return found
