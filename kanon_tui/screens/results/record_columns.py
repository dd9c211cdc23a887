"""The columns of records: their order, the room their values need, and how they share a width.

Quasi-identifiers come first, then sensitive attributes, then others. A column that is published as
it was takes the room of one column, every other one that of the original and the released value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import visible
from kanon_tui.widgets.grid import DIVIDER, GAP, GridColumn

WIDEST = 24
"""Cells per value at most; the line below the records shows the cell under the cursor whole."""
NEARLY_ALL = 0.95
"""The share of values that are shown whole before other columns have to give way."""
NARROWEST_VALUE = 7
"""Cells that a longer value keeps before names are shortened."""
NARROWEST_NAME = 6
"""Cells that a longer name keeps before columns are scrolled."""
COMFORTABLE = 20
"""Cells that a longer value keeps where columns are scrolled in any case."""
NARROWEST = 4
"""Cells of the figures below the names, such as `100%`."""
BESIDE = " ‖ "
"""What stands before the columns that are not quasi-identifiers."""
_RANKS = {Role.QUASI: 0, Role.SENSITIVE: 1}


@dataclass(frozen=True)
class Extent:
    """The cells that the values of a column need."""

    widest: int = 0
    usual: int = 0
    """Enough for nearly all values."""

    @classmethod
    def of_texts(cls, texts: Sequence[str], labels: Sequence[str] = ()) -> "Extent":
        """Return the extent of the values of some records, and of labels that others may have."""
        lengths = sorted(cell_len(visible(text)) for text in texts) or [1]
        longest_label = max((cell_len(visible(label)) for label in labels), default=0)
        widest = min(max(lengths[-1], longest_label), WIDEST)
        return cls(widest, min(lengths[int(NEARLY_ALL * (len(lengths) - 1))], WIDEST))

    def __or__(self, other: "Extent") -> "Extent":
        """Return what the values of both need."""
        return Extent(max(self.widest, other.widest), max(self.usual, other.usual))


@dataclass(frozen=True)
class RecordColumn:
    """A published column, with what its values need before and after."""

    name: str
    before: Extent
    after: Extent
    is_changed: bool
    """Whether a published value differs from the original one."""
    lead: str = " " * GAP

    @property
    def title(self) -> str:
        """Return the name as it may be shown."""
        return visible(self.name)

    def as_pair(self) -> GridColumn:
        """Return a column for original and released value, or for one value."""
        if not self.is_changed:
            return self.as_single()
        halves = (self.before.widest, self.after.widest)
        usual = (self.before.usual, self.after.usual)
        return GridColumn(self.title, NARROWEST, lead=self.lead, halves=halves, usual=usual)

    def as_single(self) -> GridColumn:
        """Return a column for one value, original or released."""
        both = self.before | self.after
        halves = (0, both.widest)
        return GridColumn(
            self.title, NARROWEST, lead=self.lead, halves=halves, usual=(0, both.usual)
        )


def ordered_columns(result: FinishedRun) -> list[str]:
    """Return the published columns: quasi-identifiers, sensitive attributes, others."""
    roles = result.task.roles
    return sorted(result.columns, key=lambda name: _RANKS.get(roles[name], len(_RANKS)))


def lead_of(result: FinishedRun, names: Sequence[str], place: int) -> str:
    """Return what stands before a column: a double line before the first that is no quasi."""
    roles = result.task.roles
    is_border = place > 0 and roles[names[place - 1]] is Role.QUASI
    if is_border and roles[names[place]] is not Role.QUASI:
        return BESIDE
    return " " * GAP


def squeezed_widths(columns: Sequence[GridColumn], room: int) -> list[int]:
    """Return widths at which all columns are seen, or else all quasi-identifiers, if possible.

    Rare long values give way first, then long values, the longest most, then long names. Columns
    that do not fit even so are scrolled, and are as wide as is comfortable.
    """
    comfortable = _widths(columns, COMFORTABLE, WIDEST)
    for count in (len(columns), _quasi_count(columns)):
        widths = _fitting(columns[:count], room)
        if widths:
            return [*widths, *comfortable[count:]]
    return comfortable


def _quasi_count(columns: Sequence[GridColumn]) -> int:
    """Return how many columns stand before the double line."""
    leads = [column.lead for column in columns]
    return leads.index(BESIDE) if BESIDE in leads else len(columns)


def _fitting(columns: Sequence[GridColumn], room: int) -> list[int]:
    """Return widths that take no more than the room; none where there are no such widths."""
    room -= sum(len(column.lead) for column in columns[1:])
    longest_name = max((cell_len(column.title) for column in columns), default=0)
    limits = [(value, WIDEST) for value in range(WIDEST, NARROWEST_VALUE - 1, -1)]
    limits += [
        (NARROWEST_VALUE, name) for name in range(min(longest_name, WIDEST), NARROWEST_NAME - 1, -1)
    ]
    for value, name in limits:
        widths = _widths(columns, value, name)
        if sum(widths) <= room:
            return _widened(columns, widths, room - sum(widths))
    return []


def _widths(columns: Sequence[GridColumn], value: int, name: int) -> list[int]:
    """Return the widths of columns in which values and names have so many cells at most."""
    return [
        max(column.width, min(cell_len(column.title), name), _value_width(column.usual, value))
        for column in columns
    ]


def _value_width(halves: tuple[int, int], most: int) -> int:
    before, after = halves
    if not before:
        return min(after, most)
    return min(before, most) + len(DIVIDER) + min(after, most)


def _widened(columns: Sequence[GridColumn], widths: list[int], spare: int) -> list[int]:
    """Return widths with spare room given to columns, those first that lack least."""
    lacking = {}
    for x, column in enumerate(columns):
        full_width = max(cell_len(column.title), _value_width(column.halves, WIDEST))
        if full_width > widths[x]:
            lacking[x] = full_width - widths[x]
    for x in sorted(lacking, key=lacking.__getitem__):
        more = min(lacking[x], spare)
        widths[x] += more
        spare -= more
    return widths
