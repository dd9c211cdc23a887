"""What Kanon guessed of the columns: accepting it, one or all, and setting kind and format."""

from __future__ import annotations

from rich.text import Text

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.attributes import coded_column
from kanon_tui.core.table.role_guesses import guess_attribute
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.value_formats import Format
from kanon_tui.core.text import visible
from kanon_tui.screens.attributes.kind_dialog import Choice, KindDialog
from kanon_tui.screens.attributes.marking import AttributeMarking

__all__ = ["GuessingScreen"]


class GuessingScreen(AttributeMarking):
    """The part of the Attributes screen that deals with guesses."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys that accept guesses are shown while there are some."""
        if action == "accept_all":
            return self.host.session is not None and bool(self.host.session.guessed)
        return super().check_action(action, parameters)

    def action_accept_all(self) -> None:
        """Confirm every guess in one undoable step."""
        count = len(self.session.guessed)
        self.edit(self.session.project.confirmed(), "all guesses accepted")
        self.refresh_bindings()
        self.host.say(f"{count:,} guesses accepted (ctrl+z undoes)")

    def accept_chosen(self) -> None:
        """Confirm the guesses of the chosen rows."""
        names = [name for name in self.chosen if self.session.attribute(name).guessed]
        if names:
            self.edit(self.session.project.confirmed(names), f"accepted: {', '.join(names)}")
            self.refresh_bindings()

    def show_reason(self) -> None:
        """Why the column under the cursor was guessed to be what it is, below the table."""
        session, name = self.session, self.current
        pane = self.query_one("#attributes-pane")
        if not session.attribute(name).guessed:
            pane.border_subtitle = ""
            return
        room = max(pane.size.width - 6, 20)

        def show(reason: str) -> None:
            said = visible(f"{name}: {reason}")
            pane.border_subtitle = Text(said if len(said) <= room else said[: room - 1] + "…")

        self.compute(lambda: _reason(session, name), show, group="reason")

    def action_kind(self) -> None:
        """Choose kind and format from a list with a preview."""
        session, name = self.session, self.current
        spec = session.attribute(name)

        def current() -> Choice:
            """As it is read now; the format may have been found by looking."""
            try:
                column = coded_column(session.table, name, spec)
            except KanonError:
                return spec.kind or Kind.CATEGORICAL, spec.format
            format: Format = column.date_format or column.number_format
            return column.kind, format if column.kind.ordered else None

        def taken(choice: Choice | None) -> None:
            if choice is not None:
                kind, format = choice
                self.edit_attributes([name], f"{name}: {kind}", kind=kind, format=format)

        def ask(found: Choice) -> None:
            texts, tokens = session.table.frame[name], session.table.missing_tokens
            self.ask(KindDialog(name, texts, tokens, found), taken)

        self.compute(current, ask, group="kind", holds_keys=True)


def _reason(session: Session, name: str) -> str:
    return guess_attribute(session.table, name).reason
