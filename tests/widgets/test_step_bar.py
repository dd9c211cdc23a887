"""The line on top keeps the names of the steps and the mark of unsaved changes."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult

from kanon_tui.core.editing.readiness import Readiness, State
from kanon_tui.screens.base import STEPS
from kanon_tui.widgets.bars import StepBar


class OneBar(App[None]):
    def compose(self) -> ComposeResult:
        yield StepBar()


async def drawn(width: int, title: str, k: str = "k=5") -> str:
    app = OneBar()
    async with app.run_test(size=(width, 5)) as pilot:
        bar = app.query_one(StepBar)
        steps = tuple((*step, Readiness(State.DONE)) for step in STEPS)
        bar.update("results", title, k, steps)
        await pilot.pause()
        return bar.render().plain


@pytest.mark.parametrize("k", ["k=5", "k=100"])
async def test_all_steps_have_names_in_eighty_columns(k: str) -> None:
    line = await drawn(80, "a-long-name-of-a-project.yaml*", k)
    for word in ("Data", "Attrib", "Hierarch", "Rules", "Run", "Results", "What-if"):
        assert word in line
    assert "*" in line
    assert line.rstrip().endswith(k)
    assert cell_len(line) <= 80


@pytest.mark.parametrize("width", [30, 40, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("title", ["p.yaml*", "a-long-name-of-a-project.yaml*", "数据集.yaml*"])
async def test_the_mark_of_unsaved_changes_is_always_seen(width: int, title: str) -> None:
    assert "*" in (await drawn(width, title))[: len(title) + 2]


async def test_a_name_is_shortened_before_the_steps_are() -> None:
    line = await drawn(104, "a-long-name-of-a-project.yaml*")
    assert "…*" in line
    assert "2 Attributes" in line
    assert "3 Hierarchies" in line


async def test_a_wide_terminal_shows_everything() -> None:
    line = await drawn(200, "census.yaml*", "k=1,000")
    assert "census.yaml*" in line
    assert " 3 Hierarchies ✓ " in line
