"""Work in threads, files being written and questions in dialogs, each with an owner.

Their answers never reach a screen that is gone.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from kanon_tui.services.typed_keys import TypedKeys

T = TypeVar("T")
GRACE = 0.2
"""Seconds of a job after which a loading mark covers what waits for it."""


def cancellation_check() -> Callable[[], bool]:
    """Return a function that says whether the current worker was cancelled."""
    worker = get_current_worker()
    return lambda: worker.is_cancelled


class Background:
    """Jobs and questions, each with an owner: a screen, a widget or the application.

    An answer is delivered only while the owner's screen is in the stack of a mode and no newer job
    of the same group has started. A job ends with its owner.
    """

    def __init__(
        self, app: App[Any], keys: TypedKeys, failed: Callable[[Exception], object]
    ) -> None:
        self.app = app
        self._keys = keys
        self._failed = failed
        self._covered: Counter[DOMNode | None] = Counter()
        """The number of jobs that screens, dialogs and panes wait for."""
        self._other_stacks: dict[str, list[Screen[Any]]] = {}
        """Stacks of the modes that are not in front, as they were left."""
        self._writing = 0
        """The number of files that are being written."""
        self._after_writing: Callable[[], object] | None = None
        self._edits = 0
        """The number of accepted edits that are being worked out."""

    # -- stacks of screens

    def leave_mode(self) -> None:
        """Remember the screens of the mode in front, which is about to change."""
        self._other_stacks[self.app.current_mode] = self.app.screen_stack

    def stacks(self) -> dict[str, list[Screen[Any]]]:
        """Return the screens of every mode that was shown, from the lowest to the top."""
        return {**self._other_stacks, self.app.current_mode: self.app.screen_stack}

    def is_live(self, owner: DOMNode) -> bool:
        """Return whether the owner runs and its screen is in the stack of a mode."""
        if owner is self.app:
            return self.app.is_running
        return owner.is_attached and owner.is_running and self._mode_of(owner) is not None

    def _mode_of(self, owner: DOMNode) -> str | None:
        screen = owner.screen
        return next((mode for mode, stack in self.stacks().items() if screen in stack), None)

    # -- jobs

    def compute(
        self,
        owner: DOMNode,
        work: Callable[[], T],
        done: Callable[[T], object],
        *,
        group: str,
        failed: Callable[[Exception], object] | None = None,
        covers: Widget | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
        exclusive: bool = True,
        edits: bool = False,
    ) -> Worker[None]:
        """Do work in a thread, then call `done` with its result or `failed` with its exception.

        A newer job of the owner's group replaces it, if that is `exclusive`. Keys for the screen,
        dialog or pane that it `covers` wait for what `done` shows, and a loading mark says so if
        that takes a while. An answer that is not wanted any more is dropped. A job that `edits`
        works out what somebody has accepted: quitting asks as long as it is under way.
        """

        async def job() -> None:
            worker = get_current_worker()
            delivered = asyncio.Event()
            focused: list[Widget] = []

            def deliver(callback: Callable[[Any], object], answer: object) -> None:
                try:
                    if not worker.is_cancelled and self.is_live(owner) and is_wanted():
                        callback(answer)
                finally:
                    delivered.set()

            with self._hold_keys(covers, edits):
                try:
                    with self._mark(covers) as focused:
                        answer: Any = await asyncio.to_thread(work)
                    callback: Callable[[Any], object] = done
                except Exception as error:
                    answer = error
                    callback = failed or self._failed
                    if covers is not None:
                        self._keys.drop()
                if focused:
                    await self._give_back(focused[0])
                owner.call_next(deliver, callback, answer)
                await delivered.wait()

        return owner.run_worker(job, exclusive=exclusive, group=group)

    def write(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object] | None = None,
        covers: Widget | None = None,
    ) -> None:
        """Write a file or work out an edit in a thread; quitting waits for it.

        It is finished whatever is closed or written meanwhile.
        """

        def written(answer: T) -> None:
            self._writing -= 1
            done(answer)
            if not self._writing and self._after_writing is not None:
                proceed = self._after_writing
                self._after_writing = None
                proceed()

        def not_written(error: Exception) -> None:
            self._writing -= 1
            self._after_writing = None
            (failed or self._failed)(error)

        self._writing += 1
        self.compute(
            self.app, work, written, group="write", failed=not_written, covers=covers,
            exclusive=False,
        )  # fmt: skip

    def wait_for_files(self, proceed: Callable[[], object]) -> bool:
        """Call `proceed` when the files being written are finished, unless one of them fails.

        Return False, and call nothing, if no file is being written.
        """
        self._after_writing = proceed if self._writing else None
        return self._writing > 0

    @contextmanager
    def _hold_keys(self, widget: Widget | None, edits: bool) -> Iterator[None]:
        """Let the keys for a widget wait, if there is one; count the edit, if it is one."""
        self._covered[widget] += 1
        self._edits += edits
        try:
            yield
        finally:
            self._covered -= Counter([widget])  # an entry of 0 goes, and with it the widget
            self._edits -= edits

    @property
    def is_editing(self) -> bool:
        """Whether an edit that was accepted is still being worked out."""
        return self._edits > 0

    @contextmanager
    def _mark(self, widget: Widget | None) -> Iterator[list[Widget]]:
        """Put a loading mark on a widget after `GRACE` seconds, unless the block has ended.

        Give a list that gets what had the focus then: it loses it below the mark.
        """
        focused = list[Widget]()
        has_ended = False

        def show() -> None:
            if widget is not None and not has_ended and widget.is_attached:
                focused.extend(filter(None, [widget.screen.focused]))
                widget.loading = True

        timer = None if widget is None else widget.set_timer(GRACE, show)
        try:
            yield focused
        finally:
            has_ended = True  # a timer that was stopped may still have its call under way
            if timer is not None:
                timer.stop()
            if widget is not None and self._covered[widget] == 1:  # no other job covers it
                widget.loading = False

    async def _give_back(self, focused: Widget) -> None:
        """Focus a widget again, once it is drawn."""
        drawn = asyncio.Event()
        self.app.call_after_refresh(drawn.set)
        await drawn.wait()
        if focused.is_attached:
            focused.screen.set_focus(focused)

    @property
    def holds_keys(self) -> bool:
        """Whether the screen in front, or a pane of it, waits for a job."""
        front = self.app.screen if self.app.screen_stack else None
        return any(
            node is not None and node.is_attached and node.screen is front for node in self._covered
        )

    # -- questions

    def ask(
        self,
        owner: DOMNode,
        dialog: Screen[T],
        answered: Callable[[T], object] = lambda _: None,
        left: Callable[[], object] = lambda: None,
    ) -> None:
        """Open a dialog in the owner's mode; call `answered` with its result while the owner lives.

        A dialog that is left without a result calls `left`. A question that comes up late waits in
        that mode and does not interrupt another screen.
        """

        def deliver(answer: T | None) -> None:
            if not self.is_live(owner):
                return
            if answer is None:
                owner.call_next(left)
            else:
                owner.call_next(answered, answer)

        if self.is_live(owner):
            mode = self.app.current_mode if owner is self.app else self._mode_of(owner)
            self.app.push_screen(dialog, deliver, mode=mode)
            if mode in self._other_stacks:
                self._other_stacks[mode].append(dialog)
