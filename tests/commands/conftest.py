"""A folder with a small project for every test of the command line."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.commands.command_line import PEOPLE, PROJECT

POISONED = (
    "kanon_tui.py", "kanon_tui/__init__.py", "pickle.py", "json.py", "numpy.py", "polars.py",
    "textual.py", "multiprocessing.py", "distributed.py", "signal.py",
)  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def nothing_ignored() -> None:
    """Processes that tests start inherit what is ignored, such as SIGHUP below `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.yaml").write_text(PROJECT)
    return tmp_path


@pytest.fixture
def poisoned(folder: Path) -> Path:
    """The folder, with modules that leave a mark when they are imported."""
    for name in POISONED:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"open({str(folder / 'imported')!r}, 'a').write({name!r})\n")
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, as the one the command is run in."""
    monkeypatch.chdir(folder)
    return folder
