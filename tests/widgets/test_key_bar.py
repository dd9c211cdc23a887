"""The key bar: help always has its place, what finds none is counted."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Input

from kanon_tui.widgets.bars import KeyBar


class ManyKeys(App[None]):
    BINDINGS = [  # noqa: RUF012
        *(Binding(key, f"do('{key}')", f"does {key}") for key in "abcdefghij"),
        Binding("f1", "help", "Help"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def compose(self) -> ComposeResult:
        yield KeyBar()

    def action_do(self, key: str) -> None:
        self.done.append(key)

    def action_help(self) -> None:
        self.done.append("help")


def line(app: App[None]) -> str:
    return app.screen.query_one(KeyBar).render().plain


@pytest.mark.parametrize("width", [20, 30, 41, 80, 100, 200])
async def test_help_is_always_there_and_the_line_fits(width: int) -> None:
    app = ManyKeys()
    async with app.run_test(size=(width, 5)):
        text = line(app)
        assert len(text) <= width
        assert text.rstrip().endswith("help" if width >= 24 else "F1")
        shown = text.count("does")
        assert (f"… {10 - shown} more" in text) == (shown < 10)
        if shown:
            assert text.startswith(" a does a ")


class WithField(App[None]):
    BINDINGS = [Binding("plus", "do", "more"), Binding("f5", "do_too", "start")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield Input()
        yield KeyBar()


async def test_what_a_field_takes_is_not_offered() -> None:
    app = WithField()
    async with app.run_test(size=(80, 5)) as pilot:
        assert "more" not in line(app)
        assert "start" in line(app)
        app.set_focus(None)
        await pilot.pause()
        assert "more" in line(app)


async def test_a_click_presses_the_key_under_it() -> None:
    app = ManyKeys()
    async with app.run_test(size=(50, 5)) as pilot:
        await pilot.click(KeyBar, offset=(line(app).index("does b"), 0))
        await pilot.click(KeyBar, offset=(line(app).index("more"), 0))
        await pilot.pause()
        assert app.done == ["b", "help"]
