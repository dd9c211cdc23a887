"""7 What-if: choose, run, watch, cancel, open, export; and the plot by itself."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input, Static

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.analysis.sweep.sweep import METRICS
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.report.chart import Line
from kanon_tui.core.task.events import Event
from kanon_tui.core.task.task import RunContext, Step, Steps, Task
from kanon_tui.screens.opening import open_file
from kanon_tui.screens.results.screen import ResultsScreen
from kanon_tui.screens.what_if.screen import ChooseAlgorithms, WhatIfScreen
from kanon_tui.widgets.dialogs import Confirm, Message
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.path_dialog import AskPath
from kanon_tui.widgets.plot import MARKERS, Plot, draw
from tests.screens.conftest import session_of, settle, wait_until


def screen_of(pilot: Pilot[None]) -> WhatIfScreen:
    screen = pilot.app.screen
    assert isinstance(screen, WhatIfScreen)
    return screen


def cells(screen: WhatIfScreen) -> list[list[str]]:
    source = screen.query_one(Grid).source
    assert source is not None
    return [[cell.text for cell in row] for row in source.rows(0, source.height)]


def text(screen: WhatIfScreen, selector: str) -> str:
    return str(screen.query_one(selector, Static).content)


async def until_shown(pilot: Pilot[None], kind: type) -> None:
    await wait_until(pilot, lambda: isinstance(pilot.app.screen, kind))
    await settle(pilot)


async def type_values(pilot: Pilot[None], values: str) -> None:
    await pilot.press("k")
    await pilot.pause()
    pilot.app.screen.query_one(Input).value = values
    await pilot.press("enter")
    await settle(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_sweep_fills_table_and_plot_with_every_figure_that_runs_give(
    sample, make_app, size
) -> None:
    project = sample("race-rules")
    async with make_app(project).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        screen = screen_of(pilot)
        assert [row[:2] for row in cells(screen)][:2] == [["● global", "2"], ["● global", "3"]]
        assert all(set(row[2:]) == {"…"} for row in cells(screen))
        await type_values(pilot, "3,5")
        await pilot.press("r")
        await settle(pilot)
        assert not screen.running
        rows = {(row[0][2:], row[1]): row for row in cells(screen)}
        assert set(rows) == {(name, k) for name in screen.algorithms for k in ("3", "5")}
        measures = anonymize(project).measures
        own = rows[session_of(pilot).project.algorithm.name, "3"]
        assert own[2:6] == [
            f"{measures.ncp:.3f}",
            f"{measures.rv:.3f}",
            f"{measures.il:,.0f}",
            f"{measures.classes}",
        ]
        plot = screen.query_one(Plot)
        assert plot.labels == ("3", "5")
        assert all(value is not None for line in plot.lines for value in line.values)
        shown = plot.render().plain
        assert all(f"{MARKERS[i]} {name}" in shown for i, name in enumerate(screen.algorithms))
        assert max(map(cell_len, shown.splitlines())) <= plot.size.width
        assert len(shown.splitlines()) == plot.size.height
        assert "4 points · done" in text(screen, "#status")
        seen = {}
        for _ in range(6):
            seen[screen.plotted[0].title] = screen.query_one(Plot).lines[0].values[0]
            await pilot.press("v")
        first = (screen.algorithms[0], 3)
        point = next(p for p in screen.points if (p.algorithm, p.k) == first)
        assert seen == {
            "NCP": point.ncp,
            "RV": point.rv,
            "IL": point.il,
            "classes": point.classes,
            "suppressed": point.suppressed_records,
            "seconds": point.seconds,
        }


async def test_algorithms_are_marked_in_a_list_and_values_of_k_checked_as_typed(
    sample, make_app
) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        screen = screen_of(pilot)
        before = screen.algorithms
        await pilot.press("a")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ChooseAlgorithms)
        await pilot.press("down", "space", "enter")  # local
        await settle(pilot)
        assert set(screen.algorithms) == {*before, "local"}
        await pilot.press("a", "down", "space", "escape")
        await settle(pilot)
        assert set(screen.algorithms) == {*before, "local"}
        await pilot.press("a")
        await settle(pilot)
        for name in ALGORITHMS:  # none is too few
            await pilot.press(*(["space"] if name in screen.algorithms else []), "down")
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, ChooseAlgorithms)
        await pilot.press("escape")
        await settle(pilot)
        ks = screen.ks
        await pilot.press("k", *"2,x", "enter")
        await settle(pilot)
        assert "'x' is not a whole number" in str(
            pilot.app.screen.query_one("#error", Static).content
        )
        await pilot.press("escape")
        assert screen.ks == ks


async def test_enter_opens_a_point_or_says_that_there_is_no_release(
    sample, make_app, monkeypatch
) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        await type_values(pilot, "3,500")
        await pilot.press("r")
        await settle(pilot)
        screen = screen_of(pilot)
        went: list[str] = []
        monkeypatch.setattr(screen.host, "go_to_step", went.append)
        assert cells(screen)[1][2:] == ["✗", *["–"] * 5]
        await pilot.press("down")
        await pilot.pause()
        assert "k is 500 but the table has only 6 records" in text(screen, "#note")
        await pilot.press("enter")
        await settle(pilot)
        assert session_of(pilot).results == went == []
        await pilot.press("up", "enter")
        await settle(pilot)
        [result] = session_of(pilot).results
        point = screen.point
        assert point is not None
        assert (result.algorithm.name, result.task.k) == (screen.algorithms[0], 3)
        assert result.measures.ncp == point.ncp
        assert went == ["results"]
        await pilot.press("enter")  # the same one again: no second run of it
        await settle(pilot)
        assert session_of(pilot).results == [result]


async def test_a_point_opened_again_comes_to_the_front(sample, make_app) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        await type_values(pilot, "2,3")
        await pilot.press("r")
        await settle(pilot)
        screen = screen_of(pilot)

        async def open_point() -> ResultsScreen:
            await pilot.press("enter")
            await until_shown(pilot, ResultsScreen)
            return pilot.app.screen

        results = await open_point()
        first = results.result
        assert first.task.k == 2
        await pilot.press("7", "down")
        await settle(pilot)
        assert (await open_point()).result.task.k == 3
        await pilot.press("minus")  # the neighbour of a point
        await settle(pilot)
        assert results.result.task.k == 2
        assert "k 3 → 2" in str(results.query_one("#summary", Static).content)
        await pilot.press("7", "up")
        await settle(pilot)
        assert (await open_point()).result is first
        assert [one.task.k for one in session_of(pilot).results] == [3, 2, 2]
        assert screen.point.k == 2


async def test_the_plot_shows_the_point_under_the_cursor_and_who_is_best(sample, make_app) -> None:
    async with make_app(sample("race-rules")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        await type_values(pilot, "3,5")
        await pilot.press("r")
        await settle(pilot)
        screen = screen_of(pilot)
        plot = screen.query_one(Plot)
        await pilot.press("down", "down", "down")
        await pilot.pause()
        assert plot.chosen == (1, 1)
        known = {(point.algorithm, point.k): point for point in screen.points}
        one, other = (known[name, 5] for name in screen.algorithms)
        winner, loser = sorted((one, other), key=lambda point: point.ncp)
        row = screen.algorithms.index(loser.algorithm) * 2 + 1
        screen.query_one(Grid).go_to(row)
        await pilot.pause()
        assert f"NCP {loser.ncp:.3f} · best at this k: " in text(screen, "#note")
        assert text(screen, "#note").endswith(f"{winner.algorithm} {winner.ncp:.3f}")
        await pilot.press("V")  # back from the first: all of them
        await pilot.pause()
        assert [chart.title for chart in plot.charts] == [metric.title for metric in METRICS]
        shown = plot.render().plain
        assert all(metric.title in shown for metric in METRICS)
        assert max(map(cell_len, shown.splitlines())) <= plot.size.width
        assert len(shown.splitlines()) <= plot.size.height
        assert text(screen, "#note").startswith("best at k = 5: NCP ")
        await pilot.press("v")
        assert [chart.title for chart in plot.charts] == ["NCP"]
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert "┤" in plot.render().plain


class Endless(Datafly):
    """Never comes to an end."""

    def steps(self, task: Task, context: RunContext) -> Steps:
        while True:
            time.sleep(0.001)
            yield Step(Event())


async def test_cancel_keeps_the_points_that_are_done(sample, make_app, monkeypatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "datafly", Endless)
    monkeypatch.setattr("kanon_tui.core.analysis.sweep.sweep.cores", lambda: 2)
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        screen = screen_of(pilot)
        screen._compare(("datafly", "mondrian"), (2, 3))
        await pilot.press("r")
        await wait_until(pilot, lambda: screen._drawn is not None and len(screen._drawn) == 2)
        assert screen.running
        assert "c cancels" in text(screen, "#status")
        await pilot.press("c")
        await settle(pilot)
        assert not screen.running
        assert {(point.algorithm, point.k) for point in screen.points} == {
            ("mondrian", 2),
            ("mondrian", 3),
        }
        assert "the rest cancelled" in text(screen, "#status")


async def test_leaving_the_program_ends_a_sweep(sample, make_app, monkeypatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "datafly", Endless)
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        screen = screen_of(pilot)
        screen._compare(("datafly",), (2, 3))
        await pilot.press("r")
        await wait_until(pilot, lambda: screen.running)
    assert screen.sweep is not None
    assert screen.sweep._cancelled


async def test_points_are_exported_marked_as_older_and_forgotten(
    sample, make_app, tmp_path: Path
) -> None:
    async with make_app(sample("patients")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        await type_values(pilot, "2,3")
        await pilot.press("r")
        await settle(pilot)

        async def export(name: str) -> None:
            await pilot.press("x")
            await settle(pilot)
            pilot.app.screen.query_one(Input).value = str(tmp_path / name)
            await pilot.press("enter")
            await settle(pilot)

        await export("o.csv")
        await export("o.svg")
        await export("o.json")
        with (tmp_path / "o.csv").open() as file:
            assert [row["k"] for row in csv.DictReader(file)] == ["2", "3"] * 2
        assert (tmp_path / "o.svg").read_text().startswith("<svg")
        assert len(json.loads((tmp_path / "o.json").read_text())) == 4
        (tmp_path / "o.csv").write_text("mine")
        await export("o.csv")
        assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("n")
        await settle(pilot)
        assert (tmp_path / "o.csv").read_text() == "mine"
        await export("o.pdf")
        assert isinstance(pilot.app.screen, AskPath)  # it asks again, with the reason
        await pilot.press("escape")

        session_of(pilot).change_attributes(["age"], "weight", weight=0.9)
        screen = screen_of(pilot)
        screen.refresh_session()
        assert screen.points
        assert "earlier state of the project" in text(screen, "#status")
        open_file(pilot.app.host, sample("datafly"))
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        assert screen_of(pilot).points == ()


# --- the plot


def test_the_plot_draws_values_at_their_height() -> None:
    canvas = draw([Line("a", (0.0, 0.5, 1.0))], ["2", "5", "10"], 40, 11)
    rows = ["".join(row) for row in canvas.characters]
    assert all(len(row) == 40 for row in rows)
    markers = [(r, row.index("●")) for r, row in enumerate(rows) if "●" in row]
    assert [r for r, _ in markers] == [0, 5, 9]  # falling rows, rising values
    assert rows[-1].index("10") <= markers[0][1] <= rows[-1].index("10") + 1
    assert rows[0].lstrip().startswith("1 ┤")
    assert rows[9].lstrip().startswith("0 ┤")


def test_the_plot_knows_where_its_markers_stand_and_how_high_it_is() -> None:
    canvas = draw([Line("a", (0.3, 0.6)), Line("b", (0.3, None))], ["2", "5"], 30, 4)
    rows = ["".join(row) for row in canvas.characters]
    assert {place: rows[r][c] for place, (r, c) in canvas.markers.items()} == {
        (0, 0): "●",
        (0, 1): "●",
        (1, 0): "■",
    }
    assert rows[0].startswith("0.6 ┤")  # no round number fits: the highest value


def test_equal_values_stand_side_by_side() -> None:
    same = (0.3, 0.6)
    canvas = draw([Line(name, same) for name in "abc"], ["2", "5"], 40, 9)
    rows = ["".join(row) for row in canvas.characters]
    for marker in "●■▲":
        assert sum(row.count(marker) for row in rows) == 2


async def test_a_figure_is_told_in_words(sample, make_app) -> None:
    async with make_app(sample("mondrian")).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("7")
        await settle(pilot)
        await type_values(pilot, "2, 3")
        await pilot.press("r")
        await wait_until(pilot, lambda: not screen_of(pilot).running and screen_of(pilot).points)
        await settle(pilot)
        await pilot.press("t")
        await until_shown(pilot, Message)
        told = str(pilot.app.screen.query_one("#text", Static).content)
        assert "k = 2, NCP, best first: " in told
        assert "mondrian, k = 2 to 3: NCP rises from" in told
