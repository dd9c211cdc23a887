"""Dialogs that several screens use: a message, a question, a line of text, a choice of a list."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Protocol, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, OptionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.widgets.selection_list import Selection

from kanon_tui.core.errors import KanonError, in_screen_words
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.text import visible, visible_lines
from kanon_tui.widgets.form import Form, Options
from kanon_tui.widgets.lists import CheckList, ChoiceList
from kanon_tui.widgets.status_line import StatusLine

T = TypeVar("T")


class SizedByTerminal(Screen[Any]):
    """A screen with a status line. It ignores a size that the terminal no longer has.

    Its panes can be enlarged. Textual lays a screen out in the size that it is told of, and the
    layout tells the screen that size once more. With two sizes under way each would bring back the
    other for ever. An outdated size is always followed by the current one.

    In a list of base classes it stands after the Textual class, whose styles count.
    """

    @on(events.Mount)
    def add_status_line(self) -> None:
        self.mount(StatusLine())

    @on(events.Resize)
    def ignore_outdated_size(self, event: events.Resize) -> None:
        if event.size != self.app.size:
            event.prevent_default()

    def action_zoom(self) -> None:
        """Enlarge the focused pane to the whole screen, or put it back."""
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            panes = [node for node in self.focused.ancestors_with_self if node.has_class("pane")]
            if panes and isinstance(panes[-1], Widget):
                self.maximized = panes[-1]  # `maximize` refuses what cannot have the focus


class AnsweredOnce(SizedByTerminal):
    """A screen that closes once, whatever arrives after that."""

    is_answered = False
    """Whether an answer was given; the screen may still be in the stack."""
    _answer: Any = None

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close with an answer; ignore a second one, such as of enter twice in one packet."""
        if self.is_answered:
            return AwaitComplete()
        self.is_answered = True
        self._answer = result
        return self._close_in_front()

    def _close_in_front(self) -> AwaitComplete:
        """Close now if it is in front and mounted; otherwise it closes when it comes to the front.

        Textual closes the screen in front, and fails on one that is still being mounted.
        """
        if self.is_active and self.is_mounted:
            return super().dismiss(self._answer)
        return AwaitComplete()

    @on(events.ScreenResume)
    def close_when_in_front(self) -> None:
        """Close if it was answered while another screen was over it."""
        if self.is_answered:
            self._close_in_front()


class Modal(ModalScreen[Any], AnsweredOnce):
    """A screen over others that is answered once.

    Bindings of the application do not reach a modal screen: the general ones are repeated here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "app.help", "Help", show=False, id="help.letter"),
        *(Binding(digit, f"app.screen_by_digit('{digit}')", show=False) for digit in "1234567"),
    ]

    @property
    def is_form(self) -> bool:
        """True if it has fields, which going to another screen must not close."""
        return bool(self.query("Input, TextArea, Select"))


class Dialog(Modal):
    """A box in the middle of the screen with a title; escape closes it without an answer.

    Subclasses define `content`, the widgets below the title.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]

    def __init__(self, title: str = "") -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        with Vertical():
            if self._title:
                yield Label(Text(visible(self._title)), classes="title")
            yield from self.content()

    def asks_like(self, other: Screen[Any]) -> bool:
        """Return whether another dialog is the same question as this one, which is still open."""
        is_same = isinstance(other, Dialog) and other._title == self._title
        return is_same and type(other) is type(self) and not self.is_answered

    def content(self) -> ComposeResult:
        """Yield the widgets below the title."""
        yield from ()

    @on(events.Mount)
    def name_help(self) -> None:
        """Name the keys of help and closing in the frame."""
        for box in self.query("Dialog > Vertical"):
            if not box.border_subtitle:
                box.border_subtitle = "F1 help · esc leaves"

    def show_error(self, error: object = "") -> None:
        """Show what is wrong in the line for it, or nothing."""
        self.query_one("#error", Static).update(Text(visible(in_screen_words(error))))


