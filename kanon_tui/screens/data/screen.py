"""1 Data: the whole file as a fast table, its facts, and a profile of one column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from kanon_tui.core.data.profile import ColumnProfile, profile
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import DataSource
from kanon_tui.core.run.prepare import coded_column
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.data.reading import ReadingDialog
from kanon_tui.screens.dialogs import AskText
from kanon_tui.widgets.bars import bar, sparkline
from kanon_tui.widgets.grid import Grid, printable
from kanon_tui.widgets.grid_sources import FrameSource

__all__ = ["DataScreen"]


class DataScreen(StepScreen):
    """The file as it is, before anything is done to it."""

    STEP = "data"
    HELP = """## 1 Data

The table exactly as it stands in the file. Move with the arrow keys; the pane beside (or below)
tells about the column under the cursor: how many different values it has, how many are missing,
and how many occur only once. A value that occurs once can give a person away.

Missing cells are marked (an empty one is shown as `·`). If the columns look wrong, press `r`
and change how the file is read: delimiter, encoding, header, quotes, missing tokens.

Example: press `/`, type `flu`, press `enter`: the cursor jumps to the next record with that
value; `n` goes on to the one after.
"""
    DEFAULT_CSS = """
    DataScreen #facts { height: auto; padding: 0 1; color: $text-muted; }
    DataScreen #panes { height: 1fr; layout: horizontal; }
    DataScreen #table-pane { width: 1fr; }
    DataScreen #profile-pane { width: 38; }
    DataScreen #profile { padding: 0 1; height: 1fr; }
    DataScreen #find { display: none; height: 1; border: none; padding: 0 1; }
    DataScreen.-narrow #panes { layout: vertical; }
    DataScreen.-narrow #profile-pane { width: 1fr; height: 7; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "Find", key_display="/", id="data.find"),
        Binding("n", "find_next", "Next", id="data.next"),
        Binding("number_sign", "go_to_row", "Go to row", key_display="#", id="data.row"),
        Binding("r", "reading", "Reading", id="data.reading"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._shown: Session | None = None
        self._wanted = ""
        self._profiles: dict[tuple[str, object], ColumnProfile] = {}
        self._profile_drawn: tuple[ColumnProfile, int] | None = None
        """What the profile pane shows, and the width it was drawn for."""

    def body(self) -> Iterable[Widget]:
        yield Static(id="facts")
        with Container(id="panes"):
            with Vertical(id="table-pane", classes="pane"):
                yield Grid(name_width=8, id="table")
                yield Input(placeholder="find …", id="find", compact=True)
            with Vertical(id="profile-pane", classes="pane"):
                yield Static(id="profile")

    def on_mount(self) -> None:
        self.query_one("#table", Grid).focus()

    def show(self, session: Session) -> None:
        """Fill facts and table; the table only when it is another one."""
        self.query_one("#facts", Static).update(Text(facts_line(session)))
        if session is not self._shown:
            self._shown, self._profiles = session, {}
            numeric = [n for n, s in session.project.attributes.items() if s.kind is Kind.NUMERIC]
            source = FrameSource(session.table.frame, session.table.missing_tokens, numeric)
            grid = self.query_one("#table", Grid)
            grid.show(source)
            self.query_one("#table-pane").border_title = Text(printable(session.data_path.name))
        self._show_profile()

    # -- the profile of a column

    @on(Grid.Moved)
    def moved(self) -> None:
        self._show_profile()

    def _show_profile(self) -> None:
        session = self.session
        name = session.table.names[self.query_one("#table", Grid).column]
        spec = session.attribute(name)
        key = (name, spec.kind)
        if key in self._profiles:
            self._fill_profile(self._profiles[key])
            return

        def done(made: ColumnProfile) -> None:
            self._profiles[key] = made
            self._show_profile()

        self.query_one("#profile-pane").border_title = Text(printable(name))
        self.compute(
            lambda: profile(coded_column(session.table, name, spec)),
            done,
            group="profile",
            failed=self._profile_failed,
        )

    def _profile_failed(self, error: Exception) -> None:
        self._profile_drawn = None
        self.query_one("#profile", Static).update(Text(printable(str(error))))

    def _fill_profile(self, made: ColumnProfile) -> None:
        pane = self.query_one("#profile", Static)
        if self._profile_drawn == (made, pane.size.width):
            return  # the cursor moved within the column
        self._profile_drawn = (made, pane.size.width)
        self.query_one("#profile-pane").border_title = Text(printable(made.name))
        wide = not self.has_class("-narrow")
        pane.update(Text("\n").join(profile_lines(made, wide, max(pane.size.width, 30))))

    # -- finding

    def action_find(self) -> None:
        field = self.query_one("#find", Input)
        field.display = True
        field.focus()

    @on(Input.Submitted, "#find")
    def find(self, event: Input.Submitted) -> None:
        self._wanted = event.value
        self._close_find()
        self.action_find_next()

    def key_escape(self) -> None:
        self._close_find()

    def _close_find(self) -> None:
        field = self.query_one("#find", Input)
        field.display = False
        self.query_one("#table", Grid).focus()

    def action_find_next(self) -> None:
        """The next record with the text, searched in the background."""
        grid = self.query_one("#table", Grid)
        source = grid.source
        if not self._wanted or not isinstance(source, FrameSource):
            self.action_find()
            return
        wanted, after = self._wanted, grid.row

        def found(row: int | None) -> None:
            if row is None:
                self.host.say(f"'{wanted}' is in no record")
            else:
                cells = source.rows(row, row + 1)[0]
                column = next(
                    i for i, c in enumerate(cells) if wanted.casefold() in c.text.casefold()
                )
                grid.go_to(row, column)

        self.compute(lambda: source.find(wanted, after), found, group="find")

    def action_go_to_row(self) -> None:
        height = self.session.table.height

        def check(text: str) -> int:
            digits = text.replace(",", "").strip()
            if not digits.isdigit() or not 1 <= int(digits) <= height:
                raise InputError(f"write a number from 1 to {height:,}")
            return int(digits)

        self.ask(
            AskText("Go to record", hint=f"1 to {height:,}", check=check),
            lambda text: self.query_one("#table", Grid).go_to(check(text) - 1) if text else None,
        )

    # -- reading options

    def action_reading(self) -> None:
        """Change how the file is read, with a preview."""

        def reread(data: DataSource | None) -> None:
            if data is None or data == self.session.project.data:
                return
            session = self.session
            self.compute(lambda: session.reread(data), self.host.replace_session, group="reread")

        self.ask(ReadingDialog(self.session), reread)


def facts_line(session: Session) -> str:
    """`10,000 records × 12 columns · csv, comma, utf-8, header · 37 missing cells`."""
    table, facts = session.table, session.table.facts
    parts = [f"{table.height:,} records × {len(table.names)} columns"]
    if facts is not None:
        reading: list[str] = [facts.format]
        if facts.compression:
            reading.append(facts.compression)
        if facts.format != "parquet":
            names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
            reading.append(names.get(str(facts.delimiter), f"delimiter {facts.delimiter!r}"))
            reading.append(str(facts.encoding))
            reading.append("header" if facts.header else "no header")
        parts.append(", ".join(reading))
        parts.append(size_text(facts.bytes))
    missing = sum(table.missing_cells().values())
    parts.append(f"{missing:,} missing cells" if missing else "no missing cells")
    return " · ".join(parts)


def size_text(size: int) -> str:
    """A file size as people say it."""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def profile_lines(made: ColumnProfile, tall: bool, width: int) -> list[Text]:
    """The profile, one fact a line where there is room, else in a few dense lines."""
    share = made.unique / made.records if made.records else 0
    unique = f"{made.unique:,} occur once" + (f" ({share:.0%} of records)" if made.unique else "")
    facts = [made.kind, f"{made.distinct:,} distinct", f"{made.missing:,} missing", unique]
    lines = [Text(fact) for fact in facts] if tall else [Text(" · ".join(facts))]
    if made.histogram:
        lines += [
            Text(sparkline(made.histogram, width - 2), "bold"),
            Text(printable(f"{made.lowest} … {made.highest}")),
        ]
    most = max((count for _, count in made.top), default=1)
    label = min(max([len(printable(v)) for v, _ in made.top], default=1), width - 16)
    for value, count in made.top[: 8 if tall else 3 if not made.histogram else 1]:
        line = Text(f"{printable(value)[:label]:<{label}} ", no_wrap=True)
        line.append(bar(count / most, max(width - label - 10, 4)), "dim")
        line.append(f" {count:,}")
        lines.append(line)
    return lines
