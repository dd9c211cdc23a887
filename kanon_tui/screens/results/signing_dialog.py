"""What the report says for those who answer for the release, typed where the release is made."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label, Static, TextArea

from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.project.report_texts import ReportTexts
from kanon_tui.widgets.dialogs import FormDialog

__all__ = ["SigningDialog"]

_SEVERAL = ("decisions", "signed_by")
"""Texts of several lines, each one of its own."""


class SigningDialog(FormDialog):
    """Gives `ReportTexts`, or None."""

    HELP = """## The page to sign

A report begins with a page for those who answer for the release. It says what the release is for
and who gets it, and ends with what was decided and a line for every signature. These texts are
kept in the project (`report`), and stand in the report as they are written here.

*decisions* and *signed by* take a line each: `k = 5, by the data protection officer`.

`ctrl+r` accepts; `tab` goes to the next field. Example: type a purpose, accept, then export the
*report*: it stands under its title.
"""
    DEFAULT_CSS = """
    SigningDialog .field { height: 1; }
    SigningDialog .field Label { width: 12; }
    SigningDialog .tall, SigningDialog .tall TextArea { height: 4; }
    SigningDialog TextArea { border: none; padding: 0; width: 1fr; }
    SigningDialog Input { width: 1fr; }
    SigningDialog #meaning { margin-top: 1; height: 1; }
    """

    def __init__(self, texts: ReportTexts) -> None:
        super().__init__()
        self._texts = texts

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("What does the report say?", classes="title")
            for field in fields_of(ReportTexts):
                value = getattr(self._texts, field.name)
                several = field.name in _SEVERAL
                with Horizontal(classes="field tall" if several else "field"):
                    yield Label(field.name.replace("_", " "))
                    if several:
                        yield TextArea("\n".join(value), compact=True, id=field.name)
                    else:
                        yield Input(value, compact=True, id=field.name)
            yield Static(id="meaning", classes="hint")
            yield from self.buttons()

    def on_descendant_focus(self) -> None:
        """Say what the field is for."""
        said = {field.name: field.help for field in fields_of(ReportTexts)}
        focused = self.focused.id if self.focused is not None else None
        text = said.get(focused or "", "")
        if focused in _SEVERAL:
            text += "; one on each line"
        self.query_one("#meaning", Static).update(Text(text))

    def typed(self) -> ReportTexts:
        """What the fields say."""
        return ReportTexts(
            purpose=self._line("purpose"),
            recipients=self._line("recipients"),
            decisions=self._lines("decisions"),
            signed_by=self._lines("signed_by"),
        )

    def _line(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def _lines(self, name: str) -> tuple[str, ...]:
        lines = self.query_one(f"#{name}", TextArea).text.splitlines()
        return tuple(line.strip() for line in lines if line.strip())

    def action_accept(self) -> None:
        self.dismiss(self.typed())
