"""1 Data: the whole file as a fast table, its facts, and a profile of one column.

Sorting, filters and searches change the view only: what is anonymised is the whole file in its own
order, whatever is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl
from rich.text import Text
from textual import getters, on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError, in_screen_words
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.pages import FilePages, Pages
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.project.project import DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.profile import ColumnProfile, profile
from kanon_tui.core.table.read_options import COMPARISONS, split_sign
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import bar, count_of, joined, sparkline, typed_number, visible
from kanon_tui.screens.base import FindingScreen, ask_what_to_copy
from kanon_tui.screens.opening import ReadingDialog, reread
from kanon_tui.services.host import PageReader
from kanon_tui.widgets.dialogs import Confirm, Pick, ask_text, confirm
from kanon_tui.widgets.grid import Grid, GridSource
from kanon_tui.widgets.grid_sources import FrameSource, PagedRows


@dataclass(frozen=True)
class Filter:
    """A condition on a column, as `data.where` of a project has it: `>= 2020`, `=Rome`, `!Rome`."""

    column: str
    condition: str

    def __str__(self) -> str:
        sign, text = split_sign(self.condition)
        if sign in COMPARISONS:
            return f"{visible(self.column)} {sign} {visible(text)}"
        word = {"": "has", "=": "is", "!": "has not", "!=": "is not"}[sign]
        return f"{visible(self.column)} {word} '{visible(text)}'"

    def rows(self, project: Project, frame: pl.DataFrame) -> Int64s:
        """Return the rows that satisfy the condition; raise `InputError` if it cannot be one."""
        where = {self.column: self.condition}
        options = replace(project.data.read_options, where=where, counts="")
        try:
            return options.chosen_rows(frame, "")
        except InputError as error:
            sentence = _without_place(str(error))
            raise InputError(sentence, on_screen=_without_place(error.on_screen)) from None


def _without_place(sentence: str) -> str:
    """Return what an error says after the place in a project, which a filter does not have."""
    return sentence.partition("data.where: ")[2]


@dataclass(frozen=True)
class View:
    """A view of the records: sorted by a column, filtered, or neither."""

    sort: str | None = None
    descending: bool = False
    filter: Filter | None = None

    @property
    def plain(self) -> bool:
        """Whether all records are shown as they stand in the file."""
        return self.sort is None and self.filter is None

    def title(self, shown: int, all_records: int) -> str:
        """Return ` · by age ↑ · city has 'Rome': 12 of 1,000 shown, all are anonymised`."""
        parts = []
        if self.sort is not None:
            parts.append(f" · by {visible(self.sort)} {'↓' if self.descending else '↑'}")
        if self.filter is not None:
            parts.append(
                f" · {self.filter}: {shown:,} of {all_records:,} shown, all are anonymised"
            )
        return "".join(parts)

    def sorted_by(self, column: str) -> View:
        """Return the view sorted by a column: ascending, then descending, then in file order."""
        if self.sort != column:
            return View(column, False, self.filter)
        return View(None if self.descending else column, not self.descending, self.filter)


def parse_filter(session: Session, column: str, text: str) -> Filter | None:
    """Return the filter that was typed; None, which shows all records, for an empty text."""
    sign, wanted = split_sign(text)
    if not sign and not wanted:
        return None
    if (not wanted and not sign.endswith("=")) or (not wanted and sign in COMPARISONS):
        raise InputError(f"write something after {sign}, or nothing to show all records")
    found = Filter(column, text.strip())
    found.rows(session.project, session.table.frame.head(0))  # refuses a bound that is no number
    return found


def arranged_records(session: Session, view: View) -> Int64s:
    """Return the records that a view shows, in its order; ties stay in the order of the file."""
    frame = session.table.frame
    records = np.arange(frame.height, dtype=np.int64)
    if view.filter is not None:
        records = view.filter.rows(session.project, frame)
    if view.sort is not None:
        ranks = _ranks(session, view.sort)[records]
        missing_last = ranks < 0
        order = np.argsort(-ranks if view.descending else ranks, kind="stable")
        order = np.concatenate([order[~missing_last[order]], order[missing_last[order]]])
        records = records[order]
    return records


def _ranks(session: Session, column: str) -> Int64s:
    """Return the rank of every cell among the values of its column; -1 for missing."""
    try:
        coded = coded_column(session.table, column, session.attribute(column))
    except KanonError:  # the kind does not fit: by text
        return session.table.texts(column).rank("dense").to_numpy().astype(np.int64)
    ranks = coded.codes.astype(np.int64)
    if coded.missing is not None:
        ranks[ranks == coded.missing] = -1
    return ranks


class DataScreen(FindingScreen):
    """The data file as it is, before anything is done to it."""

    STEP = "data"
    grid = getters.query_one("#table", Grid)
    FIND = "Find a text in all cells"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "find", id="data.find"),
        Binding("n", "find_next(1)", "next", id="data.next"),
        Binding("N", "find_next(-1)", "previous", show=False, id="data.previous"),
        Binding("S", "sort", "sort", id="data.sort"),
        Binding("f", "filter", "filter", id="data.filter"),
        Binding("c", "go_to_column", "column", id="data.column"),
        Binding("number_sign", "go_to_row", "record", id="data.row"),
        Binding("y", "copy", "copy", id="data.copy"),
        Binding("r", "reading", "reading", id="data.reading"),
        Binding("x", "keep", "keep only these", id="data.keep"),
        Binding("R", "rename", "rename", id="data.rename"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._shown: Session | None = None
        self._profiled: Table | None = None
        """The table that was profiled; a session gets another one when a large file is counted."""
        self.view = View()
        self._all_rows: FrameSource | None = None
        self._source: FrameSource | None = None
        """The records that are shown: all, or those of the view."""
        self._profiles: dict[tuple[str, object, object], ColumnProfile] = {}
        self._frame: pl.DataFrame | None = None
        self._profile_drawn: tuple[ColumnProfile, bool, int] | None = None
        """What the profile pane shows, and the width it was drawn for."""
        self._paged: PagedRows | None = None
        self._paged_source: Source | None = None
        """The file that `_paged` reads."""
        self._unreadable: Source | None = None
        """A file that could no longer be read; its sample is shown instead."""
        self._reader = PageReader(self, lambda: self.grid.refresh(), self._show_page_error)

    def body(self) -> Iterable[Widget]:
        yield Static(id="facts")
        with Container(id="panes"):
            with Vertical(id="table-pane", classes="pane"):
                yield Grid(id="table")
            with Vertical(id="profile-pane", classes="pane"):
                yield Static(id="profile")

    def show(self, session: Session) -> None:
        """Fill facts and table; the table only when it is another one."""
        self.show_counting(self.host.counting.progress)
        if session.table is not self._profiled:
            self._profiled = session.table
            self._profiles = {}
        if session is not self._shown or session.table.frame is not self._frame:
            same_file = session is self._shown
            self._shown = session
            self._frame = session.table.frame
            numeric = [n for n, s in session.project.attributes.items() if s.kind is Kind.NUMERIC]
            source = FrameSource(session.table.frame, session.table.missing_tokens, numeric)
            view = self.view if same_file else View()
            self._all_rows = self._source = source
            self.view = View()
            self.look_for("")
            self.grid.show(source, keep_cursor=same_file)
            self._fill_titles()
            if not view.plain:
                self._show_view(view)
        self._look_at_file(session)
        self._show_profile()

    def _look_at_file(self, session: Session) -> None:
        """Show the file itself as soon as it can be paged through, if this screen is in front."""
        assert self._all_rows is not None
        untouched = self.view.plain and not self.wanted and not self.grid.row
        if self.find_pages(session, self._all_rows) and untouched:
            self.show_file()
        self._fill_titles()

    def leave_file(self) -> None:
        if self._source is not None:
            self.grid.show(self._source, keep_cursor=True)
        self._fill_titles()

    def show_counting(self, line: str) -> None:
        self.query_one("#facts", Static).update(Text(facts_line(self.session, line)))

    # -- a file beyond memory, page by page

    @property
    def in_file(self) -> bool:
        """Whether the table shows the file itself."""
        return self._paged is not None and self.grid.source is self._paged

    def find_pages(self, session: Session, sample: FrameSource) -> bool:
        """Find where the records of the file begin; return whether that was unknown before."""
        source = session.source
        if source is None or not source.records or source is self._unreadable:
            self._paged = None
            return False
        if self._paged is not None and self._paged_source is source:
            return False
        tokens = session.table.missing_tokens
        self._paged_source = source
        pages = FilePages(source)
        missed = self._reader.missed
        self._paged = PagedRows(pages, sample.columns, missed, missing=tokens)
        return True

    def show_file(self) -> None:
        """Show the file from its beginning; the cursor stays in its column."""
        if self._paged is not None:
            self.grid.show(self._paged, keep_cursor=True)
            self.grid.go_to(0)

    def _show_page_error(self, pages: Pages, error: Exception) -> None:
        """Show the sample again: the file can no longer be read."""
        if self._paged is not None and self._paged.pages is pages:
            self._paged, self._unreadable = None, self._paged_source
            self.leave_file()
            self.host.fail(error)

    # -- the profile of a column

    @on(Grid.Moved)
    def _show_profile(self) -> None:
        session = self.session
        table = self.session.table
        name = table.names[self.grid.column]
        spec = session.attribute(name)
        key = (name, spec.kind, spec.format)
        if key in self._profiles:
            self._fill_profile(self._profiles[key])
            return

        def done(made: ColumnProfile) -> None:
            if table is self._profiled:
                self._profiles[key] = made
            self._show_profile()

        self.query_one("#profile-pane").border_title = self._profile_title(name)
        self.compute(
            lambda: profile(coded_column(table, name, spec)), done,
            group="profile", failed=self._profile_failed,
        )  # fmt: skip

    def _profile_title(self, name: str) -> Text:
        return Text(visible(name) + self.session.sample_mark(name))

    def _profile_failed(self, error: Exception) -> None:
        self._profile_drawn = None
        self.query_one("#profile", Static).update(Text(visible(in_screen_words(error))))

    def _fill_profile(self, made: ColumnProfile) -> None:
        pane = self.query_one("#profile", Static)
        drawn = made, not self.has_class("-narrow"), max(pane.size.width, 30)
        if self._profile_drawn == drawn:
            return  # the cursor moved within the column
        self._profile_drawn = drawn
        self.query_one("#profile-pane").border_title = self._profile_title(made.name)
        pane.update(Text("\n").join(profile_lines(*drawn)))

    # -- finding

    def key_escape(self) -> None:
        """Forget the matches, then the view."""
        if self.wanted:
            self.look_for("")
            self._fill_titles()
        elif not self.view.plain:
            self._show_view(View())
        elif self._paged is not None and not self.in_file:
            self.show_file()
            self._fill_titles()

    def to_search(self) -> tuple[Grid, GridSource | None]:
        return self.grid, self._source

    def rows_with(self, source: GridSource, text: str) -> Sequence[int]:
        """Return the records that have a text in a cell."""
        assert isinstance(source, FrameSource)
        return list(map(int, source.matches(text)))

    def show_match(self, place: int) -> None:
        """Go to the cell with the text; a match in a file is one of its sample."""
        grid, source = self.to_search()
        assert source is not None
        if self.in_file:
            self.leave_file()
        row = int(self.matches[place])
        wanted = self.wanted.casefold()
        hits = [x for x, cell in enumerate(source.line(row)) if wanted in cell.text.casefold()]
        grid.go_to(row, next(iter(hits), None))
        self._fill_titles(place)

    # -- a view of the table

    def _show_view(self, view: View) -> None:
        """Sort and filter in the background; the cursor stays on its record where it is shown."""
        session = self.session
        all_rows = self._all_rows
        grid = self.grid
        if all_rows is None:
            return
        source = self._source if not self.in_file else None
        record = source.number(grid.row) if source and source.height else 0

        def arranged(records: Int64s) -> None:
            if view.filter is not None and not len(records):
                self.host.notify(f"no record matches: {view.filter}", "warning")
                return
            self.view = view
            self.matches = ()
            source = all_rows if view.plain else all_rows.arranged(records)
            self._source = source
            if view.plain and self._paged is not None:
                self.show_file()
                self._fill_titles()
                return
            grid.show(source, keep_cursor=True)
            hits = np.flatnonzero(records == record)
            grid.go_to(int(hits[0]) if len(hits) and view.sort is None else 0)
            self._fill_titles()

        self.compute(lambda: arranged_records(session, view), arranged, group="view")

    def _fill_titles(self, match: int | None = None) -> None:
        pane = self.query_one("#table-pane")
        source = self._source
        if source is None:
            return
        name = visible(self.session.data_path.name)
        sampled = self.session.source is not None and not self.in_file
        name += f" · a sample of {self.session.records.height:,}" if sampled else ""
        pane.border_title = Text(name + self.view.title(source.height, self.session.records.height))
        found = ""
        if len(self.matches):
            at = f"{match + 1:,} of " if match is not None else ""
            found = f"'{visible(self.wanted)}': {at}{len(self.matches):,} records · n N"
        elif sampled and self._paged is not None:
            found = "esc shows the whole file"
        pane.border_subtitle = Text(found)

    @property
    def column(self) -> str:
        """The column under the cursor."""
        return self.session.table.names[self.grid.column]

    def action_sort(self) -> None:
        self._show_view(self.view.sorted_by(self.column))

    def action_filter(self) -> None:
        """Show only some records; what is anonymised stays the whole table."""
        column = self.column
        known = self.view.filter

        def take(filter: Filter | None) -> None:
            self._show_view(replace(self.view, filter=filter))

        value = known.condition if known is not None and known.column == column else ""
        hint = (
            "A text; =text the whole cell, !text without it; <, >, <= and >= compare numbers and "
            "dates; nothing: all records. Only a view: all records are anonymised, until x keeps "
            "only these."
        )
        parse = partial(parse_filter, self.session, column)
        ask_text(self, f"Show records whose {column} has", take, parse, value, hint)

    def action_go_to_column(self) -> None:
        grid = self.grid
        names = self.session.table.names
        self.ask(Pick("Go to column", names), lambda name: grid.go_to(grid.row, names.index(name)))

    def action_copy(self) -> None:
        """Copy a cell, a row or a column to the terminal."""
        session = self.session
        identifiers = [*session.names(Role.IDENTIFIER), *session.names(Role.PERSON)]
        if isinstance(self.grid.source, PagedRows):
            tables = {"": self.grid.source}
            ask_what_to_copy(self, tables, self.grid.row, self.grid.column_name, identifiers)

    def action_go_to_row(self) -> None:
        """Ask for a record by the number beside it."""
        grid = self.grid
        paged = self._paged if self.in_file else None
        height = self.session.records.height if paged is None else paged.height

        def parse(text: str) -> int:
            number = typed_number(text)
            if not 1 <= number <= height:
                raise InputError(f"write a number from 1 to {height:,}")
            if paged is not None:
                return number - 1
            row = self._source.row_of(number - 1) if self._source else None
            if row is None:
                raise InputError("the filter hides this record; an empty filter (f) shows all")
            return row

        ask_text(self, "Go to record", grid.go_to, parse, hint=f"1 to {height:,}")

    # -- reading options

    def action_reading(self) -> None:
        """Change how the file is read, with a preview."""
        self.ask(ReadingDialog(self.session.project, self.session.table.facts), self._reread)

    def _reread(self, data: DataSource) -> None:
        if data != self.session.project.data:
            reread(self.host, self.session, data)

    def _change_reading(self, **changes: Any) -> None:
        data = self.session.project.data
        self._reread(replace(data, read_options=replace(data.read_options, **changes)))

    def action_keep(self) -> None:
        """Leave all other records than the filtered ones out of the table, or take them back."""
        where = self.session.project.data.read_options.where
        filtered = self.view.filter
        if filtered is not None:
            self._change_reading(where={**where, filtered.column: filtered.condition})
        elif where:
            question = Confirm(
                "Take all records again?", f"Now left out: all but {conditions(where)}.",
                "Take all", "Leave them out",
            )  # fmt: skip
            confirm(self, question, lambda: self._change_reading(where={}))
        else:
            self.host.notify("filter the records first (f); x then keeps only those that are shown")

    def action_rename(self) -> None:
        """Give the column under the cursor another name, in the release too."""
        column = self.column
        rename = self.session.project.data.read_options.rename
        in_file = next((old for old, new in rename.items() if new == column), column)

        def parse(name: str) -> str:
            if not name.strip() or (name in self.session.table.names and name != column):
                raise InputError("write a name that no other column has")
            return name.strip()

        def take(name: str) -> None:
            renamed = {**rename, in_file: name}.items()
            self._change_reading(rename={old: new for old, new in renamed if old != new})

        hint = "The file stays as it is; the release has the new name."
        ask_text(self, f"Rename {column}", take, parse, column, hint)


def facts_line(session: Session, counting: str = "") -> str:
    """Return `10,000 records × 12 columns · csv, comma, utf-8, header · 37 missing cells`.

    `counting` says how far the counting of a table beyond memory is.
    """
    table = session.table
    facts = session.table.facts
    about = "about " if isinstance(table, SampledTable) and not table.exact else ""
    records = count_of(table.height, "record")
    columns = count_of(len(table.names), "column")
    parts = [f"{about}{records} × {columns}"]
    if facts is not None:
        reading: list[str] = [facts.format]
        if facts.compression:
            reading.append(facts.compression)
        if facts.part is not None:
            word = "sheet" if facts.format == "excel" else "table"
            more = f" of {len(facts.parts)}" if len(facts.parts) > 1 else ""
            reading.append(f"{word} {visible(facts.part)}{more}")
        if facts.csv is not None:
            names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
            reading.append(names.get(cut := facts.csv.delimiter, f"delimiter {cut!r}"))
            reading.append(facts.csv.encoding)
        if facts.header is not None:
            reading.append("header" if facts.header else "no header")
        parts.append(", ".join(reading))
        if facts.bytes:  # none is known of a database on a server
            parts.append(size_text(facts.bytes))
    missing = sum(table.missing_cells().values())
    of_sample = f" in a sample of {session.records.height:,}" if session.uncounted() else ""
    parts.append((f"{missing:,} missing cells" if missing else "no missing cells") + of_sample)
    where = session.project.data.read_options.where
    if where:
        parts.append(f"only {conditions(where)} (x: all)")
    if counting:
        parts.append(counting)
    return " · ".join(parts)


def conditions(where: Mapping[str, str]) -> str:
    """Return conditions on records in words: `year >= 2020 and city =Rome`."""
    return joined([f"{visible(name)} {visible(condition)}" for name, condition in where.items()])


def size_text(size: int) -> str:
    """Return a file size with its unit: `12.3 MB`."""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def profile_lines(made: ColumnProfile, tall: bool, width: int) -> list[Text]:
    """Return the profile with one fact per line if `tall`, else in a few dense lines."""
    share = made.unique / made.records if made.records else 0
    unique = f"{made.unique:,} occur once" + (f" ({share:.0%} of records)" if made.unique else "")
    facts = [made.kind, f"{made.distinct:,} distinct", f"{made.missing:,} missing", unique]
    lines = [Text(fact) for fact in facts] if tall else [Text(" · ".join(facts))]
    if made.histogram:
        lines += [
            Text(sparkline(made.histogram, width - 2), "bold"),
            Text(visible(f"{made.lowest} … {made.highest}")),
        ]
    most = max((count for _, count in made.top), default=1)
    label = min(max([len(visible(v)) for v, _ in made.top], default=1), width - 16)
    for value, count in made.top[: 8 if tall else 3 if not made.histogram else 1]:
        line = Text(f"{visible(value)[:label]:<{label}} ", no_wrap=True)
        line.append(bar(count / most, max(width - label - 10, 4)), "dim")
        line.append(f" {count:,}")
        lines.append(line)
    return lines
