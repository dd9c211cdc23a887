"""An analysis of another package, one file, is found everywhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands.command_line import PEOPLE, PROJECT
from tests.paths import ROOT
from tests.test_plug_ins import install, python

PAGE = (ROOT / "docs" / "add-an-analysis.md").read_text(encoding="utf-8")
FILE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
GROUP = "kanon_tui.analyses"
PANEL = """
import asyncio
from pathlib import Path
from textual.widgets import Select, Static
from kanon_tui.app import KanonApp
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.help_dialog import explanation
from tests.screens.conftest import session_of, settle, wait_until

async def main():
    app = KanonApp(Path("people.yaml"))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        session = session_of(pilot)
        session.results.append(anonymize(session.project, session.table))
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert "Busy classes" in titles, titles
        await pilot.press("6")
        await settle(pilot)
        await pilot.press("Z")
        await wait_until(pilot, lambda: isinstance(app.screen, AnalysisPanel))
        panel = app.screen
        await wait_until(pilot, lambda: panel.found is not None and not panel.working)
        shown = str(panel.query_one("#figures", Static).content)
        assert "classes have more than 4 records" in shown
        await pilot.press("delete", "9", "enter")
        await wait_until(pilot, lambda: "more than 18" in panel.found.summary[0])
        text = explanation(panel)
        assert "hides people better" in text and "How many times k" in text
        print("shown")

asyncio.run(main())
"""
LIBRARY = """
import kanon_tui as kn
release = kn.anonymize("people.yaml")
found = kn.busy_classes(release, times=1)
assert found.figures == kn.busy_classes("people.yaml", times=1, release=release.table).figures
assert "Large classes" in found._repr_html_()
help(kn.busy_classes)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.yaml").write_text(PROJECT)
    return tmp_path


@pytest.mark.slow
def test_an_analysis_of_one_file_is_found_everywhere(folder: Path) -> None:
    install(folder, "busy-classes = toy:BusyClasses", GROUP, toy=FILE)
    run = python(folder, "-m", "kanon_tui", "run", "people.yaml", "--out", "r.csv")
    assert run.returncode == 0, run.stderr
    listed = python(folder, "-m", "kanon_tui", "--help").stdout
    assert re.search(r"busy-classes +count the classes", listed)
    described = python(folder, "-m", "kanon_tui", "busy-classes", "--help").stdout
    assert "--times N" in described
    assert "how many times k is too large (2)" in described
    asked = ("-m", "kanon_tui", "busy-classes", "people.yaml", "--release", "r.csv")
    text = python(folder, *asked, "--cells", "--times", "1")
    assert text.returncode == 0, text.stderr
    assert "classes have more than 2 records" in text.stdout
    assert "Large classes" in text.stdout
    figures = json.loads(python(folder, *asked, "--json").stdout)
    assert set(figures) == {"classes", "large", "share"}
    refused = python(folder, *asked, "--times", "0")
    assert refused.returncode == 2
    assert "'0' is not a whole number of at least 1" in refused.stderr
    helped = python(folder, "-c", LIBRARY)
    assert "busy_classes(data, times=2, cells=False, *, release=None)" in helped.stdout, helped
    pages = "from docs.make_commands import markdown; print(markdown())"
    assert "## kanon-tui busy-classes" in python(folder, "-c", pages).stdout
    shown = python(folder, "-c", PANEL)
    assert shown.stdout == "shown\n", shown.stderr


BROKEN = """
@dataclass(frozen=True)
class Run(BusyClasses):
    name: ClassVar[str] = "run"

@dataclass(frozen=True)
class Reserved(BusyClasses):
    name: ClassVar[str] = "reserved"
    json: bool = declared(False, "JSON")
"""
REASONS = {
    "missing": ("missing = nowhere:Class", "nowhere"),
    "other": ("other = toy:BusyClasses", "has the name 'busy-classes'"),
    "reserved": ("reserved = toy:Reserved", "cannot be called 'json'"),
}


@pytest.mark.slow
def test_a_broken_analysis_is_one_sentence_and_the_others_are_there(folder: Path) -> None:
    entries = [entry for entry, _ in REASONS.values()]
    entries += ["busy-classes = toy:BusyClasses", "run = toy:Run"]
    install(folder, "\n".join(entries), GROUP, toy=FILE + BROKEN)
    for name, (_, reason) in REASONS.items():
        refused = python(folder, "-m", "kanon_tui", name)
        assert refused.returncode == 2
        assert reason in refused.stderr
        assert "toys 1.2" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    run = python(folder, "-m", "kanon_tui", "run", "people.yaml", "--out", "r.csv")
    assert run.returncode == 0, run.stderr  # the command of Kanon stays
    listed = python(folder, "-m", "kanon_tui", "--help")
    assert "busy-classes" in listed.stdout
