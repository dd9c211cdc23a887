"""What a published cell may stand for.

A release shows `[20..35]`, `{Cook|Nurse}`, `Europe`, `4620*` or `*` where the original had values.
`Coverage` knows one attribute (its kind, values and hierarchy) and reads such cells; the `Reading`
then tells which values each cell covers, also for values that never occur in the data.

How a cell is read, by the first line that fits
  `*`                                  everything, and so does the root of the hierarchy unless it
                                       spells a range or a mask
  a missing token                      the missing value, which is a value of its own
  a label of the hierarchy             the values below it, on whatever level the label stands
  a value                              itself
  `[lo..hi]` `20-24` `[2.5, 5)` `<18`  numbers and dates: what lies inside; `20-24` goes on to just
  `>=65` `1995-09` `1995-Q3` `1995`    below 25, and a day includes its hours
  `{A|B|C}`                            categories: the values that are listed
  one of the above followed by `*`     everything: some cells of that class are hidden, and nobody
                                       can tell whose (`Reading.shows` leaves the star aside)
  `4620*` `***01`                      categories: texts that fit; a `*` is one character or, as the
                                       builder `mask` has it, the gap at the end of a shorter text

A value that neither the data nor the hierarchy knows is covered by ranges, sets and masks as they
are spelled. A label covers it where the label spells a range or a mask, where it is a number among
the numbers below the label, and where the builder `groups` puts it into its group `other`.

Somebody who looks a person up may not know a value: a missing one is covered by every cell.

Cost: reading takes O(cells · members), an answer O(values · cells) in time and memory.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kanon_tui.core.analysis.published.ranges import Span, end_of_range, spelled_ranges
from kanon_tui.core.data.column import MISSING_TOKENS, Column
from kanon_tui.core.data.schema import Role
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.build import build_hierarchy, default_hierarchy
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.numeric import Flags, Floats
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.run.prepare import coded_column
from kanon_tui.core.task.task import Task

__all__ = ["Coverage", "Reading", "coverages"]


_MASK = re.compile(r"([^*]+)(\*+)|(\*+)([^*]+)")


class _Cell(NamedTuple):
    """One published text, understood."""

    everything: bool = False
    missing: bool = False
    span: Span = (np.nan, np.nan)
    members: Iterable[str] = ()
    mask: bool = False
    """Also covers unknown values that fit the text as a mask."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """One attribute, and so what its published cells are read with."""

    column: Column
    """The attribute in the original table."""
    hierarchy: Hierarchy | None
    unnamed: tuple[str, ...] = ()
    """The labels of values that the hierarchy does not name; most hierarchies have none."""
    missing_tokens: tuple[str, ...] = MISSING_TOKENS

    def read(self, cells: Sequence[str], where: str = "the release") -> Reading:
        """Understand distinct published cells; `where` names their table in messages."""
        spans: Mapping[str, Span] = {}
        if self.column.kind.ordered:
            spans = spelled_ranges(
                [*cells, *(c[:-1] for c in cells if c.endswith(HIDDEN))], self.column
            )
        understood, partly = [], []
        for text in cells:
            cell, starred = self._understand(text, spans), False
            if cell is None and text.endswith(HIDDEN):
                cell = self._understand(text[:-1], spans)
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
        return Reading.of(self, cells, understood, partly)

    def read_values(self) -> Reading:
        """The values of the original as cells, in the order of their codes: each covers itself."""
        values, missing = self.column.values, self.column.missing
        numbers = self.column.numbers if self.column.numbers is not None else [np.nan] * len(values)
        cells = [
            _Cell(missing=code == missing, span=(number, number), members=(value,))
            for code, (value, number) in enumerate(zip(values, numbers, strict=True))
        ]
        return Reading.of(self, values, cells, [False] * len(values))

    @cached_property
    def known(self) -> frozenset[str]:
        """The values of the data and of the hierarchy."""
        return frozenset(self.column.values).union(self.hierarchy.values if self.hierarchy else ())

    def is_missing(self, values: Sequence[str]) -> Flags:
        """Which of these texts say that the value is missing."""
        return np.array([value in self.missing_tokens for value in values], dtype=bool)

    def _understand(self, text: str, spans: Mapping[str, Span]) -> _Cell | None:
        if text == HIDDEN:
            return _Cell(everything=True)
        if text in self.missing_tokens:
            return _Cell(missing=True)
        return self._number(text, spans) if self.column.kind.ordered else self._text(text)

    def _number(self, text: str, spans: Mapping[str, Span]) -> _Cell | None:
        if text in self._label_spans:
            return _Cell(span=self._label_spans[text])
        if text == self._root:
            return _Cell(everything=True)
        return _Cell(span=spans[text]) if text in spans else None

    def _text(self, text: str) -> _Cell | None:
        if text == self._root and not _MASK.fullmatch(text):
            return _Cell(everything=True)
        if text in self._label_members:
            return _Cell(members=self._label_members[text], mask=True)
        if text in self.known:
            return _Cell(members=(text,))
        if len(text) > 2 and text[0] == "{" and text[-1] == "}":
            inner = f"|{text[1:-1]}|"
            with_bars = (value for value in self._known_with_bars if f"|{value}|" in inner)
            return _Cell(members={*text[1:-1].split("|"), *with_bars})
        return None

    def _as_mask(self, text: str) -> _Cell | None:
        if self.column.kind.ordered or not _MASK.fullmatch(text):
            return None
        return _Cell(members=[value for value in self.known if _fits(value, text)], mask=True)

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
    def _label_spans(self) -> dict[str, Span]:
        """For numbers and dates: the range of every label.

        A label means the range it spells when the known numbers in there are just those below it;
        otherwise it means the range of those, or everything if it is the root.
        """
        if self.hierarchy is None:
            return {}
        numbers = self.column.parse(self.hierarchy.values)
        number_of = dict(zip(self.hierarchy.values, numbers.tolist(), strict=True))
        line = np.unique(numbers[~np.isnan(numbers)])
        spelled = spelled_ranges(self._label_members, self.column, masks=True)
        spans = {}
        for label, members in self._label_members.items():
            below = {number_of[m] for m in members if not np.isnan(number_of.get(m, np.nan))}
            if not below:
                continue
            low, high = min(below), max(below)
            if label != self._root:
                spans[label] = low, high
            if label in spelled:
                start, end = spelled[label]
                upper = float(end_of_range(end, self.column))
                inside = np.searchsorted(line, upper, "right") - np.searchsorted(line, start)
                if start <= low and high <= upper and inside == len(below):
                    spans[label] = start, end
        return spans


@dataclass(frozen=True, eq=False)
class Reading:
    """The distinct cells of one attribute, understood; arrays are per cell."""

    coverage: Coverage
    texts: Sequence[str]
    """As they are printed."""
    everything: Flags
    partly: Flags
    """A star follows: some cells of the class are hidden."""
    missing: Flags
    low: Floats
    """Numbers and dates: where the range begins; nan where there is none."""
    high: Floats
    holders: Mapping[str, Sequence[int]]
    """Categories: the cells that name a value."""
    masks: Mapping[tuple[bool, int, int], Mapping[str, Sequence[int]]]
    """Categories: by side, number of shown characters and length, the cells of a shown text."""
    unnamed: Sequence[int]
    """Categories: the cells that cover whatever the hierarchy does not name."""

    @classmethod
    def of(
        cls,
        coverage: Coverage,
        texts: Sequence[str],
        cells: Sequence[_Cell],
        partly: Sequence[bool],
    ) -> Reading:
        """Gather cells so that values can be looked up quickly."""
        holders: defaultdict[str, list[int]] = defaultdict(list)
        masks: defaultdict[tuple[bool, int, int], defaultdict[str, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        unnamed = []
        for i, (text, cell) in enumerate(zip(texts, cells, strict=True)):
            for member in cell.members:
                holders[member].append(i)
            shape = _mask_shape(text) if cell.mask else None
            if shape is not None:
                masks[shape[0]][shape[1]].append(i)
            if text in coverage.unnamed:
                unnamed.append(i)
        spans = np.array([cell.span for cell in cells], dtype=np.float64).reshape(len(cells), 2)
        spans[[cell.everything for cell in cells]] = -np.inf, np.inf
        return cls(
            coverage=coverage,
            texts=texts,
            everything=np.array([cell.everything for cell in cells], dtype=bool),
            partly=np.array(partly, dtype=bool),
            missing=np.array([cell.missing for cell in cells], dtype=bool),
            low=spans[:, 0],
            high=spans[:, 1],
            holders=holders,
            masks=masks,
            unnamed=unnamed,
        )

    def covers(self, values: Sequence[str]) -> Flags:
        """`covers[v, c]`: a record with cell c may have the value v."""
        found = self.shows(values)
        found[:, self.partly] = True
        found[self.coverage.is_missing(values)] = True
        return found

    def shows(self, values: Sequence[str]) -> Flags:
        """The same by what is printed: without the star that follows, a missing value literally."""
        missing = self.coverage.is_missing(values)
        found = self._numbers(values) if self.coverage.column.kind.ordered else self._texts(values)
        found[missing] = self.missing
        found[:, self.everything] = True
        return found

    def _numbers(self, values: Sequence[str]) -> Flags:
        column = self.coverage.column
        numbers = column.parse(values)[:, None]
        inside: Flags = (self.low <= numbers) & (numbers <= end_of_range(self.high, column))
        return inside

    def _texts(self, values: Sequence[str]) -> Flags:
        found = np.zeros((len(values), len(self.everything)), dtype=bool)
        for v, value in enumerate(values):
            found[v, self.holders.get(value, ())] = True
            if value not in self.coverage.known:
                found[v, self.unnamed] = True
                for (right, shown, length), cells in self.masks.items():
                    if shown <= len(value) <= length:
                        end = value[:shown] if right else value[len(value) - shown :]
                        found[v, cells.get(end, ())] = True
        return found


def coverages(project: Project, task: Task, names: Sequence[str]) -> dict[str, Coverage]:
    """What the published cells of these attributes are read with, as the project has them.

    A quasi-identifier without a hierarchy gets the one that full-domain algorithms build for it.
    """
    specs = project.completed(task.table).attributes
    found = {}
    for name in names:
        spec = specs[name]
        column = coded_column(task.table, name, spec)
        hierarchy = None
        if spec.hierarchy is not None:
            hierarchy = build_hierarchy(spec.hierarchy, column, project.folder)
        elif task.roles[name] is Role.QUASI:
            hierarchy, _ = default_hierarchy(column)
        found[name] = Coverage(column, hierarchy, _unnamed(spec), task.table.missing_tokens)
    return found


def _unnamed(spec: AttributeSpec) -> tuple[str, ...]:
    """The labels that the builder `groups` gives to a value which no group names."""
    written = spec.hierarchy or {}
    other = written.get("other")
    if written.get("builder") != "groups" or other is None:
        return ()
    labels = [str(other)]
    for level in written["levels"][1:]:
        parents = {
            str(member): str(group) for group, members in level.items() for member in members
        }
        labels.append(parents.get(labels[-1], str(other)))
    return tuple(labels)


def _mask_shape(text: str) -> tuple[tuple[bool, int, int], str] | None:
    """A mask as (hidden at the right, characters shown, length) and the characters shown."""
    mask = _MASK.fullmatch(text)
    if mask is None:
        return None
    shown = mask[1] or mask[4]
    return (mask[1] is not None, len(shown), len(text)), shown


def _fits(value: str, mask: str) -> bool:
    shape = _mask_shape(mask)
    assert shape is not None
    (right, _, length), shown = shape
    ends = value.startswith(shown) if right else value.endswith(shown)
    return ends and len(value) <= length
