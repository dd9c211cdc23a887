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
from functools import partial
from typing import cast

from textual.dom import DOMNode

from kanon_tui.core.errors import InputError
from kanon_tui.core.text import visible
from kanon_tui.services.host import Host, Hosted
from kanon_tui.widgets.dialogs import Confirm, choose, confirm
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import PagedRows

LARGEST = 50_000
"""Bytes; many terminals silently drop a longer OSC 52."""
PATIENCE = 2.0
"""Seconds for tmux to answer."""


def ask_what_to_copy(
    screen: Hosted, grid: Grid, names: Sequence[str], identifiers: Collection[str] = ()
) -> None:
    """Ask whether to copy the cell, row or column under the cursor of a grid, and send it.

    A row is copied without its identifiers, and a question comes before a column of them.
    """
    rows, row, x = grid.source, grid.row, grid.column
    if not isinstance(rows, PagedRows) or not rows.height:
        return
    cells = rows.record(row)
    if cells is None:
        return  # its page is still being read
    column, identifies = visible(names[x]), names[x] in identifiers
    without = " without its identifiers" if identifiers else ""
    kept = [cell for name, cell in zip(names, cells, strict=True) if name not in identifiers]

    def offer(title: str, make: Callable[[], str], identifies: bool) -> None:
        copy = partial(send, screen.host, cast("DOMNode", screen), make, title)
        if not identifies:
            copy()
            return
        text = f"{column} is an identifier: a copy of it leaves Kanon and names people."
        confirm(screen, Confirm("Copy an identifier?", text, "Copy it", "Leave it"), copy)

    makers: list[tuple[str, Callable[[], str], bool]] = [
        (f"the cell of {column}", lambda: cells[x], identifies),
        (f"the row{without}", lambda: "\t".join(map(_field, kept)), False),
        (
            f"the column {column}, as it is shown",
            lambda: "\n".join(map(_field, rows.column_cells(row, x))),
            identifies,
        ),
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
