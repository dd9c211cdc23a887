"""2 Attributes: roles by one key, several rows at once, kinds, weights, the gauge."""

from __future__ import annotations

from textual.widgets import Static

from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.screens.attributes.association import AssociationDialog
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle


async def test_roles_by_one_key_and_the_gauge_follows(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        gauge = pilot.app.screen.query_one("#gauge", Static)
        assert "12 (100%)" in str(gauge.content)
        await pilot.press("down", "o")  # birth is harmless now
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.OTHER
        assert "12 (100%)" not in str(gauge.content)
        assert pilot.app.screen.query_one(Grid).row == 2  # on to the next


async def test_several_rows_at_once_is_one_edit(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "space", "space", "s")
        await settle(pilot)
        session = session_of(pilot)
        assert session.names(Role.SENSITIVE) == ["birth", "gender", "disease"]
        await pilot.press("ctrl+z")
        await settle(pilot)
        assert session.names(Role.SENSITIVE) == ["disease"]


async def test_a_kind_that_does_not_fit_is_not_taken(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "down", "k")  # gender
        await settle(pilot)
        assert session_of(pilot).attribute("gender").kind is Kind.CATEGORICAL
        await pilot.press("down", "k")  # zip is a number too
        await settle(pilot)
        assert session_of(pilot).attribute("zip").kind is Kind.NUMERIC


async def test_weights_typed_refused_and_from_association(sample, make_app) -> None:
    async with make_app(sample("datafly")).run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("2", "down", "w", *"1.5", "enter")
        assert "from 0 to 1" in str(pilot.app.screen.query_one("#error", Static).content)
        await pilot.press("backspace", "backspace", "backspace", *"0.4", "enter")
        await settle(pilot)
        session = session_of(pilot)
        assert session.attribute("birth").weight == 0.4
        assert [round(w, 3) for w in session.task().weights] == [0.4, 0.2, 0.2, 0.2]
        await pilot.press("a")
        await settle(pilot)
        assert session.project.weights == "auto"
        await pilot.press("m")
        assert isinstance(pilot.app.screen, AssociationDialog)
        assert pilot.app.screen.query_one(Grid).source.height == 4
