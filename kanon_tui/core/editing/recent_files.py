"""Recently opened files, for the start screen."""

from __future__ import annotations

import json
from pathlib import Path

from kanon_tui.core.editing.state_folder import write_state

__all__ = ["RecentFiles"]

MOST_RECENT = 20


class RecentFiles:
    """A short list of paths in a folder that the caller names; with None nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / "recent.json"

    def paths(self) -> list[Path]:
        """Those that exist now, the latest first."""
        return [path for path in self._known() if path.exists()]

    def add(self, path: Path) -> None:
        """Put a file on top. One that is not there now (on a stick, say) keeps its place."""
        if self._file is None:
            return
        path = path.resolve()
        names = [str(path), *(str(known) for known in self._known() if known != path)]
        write_state(self._file, json.dumps(names[:MOST_RECENT], indent=1))

    def _known(self) -> list[Path]:
        if self._file is None:
            return []
        try:
            return [Path(name) for name in json.loads(self._file.read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError):
            return []
