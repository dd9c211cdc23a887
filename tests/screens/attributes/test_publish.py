"""2 Attributes: what a class prints, and what becomes of an identifier."""

from __future__ import annotations

from textual.widgets import Select, Static

from kanon_tui.screens.attributes.publish_dialog import PublishDialog
from tests.screens.conftest import session_of, settle


async def test_what_a_class_prints(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "down", "e")  # gender, a category
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, PublishDialog)
        dialog.query_one("#publish", Select).value = "mode"
        await settle(pilot)
        assert "most frequent" in str(dialog.query_one("#meaning", Static).content)
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert session_of(pilot).attribute("gender").publish == "mode"
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).attribute("gender").publish is None


async def test_pseudonyms_are_chosen_with_a_warning(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "i", "e")
        await settle(pilot)
        dialog = pilot.app.screen
        dialog.query_one("#publish", Select).value = "pseudonym"
        await settle(pilot)
        assert "can undo pseudonyms" in str(dialog.query_one("#meaning", Static).content)
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        first = next(iter(session.project.attributes))
        assert session.attribute(first).identifier == "pseudonym"
        assert "published as pseudonyms" in " ".join(session.task().warnings)


async def test_nothing_is_to_be_chosen_for_what_is_published_as_it_is(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "o", "e")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, PublishDialog)
