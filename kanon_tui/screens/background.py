"""Work in threads, and questions in dialogs, whose answers never reach a screen that is gone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from textual.dom import DOMNode
from textual.screen import Screen
from textual.worker import Worker

from kanon_tui.screens.typing_ahead import TypingAhead

__all__ = ["BackgroundApp"]

T = TypeVar("T")


class BackgroundApp(TypingAhead):
    """Every job and every question has an owner: a screen, a widget, or the application itself.

    An answer is delivered only while its owner is shown somewhere and waits for nothing newer.
    The worker belongs to the owner too and ends with it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._covered: Counter[Screen[Any]] = Counter()
        """How many jobs cover a screen with a loading mark."""

    def is_live(self, owner: DOMNode) -> bool:
        """Whether the owner is on a screen that can still be seen, and is not being removed."""
        if owner is self:
            return self.is_running
        if not (owner.is_attached and owner.is_running) or owner._pruning:
            return False
        return self._mode_of(owner) is not None

    def _mode_of(self, owner: DOMNode) -> str | None:
        """The mode whose stack holds the owner's screen."""
        screen = owner.screen
        return next((mode for mode, stack in self._screen_stacks.items() if screen in stack), None)

    def compute(
        self,
        owner: DOMNode,
        work: Callable[[], T],
        done: Callable[[T], object],
        *,
        group: str,
        failed: Callable[[Exception], object] | None = None,
        covers: Screen[Any] | None = None,
        holds_keys: float = 0.0,
    ) -> Worker[None]:
        """Do work in a thread, then call `done` here; a newer job of the owner's group replaces it.

        `covers` is a screen that shows a loading mark meanwhile. Keys that come meanwhile wait for
        what `done` shows, for `holds_keys` seconds at most.
        """

        async def job() -> None:
            with self._cover(covers):
                try:
                    answer: Any = await asyncio.to_thread(work)
                    callback: Callable[[Any], object] = done
                except Exception as error:
                    answer, callback = error, failed or self.fail
                    if holds_keys:
                        self.drop_keys()
            # A cancelled job does not come here: only the newest one of its group does.
            if self.is_live(owner):
                with owner._context():
                    callback(answer)

        async def holding() -> None:
            with self.hold_keys(holds_keys):
                await job()

        return owner.run_worker(holding if holds_keys else job, exclusive=True, group=group)

    @contextmanager
    def _cover(self, screen: Screen[Any] | None) -> Iterator[None]:
        if screen is None:
            yield
            return
        self._covered[screen] += 1
        screen.loading = True
        try:
            yield
        finally:
            self._covered[screen] -= 1
            if not self._covered[screen]:
                del self._covered[screen]
                screen.loading = False

    def ask(
        self, owner: DOMNode, dialog: Screen[T], answered: Callable[[T | None], object]
    ) -> None:
        """Open a dialog; its answer is delivered while the owner is live.

        It opens in the owner's mode: a question that comes up late waits there, and does not
        interrupt what somebody does on another screen.
        """

        def deliver(answer: T | None) -> None:
            if self.is_live(owner):
                with owner._context():
                    answered(answer)

        if self.is_live(owner):
            mode = None if owner is self else self._mode_of(owner)
            self.push_screen(dialog, deliver, mode=mode)

    def fail(self, error: Exception) -> None:
        """Show what went wrong."""
        raise NotImplementedError
