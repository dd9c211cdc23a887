"""Terminals with few colours, and people who want none: every text can be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.style import Style
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen

from kanon_tui.app import KanonApp
from kanon_tui.core.project.samples import find_sample
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import settle
from tests.terminal import application

TERMINALS = ("xterm", "linux", "screen", "vt100", "tmux", "xterm-256color", "truecolor")
THEMES = ("kanon-light", "ansi-dark", "ansi-light", "kanon-dark")
SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
}


def unlike(style: Style, system: ColorSystem) -> bool:
    """Whether a text differs from its ground in the colours that the terminal has.

    Reversed, either has the colour of the other, which makes no difference to this.
    """

    def shown(colour: Color | None) -> tuple[object, ...] | None:
        if colour is None or colour.is_default:
            return None
        own = colour.downgrade(system)
        return own.type, own.number, own.triplet

    text = shown(style.color)
    ground = shown(style.bgcolor)
    return text != ground or text is None


def painted(screen: Screen[object]) -> Iterator[tuple[str, Style]]:
    """The texts on the screen with their styles."""
    for widget in screen.walk_children():
        if widget.is_on_screen:
            for strip in widget.render_lines(Region(0, 0, *widget.outer_size)):
                for text, style, _ in strip:
                    if text.strip():
                        yield text, style or Style()


async def check(pilot: Pilot[None]) -> None:
    await settle(pilot)
    app = pilot.app
    system = SYSTEMS[str(app.console.color_system)]
    texts = list(painted(app.screen))
    assert texts
    assert [(text, style) for text, style in texts if not unlike(style, system)] == []
    if app.no_color and app.native_ansi_color:
        colours = (colour for _, style in texts for colour in (style.color, style.bgcolor))
        assert all(colour is None or colour.is_default for colour in colours)


@pytest.mark.parametrize("no_color", [True, False], ids=["NO_COLOR", "colours"])
@pytest.mark.parametrize("terminal", TERMINALS)
async def test_every_text_differs_from_its_ground(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: str, no_color: bool
) -> None:
    many = terminal == "truecolor"
    monkeypatch.setenv("TERM", "xterm-256color" if many else terminal)
    monkeypatch.setenv("COLORTERM", "truecolor" if many else "")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = KanonApp(find_sample("mondrian").project, state_folder=tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await check(pilot)
        await pilot.press("4", "a")  # a form over the rules
        await check(pilot)
        for theme in THEMES:
            app.theme = theme
            await check(pilot)


def test_no_colours_at_all_reach_a_terminal_that_has_16(sample, tmp_path: Path) -> None:
    environment = {"TERM": "xterm", "NO_COLOR": "1"}
    state = tmp_path / "state"
    with application(sample("mondrian"), state, 80, 24, environment=environment) as terminal:
        written = terminal.wait_for(b"distinct")
    codes = {
        int(code)
        for sequence in re.findall(rb"\x1b\[([\d;]*)m", written)
        for code in sequence.split(b";")
        if code
    }
    assert 7 in codes  # the cursor is reversed
    assert codes <= {*range(10), 39, 49}  # bold, dim and the like, and the terminal's own colours


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_marks_under_the_cursor_are_on_the_ground_of_the_terminal(tmp_path, theme) -> None:
    """Red on the blue of a terminal with 16 colours cannot be read."""
    app = KanonApp(find_sample("datafly").project, state_folder=tmp_path, theme=theme)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        grid = app.screen.query_one("#attributes", Grid)
        marked = [style for _, style, _ in grid.render_lines(Region(0, 1, grid.size.width, 1))[0]]
        coloured = [style for style in marked if style.color and not style.color.is_default]
        assert coloured
        assert all(style.bgcolor is None or style.bgcolor.is_default for style in coloured)
