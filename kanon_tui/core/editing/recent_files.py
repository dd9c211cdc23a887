"""Recently opened files, for the start screen."""

from __future__ import annotations

import json
from pathlib import Path

from kanon_tui.core.editing.state_folder import write_state

__all__ = ["RecentFiles"]

MOST_RECENT = 8


class RecentFiles:
    """A short list of paths in a folder that the caller names; with None nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / "recent.json"

    def paths(self) -> list[Path]:
        """Those that still exist, the latest first."""
        if self._file is None:
            return []
        try:
            names = json.loads(self._file.read_text(encoding="utf-8"))
            return [path for path in map(Path, names) if path.is_file()][:MOST_RECENT]
        except (OSError, ValueError, TypeError):
            return []

    def add(self, path: Path) -> None:
        """Put a file on top."""
        if self._file is None:
            return
        path = path.resolve()
        names = [str(path), *(str(known) for known in self.paths() if known != path)]
        write_state(self._file, json.dumps(names[:MOST_RECENT], indent=1))
