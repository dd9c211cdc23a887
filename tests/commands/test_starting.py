"""Starting the command: help and version; a file opens the application."""

from __future__ import annotations

import pty
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kanon_tui.cli import main
from kanon_tui.commands import COMMANDS
from tests.commands.command_line import ENVIRONMENT, PATIENCE, kanon, kanon_process, said


def test_help_and_version(tmp_path: Path) -> None:
    done = kanon_process("--help", folder=tmp_path)
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"\n    {command}" in done.stdout
    assert kanon_process("--version", folder=tmp_path).stdout.startswith("kanon-tui 0.")
    for command in COMMANDS:
        done = kanon(command, "--help", folder=tmp_path)
        assert done.returncode == 0
        assert done.stdout.startswith(f"usage: kanon-tui {command}")


def test_a_file_opens_the_application(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path | None] = []
    mice: list[bool] = []

    def launch(file: Path | None, *, mouse: bool) -> int:
        opened.append(file)
        mice.append(mouse)
        return 0

    monkeypatch.setitem(sys.modules, "kanon_tui.app", SimpleNamespace(launch=launch))
    monkeypatch.setenv("TEXTUAL_DRIVER", "somewhere else")
    monkeypatch.chdir(folder)
    Path("rum").write_text("a file that is called like a mistyped command")
    for args in ((), ("people.csv",), ("p.yaml",), ("rum",), ("demo",), ("demo", "mondrian")):
        assert main(args) == 0
    assert opened[:-1] == [None, Path("people.csv"), Path("p.yaml"), Path("rum"), None]
    assert opened[-1] is not None
    assert opened[-1].is_file()
    assert capsys.readouterr().err == ""
    assert all(mice)
    mice.clear()
    for args in (("--no-mouse",), ("--no-mouse", "p.yaml"), ("p.yaml", "--no-mouse"),
                 ("demo", "mondrian", "--no-mouse")):  # fmt: skip
        assert main(args) == 0
    assert mice == [False] * 4
    assert "is for the application" in said("--no-mouse", "run", "p.yaml", capsys=capsys)
    assert said("p.yaml", "people.csv", capsys=capsys) == (
        "unknown argument 'people.csv'; the application opens one file"
    )


def test_without_a_terminal_the_application_is_not_opened(folder: Path) -> None:
    done = kanon_process("p.yaml", folder=folder)
    assert done.returncode == 2
    assert "the application needs a terminal; 'kanon-tui run PROJECT'" in done.stderr


def test_on_a_dumb_terminal_the_application_is_not_opened(folder: Path) -> None:
    leader, follower = pty.openpty()
    with open(leader, "rb"), open(follower, "r+b", buffering=0) as terminal:
        done = subprocess.run(
            [sys.executable, "-m", "kanon_tui", "p.yaml"],
            cwd=folder,
            env={**ENVIRONMENT, "TERM": "dumb"},
            stdin=terminal,
            stdout=terminal,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    for words in ("TERM is 'dumb'", "kanon-tui run PROJECT"):
        assert words in done.stderr
