"""Opening data files and projects, with an offer to continue unsaved work."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kanon_tui.core.editing.recovery import UnsavedWork
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.attributes import PROJECT_ENDINGS
from kanon_tui.core.project.project import DataSource, Project
from kanon_tui.core.table.file_kinds import DATA_ENDINGS
from kanon_tui.core.table.stray_rows import StrayRows, find_stray_rows
from kanon_tui.core.table.typed_columns import ColumnNamesError
from kanon_tui.core.text import joined
from kanon_tui.screens.reading import ReadingDialog
from kanon_tui.services.host import Host, error_sentence
from kanon_tui.widgets.dialogs import Confirm, confirm
from kanon_tui.widgets.path_dialog import AskPath

ENDINGS = (*DATA_ENDINGS, *PROJECT_ENDINGS)
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
    """Read a data file or a project in the background, show it and call `then`.

    A data file that cannot be read leads to the dialog of reading, with its first lines in view.
    """
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
        if session.project.path is None:
            offer_to_skip(host, session)

    def not_opened(error: Exception) -> None:
        if isinstance(error, KanonError) and path.is_file() and path.suffix.lower() in DATA_ENDINGS:
            ask_how_to_read(host, path, error)
        elif failed is not None:
            failed(error)
        else:
            host.show_error("This file could not be opened", error)

    host.background.compute(
        host.app, read, opened, group="open", failed=not_opened, covers=host.app.screen
    )


def ask_how_to_read(host: Host, path: Path, error: KanonError) -> None:
    """Ask how a file is to be read that could not be; propose what to skip and how to name columns.

    `ReadingDialog` shows the first lines of the file and what is wrong until it can be read.
    """

    def proposed() -> tuple[DataSource, str]:
        data, problem, notes = DataSource(path=str(path.resolve())), error, list[str]()
        with suppress(KanonError):  # a guess that could not be made
            stray = find_stray_rows(path)
            if stray:
                data = replace(data, read_options=stray.apply(data.read_options))
                notes = [f"left out: {joined(stray.reasons)}"]
                try:
                    open_session(path, data)
                    return data, "; ".join(notes)
                except KanonError as another:
                    problem = another
        if isinstance(problem, ColumnNamesError):
            names = joined(list(problem.rename.values()))
            notes.append(f"{str(problem).partition('; ')[0]}; here called {names}")
            options = replace(data.read_options, rename=problem.rename)
            data = replace(data, read_options=options)
        return data, "; ".join(notes)

    def answered(data: DataSource | None) -> None:
        if data is not None:
            _read(host, path, None, lambda: open_session(path, data), None, lambda: None)

    def ask(found: tuple[DataSource, str]) -> None:
        host.ask(ReadingDialog(Project(data=found[0]), None, found[1]), answered)

    host.background.compute(host.app, proposed, ask, group="open", covers=host.app.screen)


def offer_to_skip(host: Host, session: Session) -> None:
    """Ask whether rows of a new file that seem to be no records are to be left out."""

    def found(stray: StrayRows) -> None:
        if not stray or session is not host.session:
            return
        text = "; ".join(stray.reasons)
        question = Confirm(
            "Rows that are no records?",
            f"{text[0].upper()}{text[1:]}. Published as a person, such a row spoils every figure.",
            yes="Leave out",
            no="Keep",
        )
        data = session.project.data
        skipping = replace(data, read_options=stray.apply(data.read_options))
        confirm(host, question, lambda: reread(host, session, skipping))

    host.background.compute(
        host.app,
        lambda: find_stray_rows(session.data_path, session.project.data.read_options),
        found,
        group="stray rows",
        failed=lambda _: None,  # a guess that could not be made
    )


def reread(host: Host, session: Session, data: DataSource) -> None:
    """Read the file of a session by other options."""
    host.background.compute(
        host.app, lambda: session.reread(data), host.replace_session, group="reread",
        covers=host.app.screen,
    )  # fmt: skip
