"""Unsaved edits, kept in case the program ends without saving.

What is kept is the project only (never data, never results), one file per project. It is removed
when the work is saved or left on purpose, so a file that is still there at the next start belongs
to a session that was cut off.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from kanon_tui.core.data.table import read_table
from kanon_tui.core.editing.session import Session
from kanon_tui.core.editing.state_folder import write_state
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.project.project import Project, project_from_mapping, project_to_text

__all__ = ["RecoveryStore", "UnsavedWork"]


@dataclass(frozen=True)
class UnsavedWork:
    """The edits of a session that was cut off."""

    when: datetime
    opened: Project
    """The project as its file has it."""
    project: Project
    """The project with the unsaved edits."""

    def session(self) -> Session:
        """A session with the edits in it, not yet saved."""
        table = read_table(self.project.data_path, self.project.data.read_options)
        session = Session(self.opened, table)
        session.edit(self.project.completed(table), "work taken up again")
        return session


class RecoveryStore:
    """Keeps unsaved work in a folder that the caller names; with None nothing is kept.

    Several threads may call it: whoever comes last writes the state the session has by then.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / "unsaved"
        self._lock = threading.Lock()
        self._closed = False

    def keep(self, session: Session) -> None:
        """Write the present edits, or remove them when the project's file has them already."""
        with self._lock:
            project, dirty, baseline = session.project, session.dirty, session.baseline
            path = project.path or project.data_path
            place = self._place(path)
            if place is None or self._closed:
                return
            if not dirty:
                place.unlink(missing_ok=True)
                return
            content = {
                "file": str(path.resolve()),
                "project": str(project.path.resolve()) if project.path else None,
                "opened": project_to_text(baseline),
                "edited": project_to_text(project),
            }
            write_state(place, json.dumps(content))

    def unsaved_work(self, path: Path) -> UnsavedWork | None:
        """The unsaved edits of this file, if a session on it was cut off."""
        place = self._place(path)
        if place is None or not place.is_file():
            return None
        try:
            content = json.loads(place.read_text(encoding="utf-8"))
            project_path = Path(content["project"]) if content["project"] else None
            opened, edited = (
                replace(
                    project_from_mapping(parse(content[key], path.name), path.name),
                    path=project_path,
                )
                for key in ("opened", "edited")
            )
            when = datetime.fromtimestamp(place.stat().st_mtime)
        except (OSError, ValueError, KeyError, TypeError, KanonError):
            return None  # from another version, or cut off while it was written: nothing to offer
        return UnsavedWork(when, opened, edited)

    def discard(self, path: Path) -> None:
        """Remove the unsaved edits of this file."""
        with self._lock:
            place = self._place(path)
            if place is not None:
                place.unlink(missing_ok=True)

    def close(self) -> None:
        """Keep nothing from now on: a slow thread must not bring back what was discarded."""
        with self._lock:
            self._closed = True

    def _place(self, path: Path) -> Path | None:
        if self._folder is None:
            return None
        name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
        return self._folder / f"{name}.json"
