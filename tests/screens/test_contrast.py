"""Contrast: every text can be read and every line be seen, in every theme of ours."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.filter import DimFilter
from textual.theme import Theme
from textual.widget import Widget

from kanon_tui.core.project.samples import find_sample
from kanon_tui.themes import THEMES
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.line_filters import DIM_FACTOR
from tests.screens.conftest import settle

TEXT = 4.5
LINE = 3.0
GROUNDS = ("background", "surface", "panel")
TEXTS = (
    "foreground", "primary", "secondary", "accent", "warning", "error", "success", "text-muted",
    "text-primary", "text-accent", "text-warning", "text-error", "text-success",
    "footer-key-foreground",
)  # fmt: skip


def luminance(colour: Color) -> float:
    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b)


def contrast(one: Color, other: Color) -> float:
    """As WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colours(theme: Theme) -> dict[str, Color]:
    made = theme.to_color_system().generate()
    return {name: Color.parse(made[name]) for name in (*GROUNDS, *TEXTS)}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_texts_stand_out_from_every_ground_also_dimmed(theme: Theme) -> None:
    known = colours(theme)
    for ground in GROUNDS:
        for text in TEXTS:
            assert contrast(known[text], known[ground]) >= TEXT, (text, ground)
        dimmed = known[ground].blend(known["foreground"], DIM_FACTOR)
        assert contrast(dimmed, known[ground]) >= TEXT, ground


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_what_means_something_else_has_another_colour(theme: Theme) -> None:
    """Quasi-identifiers have the accent, sensitive attributes the colour of warnings."""
    known = colours(theme)
    meanings = [known[name].hex for name in ("primary", "accent", "warning", "error", "success")]
    assert len(set(meanings)) == len(meanings)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_borders_and_headings_as_they_are_drawn(theme: Theme, make_app) -> None:
    app = make_app(find_sample("mondrian").project)
    app.theme = theme.name
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for key in "1234567":
            await pilot.press(key)
            await settle(pilot)
            panes = list(app.screen.query(".pane").results(Widget))
            assert panes
            for pane in panes:
                ground, _ = pane.background_colors
                _, line = pane.styles.border_top
                heading = ground + pane.styles.border_title_color
                assert contrast(ground + line, ground) >= LINE, pane
                assert contrast(heading, ground) >= TEXT, pane
        assert all(
            each.dim_factor == DIM_FACTOR
            for each in app.get_line_filters()
            if isinstance(each, DimFilter)
        )


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_released_cells_can_be_read_at_every_heat(theme: Theme, make_app) -> None:
    app = make_app(find_sample("mondrian").project)
    app.theme = theme.name
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        grid = app.screen.query(Grid).first()
        text = Color.parse(app.theme_variables["foreground"])
        for step in (1, 2, 3, 4):
            style = grid.get_component_rich_style(f"grid--heat-{step}")
            assert style.bgcolor is not None
            ground = Color.from_rich_color(style.bgcolor)
            assert contrast(text, ground) >= TEXT, step
