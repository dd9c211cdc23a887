"""Help: the keys of the screen come first; every dialog explains itself."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from textual.dom import DOMNode
from textual.widgets import Input, Markdown

import kanon_tui.screens
from kanon_tui.screens.base import STEPS
from kanon_tui.screens.help_dialog import Help, help_text, help_texts
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import Dialog, Message, Modal
from tests.screens.conftest import settle


def all_nodes(cls: type[DOMNode] = DOMNode) -> Iterator[type[DOMNode]]:
    for found in cls.__subclasses__():
        yield found
        yield from all_nodes(found)


def test_every_dialog_and_panel_explains_itself() -> None:
    for module in pkgutil.walk_packages(kanon_tui.screens.__path__, "kanon_tui.screens."):
        importlib.import_module(module.name)
    silent = [
        found.__name__
        for found in all_nodes(Modal)
        if found.__module__.startswith("kanon_tui")
        and not found.__subclasses__()  # what others are made from is never shown itself
        and not (help_text(found) or hasattr(found, "help"))  # made from a declaration
    ]
    assert silent == []
    explained = {found.__name__ for found in all_nodes()}
    assert set(help_texts()) <= explained  # no section has lost its class


async def test_the_keys_of_the_screen_come_first(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("3")
        await settle(pilot)
        await pilot.press("f1")
        await settle(pilot)
        shown = pilot.app.screen
        assert isinstance(shown, Help)
        first, text, rest = list(shown.query("#keys, Markdown, #other-keys"))
        assert isinstance(text, Markdown)
        on_screen, *others = [[what for _, what in group.keys] for group in shown.groups]
        assert "builder" in on_screen
        assert "Undo" not in on_screen
        assert "Undo" in others[-1]
        assert first.region.y < text.region.y < rest.region.y
        assert "3 Hierarchies" in text.source
        assert first.region.y < 4  # in view without scrolling
        assert text.region.y < 14


async def test_a_dialog_says_where_help_is_and_gives_it(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        pilot.app.push_screen(Message("A title", "A sentence."))
        await settle(pilot)
        box = pilot.app.screen.query_one("Dialog > Vertical")
        assert "F1 help" in str(box.border_subtitle)
        await pilot.press("question_mark")
        await settle(pilot)
        assert isinstance(pilot.app.screen, Help)
        assert "Nothing is asked" in pilot.app.screen.query_one(Markdown).source
        assert ("esc", "Close") in pilot.app.screen.groups[0].keys
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, Dialog)
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, Dialog)


async def test_every_screen_shows_help_and_its_first_keys_at_80_columns(sample, make_app) -> None:
    first = {"data": "/ find", "attributes": "i identifier", "hierarchies": "t tree",
             "run": "r Run", "what-if": "r Run"}  # fmt: skip
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, step, _ in STEPS:
            await pilot.press(key)
            await settle(pilot)
            text = pilot.app.screen.query_one(KeyBar).render().plain
            assert text.rstrip().endswith("F1 ? help")
            assert first.get(step, "") in text


async def test_question_mark_is_help_and_is_typed_in_a_field(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, Help)
        await pilot.press("question_mark")
        assert not isinstance(pilot.app.screen, Help)
        await pilot.press("slash", "question_mark")
        assert pilot.app.screen.query_one(Input).value == "?"
