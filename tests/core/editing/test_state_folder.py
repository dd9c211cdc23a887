"""What the application keeps for itself is readable by its owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kanon_tui.core.editing.state_folder import write_state


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_and_folders_are_private(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_state(tmp_path / "kanon" / "unsaved" / "a.json", "{}")
    finally:
        os.umask(before)
    assert mode(tmp_path / "kanon") == mode(tmp_path / "kanon" / "unsaved") == 0o700
    assert mode(tmp_path / "kanon" / "unsaved" / "a.json") == 0o600


def test_what_an_older_version_left_open_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "kanon"
    folder.mkdir()
    (folder / "recent.json").write_text("[]")
    folder.chmod(0o755)
    (folder / "recent.json").chmod(0o644)
    write_state(folder / "recent.json", "[1]")
    assert (mode(folder), mode(folder / "recent.json")) == (0o700, 0o600)


def test_a_folder_that_cannot_be_made_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    write_state(tmp_path / "file" / "below" / "a.json", "{}")
    assert os.listdir(tmp_path) == ["file"]
