"""2 Attributes: what a class prints, and what becomes of an identifier."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from textual.widgets import Input, Select, Static

from kanon_tui.core.project.sections import AttributeSpec, Publish
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.screens.attributes.dialogs import PublishDialog
from kanon_tui.screens.attributes.figures import kind_text, role_text
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle, status_text, wait_until


def cells(pilot, attribute: str) -> list[str]:
    """What the table says of an attribute, as far as there is room."""
    source = pilot.app.screen.query_one("#attributes", Grid).source
    rows = [[cell.text for cell in row] for row in source.rows(0, source.height)]
    widths = [column.width for column in source.columns]
    (found,) = [row for row in rows if row[0] == attribute]
    return [text[:width] for text, width in zip(found, widths, strict=True)][1:]


async def test_what_a_class_prints(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "down", "e")  # gender, a category
        await settle(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, PublishDialog)
        dialog.query_one("#p-a_class_has", Select).value = "mode"
        await settle(pilot)
        assert "most frequent" in str(dialog.query_one("#meaning", Static).content)
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert session_of(pilot).attribute("gender").publish == "mode"
        assert cells(pilot, "gender")[:2] == ["quasi mode", "categorical"]
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).attribute("gender").publish is None


async def test_pseudonyms_are_chosen_with_a_warning(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "i", "e")
        await settle(pilot)
        dialog = pilot.app.screen
        dialog.query_one("#p-published", Select).value = "pseudonym"
        await settle(pilot)
        assert "can undo pseudonyms" in str(dialog.query_one("#meaning", Static).content)
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        first = next(iter(session.project.attributes))
        assert session.attribute(first).identifier == "pseudonym"
        assert cells(pilot, first)[0] == "pseudonym"
        assert "published as pseudonyms" in " ".join(session.task().warnings)


async def test_nothing_is_to_be_chosen_for_what_is_published_as_it_is(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "o", "e")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, PublishDialog)


async def test_ends_are_coded_and_a_wrong_bound_is_told_where_it_was_typed(
    sample, make_app
) -> None:
    async with make_app(sample("adult")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "e")  # age
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, PublishDialog))
        await settle(pilot)
        dialog = pilot.app.screen
        dialog.query_one("#p-top", Input).value = "old"
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert pilot.app.screen is dialog
        assert "'old' is not a number" in str(dialog.query_one("#error", Static).content)
        dialog.query_one("#p-top", Input).value = "70"
        dialog.query_one("#p-bottom", Input).value = "20"
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        assert (session.attribute("age").top, session.attribute("age").bottom) == (70, 20)
        assert cells(pilot, "age")[:2] == ["quasi", "numeric ≤≥"]
        age = session.task().quasi[0].column
        assert (age.values[0], age.values[-1]) == ("<=20", ">=70")
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session_of(pilot).attribute("age").top is None
        assert cells(pilot, "age")[:2] == ["quasi", "numeric"]


def test_every_way_of_publishing_has_a_mark_that_fits() -> None:
    spec = AttributeSpec(Role.QUASI, Kind.NUMERIC, bottom=18)
    marked = {each: role_text(replace(spec, publish=each)) for each in get_args(Publish)}
    assert marked.pop("range") == marked.pop("ancestor") == "quasi"
    assert len(set(marked.values())) == len(marked)
    assert all(text.startswith("quasi ") and len(text) <= 10 for text in marked.values())
    assert kind_text(spec) == "numeric ≤"
    assert kind_text(replace(spec, kind=Kind.DATE, bottom=None, top="2000-01-01")) == "date ≥"
    assert role_text(replace(spec, role=Role.OTHER, publish="mean")) == "other"  # it has no class


async def test_another_role_drops_pseudonyms_and_says_so(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "i", "e")
        await settle(pilot)
        pilot.app.screen.query_one("#p-published", Select).value = "pseudonym"
        pilot.app.screen.query_one("#p-key_file", Input).value = "../keys/study.key"
        await pilot.press("ctrl+r")
        await settle(pilot)
        session = session_of(pilot)
        first = next(iter(session.project.attributes))
        assert session.project.output.pseudonym_key == "../keys/study.key"
        await pilot.press("P")
        await settle(pilot)
        assert session.attribute(first).role is Role.PERSON
        assert session.attribute(first).identifier == "drop"
        assert "pseudonyms" in status_text(pilot)
        session.task()  # nothing keeps a run from starting
