"""Writing to the folder where the application keeps its own state."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.data.writing import write_text
from kanon_tui.core.errors import KanonError

__all__ = ["write_state"]


def write_state(path: Path, text: str) -> None:
    """State is a convenience: a full disk or a read-only home must not stop the work."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_text(path, text, force=True)
    except (OSError, KanonError):
        return