class FormDialog(Dialog):
    """A dialog with a form of declared fields and two buttons: accept and cancel.

    Subclasses define `answer`, which checks the values and makes the result of them, `follow` if
    something is shown while they are typed, and `below` for the widgets between form and buttons.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "accept", "Accept", priority=True)]
    ACCEPT = "Accept"
    CANCEL = "Cancel"

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        values: Mapping[str, Any],
        options: Options | None = None,
    ) -> None:
        super().__init__(title)
        self.form = Form(fields, values, options)

    def content(self) -> ComposeResult:
        yield self.form
        yield from self.below()
        yield Static("", id="error", classes="error")
        with Horizontal(id="buttons"):
            yield Button(f"{self.ACCEPT} (ctrl+r)", variant="primary", id="accept", compact=True)
            yield Button(self.CANCEL, id="cancel", compact=True)

    def below(self) -> ComposeResult:
        """Yield the widgets between the form and the buttons."""
        yield from ()

    def follow(self, values: dict[str, Any]) -> None:
        """Show something about valid values; called when the dialog opens and at every change."""

    def answer(self, values: dict[str, Any]) -> Any:
        """Return the result of the dialog; raise `KanonError` for values that do not fit."""
        return values

    @on(events.Mount)
    @on(Form.Changed)
    @on(Input.Changed)
    @on(TextArea.Changed)
    def follow_form(self) -> None:
        """Pass the values on while all of them are valid."""
        with suppress(KanonError):
            self.follow(self.form.read())

    def action_accept(self) -> None:
        """Close with the answer, or show why there is none."""
        values = self.form.accept()
        if values is None:
            return
        try:
            self.dismiss(self.answer(values))
        except KanonError as error:
            self.show_error(error)

    @on(Input.Submitted)
    @on(Button.Pressed, "#accept")
    def accept_pressed(self) -> None:
        self.action_accept()

    @on(Button.Pressed, "#cancel")
    @on(Form.Left)
    def leave(self) -> None:
        """Close without an answer."""
        self.dismiss(None)


class Message(Dialog):
    """A message to read before going on."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "dismiss(None)", "Close")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__(title)
        self._text = text

    def content(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Static(Text(visible_lines(self._text)), id="text")
        with Horizontal(id="buttons"):
            yield Button("Close", variant="primary", compact=True)

    def on_button_pressed(self) -> None:
        self.dismiss(None)


class Confirm(Dialog):
    """A question with two answers; returns True, False or None (escape)."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n", "answer(False)", "No"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, title: str, text: str, yes: str = "Yes", no: str = "No") -> None:
        super().__init__(title)
        self._text = text
        self._yes = yes
        self._no = no

    def content(self) -> ComposeResult:
        yield Static(Text(visible_lines(self._text)))
        with Horizontal(id="buttons"):
            yield Button(Text(f"{self._yes} (y)"), variant="primary", id="yes", compact=True)
            yield Button(Text(f"{self._no} (n)"), id="no", compact=True)

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class AskText(Dialog):
    """A line of text, checked as it is typed; returns the text or None."""

    def __init__(
        self, title: str, value: str = "", *, hint: str = "", check: Callable[[str], object] = str
    ) -> None:
        super().__init__(title)
        self._value = value
        self._hint = hint
        self._check = check

    def content(self) -> ComposeResult:
        yield Input(value=self._value, select_on_focus=True)
        yield Static(Text(visible_lines(self._hint)), classes="hint", id="hint")
        yield Static("", classes="error", id="error")

    def problem(self, text: str) -> str:
        """Return what is wrong with a text; empty if nothing is."""
        try:
            self._check(text)
        except KanonError as error:
            return in_screen_words(error)
        return ""

    @on(Input.Changed)
    def show_problem(self, event: Input.Changed) -> None:
        self.show_error(self.problem(event.value))

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """Close with the text if it passes the check."""
        if not self.problem(event.value):
            self.dismiss(event.value)


class Choose(Dialog):
    """A choice of one option; returns its number or None."""

    def __init__(self, title: str, options: list[str], hint: str = "", current: int = 0) -> None:
        super().__init__(title)
        self._options = options
        self._hint = hint
        self._current = current

    def content(self) -> ComposeResult:
        yield ChoiceList(*[Text(visible(option)) for option in self._options])
        if self._hint:
            yield Static(Text(visible_lines(self._hint)), classes="hint")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._current if self._options else None

    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)


class ChooseSeveral(Dialog):
    """A choice of several names; returns at least one, in the order of the list, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "Take the marked", priority=True)
    ]

    def __init__(self, title: str, names: Sequence[str], marked: Iterable[str]) -> None:
        super().__init__(title)
        self._names = names
        self._marked = set(marked)

    def content(self) -> ComposeResult:
        marked = self._marked
        yield CheckList(*(Selection(self.line(name), name, name in marked) for name in self._names))
        yield Static(Text("space marks, enter takes the marked, esc leaves"), classes="hint")

    def line(self, name: str) -> Text:
        """Return the line of a name."""
        return Text(visible(name))

    def action_accept(self) -> None:
        """Close with the marked names if there is at least one."""
        marked = self.query_one(CheckList).selected
        if marked:
            self.dismiss([name for name in self._names if name in marked])
        else:
            self.query_one(".hint", Static).update(Text("mark at least one with space"))


