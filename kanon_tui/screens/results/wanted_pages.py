"""Pages that were painted as waiting: the newest wishes are read, in the background."""

from __future__ import annotations

from kanon_tui.core.table.pages import Pages

__all__ = ["LOOK_AGAIN", "WantedPages", "read_pages"]

LOOK_AGAIN = 1 / 20
"""Seconds between two looks at which pages are wanted."""
MOST = 20
"""Pages that are read together: rows of another order are of many."""


class WantedPages:
    """What a painter missed since somebody looked."""

    def __init__(self) -> None:
        self._wanted: dict[Pages, list[int]] = {}

    def missed(self, pages: Pages, page: int) -> None:
        """A page was shown that is not in memory."""
        wanted = self._wanted.setdefault(pages, [])
        if page not in wanted:
            wanted.append(page)

    def take(self) -> dict[Pages, list[int]]:
        """The newest wishes, which are forgotten here."""
        taken, self._wanted = self._wanted, {}
        return {pages: numbers[-MOST:] for pages, numbers in taken.items()}

    def clear(self) -> None:
        """Something else is shown."""
        self._wanted.clear()


def read_pages(pages: Pages, numbers: list[int]) -> None:
    """Read some pages; in a thread."""
    for number in numbers:
        pages.page(number)
