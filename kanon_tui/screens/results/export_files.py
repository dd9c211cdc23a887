"""Export a result whose release is in its files: a copy of them, the report, mapping, command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.release_copy import copy_release
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.target import Target
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.results.export import FOR_NEW_RECORDS, MAPPING, REPORT, Exporter
from kanon_tui.widgets.dialogs import Confirm
from kanon_tui.widgets.path_dialog import AskPath

__all__ = ["exporter_of"]


def exporter_of(screen: StepScreen, result: FinishedRun) -> Exporter:
    """Who exports a result."""
    if isinstance(result, StreamedResult):
        return StreamedExporter(screen, result)
    return Exporter(screen, result)


class StreamedExporter(Exporter):
    """The release is written already; its proved bytes can be copied, and all else be written."""

    def __init__(self, screen: StepScreen, result: StreamedResult) -> None:
        super().__init__(screen, result)
        assert result.target is not None
        self._files, self._target = result, result.target

    @property
    def _hint(self) -> str:
        name = self._target.path.name
        return f"the release is in {name}, as it was proved; another order or format: run again"

    @property
    def _current(self) -> int:
        return 0

    def _choices(self) -> list[tuple[str, Callable[[], object]]]:
        ending = self._target.ending
        what = f"folder of {ending} parts" if self._target.folder else ending
        return [
            (f"copy of the release ({what})", lambda: self._agreed(self._ask_copy)),
            self._written(REPORT),
            self._written(MAPPING),
            ("command line that makes this release again", self._command),
            self._written(FOR_NEW_RECORDS),
            ("texts of the report: purpose, recipients, decisions, who signs …", self._sign),
        ]

    @property
    def _out(self) -> str:
        """Where the release is: `parts.csv/` for a folder of CSV parts."""
        return f"{self._target.path.resolve()}{'/' if self._target.folder else ''}"

    # -- a copy

    def _ask_copy(self, path: str = "", problem: str = "") -> None:
        own = self._target
        proposed = path or str(self._folder / f"{self._stem}-copy{own.path.suffix}")
        dialog = AskPath(
            "Copy the release to",
            proposed,
            "its bytes stay as they were proved; tab completes",
            endings=(own.ending,),
            problem=problem,
        )
        self.screen.ask(dialog, lambda path: self._check_copy(path) if path else None)

    def _check_copy(self, path: Path) -> None:
        target = Target(path, self._target.folder)
        inputs = [*self.screen.session.project.inputs, *(file.path for file in self._files.files)]
        try:
            target.check(True, inputs)
        except KanonError as error:
            self._ask_copy(str(path), str(error))
            return
        if path.exists():
            self.screen.ask(
                Confirm("Replace it?", f"{path.name} exists already.", "Replace", "Keep it"),
                lambda answer: self._copy(target, True) if answer else None,
            )
        else:
            self._copy(target, False)

    def _copy(self, target: Target, force: bool) -> None:
        screen, result = self.screen, self._files
        screen.host.compute(
            screen,
            lambda: copy_release(result, target, force),
            lambda _: screen.host.say(f"wrote {target.path.name}"),
            group="export",
        )
