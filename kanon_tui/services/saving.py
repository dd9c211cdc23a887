"""Saving the project and quitting; nothing is overwritten or lost without a question."""

import os
from collections.abc import Callable
from pathlib import Path

from kanon_tui.core.editing.session import ChangedFileError, Session
from kanon_tui.core.text import first_few
from kanon_tui.services.host import Host, Hosted
from kanon_tui.widgets.dialogs import Confirm, choose, confirm
from kanon_tui.widgets.path_dialog import AskPath, ask_target

MOST_DIFFERENCES = 5


class Saving:
    """Writes the project file, and ends the application once nothing is being written."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def save(self) -> None:
        """Write the project file; ask for its name if the project is new."""
        host = self._host
        screen = self._host.app.screen
        session = host.session
        if session is None or (isinstance(screen, Hosted) and not screen.take_typed()):
            return  # a field with an invalid value would not be in the file
        if session.project.own_file is not None:
            self._write(session, session.project.own_file)
        else:
            self._ask_name(session, session.proposed_file)

    def _ask_name(self, session: Session, proposed: Path) -> None:
        def write(path: Path) -> None:
            self._write(session, path, over_changes=os.path.exists(path))

        endings = (".yaml", ".yml")
        dialog = AskPath("Save the project as", str(proposed), endings=endings, ending=".yaml")
        ask_target(self._host, dialog, write)

    def _write(self, session: Session, path: Path, over_changes: bool = False) -> None:
        host = self._host

        def saved(written: Path) -> None:
            host.recovery.forget(session)
            host.recent.add(written)
            host.notify(f"saved {written.name}")
            host.session_changed()

        def failed(error: Exception) -> None:
            if isinstance(error, ChangedFileError):
                self._ask_about_changes(session, error)
            else:
                host.fail(error)

        host.background.write(lambda: session.save(path, over_changes=over_changes), saved, failed)

    def _ask_about_changes(self, session: Session, found: ChangedFileError) -> None:
        """Ask what to do about a project file that another program has changed meanwhile."""

        path = found.path
        few = first_few(found.differences, MOST_DIFFERENCES)
        options: list[tuple[str, Callable[[], object]]] = [
            ("Save under another name", lambda: self._ask_name(session, _unused_name(path))),
            (
                "Replace the file with what is here",
                lambda: self._write(session, path, over_changes=True),
            ),
        ]
        hint = f"{path.name} is not as it was read: {few}. esc saves nothing."
        choose(self._host, "The file was changed meanwhile", options, hint)

    def quit(self) -> None:
        """End the application; wait for files being written, ask about unsaved changes."""
        session = self._host.session
        background = self._host.background
        if background.wait_for_files(self.quit):
            self._host.notify("leaves as soon as the file is written")
        elif background.is_editing:
            self._ask_to_leave("The change that was accepted last is still being worked out.")
        elif session is not None and session.dirty:
            self._ask_to_leave("The project has changes that are not in its file (ctrl+s saves).")
        else:
            self._end()

    def _ask_to_leave(self, reason: str) -> None:
        question = Confirm("Leave without saving?", reason, yes="Leave", no="Stay")
        confirm(self._host, question, self._end)

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
