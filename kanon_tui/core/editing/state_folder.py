"""Writing to the folder where the application keeps its own state."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.errors import KanonError
from kanon_tui.core.table.writing import write_text

__all__ = ["write_state"]


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
