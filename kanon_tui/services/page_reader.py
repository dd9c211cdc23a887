"""Reading the pages of files that a grid shows and that are not in memory."""

from collections.abc import Callable
from functools import partial
from typing import cast

from textual.dom import DOMNode

from kanon_tui.core.pipeline.pages import Pages
from kanon_tui.services.host import Hosted

MOST_PAGES = 20
"""Pages that are read together: rows in another order are on many pages."""


class PageReader:
    """Reads, in the background, the pages that were painted as waiting; the newest replace others.

    `shown` is called when pages have been read, `failed` with the pages that cannot be read.
    """

    def __init__(
        self,
        owner: Hosted,
        shown: Callable[[], object],
        failed: Callable[[Pages, Exception], object],
    ) -> None:
        self._owner, self._shown, self._failed = owner, shown, failed
        self._wanted: dict[Pages, list[int]] = {}

    def missed(self, pages: Pages, page: int) -> None:
        """Note a page that is shown and not in memory, and read it soon."""
        if not self._wanted:
            cast("DOMNode", self._owner).call_later(self._read)
        wanted = self._wanted.setdefault(pages, [])
        if page not in wanted:
            wanted.append(page)

    def clear(self) -> None:
        """Forget the pages that are wanted: something else is shown."""
        self._wanted.clear()

    def _read(self) -> None:
        for pages, numbers in self._wanted.items():
            self._owner.compute(
                partial(_read_pages, pages, numbers[-MOST_PAGES:]),
                lambda _: self._shown(),
                group=f"pages {id(pages)}",
                failed=partial(self._failed, pages),
            )
        self._wanted = {}


def _read_pages(pages: Pages, numbers: list[int]) -> None:
    for number in numbers:
        pages.page(number)
