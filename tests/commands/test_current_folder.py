"""Python files in the current folder, which lie beside somebody's data, are never imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import aiohttp
import polars as pl
import pytest

from kanon_tui.core.processes.helper_processes import Processes
from kanon_tui.core.table.writing import write_table
from tests.commands.command_line import ENVIRONMENT, PATIENCE
from tests.commands.test_serve import browser, entered, serving, shown

__all__ = ["browser"]

pytestmark = pytest.mark.slow

CONSOLE_SCRIPT = str(Path(sys.executable).with_name("kanon-tui"))
POISONED = (
    "kanon_tui.py", "kanon_tui/__init__.py", "pickle.py", "json.py", "numpy.py", "polars.py",
    "textual.py", "multiprocessing.py", "distributed.py", "signal.py",
)  # fmt: skip
DASK = "run p.yaml --engine dask --out r.csv"
LINES = (
    "run p.yaml --out r.csv",
    "sweep p.yaml --k 2,3 --algorithms mondrian --out r.csv",
    "run p.yaml --algorithm distributed --set workers=2 --set part=2 --out r.csv",
    DASK,
)


@pytest.fixture
def poisoned(folder: Path) -> Path:
    """The folder of a project, with modules that leave a mark when they are imported."""
    for name in POISONED:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"open({str(folder / 'imported')!r}, 'a').write({name!r})\n")
    return folder


def imported(folder: Path) -> str:
    """What was imported from the folder."""
    mark = folder / "imported"
    return mark.read_text() if mark.exists() else ""


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert imported(folder) == ""
    assert done.returncode == 0, done.stderr  # Dask may say there that port 8787 is taken
    assert (folder / "r.csv").exists()


def test_the_marks_are_left(poisoned: Path) -> None:
    subprocess.run([sys.executable, "-c", "import kanon_tui, json"], cwd=poisoned, check=True)
    assert imported(poisoned) == "kanon_tui/__init__.pyjson.py"


@pytest.mark.parametrize("line", LINES)
def test_commands_import_nothing_from_the_current_folder(poisoned: Path, line: str) -> None:
    run([CONSOLE_SCRIPT, *line.split()], poisoned)


def test_nor_do_commands_that_look_at_a_release(poisoned: Path) -> None:
    run([CONSOLE_SCRIPT, *LINES[0].split()], poisoned)
    for line in ("verify r.csv --project p.yaml", "levels p.yaml"):
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
