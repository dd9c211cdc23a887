"""How the application works in the background, and what it says when something fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from rich.text import Text
from textual import work
from textual.app import App
from textual.dom import DOMNode
from textual.worker import Worker, get_current_worker

from kanon_tui.core.errors import KanonError
from kanon_tui.screens.dialogs import Message

__all__ = ["WorkingApp"]

T = TypeVar("T")


class WorkingApp(App[None]):
    """Work in threads and processes; errors as sentences that hold no values of the data."""

    def keep_unsaved(self) -> None:
        """Put unsaved work aside."""

    @work(thread=True, group="compile", exit_on_error=False)
    def compile_ahead(self) -> None:
        """Compile the inner loops on this machine's first start, before anybody waits for them.

        In a process of its own, with low priority: compiling holds the interpreter, and the screen
        must stay smooth. It ends with the application.
        """
        command = ["-m", "kanon_tui.core.run.warm_up"]
        nice = ["nice", "-n", "15"] if shutil.which("nice") else []
        process = subprocess.Popen(
            [*nice, sys.executable, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        worker = get_current_worker()
        while process.poll() is None:
            if worker.is_cancelled or not self.is_running:
                process.terminate()
                return
            time.sleep(0.2)

    def compute(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        *,
        group: str,
        failed: Callable[[Exception], None] | None = None,
        node: DOMNode | None = None,
    ) -> Worker[None]:
        """Do work in a thread, then call `done` here; a newer one in its group replaces it."""

        def in_thread() -> None:
            worker = get_current_worker()
            try:
                outcome = work()
            except Exception as error:
                if not worker.is_cancelled:
                    self.call_from_thread(self._finish, worker, node, failed or self.fail, error)
            else:
                if not worker.is_cancelled:
                    self.call_from_thread(self._finish, worker, node, done, outcome)

        return self.run_worker(in_thread, thread=True, exclusive=True, group=group)

    def _finish(
        self,
        worker: Worker[None],
        node: DOMNode | None,
        callback: Callable[[Any], None],
        value: Any,
    ) -> None:
        for stack in self._screen_stacks.values():
            for screen in stack:
                screen.loading = False
        if not worker.is_cancelled and (node is None or node.is_attached):
            callback(value)

    def fail(self, error: Exception) -> None:
        """Show what went wrong as a sentence."""
        self.show_error("That did not work", error)

    def show_error(self, title: str, error: Exception) -> None:
        """A dialog with one clear sentence; unexpected errors never show values of the data."""
        if isinstance(error, KanonError):
            text = str(error)
        else:
            text = f"An unexpected {type(error).__name__} happened; nothing was changed or lost."
        self.push_screen(Message(title, text))

    def _fatal_error(self) -> None:
        """Leave with a sentence. Textual would print a traceback with the values of variables,
        and values of a table of people must not reach a terminal log or a crash file."""
        self.bell()
        self.keep_unsaved()
        error = self._exception
        where = ""
        if error is not None and error.__traceback__ is not None:
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            where = f" in {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        self._exit_renderables.append(
            Text(
                f"kanon-tui stopped because of an unexpected {type(error).__name__}{where}. "
                f"Unsaved changes are kept and offered at the next start."
            )
        )
        self._close_messages_no_wait()
