"""A picture of any screen as an SVG file, from the command palette."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input

from kanon_tui.widgets.path_dialog import AskPath
from tests.screens.conftest import settle, wait_until


async def test_the_screen_is_written_as_it_was_before_the_question(
    sample, make_app, tmp_path: Path
) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        commands = {c.title: c for c in pilot.app.get_system_commands(pilot.app.screen)}
        commands["Picture"].callback()
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, AskPath))
        pilot.app.screen.query_one(Input).value = str(tmp_path / "lesson")
        await pilot.press("enter")
        written = tmp_path / "lesson.svg"
        await wait_until(pilot, written.exists)
        await settle(pilot)
        text = written.read_text(encoding="utf-8")
        assert text.startswith("<svg")
        assert "23111" in text
        assert "Write" not in text
