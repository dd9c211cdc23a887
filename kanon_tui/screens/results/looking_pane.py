"""A pane of records that looks through all rows of files: escape stops it, the newest counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from kanon_tui.screens.results.searched_pane import SearchedPane

__all__ = ["LookingPane", "Stop"]

T = TypeVar("T")
Stop = Callable[[], bool]


class LookingPane(SearchedPane):
    """Subclasses give `entitle` (the title, with what is being done) and `lost`."""

    def __init__(self, id: str | None, find_id: str) -> None:
        super().__init__(id, find_id)
        self._looking: object = None
        """What is being looked for in all rows."""

    @abstractmethod
    def entitle(self, doing: str = "") -> None:
        """What is shown, and what is being done."""

    @abstractmethod
    def lost(self, error: Exception) -> None:
        """The files cannot be read as they were."""

    @property
    def looking(self) -> bool:
        """Whether escape has something to stop."""
        return self._looking is not None

    def stop_looking(self) -> None:
        """Nobody waits for it: it ends soon, and is not answered."""
        self._looking = None
        self.entitle()

    def look(
        self,
        work: Callable[[Stop], T],
        done: Callable[[T], Any],
        doing: str,
        failed: Callable[[Exception], Any] | None = None,
    ) -> None:
        """Work through all rows in the background; `work` is told when nobody waits any more."""
        wanted = self._looking = object()
        self.entitle(f"{doing} … esc stops")

        def stop() -> bool:
            return self._looking is not wanted

        def answered(callback: Callable[[Any], Any], answer: Any) -> None:
            if self._looking is wanted:
                self.stop_looking()
                callback(answer)

        self.compute(
            lambda: work(stop),
            partial(answered, done),
            group="look",
            failed=partial(answered, failed or self.lost),
        )
