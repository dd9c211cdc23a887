"""The dialog that explains a cell, an attribute or a suppressed record."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.why import Why
from kanon_tui.screens.dialogs import Dialog
from kanon_tui.widgets.grid import printable
from kanon_tui.widgets.tint import tint

__all__ = ["WhyDialog", "why_text"]


class WhyDialog(Dialog):
    """The whole explanation; escape closes."""

    HELP = """## Why

The class of the record, what one step finer would do, and single changes that would have allowed
it. Each was tried on the data, with all else as it is.
"""
    DEFAULT_CSS = """
    WhyDialog > Vertical { width: 84; }
    WhyDialog VerticalScroll { height: auto; max-height: 100%; }
    WhyDialog #why { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,w,q", "dismiss_none", "Close"),
    ]

    def __init__(self, why: Why) -> None:
        super().__init__()
        self.why = why

    def compose(self) -> ComposeResult:
        """Question, answer, changes, rules."""
        with Vertical(), VerticalScroll():
            yield Static(id="why")

    def on_mount(self) -> None:
        """Write the text and let the arrow keys scroll it."""
        self.query_one("#why", Static).update(why_text(self.why, self))
        self.query_one(VerticalScroll).focus()


def why_text(why: Why, widget: Widget) -> Text:
    """The explanation as text; values are shown as they are."""
    text = Text.assemble((f"{printable(why.question)}\n\n", "bold"))
    if why.because:
        text.append(f"Because {printable(why.because)}.\n\n")
    for fact in why.facts:
        text.append(f"{printable(fact)}\n")
    if why.changes:
        text.append("\nWhat would have kept more, each alone:\n", "bold")
        for change in why.changes:
            text.append("  • ", tint(widget, "accent"))
            text.append(f"{printable(change.sentence)}\n")
    elif why.because:
        text.append("\nNo single change would have kept more.\n", "bold")
    if why.rules:
        text.append("\nRules:\n", "bold")
        for verdict in why.rules:
            mark, colour = ("✓ keeps", "success") if verdict.kept else ("✗ breaks", "error")
            text.append(f"  {mark} ", tint(widget, colour))
            text.append(f"{printable(verdict.rule)} (importance {verdict.importance:g})\n")
    text.rstrip()
    return text
