"""Read published cells: which values may a record with this cell have?

A release shows `[20..35]`, `{Cook|Nurse}`, `Europe`, `4620*` or `*` where the original had values.
`CellReader` knows one attribute (its kind, values and hierarchy) and reads such cells; `ReadCells`
tells which values each cell covers, also values that never occur in the data.

How a cell is read, by the first line that fits
  `*`                                  everything, and so does the root of the hierarchy unless it
                                       spells a range or a mask
  a missing token                      the missing value, which is a value of its own
  a label of the hierarchy             the values below it, on whatever level the label stands
  a value                              itself
  a range, see below                   numbers and dates: what lies inside
  `{A|B|C}`                            categories: the values that are listed; a missing token among
                                       them, or below a label, is the missing value
  one of the above followed by `*`     everything: some cells of that class are hidden, and nobody
                                       can tell whose (`ReadCells.shows` leaves the star aside)
  `4620*` `***01`                      categories: texts that fit; a `*` is one character or, as the
                                       builder `mask` has it, the gap at the end of a shorter text

Ranges
  `[20..35]` `[2.5, 5)`      between two ends, the upper one left out before a round bracket;
                             `[2,5; 5)` beside decimal commas
  `<18` `<=17` `>=65` `>64`  open at one end
  `20-24`                    whole numbers, so up to just below 25
  `4620*`                    whole numbers with hidden digits, where a label may be a mask
  `1995-09` `1995-Q3` `1995` `1990-1994`   months, quarters, years and runs of years
  `27`, `1995-09-20`         a number or date alone; a day includes its hours

Ends are written as in the attribute's own column, dates also as 1995-09-20.

A value that neither the data nor the hierarchy knows is covered by ranges, sets and masks as they
are spelled. A label covers it where the label spells a range or a mask, where it is a number among
the numbers below the label, and where the builder `groups` puts it into its group `other`.

Somebody who looks a person up may not know a value: a missing one is covered by every cell.

Cost: reading takes O(cells · members), an answer O(values · cells) in time and memory.

Groups of an attribute's values, and how the cells of a table are spread over them.

A value is in one group. A published range, label or set is spread: it counts with equal shares in
all distinct values of the original that it covers, as somebody would count who knows the values
that occur and nothing else. `*` is spread over all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError, Value, check_known
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.hierarchy.portable import other_labels
from kanon_tui.core.hierarchy.specification import build_hierarchy, default_hierarchy
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import MISSING_TOKENS, Column, Kind, Role, set_members
from kanon_tui.core.table.column_coding import code_ends
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Task

_PAIRS_AT_A_TIME = 1 << 22
"""The most (value, cell) pairs that are looked at together."""
MASK = re.compile(r"([^*]+)(\*+)|(\*+)([^*]+)")


def mask_shape(text: str) -> tuple[tuple[bool, int, int], str] | None:
    """Return a mask as (hidden at the right, characters shown, length) and the characters shown."""
    mask = MASK.fullmatch(text)
    if mask is None:
        return None
    shown = mask[1] or mask[4]
    return (mask[1] is not None, len(shown), len(text)), shown


def fits_mask(value: str, mask: str) -> bool:
    """Return whether a value shows what the mask shows and is no longer than it."""
    shape = mask_shape(mask)
    assert shape is not None
    (right, _, length), shown = shape
    ends = value.startswith(shown) if right else value.endswith(shown)
    return ends and len(value) <= length


Range = tuple[float, float]
"""The lowest and the highest number; both belong to it."""

_PAIR = re.compile(r"\[(.+)\.\.(.+)\]|\[(.+)[,;] (.+)\)")
_ONE_SIDED = re.compile(r"(<=|<|>=|>) ?(.+)")
_DASHED = re.compile(r"([0-9]+)-([0-9]+)")
_DASHED_GROUPS = re.compile(r"([0-9][0-9.,' ]*)-([0-9][0-9.,' ]*)")
_HIDDEN_DIGITS = re.compile(r"([0-9]+)(\*+)")
_CALENDAR = re.compile(r"([0-9]{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4])|([0-9]{4})))?")


def read_ranges(texts: Iterable[str], column: Column, masks: bool = False) -> dict[str, Range]:
    """Return the ranges that texts spell; those that spell none are left out."""
    grouped = column.number_format.thousands != "none"
    dashed = _DASHED_GROUPS if grouped else _DASHED
    forms = {text: _form(text, column.kind, masks, dashed) for text in texts}
    ends = list(dict.fromkeys(chain.from_iterable(ends for ends, _, _ in forms.values())))
    number = dict(zip(ends, column.parse(ends).tolist(), strict=True))
    ranges = {}
    for text, ((low, high), opening, closing) in forms.items():
        start = -np.inf if opening == "open" else number[low]
        end = np.inf if closing == "open" else number[high]
        if opening == "after":
            start = np.nextafter(start, np.inf)
        if closing in ("before", "below next"):
            end = np.nextafter(end + (closing == "below next"), -np.inf)
        if column.kind is Kind.DATE and (calendar := _CALENDAR.fullmatch(text)):
            start, end = _calendar_range(*calendar.groups())
        if start <= end:
            ranges[text] = start, end
    return ranges


def _form(
    text: str, kind: Kind, masks: bool, dashes: re.Pattern[str]
) -> tuple[tuple[str, str], str, str]:
    """Return the two ends of a range as texts, and the number or day that each stands for."""
    if pair := _PAIR.fullmatch(text):
        low, high, start, before = pair.groups()
        return ((low, high), "", "") if low else ((start, before), "", "before")
    if one := _ONE_SIDED.fullmatch(text):
        sign, end = one.groups()
        if sign[0] == "<":
            return (end, end), "open", "" if sign == "<=" else "before"
        return (end, end), "" if sign == ">=" else "after", "open"
    if kind is Kind.NUMERIC and (dashed := dashes.fullmatch(text)):
        return (dashed[1], dashed[2]), "", "below next"
    if masks and kind is Kind.NUMERIC and (digits := _HIDDEN_DIGITS.fullmatch(text)):
        hidden = len(digits[2])
        return (digits[1] + "0" * hidden, digits[1] + "9" * hidden), "", "below next"
    return (text, text), "", ""


def _calendar_range(year: str, month: str | None, quarter: str | None, until: str | None) -> Range:
    """Return the first and last day of a month, a quarter, a year or some years."""
    if until is not None:
        first = f"{year}-01"
        last = f"{until}-12"
    elif quarter is not None:
        first = f"{year}-{3 * int(quarter) - 2:02}"
        last = f"{year}-{3 * int(quarter):02}"
    else:
        first = f"{year}-{month or '01'}"
        last = f"{year}-{month or '12'}"
    start = np.datetime64(first, "M").astype("datetime64[D]")
    after = (np.datetime64(last, "M") + 1).astype("datetime64[D]")
    return float(start.astype(np.int64)), float(after.astype(np.int64) - 1)


def end_of_range(high: npt.ArrayLike, column: Column) -> Floats:
    """Return the last moment of a range: a day without a clock time lasts until midnight."""
    ends = np.asarray(high, dtype=np.float64)
    if column.kind is not Kind.DATE:
        return ends
    return np.where(ends == np.floor(ends), np.nextafter(ends + 1, -np.inf), ends)


@dataclass(frozen=True, eq=False)
class CellReader:
    """Reads the published cells of one attribute, which it knows with its hierarchy."""

    column: Column
    """The attribute in the original table."""
    hierarchy: Hierarchy | None
    unnamed: tuple[str, ...] = ()
    """The labels of values that the hierarchy does not name; most hierarchies have none."""
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    one_value: bool = False
    """Whether a class publishes one value for all its members, which need not be theirs."""
    stars: bool = True
    """Whether a star after a cell can mean hidden cells; if not, `401*` is always a mask."""

    @cached_property
    def known(self) -> frozenset[str]:
        """The values of the data and of the hierarchy."""
        return frozenset(self.column.values).union(self.hierarchy.values if self.hierarchy else ())

    @cached_property
    def line(self) -> Floats:
        """The distinct numbers or days of the original, rising."""
        return np.unique(self.column.value_numbers[~np.isnan(self.column.value_numbers)])

    def is_missing(self, values: Sequence[str]) -> Flags:
        """Return for each text whether it says that the value is missing."""
        return np.array([value in self.missing_tokens for value in values], dtype=bool)

    def read(self, cells: Sequence[str], where: str = "the release") -> ReadCells:
        """Return the meaning of distinct published cells; `where` names their table in messages."""
        ranges: Mapping[str, Range] = {}
        if self.column.kind.ordered:
            ranges = read_ranges(
                [*cells, *(c[:-1] for c in cells if c.endswith(HIDDEN))], self.column
            )
        understood = []
        for text in cells:
            cell = self._understand(text, ranges)
            if cell is None and self.stars and text.endswith(HIDDEN):
                shown = self._understand(text[:-1], ranges)
                cell = None if shown is None else shown._replace(partly=True)
            cell = cell or self._as_mask(text)
            if cell is None:
                raise InputError(
                    f"{where}: {self.column.name}: {Value(text, 'a cell')} is neither a value of "
                    f"the data nor a label of its hierarchy, nor a range, set or mask; use the "
                    f"project with which the release was made"
                )
            understood.append(cell)
        return ReadCells.from_cells(self, cells, understood)

    def read_values(self) -> ReadCells:
        """Return the values of the original as cells, in the order of their codes.

        Each covers itself.
        """
        values = self.column.values
        missing = self.column.missing
        numbers = self.column.numbers if self.column.numbers is not None else [np.nan] * len(values)
        cells = [
            PublishedCell(missing=code == missing, ends=(number, number), members=(value,))
            for code, (value, number) in enumerate(zip(values, numbers, strict=True))
        ]
        return ReadCells.from_cells(self, values, cells)

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
            return PublishedCell(members={*set_members(text), *with_bars})
        return PublishedCell() if text in self.unnamed else None

    def _as_mask(self, text: str) -> PublishedCell | None:
        if self.column.kind.ordered or not MASK.fullmatch(text):
            return None
        return PublishedCell(
            members=[value for value in self.known if fits_mask(value, text)], mask=True
        )

    @cached_property
    def _root(self) -> str | None:
        return self.hierarchy.root if self.hierarchy and self.hierarchy.height else None

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
            low = min(held)
            high = max(held)
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
    """Return a reader of the published cells for each of these attributes of a project.

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


