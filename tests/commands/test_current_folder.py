"""Python files in the current folder, which lie beside somebody's data, are never imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import aiohttp
import polars as pl
import pytest

from kanon_tui.core.processes.workers import Processes
from kanon_tui.core.table.writing import write_table
from tests.commands.command_line import (
    CONSOLE_SCRIPT,
    ENVIRONMENT,
    PATIENCE,
    imported,
    wait_until,
)
from tests.commands.test_serve import browser, entered, serving, shown
from tests.terminal import application

__all__ = ["browser"]

pytestmark = pytest.mark.slow

DASK = "run p.yaml --engine dask --out r.csv"
LINES = (
    "run p.yaml --algorithm distributed --set workers=2 --set part=2 --out r.csv",
    DASK,
)


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert imported(folder) == ""
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "r.csv").exists()


def test_the_marks_are_left(poisoned: Path) -> None:
    subprocess.run([sys.executable, "-c", "import kanon_tui, json"], cwd=poisoned, check=True)
    assert imported(poisoned) == "kanon_tui/__init__.pyjson.py"


@pytest.mark.parametrize("line", LINES)
def test_commands_import_nothing_from_the_current_folder(poisoned: Path, line: str) -> None:
    run([CONSOLE_SCRIPT, *line.split()], poisoned)


@pytest.mark.parametrize("ending", [".parquet", ".xlsx"])
def test_nor_do_the_processes_that_read_foreign_formats(poisoned: Path, ending: str) -> None:
    write_table(poisoned / f"people{ending}", pl.DataFrame({"age": ["1", "1"], "sex": ["f", "f"]}))
    command = [CONSOLE_SCRIPT, "check", f"people{ending}", "--quasi", "age,sex", "--k", "2"]
    done = subprocess.run(
        command, cwd=poisoned, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert imported(poisoned) == ""


def test_nor_does_the_module_that_is_started_safely(poisoned: Path) -> None:
    run([sys.executable, "-P", "-m", "kanon_tui", *DASK.split()], poisoned)


def test_helpers_are_not_handed_the_current_folder(
    poisoned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(poisoned)
    for entry in ("", ".", str(poisoned)):
        monkeypatch.syspath_prepend(entry)
    with Processes(1, path_of_helper) as started:
        started.submit([None])
        found = None
        while found is None:
            found = started.result(0.05)
    assert not {"", ".", str(poisoned)} & set(found[1])
    assert imported(poisoned) == ""


def path_of_helper() -> Callable[[object], list[str]]:
    return lambda job: sys.path


async def test_sessions_import_nothing_from_the_current_folder(
    poisoned: Path, browser: aiohttp.ClientSession
) -> None:
    with serving(poisoned, "p.yaml", command=[CONSOLE_SCRIPT]) as (_, address):
        page = await entered(browser, address)
        async with browser.ws_connect(page + "ws?width=100&height=30") as tab:
            await shown(tab, b"people.csv")
    assert imported(poisoned) == ""


def test_nor_do_the_screens_that_start_processes(poisoned: Path) -> None:
    """A workbook is read in a process; a distributed search, alone and in a sweep, has helpers."""
    write_table(poisoned / "people.xlsx", pl.read_csv(poisoned / "people.csv", infer_schema=False))
    project = (poisoned / "p.yaml").read_text().replace("people.csv", "people.xlsx")
    searched = "{name: distributed, params: {workers: 2, part: 2}}"
    (poisoned / "p.yaml").write_text(project.replace("{name: mondrian}", searched))
    state = poisoned / "state"
    with application(Path("p.yaml"), state, command=[CONSOLE_SCRIPT], folder=poisoned) as terminal:
        terminal.wait_for(b"46201")
        for keys, shown_then in (
            (b"5", b"ready"), (b"r", b"finished"), (b"7", b"points"), (b"r", b"done in"),
            (b"6", b"verified"), (b"x", b"release"),
        ):  # fmt: skip
            terminal.send(keys)
            terminal.wait_for(shown_then)
        terminal.send(b"\r\r")
        wait_until(lambda: any(poisoned.glob("*release.csv")))
    assert imported(poisoned) == ""
