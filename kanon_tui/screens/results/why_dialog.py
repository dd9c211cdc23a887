"""The dialog that explains a cell, an attribute or a suppressed record."""

from collections.abc import Iterator
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.why.reasons import Why
from kanon_tui.core.text import visible
from kanon_tui.widgets.dialogs import Dialog
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.lists import ScrollPane


class WhyDialog(Dialog):
    """The explanation of a cell, an attribute or a suppressed record; escape closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,w,q", "dismiss_none", "Close")]

    def __init__(self, why: Why) -> None:
        super().__init__()
        self.why = why

    def compose(self) -> ComposeResult:
        with Vertical(), ScrollPane():
            yield from self._parts(self.why)

    def on_mount(self) -> None:
        """Stay clear of the cell that is explained, and let the arrow keys scroll."""
        self.query_one(Vertical).border_subtitle = "↑ ↓ scroll, esc closes"
        asked = self.app.screen_stack[-2].focused
        if isinstance(asked, Grid):
            row = asked.region.y + asked.row - asked.scroll_offset.y
            self.styles.align_vertical = "bottom" if 2 * row < self.size.height else "top"
        self.query_one(ScrollPane).focus()

    def _parts(self, why: Why) -> Iterator[Widget]:
        """Yield the answer, single changes that would have kept more, and the rules."""
        yield Static(_answer(why), id="why")
        if why.changes:
            yield Static("What would have kept more, each alone:", classes="head")
        elif why.because:
            yield Static("No single change would have kept more.", classes="head")
        for change in why.changes:
            yield _item(Text("• ", theme_style(self, "accent")), change.sentence)
        if why.rules:
            yield Static("Rules:", classes="head")
        for verdict in why.rules:
            mark, colour = ("✓ keeps ", "success") if verdict.kept else ("✗ breaks ", "error")
            sentence = f"{verdict.rule} (importance {verdict.importance:g})"
            yield _item(Text(mark, theme_style(self, colour)), sentence)


def _answer(why: Why) -> Text:
    """Return the question and its answer; values are shown as they are."""
    text = Text.assemble((f"{visible(why.question)}\n", "bold"))
    if why.because:
        text.append(f"\nBecause {visible(why.because)}.\n")
    if why.facts:
        text.append("\n")
    for fact in why.facts:
        text.append(f"{visible(fact)}\n")
    text.rstrip()
    return text


def _item(mark: Text, sentence: str) -> Widget:
    """Return a mark and a text that wraps beside it."""
    text = Static(Text(visible(sentence)), classes="sentence")
    return Horizontal(Static(mark, classes="mark"), text, classes="item")
