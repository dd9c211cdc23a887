"""2 Attributes: roles by one key, several rows at once, kinds, weights, the gauge."""

from __future__ import annotations

import threading

from textual.widgets import OptionList, Static

from kanon_tui.core.editing.session import Session
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.screens.attributes.dialogs import AssociationDialog
from kanon_tui.screens.attributes.figures import ColumnFigures, measure_column
from kanon_tui.widgets.grid import Grid
from tests.screens.conftest import session_of, settle, wait_until


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
        assert pilot.app.screen.query_one(Grid).row == 1  # the cursor stays
        await pilot.press("enter")
        await settle(pilot)
        assert session_of(pilot).attribute("birth").role is Role.OTHER  # enter changes no role


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
        await pilot.press("2", "down", "down", "k")  # gender can be nothing but texts
        await settle(pilot)
        assert pilot.app.screen.query_one(OptionList).option_count == 1
        await pilot.press("enter")
        await settle(pilot)
        assert session_of(pilot).attribute("gender").kind is Kind.CATEGORICAL
        await pilot.press("down", "k")  # zip is a number too
        await settle(pilot)
        await pilot.press("home", "enter")
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
        await pilot.press("a")
        await settle(pilot)
        assert session.project.weights == "ranking"
        assert "from a ranking" in str(pilot.app.screen.query_one("#attributes-pane").border_title)
        assert round(session.task().weights.sum(), 9) == 1
        await pilot.press("p")
        assert isinstance(pilot.app.screen, AssociationDialog)
        assert pilot.app.screen.query_one(Grid).source.height == 4


async def test_marking_by_pattern_and_all_and_finding(tmp_path, make_app) -> None:
    data = tmp_path / "people.csv"
    columns = ["city", "birth_date", "Date of visit", "zip", "update"]
    data.write_text(",".join(columns) + "\n" + "\n".join("a,b,c,d,e" for _ in range(3)) + "\n")
    async with make_app(data).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        screen = pilot.app.screen
        session = session_of(pilot)
        await pilot.press("asterisk", *"*date", "enter", "s")
        await settle(pilot)
        assert session.names(Role.SENSITIVE) == ["birth_date", "update"]
        await pilot.press("asterisk", *"date", "enter")  # a bare word fits anywhere
        assert screen.marked == {"birth_date", "Date of visit", "update"}
        await pilot.press("asterisk", "backspace", "enter")
        assert screen.marked == set()
        await pilot.press("asterisk", "enter", "o")  # all
        await settle(pilot)
        assert session.names(Role.OTHER) == columns
        await pilot.press("asterisk", *"xyz", "enter")
        assert "no attribute" in str(pilot.app.screen.query_one("#error", Static).content)
        await pilot.press("escape", "slash", *"date", "enter", "n")
        await settle(pilot)
        grid = screen.query_one(Grid)
        assert grid.row == 2  # the second of them
        await pilot.press("N", "N")
        assert grid.row == 4  # round the end


async def test_figures_come_column_by_column_and_keys_work_meanwhile(
    sample, make_app, monkeypatch
) -> None:
    go_on = threading.Event()
    measured: list[str] = []

    def slowly(session: Session, name: str, spec: AttributeSpec) -> ColumnFigures | None:
        measured.append(name)
        if name != next(iter(session.project.attributes)):
            go_on.wait(60)
        return measure_column(session, name, spec)

    monkeypatch.setattr("kanon_tui.screens.attributes.screen.measure_column", slowly)
    try:
        async with make_app(sample("datafly")).run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await pilot.press("2")
            grid = pilot.app.screen.query_one("#attributes", Grid)

            def distinct() -> list[str]:
                rows = grid.source.rows(0, grid.source.height)
                return [row[4].text for row in rows]

            await wait_until(pilot, lambda: distinct()[0] != "…" and len(set(measured)) > 1)
            assert distinct()[1:] == ["…"] * (grid.source.height - 1)
            await pilot.press("down", "o")
            await wait_until(pilot, lambda: session_of(pilot).attribute("birth").role is Role.OTHER)
            go_on.set()
            await wait_until(pilot, lambda: "…" not in distinct())
    finally:
        go_on.set()
