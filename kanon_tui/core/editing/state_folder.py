"""Files in the user's state folder, and the list of recently opened files."""

import hashlib
import json
from pathlib import Path

from kanon_tui.core.errors import KanonError
from kanon_tui.core.table.writing import write_text


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
    """Create a folder, and its missing parents, that only the owner can read."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def file_key(path: Path) -> str:
    """Return one key for a file, whatever path leads to it."""
    return hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]


MOST_RECENT = 20


class RecentFiles:
    """The recently opened files, kept in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / "recent.json"

    def paths(self) -> list[Path]:
        """Return the recent files that exist, the latest first."""
        return [path for path in self._known() if path.exists()]

    def add(self, path: Path) -> None:
        """Put a file on top; files that are missing now (on a stick, say) keep their places."""
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
