"""A dialog that asks for a path: typed with completion, or chosen from a list of files.

Anything may be typed. `os.path` says no where `Path` raises: an unknown user after `~`, a name that
is too long, a folder that may not be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.suggester import Suggester
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.errors import KanonError
from kanon_tui.core.text import visible, visible_lines
from kanon_tui.widgets.dialogs import Asker, Confirm, Dialog, confirm
from kanon_tui.widgets.lists import ChoiceList

_SHOWN = 9
"""Endings that are named below the list."""
UP = ".."
"""The line of the list that goes to the folder above."""
MOST = 200
"""Files listed at once; typing narrows them down."""


@dataclass(frozen=True)
class Listing:
    """A filter of the files of a folder: folders always, files by type."""

    endings: Collection[str] = ()
    every_type: bool = False
    hidden: bool = False

    def completions(self, typed: str, most: int = MOST) -> list[str]:
        """Return the paths that begin with what was typed; folders end in a slash."""
        path = typed_path(typed)
        folder, stem = (path, "") if typed.endswith("/") or not typed else (path.parent, path.name)
        prefix = typed[: len(typed) - len(stem)] if stem else typed
        try:
            entries = sorted(folder.iterdir(), key=lambda e: (not os.path.isdir(e), e.name.lower()))
            found = [
                entry
                for entry in entries
                if entry.name.startswith(stem) and self._lists(entry, stem)
            ]
        except OSError:
            return []
        return [f"{prefix}{one.name}{'/' if os.path.isdir(one) else ''}" for one in found[:most]]

    def _lists(self, entry: Path, stem: str) -> bool:
        if entry.name.startswith(".") and not (self.hidden or stem.startswith(".")):
            return False
        fits = self.every_type or not self.endings or entry.suffix.lower() in self.endings
        return fits or os.path.isdir(entry)

    def __str__(self) -> str:
        if not self.endings or self.every_type:
            return "all files" + (", hidden too" if self.hidden else "")
        shown = list(self.endings)[:_SHOWN]
        more = len(self.endings) - _SHOWN
        words = " ".join(shown) + (f" and {more} more" if more > 0 else "")
        return words + (", hidden too" if self.hidden else "")


def typed_path(typed: str) -> Path:
    """Return a path as it was typed, from the home folder after `~`."""
    return Path(os.path.expanduser(typed))


def folder_above(typed: str) -> str | None:
    """Return the parent of the listed folder, absolute or relative as typed; None for `/`."""
    folder = typed[: typed.rfind("/") + 1]
    if folder == "/":
        return None
    if not folder or folder.endswith("../"):
        return f"{folder}../"
    if folder in ("~/", "./"):
        above = typed_path(folder).resolve().parent
        return f"{str(above).rstrip('/')}/"
    return folder[: folder.rstrip("/").rfind("/") + 1]


class PathSuggester(Suggester):
    """Completes file names as a shell does."""

    def __init__(self, dialog: AskPath) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._dialog = dialog

    async def get_suggestion(self, value: str) -> str | None:
        """Return the first path that begins with what was typed."""
        found = self._dialog.listing.completions(value, most=1)
        return found[0] if found else None


class AskPath(Dialog):
    """A path with completion and a list of files; returns a Path or None.

    `endings` are the types that are listed; `problem` says what is wrong with the path `value`. A
    path of another type gets the `ending`, where there is one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", priority=True),
        Binding("down", "into_list", show=False, priority=True),  # a long path would scroll
        Binding("f2", "hidden", "hidden files", id="files.hidden"),
        Binding("f3", "every_type", "all types", id="files.types"),
    ]

    def __init__(
        self, title: str, value: str = "", hint: str = "", *,
        endings: Collection[str] = (), problem: str = "", ending: str = "",
    ) -> None:  # fmt: skip
        super().__init__(title)
        self._value = value
        self._hint = hint
        self._problem = problem
        self._ending = ending
        self.listing = Listing(endings)
        self._listed: list[str] = []

    def again(self, path: Path, problem: object) -> AskPath:
        """Return the same question with a path that will not do, and why."""
        endings = self.listing.endings
        ending = self._ending
        return AskPath(
            self._title, str(path), self._hint, endings=endings, problem=str(problem), ending=ending
        )

    def content(self) -> ComposeResult:
        yield Input(value=self._value, suggester=PathSuggester(self), select_on_focus=False)
        yield Static(Text(visible_lines(self._problem)), classes="error", id="problem")
        yield ChoiceList(id="files")
        yield Static(classes="hint", id="listed")
        yield Static(Text(self._hint or "tab completes, ↓ list, enter accepts"), classes="hint")

    def on_mount(self) -> None:
        self.query_one("#problem").set_class(bool(self._problem), "-shown")
        self._fill(self._value)

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        """List the files for another path; the problem with the one before no longer holds."""
        if event.value != self._value:
            self.query_one("#problem").set_class(False, "-shown")
        self._fill(event.value)

    def _fill(self, value: str) -> None:
        self._listed = self.listing.completions(value)
        files = self.query_one("#files", OptionList)
        files.clear_options()
        if folder_above(value) is not None:
            files.add_option(Option(Text(UP), id=UP))
        files.add_options([Option(Text(visible(name)), id=name) for name in self._listed])
        if files.has_focus:
            files.highlighted = 0
        shown = f"{self.listing} · F2 hidden" + (" · F3 all types" if self.listing.endings else "")
        self.query_one("#listed", Static).update(Text(shown))

    def action_hidden(self) -> None:
        self._list(replace(self.listing, hidden=not self.listing.hidden))

    def action_every_type(self) -> None:
        self._list(replace(self.listing, every_type=not self.listing.every_type))

    def _list(self, listing: Listing) -> None:
        self.listing = listing
        self._fill(self.query_one(Input).value)

    def action_complete(self) -> None:
        if self._listed:
            self._write(self._listed[0])
        self.query_one(Input).focus()

    def _write(self, path: str) -> None:
        field = self.query_one(Input)
        field.value = path
        field.cursor_position = len(path)

    def action_into_list(self) -> None:
        files = self.query_one("#files", OptionList)
        if files.has_focus:
            raise SkipAction  # the list moves its own cursor
        if files.option_count:
            self.set_focus(files)  # at once: an `enter` may have been typed with it
            files.highlighted = 0

    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionSelected) -> None:
        chosen = event.option_id or ""  # its index may be of a list that was replaced
        if chosen == UP:
            chosen = folder_above(self.query_one(Input).value) or "/"
        self._write(chosen)
        if chosen and not chosen.endswith("/"):
            self.dismiss(typed_path(chosen))

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """Close with the path, or list it if it is a folder."""
        typed = event.value.strip()
        path = typed_path(typed)
        if not typed:
            return
        if os.path.isdir(path):
            self._write(typed.rstrip("/") + "/")
            self.action_into_list()
        else:
            fits = not self._ending or path.suffix.lower() in (self._ending, *self.listing.endings)
            self.dismiss(path if fits else path.with_name(path.name + self._ending))


def ask_target(
    asker: Asker, dialog: AskPath, write: Callable[[Path], object],
    check: Callable[[Path], object] = str, holds: Callable[[Path], str] = lambda _: "",
) -> None:  # fmt: skip
    """Ask for a file to write, and call `write` with it.

    A path that `check` refuses with a `KanonError` is asked for again, with the reason. Before a
    file is replaced there is a question, which says what it `holds`.
    """

    def answered(path: Path) -> None:
        try:
            check(path)
        except KanonError as error:
            ask_target(asker, dialog.again(path, error), write, check, holds)
            return
        if not os.path.exists(path):
            write(path)
            return
        text = f"{path.name} exists already{holds(path)}."
        question = Confirm("Replace it?", text, "Replace", "Keep it")
        confirm(asker, question, lambda: write(path))

    asker.ask(dialog, answered)
