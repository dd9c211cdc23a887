"""Files in the user's state folder, and the list of recently opened files."""

from __future__ import annotations

import json
from pathlib import Path

from kanon_tui.core.errors import KanonError
from kanon_tui.core.table.writing import write_text

__all__ = ["RecentFiles", "write_state"]


def write_state(path: Path, text: str) -> None:
    """Write a file that its owner alone can read.

    State is a convenience: a full disk or a read-only home must not stop the work.
    """
    try:
        _make_private(path.parent)
        write_text(path, text, force=True, private=True)
    except (OSError, KanonError):
        return


def _make_private(folder: Path) -> None:
    """A folder that only its owner may look into, as every one that is made on the way to it."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


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
