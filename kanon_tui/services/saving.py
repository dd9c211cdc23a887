"""Saving the project and quitting; nothing is overwritten or lost without a question."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.editing.session import ChangedFileError, Session
from kanon_tui.core.table.data_files import name_beside
from kanon_tui.core.text import first_few
from kanon_tui.services.host import Host, Hosted
from kanon_tui.widgets.dialogs import Choose, Confirm
from kanon_tui.widgets.path_dialog import AskPath

__all__ = ["Saving"]

MOST_DIFFERENCES = 5


class Saving:
    """Writes the project file, and ends the application once nothing is being written."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._is_writing = self._quits_when_written = False

    def save(self) -> None:
        """Write the project file; ask for its name if the project is new."""
        host, screen = self._host, self._host.app.screen
        session = host.session
        if session is None or (isinstance(screen, Hosted) and not screen.take_typed()):
            return  # a field with an invalid value would not be in the file
        if session.project.path is not None:
            self._write(session, session.project.path)
        else:
            self._ask_name(session, name_beside(session.data_path, ".yaml"))

    def _ask_name(self, session: Session, proposed: Path) -> None:
        self._host.background.ask(
            self._host.app,
            AskPath("Save the project as", str(proposed)),
            lambda path: self._write_as(session, path) if path else None,
        )

    def _write_as(self, session: Session, path: Path) -> None:
        if path.suffix.lower() not in (".yaml", ".yml"):
            path = path.with_name(path.name + ".yaml")
        if path.exists():
            self._host.background.ask(
                self._host.app,
                Confirm("Replace it?", f"{path.name} exists already.", "Replace", "Keep it"),
                lambda answer: self._write(session, path, over_changes=True) if answer else None,
            )
        else:
            self._write(session, path)

    def _write(self, session: Session, path: Path, over_changes: bool = False) -> None:
        host = self._host

        def saved(written: Path) -> None:
            quits = self._quits_when_written
            self._is_writing = self._quits_when_written = False
            host.recovery.forget(session)
            host.recent.add(written)
            host.say(f"saved {written.name}")
            host.session_changed()
            if quits:
                self.quit()

        def failed(error: Exception) -> None:
            self._is_writing = self._quits_when_written = False
            if isinstance(error, ChangedFileError):
                self._ask_about_changes(session, error)
            else:
                host.fail(error)

        self._is_writing = True
        host.background.compute(
            host.app,
            lambda: session.save(path, over_changes=over_changes),
            saved,
            group="save",
            failed=failed,
        )

    def _ask_about_changes(self, session: Session, found: ChangedFileError) -> None:
        """Ask what to do about a project file that was saved by somebody else meanwhile."""

        def answered(number: int | None) -> None:
            if number == 0:
                self._ask_name(session, _unused_name(found.path))
            elif number == 1:
                self._write(session, found.path, over_changes=True)

        question = Choose(
            "The file was changed meanwhile",
            ["Save under another name", "Replace the file with what is here"],
            f"{found.path.name} is not as it was read: "
            f"{first_few(found.differences, MOST_DIFFERENCES)}. esc saves nothing.",
        )
        self._host.background.ask(self._host.app, question, answered)

    def quit(self) -> None:
        """End the application; wait for a file being written, ask about unsaved changes."""
        session = self._host.session
        if self._is_writing:
            self._quits_when_written = True
            self._host.say("leaves as soon as the project is saved")
        elif session is None or not session.dirty:
            self._end()
        else:
            question = Confirm(
                "Leave without saving?",
                "The project has changes that are not in its file (ctrl+s saves).",
                yes="Leave",
                no="Stay",
            )
            self._host.background.ask(
                self._host.app, question, lambda answer: self._end() if answer else None
            )

    def _end(self) -> None:
        recovery = self._host.recovery
        if self._host.session is not None:
            recovery.forget(self._host.session)
        recovery.close()
        self._host.app.exit()


def _unused_name(path: Path) -> Path:
    """Return a path beside this one that no file has: `study-2.yaml`."""
    number = 2
    while path.with_stem(f"{path.stem}-{number}").exists():
        number += 1
    return path.with_stem(f"{path.stem}-{number}")
