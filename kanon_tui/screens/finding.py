"""Finding rows by a text: `/` asks for it, `n` and `N` go on to the next and the one before."""

from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import ClassVar

from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import ask_text
from kanon_tui.widgets.grid import Grid, GridSource


class FindingScreen(StepScreen):
    """A numbered screen with a table in which rows are found. Matches are counted once."""

    FIND: ClassVar[str]
    """The title of the question."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = ""
        """The text that was looked for last."""
        self.matches: Sequence[int] = ()
        """The rows that have it."""
        self._searched: GridSource | None = None
        """The rows that were looked through for `matches`."""

    @abstractmethod
    def to_search(self) -> tuple[Grid, GridSource | None]:
        """Return the grid, and the rows to look through."""

    def rows_with(self, source: GridSource, text: str) -> Sequence[int]:
        """Return the rows that have a text in a cell, ignoring case; made in a thread."""
        wanted = text.casefold()
        rows = range(source.height)
        return [x for x in rows if any(wanted in c.text.casefold() for c in source.line(x))]

    def show_match(self, place: int) -> None:
        """Go to one of the matches."""
        self.to_search()[0].go_to(int(self.matches[place]))
        self.host.notify(f"{place + 1:,} of {len(self.matches):,} with '{self.wanted}'")

    def look_for(self, text: str) -> None:
        """Go to the next row with another text; an empty one forgets the matches."""
        self.wanted, self._searched, self.matches = text, None, ()
        if text:
            self.action_find_next(1)

    def action_find(self) -> None:
        """Ask for a text and go to the next row with it."""
        ask_text(self, self.FIND, self.look_for, str, self.wanted)

    def action_find_next(self, direction: int) -> None:
        """Go to the next row below or above with the text, and around the end."""
        (grid, source), text = self.to_search(), self.wanted
        if not text or source is None:
            self.action_find()
            return

        def found(rows: Sequence[int]) -> None:
            self.matches, self._searched = rows, source
            if not len(rows):
                self.host.notify(f"'{text}' is not found here")
                return
            after = bisect_right(rows, grid.row) if direction > 0 else bisect_left(rows, grid.row)
            self.show_match((after if direction > 0 else after - 1) % len(rows))

        if self._searched is source:
            found(self.matches)
        else:
            self.compute(lambda: self.rows_with(source, text), found, group="find")
