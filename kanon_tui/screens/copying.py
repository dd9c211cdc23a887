"""Copying a cell, a row or a column to the clipboard of the terminal.

A program in a terminal cannot see the clipboard. It sends the text in an escape sequence (OSC 52,
in base64, so that no text can control the terminal), inside tmux through tmux, and says that the
text was sent; whether the terminal keeps it is unknown.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import cast

from textual.dom import DOMNode

from kanon_tui.core.errors import InputError
from kanon_tui.core.text import visible
from kanon_tui.services.host import Host, Hosted
from kanon_tui.widgets.dialogs import Confirm, choose, confirm

LARGEST = 50_000
"""Bytes; many terminals silently drop a longer OSC 52."""
PATIENCE = 2.0
"""Seconds for tmux to answer."""


@dataclass(frozen=True)
class Copyable:
    """The cell, row and column under the cursor of a table."""

    names: Sequence[str]
    column: str
    row: Callable[[], Sequence[str]]
    """Returns the cells of the row, as they are in the table."""
    cells: Callable[[], Sequence[str]]
    """Returns the cells of the column that are shown."""
    identifiers: Collection[str] = ()

    @property
    def cell(self) -> str:
        """The cell under the cursor."""
        return self.row()[self.names.index(self.column)]

    def row_text(self) -> str:
        """Return the row without its identifiers, separated by tabs."""
        cells = zip(self.names, self.row(), strict=True)
        return "\t".join(_field(cell) for name, cell in cells if name not in self.identifiers)

    def column_text(self) -> str:
        """Return the cells of the column that are shown, one per line."""
        return "\n".join(map(_field, self.cells()))


def ask_what_to_copy(screen: Hosted, what: Copyable) -> None:
    """Ask whether to copy cell, row or column, and send it; confirm before an identifier."""
    column = visible(what.column)
    without = " without its identifiers" if what.identifiers else ""

    def offer(title: str, make: Callable[[], str], identifies: bool) -> None:
        copy = partial(send, screen.host, cast("DOMNode", screen), make, title)
        if not identifies:
            copy()
            return
        text = f"{column} is an identifier: a copy of it leaves Kanon and names people."
        confirm(screen, Confirm("Copy an identifier?", text, "Copy it", "Leave it"), copy)

    identifies = what.column in what.identifiers
    makers: list[tuple[str, Callable[[], str], bool]] = [
        (f"the cell of {column}", lambda: what.cell, identifies),
        (f"the row{without}", what.row_text, False),
        (f"the column {column}, as it is shown", what.column_text, identifies),
    ]
    hint = "It is sent to the terminal; whether the clipboard has it then, only the terminal knows."
    choose(screen, "Copy", [(each[0], partial(offer, *each)) for each in makers], hint)


def send(host: Host, owner: DOMNode, make: Callable[[], str], what: str) -> None:
    """Make a text in the background, send it to the terminal or to tmux around it, and say so."""

    def work() -> str | None:
        text = check_size(make())
        return None if to_tmux(text) else text

    def sent(text: str | None) -> None:
        if text is not None:
            host.app.copy_to_clipboard(text)
        host.notify(f"sent to the terminal: {what}")

    host.background.compute(owner, work, sent, group="copy")


def check_size(text: str) -> str:
    """Return the text if terminals take one of its size; raise `InputError` otherwise."""
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        raise InputError(
            f"that is {size:,} bytes, and terminals take about {LARGEST:,}; "
            f"filter the rows, or export to a file"
        )
    return text


def to_tmux(text: str) -> bool:
    """Hand a text to tmux, which passes it on; return False if there is no tmux."""
    command = shutil.which("tmux")
    if not os.environ.get("TMUX") or command is None:
        return False
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [command, "load-buffer", "-w", "-"],
            input=text.encode("utf-8", "replace"),
            timeout=PATIENCE,
            capture_output=True,
            check=False,
        )
        return done.returncode == 0
    return False


def _field(cell: str) -> str:
    """Return a cell of a row, quoted where it would break the row."""
    if any(sign in cell for sign in '\t\n\r"'):
        return '"' + cell.replace('"', '""') + '"'
    return cell
