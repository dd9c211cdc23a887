"""Opening data files and projects, with an offer to continue unsaved work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kanon_tui.core.editing.recovery import UnsavedWork
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.table.file_kinds import DATA_ENDINGS
from kanon_tui.services.host import Host, error_sentence
from kanon_tui.widgets.dialogs import Confirm
from kanon_tui.widgets.path_dialog import AskPath

__all__ = ["ask_for_file", "open_file"]

ENDINGS = (*DATA_ENDINGS, ".yaml", ".yml")
"""Types of files that are listed; any other can be typed."""

Failed = Callable[[Exception], object]


def ask_for_file(host: Host, path: str | None = None, problem: str = "") -> None:
    """Ask for a file and open it; ask again, with the reason, if it cannot be opened."""
    if path is None:
        path = f"{host.session.data_path.parent}/" if host.session else ""

    def answered(chosen: Path | None) -> None:
        if chosen is not None:
            open_file(
                host,
                chosen,
                failed=lambda error: ask_for_file(host, str(chosen), error_sentence(error)),
            )

    dialog = AskPath("Open a data file or a project", path, endings=ENDINGS, problem=problem)
    host.background.ask(host.app, dialog, answered)


def open_file(
    host: Host,
    path: Path,
    *,
    failed: Failed | None = None,
    then: Callable[[], object] = lambda: None,
) -> None:
    """Read a data file or a project in the background, show it and call `then`."""
    unsaved = host.recovery.unsaved_work(path)
    if unsaved is None:
        _read(host, path, None, lambda: open_session(path), failed, then)
        return

    def answered(answer: bool | None) -> None:
        if answer is not None:
            read = unsaved.session if answer else lambda: open_session(path)
            _read(host, path, unsaved, read, failed, then)

    question = Confirm(
        "Continue where you were?",
        f"{path.name} has unsaved changes from {unsaved.when:%Y-%m-%d %H:%M}, which were never "
        f"written to its file.",
        yes="Continue",
        no="Discard them",
    )
    host.background.ask(host.app, question, answered)


def _read(
    host: Host,
    path: Path,
    unsaved: UnsavedWork | None,
    read: Callable[[], Session],
    failed: Failed | None,
    then: Callable[[], object],
) -> None:
    def opened(session: Session) -> None:
        host.recent.add(path)
        host.replace_session(session)
        if unsaved is not None:
            # Only now may its file go: the session has the changes, and they are kept again.
            host.recovery.keep(session)
            host.recovery.discard(unsaved)
        host.app.switch_mode("data")
        then()

    host.background.compute(
        host.app,
        read,
        opened,
        group="open",
        failed=failed or (lambda error: host.show_error("This file could not be opened", error)),
        covers=host.app.screen,
    )