MOST = 200
"""Options listed at once; typing narrows them down."""


class Pick(Dialog):
    """A choice of one text by typing a part of it; returns the text or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "go(1)", show=False),
        Binding("up", "go(-1)", show=False),
    ]

    def __init__(self, title: str, texts: Sequence[str]) -> None:
        super().__init__(title)
        self._texts = texts
        self._listed: list[str] = []

    def content(self) -> ComposeResult:
        yield Input(placeholder="type a part of it")
        yield ChoiceList(id="found")
        yield Static(id="more", classes="hint")

    def on_mount(self) -> None:
        self._find("")

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        self._find(event.value)

    def _find(self, typed: str) -> None:
        """List the texts that begin with what was typed, then those that contain it."""
        wanted = typed.casefold()
        hits = [text for text in self._texts if wanted in text.casefold()]
        hits.sort(key=lambda text: not text.casefold().startswith(wanted))
        self._listed = hits[:MOST]
        found = self.query_one("#found", OptionList)
        found.clear_options()
        found.add_options([Option(Text(visible(text) or "·"), id=text) for text in self._listed])
        found.highlighted = 0 if self._listed else None
        more = f"{len(hits) - MOST:,} more; type to narrow down. " if len(hits) > MOST else ""
        self.query_one("#more", Static).update(
            Text(more + "↑ ↓ choose, enter takes it" if hits else "none has this")
        )

    def action_go(self, step: int) -> None:
        """Move in the list while the field keeps the focus."""
        found = self.query_one("#found", OptionList)
        if found.highlighted is not None:
            found.highlighted = max(0, min(found.highlighted + step, len(self._listed) - 1))

    @on(Input.Submitted)
    def submit(self) -> None:
        place = self.query_one("#found", OptionList).highlighted
        if place is not None:
            self.dismiss(self._listed[place])

    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)  # its index may be of a list that was replaced


class Asker(Protocol):
    """An object that opens dialogs: a screen, a widget or the application's host."""

    def ask(self, dialog: Screen[Any], answered: Callable[[Any], object]) -> None:
        """Open a dialog and call `answered` with its result, unless it is left without one."""
        ...


def confirm(asker: Asker, question: Confirm, then: Callable[[], object]) -> None:
    """Ask a question and call `then` if the answer is yes."""
    asker.ask(question, lambda answer: then() if answer else None)


def choose(
    asker: Asker,
    title: str,
    options: Sequence[tuple[str, Callable[[], object]]],
    hint: str = "",
    current: int = 0,
) -> None:
    """Ask for one of several actions by their titles, and call the one chosen."""
    dialog = Choose(title, [text for text, _ in options], hint, current)
    asker.ask(dialog, lambda number: options[number][1]())


def ask_text(
    asker: Asker,
    title: str,
    take: Callable[[T], object],
    parse: Callable[[str], T],
    value: str = "",
    hint: str = "",
) -> None:
    """Ask for a line of text that `parse` accepts, and call `take` with what it makes of it."""
    dialog = AskText(title, value, hint=hint, check=parse)
    asker.ask(dialog, lambda text: take(parse(text)))
