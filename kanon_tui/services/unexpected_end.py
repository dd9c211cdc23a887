"""The last words of an application that an exception has ended: one sentence without any data."""

from pathlib import Path

from rich.console import Console, ConsoleRenderable, RenderHook
from rich.text import Text
from textual.worker import WorkerFailed


class UnexpectedEnd(RenderHook):
    """Replaces what Textual prints on the error console when an exception ends the application.

    Textual prints a traceback with the values of variables. Values of a table of people must not
    reach a terminal log or a crash file.
    """

    def __init__(self, console: Console) -> None:
        self._error: BaseException | None = None
        self._is_printed = False
        console.push_render_hook(self)

    def note(self, error: BaseException | None) -> None:
        """Remember the exception that is being handled, if there is one."""
        self._error = self._error or error

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the sentence in place of what was to be printed; nothing the second time."""
        if self._is_printed:
            return []
        self._is_printed = True
        return [Text(self._sentence())]

    def _sentence(self) -> str:
        error = self._error.error if isinstance(self._error, WorkerFailed) else self._error
        name = "error" if error is None else type(error).__name__
        place = ""
        trace = None if error is None else error.__traceback__
        while trace is not None:
            place = f" in {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
            trace = trace.tb_next
        return (
            f"kanon-tui stopped because of an unexpected {name}{place}. "
            f"Unsaved changes are kept and offered at the next start."
        )
