"""Help and the command palette: what can be done on a screen now, and with which keys."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.text import Text
from textual import on
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette
from textual.containers import Vertical
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Input, Markdown, OptionList, Static

from kanon_tui.widgets.dialogs import AnsweredOnce, Dialog
from kanon_tui.widgets.lists import ScrollPane

UNLISTED = frozenset({"screen.copy_text", "copy_or_hint"})
"""Actions of keys that are not listed: copying selected text, the hint which key quits."""


@dataclass(frozen=True)
class KeyGroup:
    """Keys of one group: how each is shown, and what it does."""

    title: str
    keys: tuple[tuple[str, str], ...]


def key_groups(screen: Screen[Any]) -> list[KeyGroup]:
    """Return the keys that work now: of the screen, of motions, and of every screen."""
    app: App[Any] = screen.app
    on_screen: dict[str, tuple[str, str]] = {}
    motions = dict(on_screen)
    everywhere = dict(on_screen)
    for active in screen.active_bindings.values():
        binding = active.binding
        node = active.node
        if not (active.enabled and binding.description) or binding.action in UNLISTED:
            continue
        if node is app or binding.action.startswith("app."):
            group = everywhere
        elif node is screen or not (binding.id or "move.").startswith(("move.", "list.")):
            group = on_screen
        else:
            group = motions
        shown = app.get_key_display(binding)
        known = group.get(binding.action)
        group[binding.action] = (f"{known[0]} {shown}" if known else shown, binding.description)
    named = (("Keys here", on_screen), ("Moving", motions), ("Everywhere", everywhere))
    return [KeyGroup(title, tuple(group.values())) for title, group in named if group]


@cache
def help_texts() -> dict[str, str]:
    """Return the sections of `help.md` by the name of the class that they explain."""
    written = Path(__file__).with_name("help.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^# (\w+)$", written, flags=re.MULTILINE)
    return dict(zip(sections[::2], map(str.strip, sections[1::2]), strict=True))


def help_text(node: type[DOMNode]) -> str:
    """Return the explanation of a class of screens or widgets, or of a class it inherits from."""
    texts = help_texts()
    return next((texts[each.__name__] for each in node.__mro__ if each.__name__ in texts), "")


def explanation(screen: Screen[Any]) -> str:
    """Return the help of the focused widget, of its ancestors and of the screen.

    A widget may have `words`: lines about the terms that it uses at the moment. A panel made
    from a declaration has its explanation as `help`.
    """
    texts = []
    for node in [*(screen.focused.ancestors_with_self if screen.focused else ()), screen]:
        words: Sequence[str] = getattr(node, "words", ())
        explained = help_text(type(node)) or getattr(node, "help", "")
        texts += [explained, "\n".join(["### Words", "", *words]) if words else ""]
    return "\n\n".join(dict.fromkeys(filter(None, texts)))


class Help(Dialog):
    """A dialog with the keys that work now and what the focused pane is for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,enter,q,question_mark", "dismiss(None)", "Close", show=False)
    ]

    def __init__(self, groups: Sequence[KeyGroup], markdown: str) -> None:
        super().__init__()
        self.groups = groups
        self.markdown = markdown

    def compose(self) -> ComposeResult:
        with Vertical(), ScrollPane():
            yield Static(in_columns(self.groups[:1]), id="keys")
            yield Markdown(self.markdown)
            yield Static(in_columns(self.groups[1:]), id="other-keys")

    def on_mount(self) -> None:
        self.query_one(Vertical).border_subtitle = "↑ ↓ scroll · esc goes back"


def in_columns(groups: Sequence[KeyGroup]) -> Group:
    """Return every group below its title, with its keys in columns of equal width."""
    parts: list[RenderableType] = []
    for group in groups:
        width = max(cell_len(key) for key, _ in group.keys) + 1
        lines = [
            Text.assemble((set_cell_size(key, width), "bold"), what) for key, what in group.keys
        ]
        parts.append(Text(group.title, "bold underline"))
        parts.append(Columns(lines, padding=(0, 2, 0, 0), equal=True, column_first=True))
    return Group(*parts)


class Palette(CommandPalette, AnsweredOnce):
    """Textual's palette, which a second enter neither closes twice nor makes run its command again.

    It has no id, so that there may be one below a dialog or on another screen at the same time.
    """

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible; pages are only where the list has room for one."""
        is_page = parameters in (("page_down",), ("page_up",))
        lists = self.query(CommandList)
        return not is_page or any(each.scrollable_content_region for each in lists)

    @on(Input.Submitted)
    @on(Button.Pressed)
    @on(OptionList.OptionSelected)
    def ignore_when_closed(self, event: Message) -> None:
        """Ignore a second choice that arrives before the palette is gone."""
        if self.is_answered:
            event.stop()
            event.prevent_default()


def screen_commands(screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Yield the actions of a screen that can be taken now, with their keys."""
    app: App[Any] = screen.app
    listed = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        node = active.node
        is_motion = (binding.id or "move.").startswith(("move.", "list."))
        of_app = node is app or binding.action.startswith("app.")  # listed on every screen
        if of_app or is_motion or not active.enabled or binding.action in listed:
            continue
        listed.add(binding.action)
        title = binding.tooltip or binding.description
        yield SystemCommand(
            title[:1].upper() + title[1:],
            f"{app.get_key_display(binding)} on this screen",
            lambda action=binding.action, at=node: app.call_later(app.run_action, action, at),
        )
