"""What is not asked for is not imported: help answers at once, the library brings no screens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.commands import COMMANDS
from kanon_tui.commands.declarations import WRITTEN
from tests.commands.command_line import ENVIRONMENT, PATIENCE

USER_INTERFACE = {"textual", "rich", "kanon_tui.app", "kanon_tui.screens", "kanon_tui.widgets"}
HEAVY = USER_INTERFACE | {"numpy", "pandas", "polars", "sklearn", "scipy", "yaml"}

HELP_PAGES = [
    ("--help",),
    ("--version",),
    *((command, "--help") for command in COMMANDS),
    *(("hierarchy", part, "--help") for part in ("build", "validate", "convert")),
]


def imported_by(*arguments: str, folder: Path | None = None) -> set[str]:
    """The modules that Python imports when it is started like this."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        env=ENVIRONMENT,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    lines = done.stderr.splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


@pytest.mark.parametrize("arguments", HELP_PAGES, ids=" ".join)
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    loaded = imported_by("-m", "kanon_tui", *arguments)
    assert "kanon_tui.commands" in loaded
    assert not HEAVY & loaded


def test_importing_the_library_loads_nothing_heavy() -> None:
    assert not HEAVY & imported_by("-c", "import kanon_tui")


def test_the_whole_library_loads_no_user_interface() -> None:
    everything = "import kanon_tui\nfor name in kanon_tui.__all__: getattr(kanon_tui, name)"
    loaded = imported_by("-c", everything)
    assert "polars" in loaded
    assert not USER_INTERFACE & loaded


def test_commands_load_no_screens() -> None:
    names = ("analysis", "declarations", "output", "progress", *WRITTEN)
    modules = [f"kanon_tui.commands.{name.replace('-', '_')}" for name in names]
    loaded = imported_by("-c", f"import {', '.join(modules)}")
    assert not USER_INTERFACE & loaded


NOT_FOR_A_RUN = USER_INTERFACE | {
    "aiohttp",
    "pandas",
    "pyarrow",
    "scipy",
    "sklearn",
    "xml",
}


@pytest.mark.parametrize("algorithm", ["global", "mondrian"])
def test_a_run_loads_what_it_needs(folder: Path, algorithm: str) -> None:
    command = ("run", "p.yaml", "--algorithm", algorithm, "--out", "r.csv", "--report", "r.json")
    loaded = imported_by("-m", "kanon_tui", *command, folder=folder)
    assert "kanon_tui.core.kernels.library" in loaded
    assert not NOT_FOR_A_RUN & loaded
    assert "kanon_tui.core.analysis.sweep" not in loaded
