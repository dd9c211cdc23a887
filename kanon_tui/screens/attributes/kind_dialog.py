"""What the values of a column are, and how they are written: a list of readings with a preview."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import polars as pl
from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label, OptionList, Static

from kanon_tui.core.errors import KanonError
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.value_formats import Format, Parsed, Reading, parsed, readings
from kanon_tui.core.text import quoted_list, visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Dialog
from kanon_tui.widgets.lists import ChoiceList

__all__ = ["KindDialog"]

EXAMPLES = 5
TAKE = "take"
"""The group of the work that may end the dialog: keys that come meanwhile wait for it."""
Choice = tuple[Kind, Format | None]


class KindDialog(Hosted, Dialog):
    """Gives a kind with its format, or None."""

    HELP = """## Kind and format

Every way in which the values can be read: as numbers with a decimal mark and a mark between the
thousands, as dates of some form, as plain texts. The preview shows what the values under the
highlighted line are read as, and how many cannot be read so. `enter` takes the line.

A date of another form: `tab` to *own pattern* and type it with `%d` day, `%m` month, `%Y` year of
four digits, `%y` of two, `%H:%M` a clock time. Example: `%d.%m.%y` reads 31.12.99.
"""
    DEFAULT_CSS = """
    KindDialog > Vertical { height: auto; }
    KindDialog OptionList { max-height: 8; border: none; padding: 0; }
    KindDialog #own { height: 1; }
    KindDialog #own Label { width: 14; }
    KindDialog #own Input { width: 1fr; }
    KindDialog #preview { height: 6; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Own pattern"),
    ]

    def __init__(
        self, name: str, texts: pl.Series, missing_tokens: tuple[str, ...], current: Choice
    ) -> None:
        super().__init__()
        self._column, self._texts, self._tokens = name, texts, missing_tokens
        self._current = current
        self._readings: tuple[Reading, ...] = ()

    def compose(self) -> ComposeResult:
        own = self._current[1]
        with Vertical():
            yield Label(Text(f"What is {visible(self._column)}?"), classes="title")
            yield ChoiceList(id="readings")
            with Horizontal(id="own"):
                yield Label("own pattern")
                yield Input(
                    own if isinstance(own, str) else "",
                    placeholder="%d.%m.%y",
                    compact=True,
                    id="pattern",
                )
            yield Static(id="preview")
            yield Static("", id="error", classes="error")
            yield Static("enter takes it · tab: a date pattern of your own", classes="hint")

    def on_mount(self) -> None:
        self.query_one("#readings").focus()
        texts, tokens = self._texts, self._tokens
        self.compute(lambda: readings(texts, tokens), self._fill, group="readings", holds_keys=True)

    def _fill(self, found: tuple[Reading, ...]) -> None:
        self._readings = found
        choices = self.query_one("#readings", OptionList)
        width = max(cell_len(each.title) for each in found)
        for each in found:
            how = "all values" if each.read == each.sample else f"{each.read / each.sample:.0%}"
            choices.add_option(Text(f"{each.title:<{width}}  {how}", no_wrap=True))
        known = [(each.kind, each.format) for each in found]
        kinds = [each.kind for each in found]
        if self._current in known:
            choices.highlighted = known.index(self._current)
        else:
            kind = self._current[0]
            choices.highlighted = kinds.index(kind) if kind in kinds else 0

    # -- the preview

    @on(OptionList.OptionHighlighted)
    def follow_list(self, event: OptionList.OptionHighlighted) -> None:
        each = self._readings[event.option_index]
        self._preview((each.kind, each.format))

    @on(Input.Changed, "#pattern")
    def follow_pattern(self, event: Input.Changed) -> None:
        if event.value.strip() and event.input.has_focus:
            self._preview((Kind.DATE, event.value.strip()))

    def _preview(self, choice: Choice) -> None:
        self._parse(choice, self._show, "preview")

    def _parse(self, choice: Choice, done: Callable[[Parsed], object], group: str) -> None:
        texts, tokens = self._texts, self._tokens
        self.compute(
            lambda: parsed(texts, tokens, *choice, EXAMPLES),
            done,
            group=group,
            failed=self._failed,
            holds_keys=group == TAKE,
        )

    def _show(self, found: Parsed) -> None:
        width = min(30, max([0, *(cell_len(visible(text)) for text, _ in found.examples)]))
        lines = [
            Text(f"{visible(text)[:width]:<{width}} → {visible(read)}", no_wrap=True)
            for text, read in found.examples
        ]
        self.query_one("#preview", Static).update(Text("\n").join(lines))
        self.query_one("#error", Static).update(Text(visible(unread_sentence(found))))

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, KanonError):
            self.host.fail(error)
            return
        self.query_one("#preview", Static).update("")
        self.query_one("#error", Static).update(Text(visible(str(error))))

    # -- taking one

    @on(OptionList.OptionSelected)
    def take_line(self, event: OptionList.OptionSelected) -> None:
        each = self._readings[event.option_index]
        self._take((each.kind, each.format))

    @on(Input.Submitted, "#pattern")
    def take_pattern(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._take((Kind.DATE, event.value.strip()))

    def _take(self, choice: Choice) -> None:
        """Only what reads every value: the others would keep a run from starting."""

        def checked(found: Parsed) -> None:
            self._show(found)
            if not found.unread:
                self.dismiss(choice)

        self._parse(choice, checked, TAKE)


def unread_sentence(found: Parsed) -> str:
    """How many values cannot be read, with examples; empty when all can."""
    if not found.unread:
        return ""
    return (
        f"{found.unread:,} of {found.distinct:,} different values cannot be read so: "
        f"{quoted_list(found.unread_examples)}. If they stand for missing values, add them to the "
        f"tokens (1 Data, r)."
    )