def check_column(name: str, columns: Collection[str], where: str, what: str = "") -> None:
    """Refuse a name that is none of the columns of a table; `what` says more about it."""
    check_known(name, columns, f"{where} has no column '{name}'{what}")


Watch = Callable[[int, int], bool]
"""Called with the work done and all of it; False cancels."""


def released_tables(result: FinishedRun) -> tuple[Task, Table]:
    """Return the task of a result and its release as a table."""
    return result.task, as_table(result.release.frame, result.task.table.missing_tokens)


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A published table with the project that made it and the task of the original."""

    project: Project
    task: Task
    table: Table
    name: str = "the release"
    """The name of the table in messages."""
    watch: Watch = lambda done, total: True

    @classmethod
    def from_result(cls, result: FinishedRun, project: Project) -> PublishedTable:
        """Return the release of a result."""
        return cls(project, *released_tables(result))

    def check(self, done: int, total: int) -> None:
        """Report progress; raise InputError where somebody cancelled."""
        if not self.watch(done, total):
            raise InputError("stopped")

    @cached_property
    def quasi(self) -> list[str]:
        """The quasi-identifiers that are published."""
        found = [
            attribute.name for attribute in self.task.quasi if attribute.name in self.table.names
        ]
        if not found:
            raise InputError(
                f"{self.name} has none of the quasi-identifiers of the project; use a release of "
                "the same data"
            )
        return found

    def check_attribute(self, name: str, advice: str = "choose another") -> None:
        """Refuse an attribute that is not in the data, is an identifier or is not published."""
        check_column(name, self.task.roles, "the data")
        role = self.task.roles[name]
        if not role.published:
            what = {Role.IDENTIFIER: "an identifier", Role.PERSON: "whose record it is"}
            found = what.get(role, "a survey weight")
            raise InputError(f"'{name}' is {found}, which is never published; {advice}")
        check_column(name, self.table.names, self.name)

    def read(self, names: Sequence[str]) -> tuple[list[Column], list[ReadCells]]:
        """Return some columns as they are printed, and their cells understood."""
        readers = cell_readers(self.project, self.task, names)
        columns = [self.table.column(name, Kind.CATEGORICAL) for name in names]
        return columns, [readers[column.name].read(column.values, self.name) for column in columns]


class PublishedCell(NamedTuple):
    """One published text, understood."""

    everything: bool = False
    missing: bool = False
    ends: Range = (np.nan, np.nan)
    """Numbers and dates: the range it stands for."""
    members: Iterable[str] = ()
    mask: bool = False
    """Also covers unknown values that fit the text as a mask."""
    partly: bool = False
    """A star follows: some cells of the class are hidden."""


@dataclass(frozen=True, eq=False)
class ReadCells:
    """The distinct cells of one attribute, understood; arrays are per cell."""

    attribute: CellReader
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
    def from_cells(
        cls, attribute: CellReader, texts: Sequence[str], cells: Sequence[PublishedCell]
    ) -> ReadCells:
        """Return cells with the indexes by which values are looked up quickly."""
        holders: defaultdict[str, list[int]] = defaultdict(list)
        masks: defaultdict[tuple[bool, int, int], defaultdict[str, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        unnamed = []
        tokens = set(attribute.missing_tokens)  # alone, or among others as in `{?|Nurse}`
        for i, (text, cell) in enumerate(zip(texts, cells, strict=True)):
            for member in cell.members:
                holders[member].append(i)
            shape = mask_shape(text) if cell.mask else None
            if shape is not None:
                masks[shape[0]][shape[1]].append(i)
            if text in attribute.unnamed:
                unnamed.append(i)
        ends = np.array([cell.ends for cell in cells], dtype=np.float64).reshape(len(cells), 2)
        ends[[cell.everything for cell in cells]] = -np.inf, np.inf
        return cls(
            attribute=attribute,
            texts=texts,
            everything=np.array([cell.everything for cell in cells], dtype=bool),
            partly=np.array([cell.partly for cell in cells], dtype=bool),
            missing=np.array(
                [c.missing or not tokens.isdisjoint(c.members) for c in cells], dtype=bool
            ),
            low=ends[:, 0],
            high=ends[:, 1],
            holders=holders,
            masks=masks,
            unnamed=unnamed,
        )

    def covers(self, values: Sequence[str], unknown_fits: bool = True) -> Flags:
        """Return flags, values × cells: whether a record with the cell may have the value.

        A missing value is one that is not known, so that it may be any, unless it is taken as
        literally missing. One value for a whole class excludes nobody: it need not be theirs.
        """
        if self.attribute.one_value:
            return np.ones((len(values), len(self.everything)), dtype=bool)
        found = self.shows(values)
        found[:, self.partly] = True
        if unknown_fits:
            found[self.attribute.is_missing(values)] = True
        return found

    def shows(self, values: Sequence[str]) -> Flags:
        """Return flags, values × cells: whether the cell prints the value, its star left out."""
        missing = self.attribute.is_missing(values)
        found = self._numbers(values) if self.attribute.column.kind.ordered else self._texts(values)
        found[missing] = self.missing
        found[:, self.everything] = True
        return found

    @cached_property
    def shown(self) -> Any:
        """Categories: cells × values of the original, sparse: 1 where the cell prints the value."""
        sparse = require("scipy.sparse", "comparing a release with its original")
        values = self.attribute.column.values
        step = max(1, _PAIRS_AT_A_TIME // max(1, len(self.everything)))
        some = (self.shows(values[at : at + step]) for at in range(0, len(values), step))
        none = sparse.csr_matrix((len(self.everything), 0))
        return sparse.hstack(
            [none, *(sparse.csr_matrix(block.T.astype(np.float64)) for block in some)]
        ).tocsr()

    def places(self, nearest: bool = False) -> tuple[Int64s, Int64s]:
        """Return per cell where on the line of numbers its range begins, and the place behind it.

        A range without a number of the data is empty, or with `nearest` the closest number.
        """
        line = self.attribute.line
        first = np.searchsorted(line, self.low)
        behind = np.searchsorted(line, end_of_range(self.high, self.attribute.column), "right")
        if nearest and len(line):
            between = (first >= behind) & ~self.missing
            closest = np.abs(line - self.low[between, None]).argmin(axis=1)
            first[between], behind[between] = closest, closest + 1
        return first, behind

    def _numbers(self, values: Sequence[str]) -> Flags:
        column = self.attribute.column
        bounds = [value[2:] if value[:2] in (">=", "<=") else value for value in values]
        numbers = column.parse(bounds)[:, None]  # a coded end stands for its bound
        inside: Flags = (self.low <= numbers) & (numbers <= end_of_range(self.high, column))
        return inside

    def _texts(self, values: Sequence[str]) -> Flags:
        found = np.zeros((len(values), len(self.everything)), dtype=bool)
        for v, value in enumerate(values):
            found[v, self.holders.get(value, ())] = True
            if value not in self.attribute.known:
                found[v, self.unnamed] = True
                for (right, shown, length), cells in self.masks.items():
                    if shown <= len(value) <= length:
                        end = value[:shown] if right else value[len(value) - shown :]
                        found[v, cells.get(end, ())] = True
        return found


@dataclass(frozen=True, eq=False)
class ValueGroups:
    """The groups of one attribute; a missing value is the last group, alone."""

    column: Column
    labels: tuple[str, ...]
    group_of_value: Int64s
    """The group of every value of the column."""

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.column.name

    @property
    def ordered(self) -> bool:
        """Whether the groups lie on a line."""
        return self.column.numbers is not None

    @property
    def of_values(self) -> Floats:
        """Values × groups: 1 where the value is in the group."""
        return np.asarray(np.eye(len(self.labels))[self.group_of_value])

    def covered(self, cells: ReadCells, nearest: bool = False) -> Floats:
        """Return cells × groups: how many distinct values of the data a cell covers there.

        With `nearest` a number that does not occur counts as the closest one that does.
        """
        if self.ordered:
            return self._covered_numbers(cells, nearest)
        return np.asarray(cells.shown @ self.of_values, dtype=np.float64)

    def _covered_numbers(self, cells: ReadCells, nearest: bool) -> Floats:
        line, first_value = np.unique(self.column.value_numbers, return_index=True)
        line, first_value = line[~np.isnan(line)], first_value[~np.isnan(line)]
        upto = np.zeros((len(line) + 1, len(self.labels)))
        upto[np.arange(1, len(line) + 1), self.group_of_value[first_value]] = 1
        upto = upto.cumsum(axis=0)
        first, behind = cells.places(nearest)
        found = np.maximum(upto[behind] - upto[first], 0)
        found[cells.missing] = 0
        if self.column.missing is not None:
            found[cells.missing | cells.everything, -1] += 1
        return np.asarray(found, dtype=np.float64)
