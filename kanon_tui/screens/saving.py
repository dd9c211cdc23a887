"""Saving and leaving: nothing is written over and nothing is left behind without a question."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.editing.session import ChangedFileError
from kanon_tui.core.table.data_files import name_beside
from kanon_tui.core.text import first_few
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.host import HostApp
from kanon_tui.widgets.dialogs import Choose, Confirm
from kanon_tui.widgets.path_dialog import AskPath

__all__ = ["SavingApp"]

_SAVE_AS, _REPLACE = "Save under another name", "Replace the file with what is here"
_MOST_DIFFERENCES = 5


class SavingApp(HostApp):
    """What ctrl+s and ctrl+q do."""

    def __init__(self, state_folder: Path | None = None) -> None:
        super().__init__(state_folder)
        self._saving = self._leaves_when_saved = False

    def action_save(self) -> None:
        """Write the project file; a new project is asked for its name."""
        session = self.session
        if session is None:
            return
        if isinstance(self.screen, StepScreen) and not self.screen.take_typed():
            return  # a field says something else than the file would
        if session.project.path is not None:
            self._save(session.project.path)
        else:
            self._ask_name(name_beside(session.data_path, ".yaml"))

    def _ask_name(self, proposed: Path) -> None:
        self.ask(
            self,
            AskPath("Save the project as", str(proposed)),
            lambda path: self._save_as(path) if path else None,
        )

    def _save_as(self, path: Path) -> None:
        if path.suffix.lower() not in (".yaml", ".yml"):
            path = path.with_name(path.name + ".yaml")
        if path.exists():
            self.ask(
                self,
                Confirm("Replace it?", f"{path.name} exists already.", "Replace", "Keep it"),
                lambda answer: self._save(path, over_changes=True) if answer else None,
            )
        else:
            self._save(path)

    def _save(self, path: Path, over_changes: bool = False) -> None:
        session = self.session
        assert session is not None

        def is_over() -> bool:
            """The file is written or not; whether leaving has waited for it."""
            leaves, self._saving, self._leaves_when_saved = self._leaves_when_saved, False, False
            return leaves

        def saved(written: Path) -> None:
            self.recovery.forget(session)
            self.recent.add(written)
            self.say(f"saved {written.name}")
            self.session_changed()
            if is_over():
                self._quit()

        def failed(error: Exception) -> None:
            is_over()
            if isinstance(error, ChangedFileError):
                self._ask_about_changes(error)
            else:
                self.fail(error)

        self._saving = True
        self.compute(
            self,
            lambda: session.save(path, over_changes=over_changes),
            saved,
            group="save",
            failed=failed,
        )

    def _ask_about_changes(self, found: ChangedFileError) -> None:
        """Somebody else, or another window, has saved this project meanwhile."""
        options = [_SAVE_AS, _REPLACE]
        hint = (
            f"{found.path.name} is not as it was read: "
            f"{first_few(found.differences, _MOST_DIFFERENCES)}. esc saves nothing."
        )

        def answered(number: int | None) -> None:
            if number is not None and options[number] == _SAVE_AS:
                self._ask_name(_unused(found.path))
            elif number is not None:
                self._save(found.path, over_changes=True)

        self.ask(self, Choose("The file was changed meanwhile", options, hint), answered)

    async def action_quit(self) -> None:
        self._quit()

    def _quit(self) -> None:
        """Leave; unsaved work is asked about once. What is being saved is waited for."""
        if self._saving:
            self._leaves_when_saved = True
            self.say("leaves as soon as the project is saved")
            return
        if self.session is None or not self.session.dirty:
            self._leave()
            return
        self.ask(
            self,
            Confirm(
                "Leave without saving?",
                "The project has changes that are not in its file (ctrl+s saves).",
                yes="Leave",
                no="Stay",
            ),
            lambda answer: self._leave() if answer else None,
        )

    def _leave(self) -> None:
        if self.session is not None:
            self.recovery.forget(self.session)
        self.recovery.close()
        self.exit()


def _unused(path: Path) -> Path:
    """A name beside this one that no file has: `study-2.yaml`."""
    number = 2
    while path.with_stem(f"{path.stem}-{number}").exists():
        number += 1
    return path.with_stem(f"{path.stem}-{number}")
