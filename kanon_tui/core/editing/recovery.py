"""What outlives a sitting: recently opened files, and unsaved work set aside in case the line
drops.

Everything is kept in one folder that the caller names; with None nothing is kept. Set-aside
work is the project only (never data, never results), one file per project, removed when the
work is saved or left on purpose. A file that is still there at the next start belongs to a
sitting that was cut off.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from kanon_tui.core.data.table import read_table
from kanon_tui.core.data.writing import write_text
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.yaml_text import parse
from kanon_tui.core.project.project import Project, project_from_mapping, project_to_text

__all__ = ["Abandoned", "Desk"]

MOST_RECENT = 8


@dataclass(frozen=True)
class Abandoned:
    """Unsaved work of a sitting that was cut off."""

    when: datetime
    opened: Project
    """The project as its file has it."""
    project: Project
    """The project with the unsaved edits."""

    def session(self) -> Session:
        """Take the work up again; the edits are there, not yet saved."""
        table = read_table(self.project.data_path, self.project.data.read_options)
        session = Session(self.opened, table)
        session.edit(self.project.completed(table), "work taken up again")
        return session


class Desk:
    """Keeps recent files and set-aside work in a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    # -- recent files

    def recent(self) -> list[Path]:
        """Recently opened files that still exist, the latest first."""
        if self._folder is None:
            return []
        try:
            names = json.loads((self._folder / "recent.json").read_text(encoding="utf-8"))
            return [path for path in map(Path, names) if path.is_file()][:MOST_RECENT]
        except (OSError, ValueError, TypeError):
            return []

    def remember(self, path: Path) -> None:
        """Put a file on top of the recent ones."""
        if self._folder is None:
            return
        path = path.resolve()
        names = [str(path), *(str(known) for known in self.recent() if known != path)]
        self._write(self._folder / "recent.json", json.dumps(names[:MOST_RECENT], indent=1))

    # -- work set aside

    def keep(self, session: Session) -> None:
        """Set the current state aside, or remove it when the file already has it."""
        project = session.project
        path = project.path or project.data_path
        place = self._place(path)
        if place is None:
            return
        if not session.dirty:
            place.unlink(missing_ok=True)
            return
        content = {
            "file": str(path.resolve()),
            "project": str(project.path.resolve()) if project.path else None,
            "opened": project_to_text(session.baseline),
            "edited": project_to_text(project),
        }
        self._write(place, json.dumps(content))

    def abandoned_for(self, path: Path) -> Abandoned | None:
        """Unsaved work on this file, if a sitting on it was cut off."""
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
        return Abandoned(when, opened, edited)

    def discard(self, path: Path) -> None:
        """Forget set-aside work on this file."""
        place = self._place(path)
        if place is not None:
            place.unlink(missing_ok=True)

    def _place(self, path: Path) -> Path | None:
        if self._folder is None:
            return None
        name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
        return self._folder / "unsaved" / f"{name}.json"

    def _write(self, path: Path, text: str) -> None:
        """State is a convenience: a full disk or a read-only home must not stop the work."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_text(path, text, force=True)
        except (OSError, KanonError):
            return
