"""The part of the Data screen that pages through a file beyond memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.pages import FilePages
from kanon_tui.core.table.source import Source
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import FrameSource, PagedRows

__all__ = ["PagingScreen"]

Cells = Callable[[], Sequence[str]]


class PagingScreen(StepScreen):
    """The whole file in its own order, page by page; what looks at all records has a sample."""

    def __init__(self) -> None:
        super().__init__()
        self._paged: PagedRows | None = None
        self._paged_source: Source | None = None
        """Where its rows are."""
        self._unreadable: Source | None = None
        """A file that could not be read any more: its sample is what is left."""
        self._asked: int | None = None
        """The page that is being read."""

    @property
    def in_file(self) -> bool:
        """Whether the table shows the file itself."""
        return self._paged is not None and self.query_one("#table", Grid).source is self._paged

    def find_pages(self, session: Session, sample: FrameSource) -> bool:
        """Learn where the records of the file are; whether that was not known before."""
        source = session.source
        if source is None or not source.records or source is self._unreadable:
            self._paged = None
            return False
        if self._paged is not None and self._paged_source is source:
            return False
        tokens = session.table.missing_tokens
        self._paged_source = source
        self._paged = PagedRows(FilePages(source), sample.columns, self._missed, missing=tokens)
        return True

    def show_file(self) -> None:
        """Show the file from its beginning; the cursor stays in its column."""
        grid = self.query_one("#table", Grid)
        if self._paged is not None:
            grid.show(self._paged, keep_cursor=True, name_width=self._paged.name_width)
            grid.go_to(0)

    def leave_file(self) -> None:
        """Show the sample instead: the file cannot be read any more."""
        raise NotImplementedError

    def to_copy(self, sample: FrameSource, row: int, column: str) -> tuple[Cells, Cells] | None:
        """The cells of the row and of the column under the cursor; None while a page is read.

        Of a column of the file those of the page.
        """
        if not self.in_file or self._paged is None:
            frame, record = sample.frame, sample.record(row)
            return lambda: [str(c) for c in frame.row(record)], lambda: sample.cells_of(column)
        pages, there = self._paged.pages, self._paged.record(row)
        if there is None:
            return None
        return lambda: there, lambda: pages.page(pages.page_of(row))[column].to_list()

    def _missed(self, page: int) -> None:
        if page != self._asked:
            self._asked = page
            self.call_later(self._read_page, page)

    def _read_page(self, page: int) -> None:
        """Read a page that is waited for; a newer one replaces it."""
        paged = self._paged
        if paged is None:
            return

        def read(_: object) -> None:
            self._asked = None
            if self.in_file:
                self.query_one("#table", Grid).refresh()

        def failed(error: Exception) -> None:
            self._asked = None
            if self._paged is paged:
                self._paged, self._unreadable = None, self._paged_source
                self.leave_file()
                self.host.fail(error)

        self.compute(lambda: paged.pages.page(page), read, group="page", failed=failed)
