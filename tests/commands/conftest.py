"""A folder with a small project for every test of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.command_line import PEOPLE, PROJECT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.yaml").write_text(PROJECT)
    return tmp_path


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, as the one the command is run in."""
    monkeypatch.chdir(folder)
    return folder
